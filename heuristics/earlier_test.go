package heuristics_test

import (
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// TestEarlier: jobs finish earlier in sum, the plan stays valid, and no objective rises and
// no hard job finishes later, also where few jobs have room by themselves.
func TestEarlier(t *testing.T) {
	var gained [2]model.Time
	for seed := range uint64(600) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		later := *js
		later.Jobs = slices.Clone(js.Jobs)
		for i := range later.Jobs {
			later.Jobs[i].Release += model.Time(seed%4) * model.Time(13*(i+1)) // 0 of every fourth: as it is
		}
		plan := heuristics.Complete(&later, model.NewSchedule(len(js.Tasks)))
		before, bad := js.Finishes(plan), valuesFor(js, js.Finishes(plan))
		plan = heuristics.Earlier(t.Context(), js, js.Goal(), plan, seed)
		if err := check.Schedule(js, plan, true).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sum := model.Time(0)
		for i, finish := range js.Finishes(plan) {
			sum += before[i] - finish
			if js.Jobs[i].Kind == model.Hard && finish > before[i] {
				t.Fatalf("seed %d: hard job %d finishes at %d, before at %d", seed, i, finish, before[i])
			}
		}
		if values := valuesFor(js, js.Finishes(plan)); slices.Compare(values, bad) > 0 || slices.Equal(values, bad) && sum < 0 {
			t.Fatalf("seed %d: values %v, before %v; %d earlier in sum", seed, values, bad, sum)
		}
		if seed%4 == 0 {
			gained[0] += sum
		} else {
			gained[1] += sum
		}
	}
	if gained[0] <= 0 || gained[1] <= 0 {
		t.Errorf("jobs finish %v earlier in sum", gained)
	}
}

// valuesFor has how hard jobs are late, and the objectives.
func valuesFor(js *model.JobSet, finishes []model.Time) []int64 {
	values := []int64{js.Value(model.HardMisses, finishes), js.Value(model.HardTardiness, finishes), js.Value(model.HardTotalTardiness, finishes)}
	for _, o := range js.Goal() {
		values = append(values, js.Value(o, finishes))
	}
	return values
}

// TestEarlierFillsIdleTime: a job that waits for hours beside an idle machine does not.
func TestEarlierFillsIdleTime(t *testing.T) {
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}, {Name: "b", Cores: 1, Slots: 1}},
		Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(2, 5), model.ConstRow(2, 0))}}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	plan := heuristics.Earlier(t.Context(), js, nil, model.Schedule{{Slave: 0, Beat: 90, Fetch: 90, Start: 90}}, 0)
	if finish := js.Finishes(plan)[0]; finish != 5 {
		t.Errorf("it finishes at %d", finish)
	}
}

func BenchmarkEarlier(b *testing.B) {
	js := gen.Scale(1000, 1)
	plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	for b.Loop() {
		heuristics.Earlier(b.Context(), js, nil, plan, 0)
	}
}
