package strategy_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/budget"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// startOf is a search that stands on the plan of a single construction, nil if that one
// misses a hard deadline.
func startOf(js *model.JobSet, o model.Objective) *portfolio.Work {
	w := worktest.On(js, o)
	strategy.Construct(context.Background(), w.Incumbent, 1, 1)
	if w.Best() == nil {
		return nil
	}
	return w
}

// Several workers at the same dives come to plans that are no better than the optimum either, and
// leave none behind that is dived for.
func TestDivesTogether(t *testing.T) {
	better := 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		js := gen.Tiny(seed)
		w := startOf(js, [...]model.Objective{model.Tardiness, model.Makespan}[seed%2])
		if w == nil || w.Over(0) {
			continue
		}
		before, dives := worktest.Value(w), strategy.Dives.Begin(w, seed)
		var wg sync.WaitGroup
		for range 2 + seed%3 {
			wg.Go(func() { dives.Run(t.Context(), portfolio.Slice{Units: 6}) })
		}
		wg.Wait()
		best, err := oracle.SolveFor(js, w.Goal, false)
		if err != nil {
			t.Fatal(err)
		}
		after := worktest.Value(w)
		if w.Err() != nil || after < best.Values[0] {
			t.Fatalf("seed %d: %d, the optimum is %d, %v", seed, after, best.Values[0], w.Err())
		}
		if after < before {
			better++
		}
	}
	if better < 5 {
		t.Errorf("%d better plans are too few to tell", better)
	}
}

// Dives lead to plans that are better and no better than the optimum, on some sets to the
// optimum; every plan has passed the validator on its way in.
func TestDivesAgainstOptima(t *testing.T) {
	better, reached := 0, 0
	for seed := range testkit.Sets[uint64](40, 600) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Tardiness, model.Makespan} {
			w := startOf(js, o)
			if w == nil {
				continue
			}
			before := worktest.Value(w)
			strategy.Dives.Begin(w, seed).Run(t.Context(), portfolio.Slice{Units: 4})
			if w.Err() != nil {
				t.Fatalf("seed %d, %v: %v", seed, o, w.Err())
			}
			after := worktest.Value(w)
			if after >= before {
				continue
			}
			better++
			r, err := solve.Plan(t.Context(), js, solve.Options{Objectives: []model.Objective{o}, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			best := r.Objectives[0].Value
			if after < best {
				t.Fatalf("seed %d, %v: %d, but the optimum is %d", seed, o, after, best)
			}
			if after == best {
				reached++
			}
		}
	}
	if better < 3 || reached < 2 {
		t.Errorf("%d better, %d of them optima: too few to mean much", better, reached)
	}
}

// contended is a set of a dozen to two dozen tasks whose deadlines not all jobs can meet.
func contended(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.Tasks = gen.Range{Lo: 12, Hi: 24}
	k.Hard, k.BestEffort = 0, 0
	k.Witness, k.Tightness = 0, gen.Range{Lo: 100, Hi: 200}
	js, _ := gen.Random(k, seed)
	return js
}

// Two runs come to the same plan, and one whose context has ended to none.
func TestDivesRepeatAndEnd(t *testing.T) {
	better := 0
	for seed := range uint64(12) {
		js := contended(seed)
		var plans [2]model.Schedule
		for k := range plans {
			w := startOf(js, model.Tardiness)
			before := worktest.Value(w)
			ended, end := context.WithCancel(t.Context())
			end()
			strategy.Dives.Begin(w, 1).Run(ended, portfolio.Slice{Units: 2})
			if worktest.Value(w) != before {
				t.Error("a plan after the end")
			}
			strategy.Dives.Begin(w, 1).Run(t.Context(), portfolio.Slice{Units: 3})
			if w.Err() != nil {
				t.Fatalf("seed %d: %v", seed, w.Err())
			}
			if worktest.Value(w) < before {
				better++
			}
			plans[k] = w.Best()
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
	if better == 0 {
		t.Errorf("%d better: too few to mean much", better)
	}
}

// Of more tasks than candidates are chosen of, dives for less tardiness do not shave first: 27,000 steps of that were no end of it.
func TestDivesOfManyTasks(t *testing.T) {
	js, _, err := gen.Family("tardiness-410", 1)
	if err != nil {
		t.Fatal(err)
	}
	w := worktest.On(js, model.Tardiness)
	strategy.NewGuided(w.Incumbent, 1).AnyPlan(t.Context())
	if w.Best() == nil {
		t.Fatal("no plan to start from")
	}
	ctx, end := budget.With(t.Context(), 3000)
	defer end()
	if out := strategy.Dives.Begin(w, 1).Run(ctx, portfolio.Slice{Units: 1}); out != portfolio.Open || ctx.Err() != nil || w.Err() != nil {
		t.Errorf("a dive came to %s, %v, %v", out, ctx.Err(), w.Err())
	}
}

// Dives, and shaving before the first, are charged as they go on, and end with the budget: of 150 tasks shaving took 9,000 units.
func TestDivesKeepToABudget(t *testing.T) {
	for _, seed := range []uint64{2, 3} {
		js, _, err := gen.Family("misses-60", seed)
		if err != nil {
			t.Fatal(err)
		}
		w := startOf(js, model.Tardiness)
		if w == nil {
			t.Fatal("no plan to start from")
		}
		ctx, end := budget.With(t.Context(), 150)
		defer end()
		strategy.Dives.Begin(w, 1).Run(ctx, portfolio.Slice{Units: 2})
		if left, _, _ := budget.Left(ctx); left > 0 || left < -50 || w.Err() != nil {
			t.Errorf("%d units are left, %v", left, w.Err())
		}
	}
}
