package solve

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// wideTiny is a tiny set with pools, caps, gangs and stages that are apart such as coupledTiny has none
// of: gangs of up to four tasks on up to four slaves, their tasks of several kinds; or recurring jobs,
// which are equal but for their releases, every other time one after the other.
func wideTiny(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	k := gen.TodayKnobs()
	k.Barred, k.EqualTasks = 0.1, 0.3
	if seed%3 > 0 {
		k.Tasks, k.FirstStage, k.LaterStage, k.Slaves = gen.Range{Lo: 4, Hi: 6}, gen.Range{Lo: 3, Hi: 4}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 2, Hi: 4}
	} else {
		k.Tasks, k.FirstStage, k.Slaves = gen.Range{Lo: 2, Hi: 3}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 2, Hi: 3}
	}
	if seed%16 == 0 { // any plan will do; of others one in 70 has no objective, and in a sample maybe none
		k.Hard, k.BestEffort, k.Objectives = 1, 0, [][]model.Objective{nil}
	}
	js, _ := gen.Random(k, 90_000_000+seed)
	js = gen.Coupled(js, seed, seed%6 > 3)
	if seed%3 > 0 {
		return js
	}
	rng := rand.New(rand.NewPCG(seed, 21))
	every, linked, once := model.Time(rng.IntN(3)*rng.IntN(4)), rng.IntN(2) == 0, model.JobID(len(js.Jobs))
	for i := range once {
		again := js.Jobs[i]
		again.Name += "-2"
		again.Release += every
		again.After, again.Stages = slices.Clone(again.After), slices.Clone(again.Stages)
		for k := range again.After {
			again.After[k] += once
		}
		if linked {
			again.After = append([]model.JobID{i}, again.After...)
		}
		slices.Sort(again.After)
		js.Jobs = append(js.Jobs, again)
	}
	js.Tasks = nil
	if err := js.Assemble(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return js
}

// TestWideGangsAgreeWithExhaustiveSearch: so it is with larger gangs, and with recurring jobs.
func TestWideGangsAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	statuses := map[model.Status]int{}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 200)) {
		js := wideTiny(t, seed)
		want := leastLeaving(t, js, false)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, NoConflict: seed%8 > 0, Early: seed%3 > 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agreeLeaving(js, r, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		statuses[r.Status]++
	}
	t.Logf("statuses %v", statuses)
	for _, s := range []model.Status{model.Optimal, model.Feasible, model.Infeasible} {
		if statuses[s] == 0 {
			t.Errorf("no job set was %s", s)
		}
	}
}

// TestPricesPastTheMakespan: prices that were found for deadlines hold where the makespan leaves less
// time than these do.
func TestPricesPastTheMakespan(t *testing.T) {
	const seed = 881_714
	js := gen.Tiny(seed)
	js.FIFO = false
	js = gen.Coupled(js, seed, true)
	if !slices.Equal(js.Goal(), []model.Objective{model.Makespan, model.Misses}) {
		t.Fatalf("the goal is %v", js.Goal())
	}
	r, err := Plan(context.Background(), js, Options{Workers: 1, Budget: 100_000, Proof: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := agreeLeaving(js, r, leastLeaving(t, js, false)); err != nil {
		t.Error(err)
	}
}
