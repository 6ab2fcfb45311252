package packing

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/simplex"
)

const tolerance = simplex.Tolerance

// relaxation is the linear programme that covers a number of tasks of each length by
// as few patterns as possible, in fractions too, with a knapsack to find columns (Gilmore and Gomory, 1961).
type relaxation struct {
	*knapsack
	counts []int
	// in has a row, and a column in the basis, per item.
	in *simplex.Programme[column]
	// pool keeps the patterns found, which may be of use for fewer tasks too.
	pool []pattern
	// steps counts cells of knapsacks and of the inverse looked at.
	steps int
}

// column of the linear programme: a pattern costs 1, the surplus of an item nothing.
type column struct {
	pattern
	surplus bool
}

// begin sets up the programme for a number of tasks of each item, with a pattern of
// its own for each.
func (r *relaxation) begin(counts []int) {
	r.counts, r.in = counts, simplex.New[column](len(counts))
	for i := range counts {
		fits := max(1, min(counts[i], r.capacity/r.lengths[i])) // 1 where there are none left
		r.in.Begin(i, column{pattern: pattern{{i, fits}}}, float64(fits), 1, float64(counts[i]))
	}
}

// outcome of a relaxation.
type outcome uint8

const (
	unsolved outcome = iota // cut short
	solved
	exceeded // the bound exceeds the number of cores
)

// solve goes on until the optimum, or a bound that exceeds the number of cores: no
// pattern is worth more than the best one, which the sum of all prices is to be
// divided by (Farley, 1990).
func (r *relaxation) solve(ctx context.Context, cores int) outcome {
	for range stepsPerItem * (len(r.counts) + 10) {
		if ctx.Err() != nil {
			return unsolved
		}
		r.price()
		entering, ok := r.fromPool()
		if !ok {
			value, best := r.knapsack.solve(r.in.Prices, r.counts)
			r.steps += r.capacity * len(r.counts)
			if r.worth() > value*(float64(cores)+tolerance) {
				return exceeded
			}
			switch i := slices.Index(r.in.Prices, slices.Min(r.in.Prices)); {
			case r.in.Prices[i] < -tolerance:
				entering = column{pattern{{i, -1}}, true}
			case value <= 1+tolerance:
				return solved
			default:
				entering = column{pattern: best}
				r.pool = append(r.pool, best)
			}
		}
		if !r.pivot(entering) {
			return unsolved
		}
	}
	return unsolved
}

// stepsPerItem bounds the steps: mostly it takes three to ten.
const stepsPerItem = 50

// price works the prices out.
func (r *relaxation) price() {
	r.in.Price()
	r.steps += len(r.counts) * len(r.counts)
}

// worth is what all tasks are worth.
func (r *relaxation) worth() float64 {
	sum := 0.0
	for i, n := range r.counts {
		sum += max(0, r.in.Prices[i]) * float64(n)
	}
	return sum
}

// fromPool is the pattern of the pool that is worth most above its cost.
func (r *relaxation) fromPool() (best column, ok bool) {
	most := 1 + tolerance
	for _, p := range r.pool {
		value := 0.0
		for _, of := range p {
			value += float64(min(of.count, r.counts[of.item])) * r.in.Prices[of.item]
		}
		if value > most {
			most, best, ok = value, column{pattern: p}, true
		}
	}
	r.steps += len(r.pool)
	if ok {
		best.pattern = r.proper(best.pattern)
	}
	return best, ok
}

// proper is a pattern cut down to the tasks that there are.
func (r *relaxation) proper(p pattern) pattern {
	out := make(pattern, 0, len(p))
	for _, of := range p {
		if n := min(of.count, r.counts[of.item]); n > 0 {
			out = append(out, part{of.item, n})
		}
	}
	return out
}

// pivot has a column enter the basis. It fails only for want of precision.
func (r *relaxation) pivot(entering column) bool {
	entries, cost := make([]simplex.Entry, 0, len(entering.pattern)), 1.0
	for _, of := range entering.pattern {
		entries = append(entries, simplex.Entry{Row: of.item, Value: float64(of.count)})
	}
	if entering.surplus {
		cost = 0
	}
	r.steps += len(r.counts) * len(r.counts)
	return r.in.Enter(entering, cost, entries)
}

// unit divides prices of an argument.
const unit = 1 << 24

// argument has the prices in whole numbers.
func (r *relaxation) argument(within model.Interval) *proof.Packing {
	out := &proof.Packing{Interval: within}
	for i, price := range r.in.Prices {
		if v := int64(price * unit); v > 0 {
			out.Prices = append(out.Prices, proof.LengthPrice{Length: model.Time(r.lengths[i]), Price: v})
		}
	}
	return out
}
