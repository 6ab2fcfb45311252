package lagrange

import (
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// costTable is a cut on when jobs end: what each pays at some multipliers, by the time by
// which it ends, is all together no more than what all capacities are worth.
type costTable struct {
	multipliers []int64
	worth       int64
	jobs        []costsByEnd
	argument    *proof.Branching
}

// costsByEnd are those of a job that ends by first, first + step and so on; they fall,
// and between two of these times are no less than at the later one.
type costsByEnd struct {
	first, step model.Time
	costs       []int64
}

// mostTimes bounds the times of a table.
const mostTimes = 128

// newCut works out the table of multipliers, with nothing narrowed.
func (e *Ends) newCut(multipliers []int64) *costTable {
	copy(e.multipliers, multipliers)
	e.sum()
	c := &costTable{multipliers: slices.Clone(multipliers), worth: e.worth()}
	bound := e.dualBound(multipliers)
	c.argument = &proof.Branching{Bound: bound}
	e.size += len(bound.Multipliers) + len(multipliers)/multipliersPerSize
	for j := range e.relaxation.jobs {
		c.jobs = append(c.jobs, e.relaxation.jobs[j].costsByEnd(e.jobs[j].first))
		e.left -= len(c.jobs[j].costs) * (1 + e.relaxation.size/len(e.jobs))
	}
	return c
}

// multipliersPerSize is how many plain multipliers take as much as one of a dual bound.
const multipliersPerSize = 6

// costsByEnd works out what the job pays if it ends by a time, from one on.
func (b *subproblem) costsByEnd(first model.Time) costsByEnd {
	before := b.beforeLast()
	c := costsByEnd{first: first, step: 1 + (b.last-first)/mostTimes}
	for t := first; ; t += c.step {
		c.costs = append(c.costs, min(b.penalty, b.endingBy(before, min(t, b.last)).cost))
		if t >= b.last {
			return c
		}
	}
}

// at is a cost that a job pays at least if it ends by a time, never if it cannot.
func (c *costsByEnd) at(t model.Time) int64 {
	if t < c.first {
		return never
	}
	return c.costs[min(int((t-c.first+c.step-1)/c.step), len(c.costs)-1)]
}

// firstWithin is the first time, last at the latest, by which a job may end at no more
// than a cost, if it may by last.
func (c *costsByEnd) firstWithin(most int64, last model.Time) model.Time {
	k := sort.Search(len(c.costs), func(k int) bool { return c.costs[k] <= most })
	if k == 0 {
		return c.first
	}
	return min(last, c.first+model.Time(k-1)*c.step+1)
}

// slack is what jobs that end by given times may pay beyond what they do at least;
// below 0 they cannot all do so.
func (c *costTable) slack(last []model.Time) int64 {
	slack := c.worth
	for j := range last {
		if slack -= c.jobs[j].at(last[j]); slack <= -never {
			return -never
		}
	}
	return slack
}
