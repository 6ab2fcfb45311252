// Package patterns is the linear programme by patterns (Gilmore and Gomory, 1961): items are covered as often as they
// are asked for, in fractions too, by as few patterns as possible, each of which is as many items as fit together. Items are tasks that
// a core runs one after the other (package packing), or that a slave runs at once (package energy).
package patterns

import (
	"context"
	"slices"

	"downbeat/solve/simplex"
)

// Pattern says how many of each item fit together.
type Pattern []Part

// Part is a number of an item.
type Part struct{ Item, Count int }

// Knapsack finds the pattern that is worth most.
type Knapsack interface {
	// Solve finds it at prices by item, in which there are no more than counts of each. It takes none whose price is not above 0.
	Solve(prices []float64, counts []int) (value float64, best Pattern)
	// Cells is a measure of what a solution takes.
	Cells() int
}

// guesser finds a pattern that is worth much, in little time.
type guesser interface {
	Guess(prices []float64, counts []int) (value float64, best Pattern)
}

// guessed is by how much a pattern that is guessed is worth more than it costs, or one that is worth most is sought.
const guessed = 1e-4

// Relaxation is the linear programme, with a knapsack to find columns. It has a row for each item, and in its basis patterns and
// surpluses of items.
type Relaxation struct {
	Knapsack
	*simplex.Programme[Column]
	// demand is how often each item is to be covered, counts how often it is in a pattern at most.
	demand []float64
	counts []int
	// pool keeps the patterns found, which may be of use for fewer items too.
	pool []Pattern
	// Near is the share of the optimum that is enough, by Farley's bound; 0 for all of it.
	Near float64
	// Enough is how often patterns may be used together for an end before the optimum; 0 for none.
	Enough float64
	// Most is how many steps are enough; 0 for any number.
	Most int
	// Steps counts cells of knapsacks and of the inverse looked at.
	Steps int
}

// Column of the linear programme: a pattern costs 1, the surplus of an item nothing.
type Column struct {
	Pattern
	Surplus bool
}

// Begin sets up the programme, with a pattern of its own for each item, in which it is so often as fits says.
func (r *Relaxation) Begin(demand []float64, counts, fits []int) {
	r.demand, r.counts, r.Programme = demand, counts, simplex.New[Column](len(counts))
	for i := range counts {
		r.Programme.Begin(i, Column{Pattern: Pattern{{i, fits[i]}}}, float64(fits[i]), 1, demand[i])
	}
}

// Outcome of a relaxation.
type Outcome uint8

// See [Relaxation.Solve].
const (
	Unsolved Outcome = iota // cut short
	Solved
	Exceeded // the bound exceeds what patterns may be used for
)

// Solve goes on until the optimum, or a bound that exceeds how often patterns may be used together: no
// pattern is worth more than the best one, which the sum of all prices is to be
// divided by (Farley, 1990).
func (r *Relaxation) Solve(ctx context.Context, most float64) Outcome {
	for range stepsPerItem * (len(r.counts) + 10) {
		if ctx.Err() != nil || r.Most > 0 && r.Steps > r.Most {
			return Unsolved
		}
		r.price()
		if r.Enough > 0 && r.Cost() <= r.Enough {
			return Unsolved
		}
		entering, ok := r.fromPool()
		if guess, can := r.Knapsack.(guesser); can && !ok {
			if value, best := guess.Guess(r.Prices, r.counts); value > 1+guessed {
				entering, ok = Column{Pattern: best}, true
				r.pool = append(r.pool, best)
			}
			r.Steps += len(r.counts)
		}
		if !ok {
			value, best := r.Knapsack.Solve(r.Prices, r.counts)
			r.Steps += r.Cells() * len(r.counts)
			if r.worth() > value*(most+simplex.Tolerance) {
				return Exceeded
			}
			if r.Near > 0 && r.worth() >= r.Near*value*r.Cost() {
				return Solved
			}
			switch i := slices.Index(r.Prices, slices.Min(r.Prices)); {
			case r.Prices[i] < -simplex.Tolerance:
				entering = Column{Pattern{{i, -1}}, true}
			case value <= 1+simplex.Tolerance:
				return Solved
			default:
				entering = Column{Pattern: best}
				r.pool = append(r.pool, best)
			}
		}
		if !r.pivot(entering) {
			return Unsolved
		}
	}
	return Unsolved
}

// stepsPerItem bounds the steps: mostly it takes three to ten.
const stepsPerItem = 50

// price works the prices out.
func (r *Relaxation) price() {
	r.Price()
	r.Steps += len(r.counts) * len(r.counts)
}

// worth is what all items are worth.
func (r *Relaxation) worth() float64 {
	sum := 0.0
	for i, n := range r.demand {
		sum += max(0, r.Prices[i]) * n
	}
	return sum
}

// fromPool is the pattern of the pool that is worth most above its cost.
func (r *Relaxation) fromPool() (best Column, ok bool) {
	most := 1 + simplex.Tolerance
	for _, p := range r.pool {
		value := 0.0
		for _, of := range p {
			value += float64(min(of.Count, r.counts[of.Item])) * r.Prices[of.Item]
		}
		if value > most {
			most, best, ok = value, Column{Pattern: p}, true
		}
	}
	r.Steps += len(r.pool)
	if ok {
		best.Pattern = r.proper(best.Pattern)
	}
	return best, ok
}

// proper is a pattern cut down to the items that there are.
func (r *Relaxation) proper(p Pattern) Pattern {
	out := make(Pattern, 0, len(p))
	for _, of := range p {
		if n := min(of.Count, r.counts[of.Item]); n > 0 {
			out = append(out, Part{of.Item, n})
		}
	}
	return out
}

// pivot has a column enter the basis. It fails only for want of precision.
func (r *Relaxation) pivot(entering Column) bool {
	entries, cost := make([]simplex.Entry, 0, len(entering.Pattern)), 1.0
	for _, of := range entering.Pattern {
		entries = append(entries, simplex.Entry{Row: of.Item, Value: float64(of.Count)})
	}
	if entering.Surplus {
		cost = 0
	}
	r.Steps += len(r.counts) * len(r.counts)
	return r.Enter(entering, cost, entries)
}
