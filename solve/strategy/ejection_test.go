package strategy_test

import (
	"context"
	"slices"
	"testing"

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
			w := workOn(js, o)
			ctx, stop := budget.With(context.Background(), 60)
			strategy.Construct(context.Background(), w.Incumbent, 1, 30)
			before := valueOf(w)
			pool := strategy.NewEjection(w, 1)
			for round := 0; ctx.Err() == nil; round++ {
				if out := pool.Run(ctx, portfolio.Slice{Round: round, Units: 1}); out != portfolio.Open {
					t.Fatalf("%v: outcome %d", o, out)
				}
			}
			stop()
			if w.Err() != nil || valueOf(w) >= before {
				t.Fatalf("%v: %d after %d: %v", o, valueOf(w), before, w.Err())
			}
			plans[k] = w.Best()
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Errorf("%v: two runs differ", o)
		}
	}
}

// TestEjectionPassesOver what it cannot keep: a sum of delays that came before.
func TestEjectionPassesOver(t *testing.T) {
	w := workOn(gen.Scale(400, 1), model.WeightedTardiness)
	w.Goal = []model.Objective{model.WeightedTardiness, model.Makespan}
	w.P = 1
	if out := strategy.NewEjection(w, 1).Run(context.Background(), portfolio.Slice{Units: 1}); out != portfolio.Done {
		t.Errorf("outcome %d, not done", out)
	}
}
