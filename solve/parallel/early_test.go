package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"downbeat/solve/budget"
	"downbeat/solve/parallel"
)

// search spends its budget unit by unit, up to so many, and asks once, at the beginning, for what
// wanted constructions take; it tells how far it came and what it had.
func search(ctx context.Context, units, wanted int) (string, error) {
	had := budget.Affordable(ctx, wanted)
	for n := range units {
		if ctx.Err() != nil {
			return fmt.Sprintf("ended after %d, had %d", n, had), nil
		}
		budget.Spend(ctx, 1)
	}
	return fmt.Sprintf("done, had %d", had), nil
}

// Whatever was looked for ahead, with whatever budget, who asks gets what a search of its own
// would have come to, and is charged the same; and what can be used is.
func TestEarlyCannotBeTold(t *testing.T) {
	used := 0
	for _, units := range []int{1, 5, 10} {
		for _, wanted := range []int{0, 3, 8, 20} {
			for ahead := int64(1); ahead < 16; ahead++ {
				for own := int64(1); own < 16; own++ {
					for _, whole := range []int64{own, own + 3, max(1, own-2)} {
						asking := func(e *parallel.Early[string], find func(context.Context) (string, error)) string {
							outer, stop := budget.With(t.Context(), whole)
							defer stop()
							ctx, stopInner := budget.With(outer, own)
							defer stopInner()
							got, err := e.Ask(ctx, "q", find)
							left, least, _ := budget.Left(ctx)
							return fmt.Sprint(got, err, left, least, ctx.Err(), outer.Err())
						}
						find := func(ctx context.Context) (string, error) { return search(ctx, units, wanted) }
						want := asking(&parallel.Early[string]{}, find)
						var e parallel.Early[string]
						ctx, stop := budget.Apart(t.Context(), ahead)
						if _, ok := e.Prepare(ctx, "q", find); !ok {
							t.Fatal("nothing was found ahead")
						}
						stop()
						asked := false
						got := asking(&e, func(ctx context.Context) (string, error) { asked = true; return find(ctx) })
						if got != want {
							t.Fatalf("%d units, wanting %d, %d ahead, %d of %d: %s, want %s", units, wanted, ahead, own, whole, got, want)
						}
						if !asked {
							used++
						}
					}
				}
			}
		}
	}
	if used < 1000 {
		t.Errorf("%d were used", used)
	}
}

// What failed, or was ended from outside, is not known ahead.
func TestEarlyFails(t *testing.T) {
	var e parallel.Early[string]
	ctx, stop := budget.Apart(t.Context(), 100)
	defer stop()
	if _, ok := e.Prepare(ctx, "q", func(context.Context) (string, error) { return "", errors.New("a slip") }); ok {
		t.Error("a failure is an answer")
	}
	find := func(context.Context) (string, error) { return "found", nil }
	if got, err := e.Ask(ctx, "q", find); got != "found" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	over, end := context.WithCancel(ctx)
	if _, ok := e.Prepare(over, "r", func(context.Context) (string, error) { end(); return "half", nil }); ok {
		t.Error("what was ended is an answer")
	}
	if got, _ := e.Ask(ctx, "r", find); got != "found" {
		t.Errorf("got %q", got)
	}
	if got, _ := e.Ask(t.Context(), "q", find); got != "found" {
		t.Errorf("without a budget: got %q", got)
	}
}
