package energy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/cover"
)

// Certificate is a lower bound on one objective and the arguments for it. It
// speaks about schedules in which all hard jobs meet their deadlines.
//
// Each overload refutes the due times that Due gives for it. What follows from
// that depends on the objective:
//
//	misses              of the soft jobs of each overload so many are late that
//	                    what they need (inference.Overloads) makes up for Need − Have;
//	                    Value is the least weight of a choice of soft jobs
//	                    that does so for every overload
//	tardiness           some soft job is later than Value − 1 (one overload)
//	makespan            some job ends after Value − 1 (one overload)
//	weighted-tardiness  the overloads are read in order; no two have a soft job
//	                    in common, except that one on a single soft job may
//	                    come first and a wider one later: see Floors
//
// A Value of 0 needs no overload.
type Certificate struct {
	Objective model.Objective
	Value     int64
	Overloads []proof.Overload
	// Grace, one per overload, is by how many ticks every soft job may be late
	// beyond its floor and the overload still holds. 0 for misses; Value − 1
	// for tardiness; not used for makespan.
	Grace []model.Time
}

// Add appends an argument.
func (c *Certificate) Add(sh *proof.Overload, grace model.Time) {
	c.Overloads = append(c.Overloads, *sh)
	c.Grace = append(c.Grace, grace)
}

// Floors gives, per job, by how much it is late in every schedule on the word
// of those overloads alone that name a single soft job. They matter for
// weighted tardiness: every job pays its weight times its floor, and a
// overload on several soft jobs proves that one of them is later than its
// floor plus the overload's Grace, which costs Grace + 1 times the least
// weight among them on top.
func (c *Certificate) Floors(js *model.JobSet) []model.Time {
	floors := make([]model.Time, len(js.Jobs))
	if c.Objective != model.WeightedTardiness {
		return floors
	}
	for k := range c.Overloads {
		if soft := SoftOf(js, c.Overloads[k].Jobs); len(soft) == 1 {
			floors[soft[0]] = max(floors[soft[0]], c.Grace[k]+1)
		}
	}
	return floors
}

// Due gives the absolute due times, per job, that overload k refutes: hard
// jobs at their deadlines; soft jobs at theirs plus Grace, plus the floor if
// the overload names several soft jobs; best-effort jobs never. For makespan
// every job is due at Value − 1, hard ones at their deadlines if that is
// earlier.
func (c *Certificate) Due(js *model.JobSet, k int) []model.Time {
	if c.Objective == model.Makespan {
		return query.AtMost(js, model.Makespan, model.Time(c.Value-1))
	}
	due := query.AtMost(js, model.Tardiness, c.Grace[k])
	if len(SoftOf(js, c.Overloads[k].Jobs)) > 1 {
		for i, floor := range c.Floors(js) {
			due[i] += floor
		}
	}
	return due
}

// dues gives the due times of one overload after the other. Those of misses are worked
// out once, as they are all the same: there may be thousands of overloads.
func (c *Certificate) dues(js *model.JobSet) func(k int) []model.Time {
	if c.Objective == model.Misses && len(c.Overloads) > 0 {
		due := c.Due(js, 0)
		return func(int) []model.Time { return due }
	}
	return func(k int) []model.Time { return c.Due(js, k) }
}

// Sentences says the bound and each of its arguments to people.
func (c *Certificate) Sentences(js *model.JobSet) []string {
	if c.Value == 0 {
		return []string{fmt.Sprintf("no bound on %s beyond 0", c.Objective)}
	}
	if c.Objective == model.Misses {
		return c.missSentences(js)
	}
	claim := map[model.Objective]string{
		model.Tardiness:         "every plan has a soft job that is at least %s late",
		model.WeightedTardiness: "every plan has a weighted tardiness of at least %s",
		model.Makespan:          "no plan ends before %s",
	}[c.Objective]
	by := clock.Of(js)
	out := []string{fmt.Sprintf(claim, by.Value(c.Objective.String(), c.Value))}
	for k := range c.Overloads {
		sh := &c.Overloads[k]
		due := fmt.Sprintf("with everything due at %s", by.Point(model.Time(c.Value-1)))
		if c.Objective != model.Makespan {
			due = fmt.Sprintf("with soft jobs allowed to be %s late", by.Span(c.Grace[k]))
			if soft := SoftOf(js, sh.Jobs); len(soft) == 1 {
				due = fmt.Sprintf("with %s allowed to be %s late", js.Jobs[soft[0]].Name, by.Span(c.Grace[k]))
			} else if slices.Max(c.Floors(js)) > 0 {
				due += " beyond what each is late by anyway"
			}
		}
		out = append(out, due+": "+sh.Sentence(js, by))
	}
	return out
}

