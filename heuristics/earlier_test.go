package heuristics_test

import (
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/verify"
)

// TestEarlier: jobs finish earlier, none later, and the plan stays valid.
func TestEarlier(t *testing.T) {
	gained := model.Time(0)
	for seed := range uint64(300) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		later := *js
		later.Jobs = slices.Clone(js.Jobs)
		for i := range later.Jobs {
			later.Jobs[i].Release += model.Time(40 * (i + 1))
		}
		plan := heuristics.Complete(&later, model.NewSchedule(len(js.Tasks)))
		before := js.Finishes(plan)
		plan = heuristics.Earlier(t.Context(), js, plan)
		if err := verify.Schedule(js, plan, true).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, finish := range js.Finishes(plan) {
			if finish > before[i] {
				t.Fatalf("seed %d: job %d finishes at %d, before at %d", seed, i, finish, before[i])
			}
			gained += before[i] - finish
		}
	}
	if gained == 0 {
		t.Error("no job finishes earlier")
	}
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
	plan := heuristics.Earlier(t.Context(), js, model.Schedule{{Slave: 0, Beat: 90, Fetch: 90, Start: 90}})
	if finish := js.Finishes(plan)[0]; finish != 5 {
		t.Errorf("it finishes at %d", finish)
	}
}

func BenchmarkEarlier(b *testing.B) {
	js := gen.Scale(1000, 1)
	plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	for b.Loop() {
		heuristics.Earlier(b.Context(), js, plan)
	}
}
