package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// Dives looks for plans of less tardiness, or a shorter makespan, by dives ([diveSearch]).
var Dives = &portfolio.Strategy{
	Name: "dives", Unit: "a dive", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && divesApply(w) },
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &dives{w: w, rng: rand.New(rand.NewPCG(seed, 3))}
	},
}

// dives halves the way from the bound to the value of the best plan, and dives for plans
// with the value that it comes to: where one is found the value falls, else it goes on
// between there and the plan, and from the bound again in the end.
type dives struct {
	w   *portfolio.Work
	rng *rand.Rand
	// low is the least value that is left to dive for before it begins again.
	low int64
	// open are values that were shaved and dived for.
	open []*diveAttempt
}

// diveAttempt is a value that was dived for.
type diveAttempt struct {
	*diveSearch
	value int64
}

// divesApply reports whether there is anything to dive with: package lcg, which does not take
// sets with fifo.
func divesApply(w *portfolio.Work) bool { return !w.JS.FIFO && w.Exact.Allows(exact.LCG) }

// Run implements portfolio.Runner.
func (d *dives) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	for range s.Units {
		if ctx.Err() != nil || d.w.Over(d.w.P) {
			break
		}
		if v := d.next(); !d.dive(ctx, v) {
			d.low = v + 1
		}
	}
	return portfolio.Open
}

// next is the value to dive for.
func (d *dives) next() int64 {
	value, bound := d.w.Gap(d.w.P)
	d.open = slices.DeleteFunc(d.open, func(a *diveAttempt) bool { return a.value < bound || a.value >= value })
	if d.low = max(d.low, bound); d.low >= value {
		d.low = bound
	}
	return d.low + (value-1-d.low)/2
}

// dive dives for a plan with a value, and reports whether there is one.
func (d *dives) dive(ctx context.Context, v int64) (found bool) {
	w, a := d.w, d.attempt(ctx, v)
	answer, plan, steps := a.Run(ctx, w.Question(w.Limits(w.P, v)), &w.Exact, w.Seed, w.Best())
	charge(ctx, steps)
	if answer == lcg.Satisfiable {
		w.Receive(w.Complete(plan), w.P, v)
	}
	return answer == lcg.Satisfiable
}

// diveAttempt is the one for a value; it shaves where the value is dived for first.
func (d *dives) attempt(ctx context.Context, v int64) *diveAttempt {
	for _, a := range d.open {
		if a.value == v {
			return a
		}
	}
	due := query.AtMost(d.w.JS, d.w.Goal[d.w.P], model.Time(v))
	a := &diveAttempt{diveSearch: newDiveSearch(ctx, d.w.JS, due, math.MaxInt, d.rng), value: v}
	charge(ctx, a.Steps())
	d.open = append(d.open, a)
	return a
}
