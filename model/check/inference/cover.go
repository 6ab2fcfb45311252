package inference

import (
	"cmp"
	"math/bits"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// CoverUnit is a unit of weight in multipliers of cuts.
const CoverUnit = 1 << 16

// Cover is the least weight of jobs, by JobID, that satisfy all cuts on late jobs, or most
// if that is less. If not exact it is a bound on that: what is proved after maxTries.
//
// It decides on the jobs one by one, and each decision against the Lagrangian relaxation
// costs what that says. Whatever the multipliers λ_k ≥ 0, one per cut in units of
// 1/CoverUnit,
//
//	Σ_k λ_k − Σ_i max(0, Σ_k λ_k · min(1, coefficient_ik / rhs_k) − weight_i)
//
// is no more than the weight of any choice that satisfies the cuts (Beasley, 1987). Good
// multipliers are for others to find; all figures are whole numbers, rounded so that the
// bound stays one.
func Cover(weight []int64, cuts []proof.Cut, multipliers []int64, most int64) (least int64, exact bool) {
	c := newCoverer(weight, cuts, multipliers, most)
	c.decide(0, 0, c.bound)
	return c.least, c.tries >= 0
}

// maxTries bounds the work of Cover, to a fraction of a second or, with more than a
// hundred cuts, to maxTried.
const (
	maxTries = 1 << 21
	maxTried = 1 << 28
)

// coverer is the state of Cover.
type coverer struct {
	// jobs are those of all cuts, those first that are clearest: deciding otherwise costs
	// |reduced|.
	jobs []coverJob
	// bound on the weight of a choice, in units; nothing is known to be less.
	bound int64
	// lacks is what each cut still lacks, rest what the undecided jobs can add.
	lacks, rest []int64
	tries       int
	// least is the least weight that is not excluded.
	least int64
}

// coverJob is a job of some cut.
type coverJob struct {
	weight int64
	// reduced is the weight less what the multipliers pay for its coefficients, in units:
	// below 0 the relaxation takes the job.
	reduced int64
	of      []coefficient
}

// coefficient is that of a job in a cut.
type coefficient struct {
	cut   int
	value int64
}

func newCoverer(weight []int64, cuts []proof.Cut, multipliers []int64, most int64) *coverer {
	c := &coverer{
		rest:  make([]int64, len(cuts)),
		tries: min(maxTries, maxTried/(1+len(cuts))), least: most,
	}
	pays, lacks := coverPrices(weight, cuts, multipliers)
	c.lacks = lacks
	at := map[model.JobID]int{}
	for k := range cuts {
		if lacks[k] == 0 {
			continue
		}
		c.bound += pays[k]
		for n, i := range cuts[k].Jobs {
			place, seen := at[i]
			if !seen {
				place = len(c.jobs)
				at[i] = place
				c.jobs = append(c.jobs, coverJob{weight: weight[i], reduced: times(weight[i], CoverUnit)})
			}
			job, part := &c.jobs[place], min(max(0, cuts[k].Coefficients[n]), lacks[k])
			job.of = append(job.of, coefficient{k, part})
			job.reduced -= partOf(pays[k], part, lacks[k])
			c.rest[k] += part
		}
	}
	for i := range c.jobs {
		c.bound += min(0, c.jobs[i].reduced)
	}
	slices.SortStableFunc(c.jobs, func(a, b coverJob) int { return cmp.Compare(max(b.reduced, -b.reduced), max(a.reduced, -a.reduced)) })
	return c
}

// coverPrices gives what each cut lacks, nothing of those that are not well formed or too
// large to be added up, and the multipliers: none if they are.
func coverPrices(weight []int64, cuts []proof.Cut, multipliers []int64) (pays, lacks []int64) {
	pays, lacks = make([]int64, len(cuts)), make([]int64, len(cuts))
	sum := int64(0)
	for k := range cuts {
		cut := &cuts[k]
		unknown := func(i model.JobID) bool { return i < 0 || int(i) >= len(weight) }
		if cut.RHS <= 0 || cut.RHS > mostWorth/int64(1+len(cut.Jobs)) || len(cut.Coefficients) != len(cut.Jobs) || slices.ContainsFunc(cut.Jobs, unknown) {
			continue
		}
		lacks[k] = cut.RHS
		if k < len(multipliers) {
			pays[k] = max(0, multipliers[k])
			sum = plus(sum, pays[k])
		}
	}
	if sum > mostWorth/int64(1+len(weight)) {
		clear(pays)
	}
	return pays, lacks
}

// partOf is v·part/whole rounded up, 0 ≤ part ≤ whole.
func partOf(v, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(v), uint64(part))
	quotient, rest := bits.Div64(hi, lo, uint64(whole))
	if rest > 0 {
		quotient++
	}
	return int64(quotient)
}

// decide decides on the jobs from place n on. Those before weigh spent, and no
// way on weighs less than bound, in units.
func (c *coverer) decide(n int, spent, bound int64) {
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
	job := &c.jobs[n]
	for _, of := range job.of {
		c.rest[of.cut] -= of.value
	}
	taken := func() {
		for _, of := range job.of {
			c.lacks[of.cut] -= of.value
		}
		c.decide(n+1, spent+job.weight, bound+max(0, job.reduced))
		for _, of := range job.of {
			c.lacks[of.cut] += of.value
		}
	}
	left := func() { c.decide(n+1, spent, bound+max(0, -job.reduced)) }
	if job.reduced < 0 { // first what costs nothing
		taken()
		left()
	} else {
		left()
		taken()
	}
	for _, of := range job.of {
		c.rest[of.cut] += of.value
	}
}

// inWeight is a bound in units as a weight: weights are whole.
func inWeight(v int64) int64 { return max(0, (v+CoverUnit-1)/CoverUnit) }
