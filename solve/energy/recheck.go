package energy

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/verify"
)

// Recheck recomputes a certificate with code that took no part in finding it:
// each shortage by verify.Overload against the due times that Due gives, and
// how they add up to Value as the comment of Certificate says. What it returns
// is proved, provided that all hard jobs are to be in time: Value, or less where
// it gives up on adding up shortages of many jobs. The error says what does not
// hold.
func Recheck(js *model.JobSet, c *Certificate) (int64, error) {
	if c.Value < 0 || len(c.Grace) != len(c.Shortages) {
		return 0, errors.New("the certificate does not hang together")
	}
	for k := range c.Shortages {
		if c.Grace[k] < 0 || c.Objective == model.Misses && c.Grace[k] != 0 {
			return 0, fmt.Errorf("argument %d: a grace of %d", k+1, c.Grace[k])
		}
		if err := verify.Overload(js, c.Due(js, k), &c.Shortages[k]); err != nil {
			return 0, fmt.Errorf("argument %d: %w", k+1, err)
		}
		if c.Objective != model.Makespan && len(softOf(js, c.Shortages[k].Jobs)) == 0 {
			return 0, fmt.Errorf("argument %d: names no soft job", k+1)
		}
	}
	proved, all, err := c.proved(js)
	if err != nil {
		return 0, err
	}
	if proved < c.Value && all {
		return 0, fmt.Errorf("the arguments prove %s of at least %d, not %d", c.Objective, proved, c.Value)
	}
	return min(proved, c.Value), nil
}

// proved is what the shortages add up to if each of them holds; all tells that
// they do not add up to more.
func (c *Certificate) proved(js *model.JobSet) (value int64, all bool, err error) {
	switch c.Objective {
	case model.Misses:
		return c.leastLate(js)
	case model.WeightedTardiness:
		value, err = c.sum(js)
		return value, true, err
	case model.Makespan:
		if len(c.Shortages) > 0 {
			return c.Value, true, nil // Due has Value in it
		}
		return 0, true, nil
	case model.Tardiness:
		for _, grace := range c.Grace {
			value = max(value, int64(grace)+1)
		}
		return value, true, nil
	default:
		return 0, false, fmt.Errorf("no bound is known on %s", c.Objective)
	}
}

// sum is the weighted tardiness that floors and, on top of them, disjoint
// wider shortages prove.
func (c *Certificate) sum(js *model.JobSet) (int64, error) {
	total := int64(0)
	for i, floor := range c.Floors(js) {
		total += js.Jobs[i].Weight * int64(floor)
	}
	used := map[model.JobID]bool{}
	for k := range c.Shortages {
		soft := softOf(js, c.Shortages[k].Jobs)
		if len(soft) == 1 {
			continue
		}
		least := js.Jobs[soft[0]].Weight
		for _, i := range soft {
			if used[i] {
				return 0, fmt.Errorf("argument %d: job %q has paid already", k+1, js.Jobs[i].Name)
			}
			used[i] = true
			least = min(least, js.Jobs[i].Weight)
		}
		total += least * int64(c.Grace[k]+1)
	}
	return total, nil
}

// row reads shortage k as a demand on late jobs, by the validator's figures.
func (c *Certificate) row(js *model.JobSet, k int) (proof.Cut, error) {
	sh := &c.Shortages[k]
	needs, err := verify.Needs(js, c.Due(js, k), sh)
	if err != nil {
		return proof.Cut{}, fmt.Errorf("argument %d: %w", k+1, err)
	}
	r := proof.Cut{RHS: -sh.Have, Overload: sh}
	for n, i := range sh.Jobs {
		r.RHS += needs[n]
		if js.Jobs[i].Kind == model.Soft {
			r.Jobs = append(r.Jobs, i)
			r.Coefficients = append(r.Coefficients, needs[n])
		}
	}
	return r, nil
}

// Demands reads the shortages of a certificate for misses that Recheck accepts as
// demands on which soft jobs are late.
func (c *Certificate) Cuts(js *model.JobSet) ([]proof.Cut, error) {
	demands := make([]proof.Cut, len(c.Shortages))
	for k := range demands {
		var err error
		if demands[k], err = c.row(js, k); err != nil {
			return nil, err
		}
	}
	return demands, nil
}

// leastLate is the least weight of soft jobs that relieve every shortage, at
// most Value, or a bound on it if not exact.
func (c *Certificate) leastLate(js *model.JobSet) (weight int64, exact bool, err error) {
	rows, err := c.Cuts(js)
	if err != nil {
		return 0, false, err
	}
	weight, exact = LeastLate(js, rows, c.Value)
	return weight, exact, nil
}

// LeastLate is the least weight of jobs that cover all rows, or value if that is
// less. If not exact it is a bound on that: what is proved after maxTries. It takes the jobs one by one, and each choice against the prices
// costs what they say. (The search in Choose goes row by row instead.)
func LeastLate(js *model.JobSet, rows []proof.Cut, value int64) (weight int64, exact bool) {
	c := newCover(js, rows, value)
	c.choose(0, 0, c.bound)
	return c.least, c.tries >= 0
}

// maxTries bounds the work of LeastLate, to a fraction of a second.
const maxTries = 1 << 21

// cover is the state of LeastLate.
type cover struct {
	*price
	// needs per place in jobs and row.
	needs [][]int64
	// lacks is what each row still needs, rest what the undecided jobs have.
	lacks, rest []int64
	tries       int
	// least is the least weight that is not excluded.
	least int64
}

func newCover(js *model.JobSet, rows []proof.Cut, value int64) *cover {
	c := &cover{price: newPrice(js, rows, value), tries: maxTries, least: value}
	place := make(map[model.JobID]int, len(c.jobs))
	for n := range c.jobs {
		place[c.jobs[n].id] = n
	}
	c.lacks = make([]int64, len(rows))
	c.rest = make([]int64, len(rows))
	c.needs = make([][]int64, len(c.jobs))
	for n := range c.jobs {
		c.needs[n] = make([]int64, len(rows))
	}
	for k := range rows {
		c.lacks[k] = rows[k].RHS
		for n, i := range rows[k].Jobs {
			c.needs[place[i]][k] = rows[k].Coefficients[n]
			c.rest[k] += rows[k].Coefficients[n]
		}
	}
	return c
}

// choose decides on the jobs from place n on. Those before weigh spent, and no
// way on weighs less than bound, in units.
func (c *cover) choose(n int, spent, bound int64) {
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
	add(c.rest, c.needs[n], -1)
	taken := func() {
		add(c.lacks, c.needs[n], -1)
		c.choose(n+1, spent+job.weight, bound+max(0, job.margin))
		add(c.lacks, c.needs[n], 1)
	}
	left := func() { c.choose(n+1, spent, bound+max(0, -job.margin)) }
	if job.margin < 0 { // first what costs nothing
		taken()
		left()
	} else {
		left()
		taken()
	}
	add(c.rest, c.needs[n], 1)
}

// add adds sign times more.
func add(sum, more []int64, sign int64) {
	for k := range sum {
		sum[k] += sign * more[k]
	}
}
