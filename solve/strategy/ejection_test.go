package strategy_test

import (
	"context"
	"slices"
	"testing"

	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestEjectionImprovesAndRepeats: slice by slice the plan gets better, in the same
// way each time, and a budget ends it.
func TestEjectionImprovesAndRepeats(t *testing.T) {
	js := gen.Scale(500, 2)
	for _, o := range []model.Objective{model.Misses, model.WeightedTardiness} {
		var plans [2]model.Schedule
		for k := range plans {
			w := worktest.On(js, o)
			ctx, stop := budget.With(context.Background(), 60)
			strategy.Construct(context.Background(), w.Incumbent, 1, 30)
			before := worktest.Value(w)
			pool := strategy.EjectionPool.Begin(w, 1)
			for round := 0; ctx.Err() == nil; round++ {
				if out := pool.Run(ctx, portfolio.Slice{Round: round, Units: 1}); out != portfolio.Open {
					t.Fatalf("%v: outcome %d", o, out)
				}
			}
			stop()
			if w.Err() != nil || worktest.Value(w) >= before {
				t.Fatalf("%v: %d after %d: %v", o, worktest.Value(w), before, w.Err())
			}
			plans[k] = w.Best()
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Errorf("%v: two runs differ", o)
		}
	}
}

// TestForEjection: sets of 400 tasks and more, where lists stand back, and no sum of delays before the
// objective at hand, which cannot be kept job by job; of fewer tasks the first objective
// alone, beside lists.
func TestForEjection(t *testing.T) {
	large, middle := gen.Scale(400, 1), gen.Scale(200, 1)
	for _, c := range []struct {
		js   *model.JobSet
		goal []model.Objective
		// pool tells whether the ejection pool applies, lists whether lists do.
		pool, lists bool
	}{
		{large, []model.Objective{model.WeightedTardiness}, true, false},
		{large, []model.Objective{model.Misses, model.Makespan}, true, false},
		{large, []model.Objective{model.WeightedTardiness, model.Makespan}, false, true},
		{large, []model.Objective{model.Misses}, true, false},
		{middle, []model.Objective{model.Misses}, true, true},
		{middle, []model.Objective{model.HardMisses}, true, true},
		{middle, []model.Objective{model.Tardiness, model.Misses}, false, true},
	} {
		w := worktest.On(c.js, c.goal[0])
		w.Goal, w.P = c.goal, len(c.goal)-1
		if got := strategy.EjectionPool.AppliesTo(w); got != c.pool {
			t.Errorf("%d tasks, %v: %v", len(c.js.Tasks), c.goal, got)
		}
		if got := strategy.Lists.AppliesTo(w); got != c.lists {
			t.Errorf("%d tasks, %v, lists: %v", len(c.js.Tasks), c.goal, got)
		}
	}
}
