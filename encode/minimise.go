package encode

import (
	"math"
	"math/bits"
	"slices"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// Form is what a formula is to be besides the question; the zero value is for SAT solvers.
type Form struct {
	// Minimize lists objectives, most important first, of which the encoding is to have the
	// costs. Each has a limit in the question; one that no solution exceeds costs nothing.
	Minimize []model.Objective
	// Sums are kept as they are, for solvers that add up.
	Sums bool
}

// Cost is an objective as the costs of literals, all ≥ 1, above what no solution avoids.
type Cost struct {
	Objective model.Objective
	Base      int64
	Literals  []cnf.Cost
}

// span is by how much the objective can differ.
func (c *Cost) span() int64 {
	total := int64(0)
	for _, l := range c.Literals {
		total += l.Weight
	}
	return total
}

// addCost keeps what an objective costs, if it is minimised.
func (e *Encoding) addCost(o model.Objective, base int64, terms [][]cnf.Step) {
	if slices.Contains(e.form.Minimize, o) {
		e.costs = append(e.costs, Cost{o, base, cnf.Costs(terms)})
	}
}

// Costs are what the objectives cost that are minimised, in their order.
func (e *Encoding) Costs() []Cost {
	var out []Cost
	for _, o := range e.form.Minimize {
		if i := slices.IndexFunc(e.costs, func(c Cost) bool { return c.Objective == o }); i >= 0 {
			out = append(out, e.costs[i])
		}
	}
	return out
}

// Total is one sum of costs in which a unit of each outweighs all later ones, and the factor
// of each; ok is false if it does not fit 62 bits.
func Total(costs []Cost) (sum []cnf.Cost, factors []int64, ok bool) {
	factors = make([]int64, len(costs))
	factor := uint64(1)
	for i := range slices.Backward(costs) {
		factors[i] = int64(factor)
		for _, l := range costs[i].Literals {
			high, weight := bits.Mul64(uint64(l.Weight), factor)
			if high > 0 || weight > math.MaxInt64/2 {
				return nil, nil, false
			}
			sum = append(sum, cnf.Cost{Weight: int64(weight), Lit: l.Lit})
		}
		high, next := bits.Mul64(uint64(costs[i].span())+1, factor)
		if high > 0 || next > math.MaxInt64/2 {
			return nil, nil, false
		}
		factor = next
	}
	return sum, factors, true
}

// A greatest time is minimised by a scale: [L ≤ q] says that every job that the objective looks
// at finishes by the time from which on it costs something, plus q; and each tick of L costs one.

// latest lists the objectives of that shape that are minimised, in ascending order.
func (l *layout) latest() []model.Objective {
	return slices.Sorted(func(yield func(model.Objective) bool) {
		for _, o := range l.form.Minimize {
			if o.Shape().Max && !yield(o) {
				return
			}
		}
	})
}

// latestJob is by when a job finishes where its objective is 0; ok is false where it plays no
// part.
func latestJob(l *layout, o model.Objective, i model.JobID) (from model.Time, ok bool) {
	job, shape := &l.JS.Jobs[i], o.Shape()
	if l.Role[i] != query.Must || !shape.Jobs.Has(job.Kind) {
		return 0, false
	}
	return shape.From(job), true
}

// latestBounds are the least and the greatest value of an objective.
func latestBounds(l *layout, o model.Objective) bounds {
	var b bounds
	for i := range l.JS.Jobs {
		if from, ok := latestJob(l, o, model.JobID(i)); ok {
			b.lo, b.hi = max(b.lo, l.Windows.CriticalPath[i]-from), max(b.hi, l.Cap[i]-from)
		}
	}
	b.hi = max(b.lo, b.hi)
	return b
}

func predictLatest(l *layout) int64 {
	total := int64(0)
	for _, o := range l.latest() {
		places := int64(1)
		for i := range l.JS.Jobs {
			if _, ok := latestJob(l, o, model.JobID(i)); ok {
				places += lastPlaces(l, model.JobID(i))
			}
		}
		b := latestBounds(l, o)
		total += product(int64(b.hi-b.lo), places)
	}
	return total
}

func buildLatest(e *Encoding) {
	for _, o := range e.latest() {
		value := e.newScale(latestBounds(e.layout, o))
		e.Chain(value.first, int(value.hi-value.lo))
		var steps []cnf.Step
		for q := value.lo; q < value.hi; q++ {
			above := value.atMost(q).Not()
			for i := range e.JS.Jobs {
				if from, ok := latestJob(e.layout, o, model.JobID(i)); ok {
					finishUnless(e, lastTasks(e.layout, model.JobID(i)), above, from+q)
				}
			}
			steps = append(steps, cnf.Step{Value: int64(q-value.lo) + 1, At: above})
		}
		e.addCost(o, int64(value.lo), [][]cnf.Step{steps})
	}
}
