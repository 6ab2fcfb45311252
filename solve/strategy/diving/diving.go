// Package diving looks for plans with multipliers: of what shaving has left, only what
// hardly raises the cost of its job is kept, in several steps, and package lcg is asked
// about so little after each (a diving heuristic, as in mixed-integer programming:
// Danna, Rothberg and Le Pape 2005; reduced costs tell what to keep).
package diving

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// diving halves the way from the bound to the value of the best plan, and dives for plans
// with the value that it comes to: where one is found the value falls, else it goes on
// between there and the plan, and from the bound again in the end.
type diving struct {
	w   *portfolio.Work
	rng *rand.Rand
	// low is the least value that is left to dive for before it begins again.
	low int64
	// open are values that were shaved and dived for.
	open []*attempt
}

// attempt is a value that was dived for.
type attempt struct {
	*lagrange.Dive
	value int64
	dives uint64
}

// New prepares it for an objective that is a time. Its unit is a dive.
func New(w *portfolio.Work, seed uint64) portfolio.Strategy {
	return &diving{w: w, rng: rand.New(rand.NewPCG(seed, 3))}
}

// Run implements portfolio.Strategy.
func (d *diving) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if strategy.TakesHardAsMet(d.w) || d.w.JS.FIFO || !d.w.Exact.Allows(exact.LCG) {
		return portfolio.Done
	}
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
func (d *diving) next() int64 {
	value, bound := d.w.Gap(d.w.P)
	d.open = slices.DeleteFunc(d.open, func(a *attempt) bool { return a.value < bound || a.value >= value })
	if d.low = max(d.low, bound); d.low >= value {
		d.low = bound
	}
	return d.low + (value-1-d.low)/2
}

// mostLevels is how many guesses are made one after the other.
const mostLevels = 12

// dive makes guesses until there is a plan, or none is left, and reports whether there is one.
func (d *diving) dive(ctx context.Context, v int64) (found bool) {
	a := d.attempt(ctx, v)
	if a.Over() {
		return false
	}
	before := a.Steps()
	noise := d.noise(a.dives)
	a.dives++
	for level := 0; level < mostLevels && ctx.Err() == nil && a.down(ctx, noise); level++ {
		answer := d.ask(ctx, a)
		if found = answer == lcg.Satisfiable; answer != lcg.Unknown {
			break
		}
	}
	a.Up()
	spend(ctx, a.Steps()-before)
	return found
}

// The gains, in parts of what is missing, from which on guesses cut off what has them:
// from the boldest guess on, each this many times the one before.
const boldest, timid, milder = 0.0003, 4, 1.7

// down makes the boldest guess that multipliers do not refute, nor nearly so, and reports
// whether there is one.
func (a *attempt) down(ctx context.Context, noise func() float64) bool {
	some, held := true, false
	for least := boldest; some && !held && least < timid && ctx.Err() == nil; least *= milder {
		some, held = a.Guess(least, noise)
	}
	return held
}

// attempt is the one for a value; it shaves where the value is dived for first.
func (d *diving) attempt(ctx context.Context, v int64) *attempt {
	for _, a := range d.open {
		if a.value == v {
			return a
		}
	}
	a := &attempt{Dive: lagrange.NewDive(ctx, d.w.JS, query.AtMost(d.w.JS, d.w.Goal[d.w.P], model.Time(v))), value: v}
	spend(ctx, a.Steps())
	d.open = append(d.open, a)
	return a
}

// factors are those by which the first dive for a value has no chance, and others have.
var factors = [...]float64{0.25, 0.5, 1, 2, 4}

func (d *diving) noise(dives uint64) func() float64 {
	if dives == 0 {
		return func() float64 { return 1 }
	}
	return func() float64 { return factors[d.rng.IntN(len(factors))] }
}

// askPolls is what package lcg is given after each guess: of eight plans of tardiness of
// 80 tasks none took more.
const askPolls = 8

// ask asks about what a dive has left.
func (d *diving) ask(ctx context.Context, a *attempt) lcg.Answer {
	w := d.w
	q := w.Question(w.Limits(w.P, a.value))
	q.Restrict = a.Restrictions()
	search, err := exact.New(ctx, q, &w.Exact, w.Seed+a.dives, w.Best())
	if err != nil {
		return lcg.Unsatisfiable
	}
	polls := 0
	answer, plan := search.Run(ctx, func() bool { polls++; return polls > askPolls })
	if answer == lcg.Satisfiable {
		w.Receive(w.Complete(plan), w.P, a.value)
	}
	return answer
}

// stepsPerUnit is the number of steps that count as one unit of a budget, as in package strategy.
const stepsPerUnit = 20

func spend(ctx context.Context, steps int) {
	budget.Spend(ctx, steps/stepsPerUnit)
	event.Count(ctx, event.Counts{Steps: int64(steps)})
}
