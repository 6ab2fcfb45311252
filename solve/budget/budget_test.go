package budget_test

import (
	"context"
	"math"
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

// What is lent of a budget is not there for others, until it is given back.
func TestLend(t *testing.T) {
	whole, stop := budget.With(context.Background(), 100)
	defer stop()
	part, stopPart := budget.With(whole, 60)
	defer stopPart()
	first, back := budget.Lend(part, 2)
	second, back2 := budget.Lend(part, 1)
	for ctx, want := range map[context.Context]int{whole: 40, part: 1, first: 30, second: 30} {
		if got := budget.Affordable(ctx, 0); got != want {
			t.Errorf("%d left, want %d", got, want)
		}
	}
	budget.Spend(first, 10)
	if back(); first.Err() == nil || part.Err() != nil || budget.Affordable(part, 0) != 20 || budget.Affordable(whole, 0) != 60 {
		t.Errorf("%d and %d left", budget.Affordable(part, 0), budget.Affordable(whole, 0))
	}
	if budget.Spend(second, 55); second.Err() == nil || part.Err() != nil {
		t.Error("what was lent is spent, and not done")
	}
	third, back3 := budget.Lend(part, 5)
	if back3(); third.Err() == nil || part.Err() != nil {
		t.Error("something is lent, and nothing is left, and the part is done")
	}
	if back2(); part.Err() == nil || whole.Err() != nil || budget.Affordable(whole, 0) != 35 {
		t.Errorf("part %v, whole %v with %d left", part.Err(), whole.Err(), budget.Affordable(whole, 0))
	}
	ctx, back4 := budget.Lend(context.Background(), 2)
	if back4(); ctx != context.Background() {
		t.Error("there is a limit where none was set")
	}
}

// What a part of a budget is depends on all that is left of it, and one of at most so much where there is
// less: with less the same work need not come to the same.
func TestTakenOfParts(t *testing.T) {
	for _, c := range []struct {
		name  string
		take  func(ctx context.Context)
		least int64
	}{
		{"a part", func(ctx context.Context) { budget.Part(ctx, 2) }, math.MaxInt64},
		{"less than is left", func(ctx context.Context) {
			_, stop := budget.AtMost(ctx, 40, time.Hour)
			stop()
		}, 50},
		{"more than is left", func(ctx context.Context) {
			_, stop := budget.AtMost(ctx, 400, time.Hour)
			stop()
		}, math.MaxInt64},
	} {
		ctx, stop := budget.With(t.Context(), 100)
		budget.Spend(ctx, 10)
		c.take(ctx)
		if spent, least := budget.Taken(ctx); spent != 10 || least != c.least {
			t.Errorf("%s: %d spent, %d needed, want %d", c.name, spent, least, c.least)
		}
		stop()
	}
}
