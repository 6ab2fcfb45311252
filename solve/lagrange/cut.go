package lagrange

import (
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// cut is a cut on when jobs end: what each pays at some multipliers, by the time by
// which it ends, is all together no more than what all capacities are worth, and what
// is allowed for lateness where they pay for that.
type cut struct {
	// multipliers are nil where jobs pay for lateness.
	multipliers []int64
	worth       int64
	// most is the slack where all jobs end as late as they may.
	most     int64
	jobs     []endCosts
	argument *proof.Branching
}

// endCosts are those of a job that ends by first, first + step and so on; they fall, and
// between two of these times are no less than at the later one. Beside them the job pays late for each tick after its deadline, less what is short.
type endCosts struct {
	first, step model.Time
	least       []int64
	late, short int64
	deadline    model.Time
}

// mostTimes bounds the times of a table.
const mostTimes = 128

// newCut works out the table of multipliers, and of what tasks in lanes pay in any case; pay is nil where jobs do not pay for lateness.
func newCut(dues *dueTimes, multipliers, base []int64, jobs []endsJob, pay *lateness) *cut {
	c := &cut{}
	if pay == nil {
		c.multipliers = multipliers
	} else {
		dues.charge(pay.charges)
		defer dues.charge(dues.inTime)
	}
	dues.p.base = base
	defer func() { dues.p.base = nil }()
	dues.put(multipliers)
	worth, bound := dues.worth()
	c.worth, c.most, c.argument = worth, worth, &proof.Branching{Bound: bound}
	if pay != nil {
		bound.Penalty = pay.most
	}
	for j, at := range jobs {
		step := 1 + (dues.last(j)-at.first)/mostTimes
		c.jobs = append(c.jobs, endCosts{at.first, step, dues.costs(j, at.first, step), dues.p.jobs[j].late, dues.p.jobs[j].short, at.deadline})
		c.most -= c.jobs[j].least[len(c.jobs[j].least)-1]
	}
	return c
}

// size is that of the cut in multipliers of a dual bound, of 48 bytes each.
func (c *cut) size() int {
	n := len(c.multipliers)
	for j := range c.jobs {
		n += 8 + len(c.jobs[j].least)
	}
	return len(c.argument.Bound.Multipliers) + (n+len(c.argument.Bound.Base))/6
}

// place is that of a time, first or later, in the table.
func (c *endCosts) place(t model.Time) int {
	return min(int((t-c.first+c.step-1)/c.step), len(c.least)-1)
}

// at is a cost that a job pays at least if it ends at a place of the table, and not before from.
func (c *endCosts) at(k int, from model.Time) int64 {
	cost := c.least[k]
	if end := max(from, c.first+model.Time(k-1)*c.step+1); c.late > 0 && end > c.deadline {
		cost += c.late*int64(end-c.deadline) - c.short
	}
	return cost
}

// leastWithin is a cost that a job pays at least if it ends at from or later, by last.
func (c *endCosts) leastWithin(from, last model.Time) int64 {
	k := c.place(last)
	least := c.at(k, from)
	if c.late > 0 {
		for i := c.place(from); i < k; i++ {
			least = min(least, c.at(i, from))
		}
	}
	return least
}

// within are the first and the last time, of those from from to last, at which a job may end at no more
// than a cost, if it may.
func (c *endCosts) within(most int64, from, last model.Time) (model.Time, model.Time) {
	i, k := c.place(from), c.place(last)
	if c.late == 0 {
		i += sort.Search(k-i, func(n int) bool { return c.least[i+n] <= most })
	} else {
		for ; i < k && c.at(i, from) > most; i++ {
		}
		for ; k > i && c.at(k, from) > most; k-- {
		}
	}
	if k < c.place(last) {
		last = c.first + model.Time(k)*c.step
	}
	return max(from, c.first+model.Time(i-1)*c.step+1), last
}

// slack is what jobs that end within a box may pay beyond what they do at least, where so much is allowed for
// lateness; below 0 they cannot all do so.
func (c *cut) slack(b box, allowed int64) int64 {
	slack := c.worth
	if c.multipliers == nil {
		slack += allowed
	}
	for j := range b.last {
		slack -= c.jobs[j].leastWithin(b.from[j], b.last[j])
	}
	return slack
}