func (c *Certificate) missSentences(js *model.JobSet) []string {
	weighted := slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Soft && j.Weight > 1 })
	unit := "soft jobs"
	switch {
	case weighted:
		unit = "of weight"
	case c.Value == 1:
		unit = "soft job"
	}
	out := []string{fmt.Sprintf("every plan misses the deadlines of at least %d %s", c.Value, unit)}
	dueOf, overloads := c.dues(js), inference.NewOverloads(js)
	for k := range c.Overloads {
		sh := &c.Overloads[k]
		names := make([]string, 0, len(sh.Jobs))
		for _, i := range SoftOf(js, sh.Jobs) {
			names = append(names, js.Jobs[i].Name)
		}
		late := names[0] + " is late"
		if fewest := c.fewestLate(overloads, js, k, dueOf(k)); fewest > 1 {
			late = fmt.Sprintf("at least %d of %s are late", fewest, proof.Names(names))
		} else if len(names) > 1 {
			late = "at least one of " + proof.Names(names) + " is late"
		}
		out = append(out, late+": "+sh.Sentence(js, clock.Of(js)))
	}
	return out
}

// fewestLate is how many soft jobs must be late, at least, to relieve overload
// k of a certificate for misses: those with the greatest needs first.
func (c *Certificate) fewestLate(overloads *inference.Overloads, js *model.JobSet, k int, due []model.Time) int {
	r, err := c.row(overloads, js, k, due)
	if err != nil {
		return 1
	}
	slices.SortFunc(r.Coefficients, func(a, b int64) int { return cmp.Compare(b, a) })
	n := 0
	for relief := int64(0); n < len(r.Coefficients) && relief < r.RHS; n++ {
		relief += r.Coefficients[n]
	}
	return n
}

// SoftOf picks the soft jobs.
func SoftOf(js *model.JobSet, jobs []model.JobID) []model.JobID {
	var out []model.JobID
	for _, i := range jobs {
		if js.Jobs[i].Kind == model.Soft {
			out = append(out, i)
		}
	}
	return out
}

// Recheck recomputes a certificate with code that took no part in finding it:
// each overload by inference.Overloads against the due times that Due gives, and
// how they add up to Value as the comment of Certificate says. What it returns
// is proved, provided that all hard jobs are to be in time: Value, or less where
// it gives up on adding up overloads of many jobs, and 0 where ctx ends before all are
// recomputed and that takes long. The error says what does not hold.
func Recheck(ctx context.Context, js *model.JobSet, c *Certificate) (int64, error) {
	if c.Value < 0 || len(c.Grace) != len(c.Overloads) {
		return 0, errors.New("the certificate does not hang together")
	}
	dueOf, overloads := c.dues(js), inference.NewOverloads(js)
	steps := 0
	for k := range c.Overloads {
		if c.Grace[k] < 0 || c.Objective == model.Misses && c.Grace[k] != 0 {
			return 0, fmt.Errorf("argument %d: a grace of %d", k+1, c.Grace[k])
		}
		if err := overloads.Check(dueOf(k), &c.Overloads[k]); err != nil {
			return 0, fmt.Errorf("argument %d: %w", k+1, err)
		}
		if c.Objective != model.Makespan && len(SoftOf(js, c.Overloads[k].Jobs)) == 0 {
			return 0, fmt.Errorf("argument %d: names no soft job", k+1)
		}
		if steps += stepsOf(js, &c.Overloads[k]); steps > recheckAllowance && ctx.Err() != nil {
			return 0, nil
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

// recheckAllowance is the number of steps, of some tenths of a microsecond, that are made
// even after ctx has ended: what was found when the time was up counts.
const recheckAllowance = 200_000

// stepsOf is the number of pairs of task and slave that an overload is about.
func stepsOf(js *model.JobSet, sh *proof.Overload) int {
	tasks := 0
	for _, i := range sh.Jobs {
		tasks += int(js.Jobs[i].End - js.Jobs[i].First)
	}
	return tasks * len(js.Slaves)
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
func (c *Certificate) row(overloads *inference.Overloads, js *model.JobSet, k int, due []model.Time) (proof.Cut, error) {
	sh := &c.Overloads[k]
	needs, err := overloads.Needs(due, sh)
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
	dueOf, overloads := c.dues(js), inference.NewOverloads(js)
	for k := range cuts {
		var err error
		if cuts[k], err = c.row(overloads, js, k, dueOf(k)); err != nil {
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
