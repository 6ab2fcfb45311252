package budget_test

import (
	"context"
	"testing"
	"time"

	"downbeat/solve/budget"
)

// A part of a budget is spent with the whole, and the whole ends its parts.
func TestBudgetParts(t *testing.T) {
	whole, stop := budget.With(context.Background(), 10)
	defer stop()
	half := budget.Part(whole, 2)
	budget.Spend(half, 4)
	if budget.Affordable(half, 0) != 1 || budget.Affordable(whole, 0) != 6 || budget.Affordable(whole, 2) != 2 || half.Err() != nil {
		t.Errorf("after 4 of 5: %d and %d left", budget.Affordable(half, 0), budget.Affordable(whole, 0))
	}
	budget.Spend(half, 1)
	if half.Err() == nil || whole.Err() != nil {
		t.Errorf("after 5 of 5: part %v, whole %v", half.Err(), whole.Err())
	}
	rest, stopRest := budget.AtMost(whole, 2000, time.Minute)
	defer stopRest()
	budget.Spend(whole, 9)
	if rest.Err() == nil || whole.Err() == nil || budget.Affordable(rest, 0) != 5 {
		t.Errorf("after 14 of 10: part %v, whole %v", rest.Err(), whole.Err())
	}
	if ctx := context.Background(); budget.Affordable(ctx, 0) != 0 || budget.Affordable(ctx, 7) != 7 || budget.Part(ctx, 2) != ctx {
		t.Error("there is a limit where none was set")
	}
}
