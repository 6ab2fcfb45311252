package heuristics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// withoutJobs takes jobs out of a schedule at random: none, some or all.
func withoutJobs(js *model.JobSet, full model.Schedule, rng *rand.Rand) model.Schedule {
	partial := slices.Clone(full)
	share := rng.IntN(5)
	for i := range js.Jobs {
		if rng.IntN(4) >= share {
			continue
		}
		for t := js.Jobs[i].First; t < js.Jobs[i].End; t++ {
			partial[t] = model.Placement{Slave: model.NoSlave}
		}
	}
	return partial
}

// checkComplete completes a partial schedule and holds the result against the
// validator and what was placed before.
func checkComplete(js *model.JobSet, partial model.Schedule) error {
	given := slices.Clone(partial)
	got := Complete(js, partial)
	if !slices.Equal(partial, given) {
		return fmt.Errorf("the schedule given was changed")
	}
	if !got.Complete() {
		return fmt.Errorf("tasks are missing")
	}
	for t := range given {
		if given[t].Slave != model.NoSlave && got[t] != given[t] {
			return fmt.Errorf("%s was moved from %+v to %+v", js.TaskName(model.TaskID(t)), given[t], got[t])
		}
	}
	if err := check.Schedule(js, got, true).Err(); err != nil {
		return err
	}
	return fault(js, got)
}

// TestComplete: jobs taken out of valid schedules at random are put back.
func TestComplete(t *testing.T) {
	seeds := testkit.Sets[uint64](300, 1500)
	features := map[string]int{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		js := randomSet(t, rng)
		if seed%2 == 0 {
			js = gen.Small(seed, 8+int(seed%7))
		}
		rule := Rules()[rng.IntN(len(Rules()))]
		full := construct(js, rule, js.Goal(), seed)
		partial := withoutJobs(js, full, rng)
		if err := checkComplete(js, partial); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		countFeatures(js, full, partial, features)
	}
	for _, f := range []string{"fifo", "down", "pools", "concurrent", "some placed", "none placed", "all placed"} {
		if features[f] == 0 {
			t.Errorf("no case with %s", f)
		}
	}
	t.Logf("%v", features)
}

func countFeatures(js *model.JobSet, full, partial model.Schedule, count map[string]int) {
	placed := 0
	for t := range partial {
		if partial[t].Slave != model.NoSlave {
			placed++
		}
	}
	has := map[string]bool{
		"fifo": js.FIFO, "concurrent": js.Fetch == model.FetchConcurrent,
		"none placed": placed == 0, "all placed": placed == len(full), "some placed": placed > 0 && placed < len(full),
	}
	for i := range js.Slaves {
		has["down"] = has["down"] || len(js.Slaves[i].Down) > 0
		has["pools"] = has["pools"] || js.Slaves[i].SplitSlots
	}
	for name, yes := range has {
		if yes && (placed < len(full) || name == "all placed") {
			count[name]++
		}
	}
}

// TestCompleteIntoLooseSchedules: what is placed may be as loose as a SAT
// solver leaves it, late and with gaps between heartbeat, fetch and start.
func TestCompleteIntoLooseSchedules(t *testing.T) {
	loosened := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		js := randomSet(t, rng)
		full := construct(js, Rules()[0], js.Goal(), seed)
		tight := slices.Clone(full)
		if loosen(js, full, rng); !slices.Equal(full, tight) {
			loosened++
		}
		if err := checkComplete(js, withoutJobs(js, full, rng)); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if loosened < 300 {
		t.Errorf("only %d schedules were loosened", loosened)
	}
}

// TestCompleteByDeadline: jobs come in the order of their deadlines, best-effort
// ones last, into the gaps that are left.
func TestCompleteByDeadline(t *testing.T) {
	p := model.NewProfile(model.ConstRow(1, 2), model.ConstRow(1, 0))
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s1", Cores: 1, Slots: 1}}}
	for i, deadline := range []model.Time{0, 9, 5, 7} {
		job := model.Job{
			Name: fmt.Sprint("j", i+1), Kind: model.Soft, Deadline: deadline,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}},
		}
		if deadline == 0 {
			job.Kind = model.BestEffort
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	// Job 2 runs in [2, 4) and stays there: job 3 goes before it, job 4 after
	// it, job 1 last.
	partial := model.NewSchedule(4)
	partial[1] = model.Placement{Beat: 2, Fetch: 2, Start: 2}
	got := Complete(js, partial)
	for i, want := range []model.Time{6, 2, 0, 4} {
		if got[i].Start != want {
			t.Errorf("job %d starts at %d, want %d", i+1, got[i].Start, want)
		}
	}
}
