package strategy_test

import (
	"context"
	"slices"
	"testing"

	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestTabuSearchBeatsListsAndRepeats: on a budget it comes to the same each time, far below what lists come to with as much;
// it goes on from what others have found, and heeds its context.
func TestTabuSearchBeatsListsAndRepeats(t *testing.T) {
	js, _, err := gen.Family("jobshop-15x10", 4)
	if err != nil {
		t.Fatal(err)
	}
	const budgeted = 400
	lists := worktest.On(js, model.Makespan)
	strategy.Construct(context.Background(), lists.Incumbent, 1, budgeted)
	var plans [2]model.Schedule
	for k := range plans {
		w := worktest.On(js, model.Makespan)
		if !strategy.TabuSearch.AppliesTo(w) {
			t.Fatal("it does not apply to a job shop")
		}
		strategy.FirstPlan(context.Background(), w.Incumbent, 1)
		ctx, stop := budget.With(context.Background(), budgeted)
		s := strategy.TabuSearch.Begin(w, 1)
		for round := 0; ctx.Err() == nil; round++ {
			if out := s.Run(ctx, portfolio.Slice{Round: round, Units: 1}); out != portfolio.Open {
				t.Fatalf("outcome %v", out)
			}
		}
		stop()
		if plans[k] = w.Best(); w.Err() != nil || worktest.Value(w)*100 > worktest.Value(lists)*97 {
			t.Errorf("%d, lists %d: %v", worktest.Value(w), worktest.Value(lists), w.Err())
		}
	}
	if !slices.Equal(plans[0], plans[1]) {
		t.Error("two runs differ")
	}
	w := worktest.On(js, model.Makespan)
	w.Offer(plans[0])
	ctx, stop := budget.With(context.Background(), 40)
	defer stop()
	before := worktest.Value(w)
	strategy.TabuSearch.Begin(w, 2).Run(ctx, portfolio.Slice{})
	if worktest.Value(w) > before || ctx.Err() == nil {
		t.Errorf("%d after %d, %v", worktest.Value(w), before, ctx.Err())
	}
}

// TestTabuSearchMeetsHardDeadlines: where any plan will do it looks for one in which no hard job is late, and offers no other.
func TestTabuSearchMeetsHardDeadlines(t *testing.T) {
	found := 0
	for seed := range uint64(6) {
		js, _, err := gen.Family("jobshop-hard-8x8", seed)
		if err != nil {
			t.Fatal(err)
		}
		w := worktest.On(js, model.Makespan)
		w.P = incumbent.AnyPlan
		ctx, stop := budget.With(context.Background(), 200)
		strategy.TabuSearch.Begin(w, 1).Run(ctx, portfolio.Slice{})
		stop()
		if err := w.Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if w.Best() != nil {
			found++
			// Another worker may be given a slice as the plan is found.
			strategy.TabuSearch.Begin(w, 2).Run(t.Context(), portfolio.Slice{Units: 1})
		}
	}
	if found < 2 {
		t.Errorf("%d of 6 sets have a plan", found)
	}
}

// TestTabuSearchEndsEarly: in no round does a small set take up the whole of a slice; each slice looks twice as long.
func TestTabuSearchEndsEarly(t *testing.T) {
	js, _, err := gen.Family("jobshop-4x3", 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := budget.With(t.Context(), 1<<40)
	defer stop()
	w := worktest.On(js, model.Makespan)
	strategy.FirstPlan(ctx, w.Incumbent, 1)
	s := strategy.TabuSearch.Begin(w, 1)
	s.Run(ctx, portfolio.Slice{Units: 1000}) // after which nothing better comes
	before, _ := budget.Taken(ctx)
	var last int64
	for number := 1; number < 6; number++ {
		s.Run(ctx, portfolio.Slice{Round: number, Number: number, Units: 1000})
		now, _ := budget.Taken(ctx)
		took := now - before
		if whole := int64(1000 * 16_000_000 / (160 * len(js.Tasks))); took*10 > whole || number > 1 && (took < last*3/2 || took > last*5/2) {
			t.Errorf("slice %d: %d constructions of %d, %d in the one before", number, took, whole, last)
		}
		before, last = now, took
	}
}
