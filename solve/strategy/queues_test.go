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

// TestQueueAnnealingImprovesAndRepeats: the plan gets better, in the same way each time, and a budget ends it.
func TestQueueAnnealingImprovesAndRepeats(t *testing.T) {
	js := gen.Scale(500, 2)
	var plans [2]model.Schedule
	for k := range plans {
		w := worktest.On(js, model.Misses)
		ctx, stop := budget.With(context.Background(), 300)
		strategy.Construct(context.Background(), w.Incumbent, 1, 30)
		before := worktest.Value(w)
		if !strategy.QueueAnnealing.AppliesTo(w) {
			t.Fatal("it does not apply")
		}
		queues := strategy.QueueAnnealing.Begin(w, 1)
		for round := 0; ctx.Err() == nil; round++ {
			if out := queues.Run(ctx, portfolio.Slice{Round: round, Units: 1}); out != portfolio.Open {
				t.Fatalf("outcome %d", out)
			}
		}
		stop()
		if w.Err() != nil || worktest.Value(w) >= before {
			t.Fatalf("%d after %d: %v", worktest.Value(w), before, w.Err())
		}
		plans[k] = w.Best()
	}
	if !slices.Equal(plans[0], plans[1]) {
		t.Error("two runs differ")
	}
}
