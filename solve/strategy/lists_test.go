package strategy_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestListsImproveAndRepeat: round by round the plan gets better, in the same way each
// time; without bounds a slice is the last, and patience ends one.
func TestListsImproveAndRepeat(t *testing.T) {
	js := gen.Scale(100, 1)
	var plans [2]model.Schedule
	for k := range plans {
		w := worktest.On(js, model.WeightedTardiness)
		strategy.Construct(t.Context(), w.Incumbent, 1, 1)
		before := worktest.Value(w)
		lists := strategy.Lists.Begin(w, 1)
		ctx, stop := budget.With(t.Context(), 100)
		for round := 0; ctx.Err() == nil; round++ {
			if out := lists.Run(ctx, portfolio.Slice{Round: round, Units: 1}); out != portfolio.Open {
				t.Fatalf("outcome %d", out)
			}
		}
		stop()
		if w.Err() != nil || worktest.Value(w) >= before {
			t.Fatalf("%d after %d: %v", worktest.Value(w), before, w.Err())
		}
		plans[k] = w.Best()
		ended, end := context.WithCancel(t.Context())
		end()
		if out := lists.Run(ended, portfolio.Slice{}); out != portfolio.Done {
			t.Errorf("outcome %d of a slice without bounds", out)
		}
	}
	if !slices.Equal(plans[0], plans[1]) {
		t.Error("two runs differ")
	}
}

// TestListsFindAnyPlan that meets the hard deadlines, be these the objective or not.
func TestListsFindAnyPlan(t *testing.T) {
	js := gen.Scale(100, 2)
	w := worktest.On(js, model.Misses)
	w.P = incumbent.AnyPlan
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	strategy.Lists.Begin(w, 1).Run(ctx, portfolio.Slice{Units: 1})
	if w.Best() == nil || check.Schedule(js, w.Best(), false).Err() != nil {
		t.Error("no plan that meets the hard deadlines")
	}
}
