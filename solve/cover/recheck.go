package cover

import (
	"downbeat/model"
	"downbeat/model/proof"
)

// Recheck is the least weight of jobs that satisfy all cuts, or value if that is
// less. If not exact it is a bound on that: what is proved after maxTries. It
// decides on the jobs one by one, and each decision against the relaxation costs
// what that says, where [Solve] goes from cut to cut.
func Recheck(js *model.JobSet, cuts []proof.Cut, value int64) (weight int64, exact bool) {
	c := newChecker(js, cuts, value)
	c.decide(0, 0, c.bound)
	return c.least, c.tries >= 0
}

// maxTries bounds the work of Recheck, to a fraction of a second or, with more than a
// hundred cuts, to maxWork.
const maxTries = 1 << 21

// checker is the state of Recheck.
type checker struct {
	*relaxation
	// coefficients per place in jobs and cut.
	coefficients [][]int64
	// lacks is what each cut still lacks, rest what the undecided jobs can add.
	lacks, rest []int64
	tries       int
	// least is the least weight that is not excluded.
	least int64
}

func newChecker(js *model.JobSet, cuts []proof.Cut, value int64) *checker {
	c := &checker{relaxation: relax(js, cuts, value), tries: min(maxTries, maxWork/(1+len(cuts))), least: value}
	place := make(map[model.JobID]int, len(c.jobs))
	for n := range c.jobs {
		place[c.jobs[n].id] = n
	}
	c.lacks = make([]int64, len(cuts))
	c.rest = make([]int64, len(cuts))
	c.coefficients = make([][]int64, len(c.jobs))
	for n := range c.jobs {
		c.coefficients[n] = make([]int64, len(cuts))
	}
	for k := range cuts {
		c.lacks[k] = cuts[k].RHS
		for n, i := range cuts[k].Jobs {
			c.coefficients[place[i]][k] = cuts[k].Coefficients[n]
			c.rest[k] += cuts[k].Coefficients[n]
		}
	}
	return c
}

// decide decides on the jobs from place n on. Those before weigh spent, and no
// way on weighs less than bound, in units.
func (c *checker) decide(n int, spent, bound int64) {
	if inWeight(bound) >= c.least {
		return
	}
	for k, lack := range c.lacks {
		if lack > c.rest[k] {
			return
		}
	}
	if n == len(c.jobs) {
		c.least = min(c.least, spent)
		return
	}
	if c.tries--; c.tries < 0 {
		c.least = inWeight(bound)
		return
	}
	job := c.jobs[n]
	add(c.rest, c.coefficients[n], -1)
	taken := func() {
		add(c.lacks, c.coefficients[n], -1)
		c.decide(n+1, spent+job.weight, bound+max(0, job.reducedCost))
		add(c.lacks, c.coefficients[n], 1)
	}
	left := func() { c.decide(n+1, spent, bound+max(0, -job.reducedCost)) }
	if job.reducedCost < 0 { // first what costs nothing
		taken()
		left()
	} else {
		left()
		taken()
	}
	add(c.rest, c.coefficients[n], 1)
}

// add adds sign times more.
func add(sum, more []int64, sign int64) {
	for k := range sum {
		sum[k] += sign * more[k]
	}
}
