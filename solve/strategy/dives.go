package strategy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// Dives looks for plans of less tardiness, or a shorter makespan, by dives ([diveSearch]).
var Dives = &portfolio.Strategy{
	Name: "dives", Unit: "a dive", Sharing: portfolio.Together,
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && divesApply(w) },
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &dives{w: w, rng: rand.New(&lockedSource{from: rand.NewPCG(seed, 3)})}
	},
}

// dives halves the way from the bound to the value of the best plan, and dives for plans
// with the value that it comes to: where one is found the value falls, else it goes on
// between there and the plan, and from the bound again in the end. Each of several workers
// dives for a value above those that others dive for.
type dives struct {
	w   *portfolio.Work
	rng *rand.Rand
	sharedSlice

	mu sync.Mutex
	// low is the least value that is left to dive for before it begins again.
	low int64
	// open are values that were shaved and dived for, or are.
	open []*diveAttempt
}

// diveAttempt is a value that is dived for.
type diveAttempt struct {
	*diveSearch // nil before it was shaved for
	value       int64
	busy        bool
	// alive ends when the value is settled.
	alive context.Context
	end   context.CancelFunc
}

// divesApply reports whether there is anything to dive with: package lcg, which does not take
// sets with fifo.
func divesApply(w *portfolio.Work) bool { return !w.JS.FIFO && w.Exact.Allows(exact.LCG) }

// Run implements portfolio.Runner.
func (d *dives) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	d.enter(s.Number)
	defer d.leave()
	for d.within(s.Units) && ctx.Err() == nil && !d.w.Over(d.w.P) {
		a := d.next(ctx)
		if a == nil {
			break
		}
		d.use(1)
		d.over(a, d.dive(ctx, a))
		if a.Large() {
			return portfolio.Done
		}
	}
	return portfolio.Open
}

// next is the value to dive for, nil if others are at all that there are.
func (d *dives) next(ctx context.Context) *diveAttempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle()
	value, bound := d.w.Gap(d.w.P)
	if d.low = max(d.low, bound); d.low >= value {
		d.low = bound
	}
	low := d.low
	for _, a := range d.open {
		if a.busy {
			low = max(low, a.value+1)
		}
	}
	if low >= value {
		return nil
	}
	return d.attempt(ctx, low+(value-1-low)/2)
}

// settle ends attempts at values that have a plan, or none; d.mu is held.
func (d *dives) settle() {
	value, bound := d.w.Gap(d.w.P)
	d.open = slices.DeleteFunc(d.open, func(a *diveAttempt) bool {
		if a.value >= bound && a.value < value {
			return false
		}
		a.end()
		return true
	})
}

// attempt is the one at a value; d.mu is held.
func (d *dives) attempt(ctx context.Context, v int64) *diveAttempt {
	at := slices.IndexFunc(d.open, func(a *diveAttempt) bool { return a.value == v })
	if at < 0 {
		at = len(d.open)
		a := &diveAttempt{value: v}
		a.alive, a.end = context.WithCancel(portfolio.Whole(ctx))
		d.open = append(d.open, a)
	}
	d.open[at].busy = true
	return d.open[at]
}

// dive dives for a plan with a value, and reports whether there is one.
func (d *dives) dive(ctx context.Context, a *diveAttempt) (found bool) {
	w := d.w
	ctx, stop := whileAlive(ctx, a.alive)
	defer stop()
	if a.diveSearch == nil {
		due := query.AtMost(w.JS, w.Goal[w.P], model.Time(a.value))
		a.diveSearch = newDiveSearch(a.alive, w.JS, due, shavingFor(w.JS), d.rng)
	}
	answer, plan := a.Run(ctx, w.Question(w.Limits(w.P, a.value)), &w.Exact, w.Seed, w.Best())
	if answer == lcg.Satisfiable {
		w.Receive(w.Complete(plan), w.P, a.value)
	}
	return answer == lcg.Satisfiable
}

// shavingFor is what shaving may take before the first dive for a value.
func shavingFor(js *model.JobSet) int {
	if len(js.Tasks) >= TooManyToChoose {
		return noShaving
	}
	return math.MaxInt
}

// over tells what came of a dive.
func (d *dives) over(a *diveAttempt, found bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.busy = false
	if !found {
		d.low = max(d.low, a.value+1)
	}
	d.settle()
}
