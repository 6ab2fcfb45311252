package lagrange

import (
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// cut is a cut on when jobs end: what each pays at some multipliers, by the time by
// which it ends, is all together no more than what all capacities are worth.
type cut struct {
	multipliers []int64
	worth       int64
	// most is the slack where all jobs end as late as they may.
	most     int64
	jobs     []endCosts
	argument *proof.Branching
}

// endCosts are those of a job that ends by first, first + step and so on; they fall, and
// between two of these times are no less than at the later one.
type endCosts struct {
	first, step model.Time
	least       []int64
}

// mostTimes bounds the times of a table.
const mostTimes = 128

// newCut works out the table of multipliers.
func newCut(dues *dueTimes, multipliers []int64, jobs []endsJob) *cut {
	dues.put(multipliers)
	worth, bound := dues.worth()
	c := &cut{multipliers: multipliers, worth: worth, most: worth, argument: &proof.Branching{Bound: bound}}
	for j, at := range jobs {
		step := 1 + (dues.last(j)-at.first)/mostTimes
		c.jobs = append(c.jobs, endCosts{at.first, step, dues.costs(j, at.first, step)})
		c.most -= c.jobs[j].least[len(c.jobs[j].least)-1]
	}
	return c
}

// size is that of the cut in multipliers of a dual bound, of 48 bytes each.
func (c *cut) size() int {
	return len(c.argument.Bound.Multipliers) + (len(c.multipliers)+mostTimes*len(c.jobs))/6
}

// at is a cost that a job pays at least if it ends by a time, first or later.
func (c *endCosts) at(t model.Time) int64 {
	return c.least[min(int((t-c.first+c.step-1)/c.step), len(c.least)-1)]
}

// firstWithin is the first time, last at the latest, by which a job may end at no more
// than a cost, if it may by last.
func (c *endCosts) firstWithin(most int64, last model.Time) model.Time {
	k := sort.Search(len(c.least), func(k int) bool { return c.least[k] <= most })
	if k == 0 {
		return c.first
	}
	return min(last, c.first+model.Time(k-1)*c.step+1)
}

// slack is what jobs that end by given times may pay beyond what they do at least;
// below 0 they cannot all do so.
func (c *cut) slack(last []model.Time) int64 {
	slack := c.worth
	for j := range last {
		slack -= c.jobs[j].at(last[j])
	}
	return slack
}
