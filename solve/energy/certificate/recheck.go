package certificate

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/verify"
	"downbeat/solve/energy/cover"
)

// Recheck recomputes a certificate with code that took no part in finding it:
// each overload by verify.Overload against the due times that Due gives, and
// how they add up to Value as the comment of Certificate says. What it returns
// is proved, provided that all hard jobs are to be in time: Value, or less where
// it gives up on adding up overloads of many jobs. The error says what does not
// hold.
func Recheck(js *model.JobSet, c *Certificate) (int64, error) {
	if c.Value < 0 || len(c.Grace) != len(c.Overloads) {
		return 0, errors.New("the certificate does not hang together")
	}
	for k := range c.Overloads {
		if c.Grace[k] < 0 || c.Objective == model.Misses && c.Grace[k] != 0 {
			return 0, fmt.Errorf("argument %d: a grace of %d", k+1, c.Grace[k])
		}
		if err := verify.Overload(js, c.Due(js, k), &c.Overloads[k]); err != nil {
			return 0, fmt.Errorf("argument %d: %w", k+1, err)
		}
		if c.Objective != model.Makespan && len(SoftOf(js, c.Overloads[k].Jobs)) == 0 {
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

// proved is what the overloads add up to if each of them holds; all tells that
// they do not add up to more.
func (c *Certificate) proved(js *model.JobSet) (value int64, all bool, err error) {
	switch c.Objective {
	case model.Misses:
		return c.leastLate(js)
	case model.WeightedTardiness:
		value, err = c.sum(js)
		return value, true, err
	case model.Makespan:
		if len(c.Overloads) > 0 {
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
// wider overloads prove.
func (c *Certificate) sum(js *model.JobSet) (int64, error) {
	total := int64(0)
	for i, floor := range c.Floors(js) {
		total += js.Jobs[i].Weight * int64(floor)
	}
	used := map[model.JobID]bool{}
	for k := range c.Overloads {
		soft := SoftOf(js, c.Overloads[k].Jobs)
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

// row reads overload k as a cut on late jobs, by the validator's figures.
func (c *Certificate) row(js *model.JobSet, k int) (proof.Cut, error) {
	sh := &c.Overloads[k]
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

// Cuts reads the overloads of a certificate for misses that Recheck accepts as
// cuts on late jobs.
func (c *Certificate) Cuts(js *model.JobSet) ([]proof.Cut, error) {
	cuts := make([]proof.Cut, len(c.Overloads))
	for k := range cuts {
		var err error
		if cuts[k], err = c.row(js, k); err != nil {
			return nil, err
		}
	}
	return cuts, nil
}

// leastLate is the least weight of soft jobs that relieve every overload, at
// most Value, or a bound on it if not exact.
func (c *Certificate) leastLate(js *model.JobSet) (weight int64, exact bool, err error) {
	rows, err := c.Cuts(js)
	if err != nil {
		return 0, false, err
	}
	weight, exact = cover.Recheck(js, rows, c.Value)
	return weight, exact, nil
}
