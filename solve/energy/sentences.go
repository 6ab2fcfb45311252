package energy

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
)

// Sentences says the bound and each of its arguments to people.
func Sentences(js *model.JobSet, c *proof.EnergyBound) []string {
	if c.Value == 0 {
		return []string{fmt.Sprintf("no bound on %s beyond 0", c.Objective)}
	}
	if c.Objective.Shape().Counts() {
		return missSentences(js, c)
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
		if c.Objective.Shape().Measure != model.Completion {
			due = fmt.Sprintf("with soft jobs allowed to be %s late", by.Span(c.Grace[k]))
			if soft := proof.SoftOf(js, sh.Jobs); len(soft) == 1 {
				due = fmt.Sprintf("with %s allowed to be %s late", js.Jobs[soft[0]].Name, by.Span(c.Grace[k]))
			} else if slices.Max(c.Floors(js)) > 0 {
				due += " beyond what each is late by anyway"
			}
		}
		out = append(out, due+": "+sh.Sentence(js, by))
	}
	return out
}

func missSentences(js *model.JobSet, c *proof.EnergyBound) []string {
	weighted := slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Soft && j.Weight > 1 })
	unit := "soft jobs"
	switch {
	case weighted:
		unit = "of weight"
	case c.Value == 1:
		unit = "soft job"
	}
	out := []string{fmt.Sprintf("every plan misses the deadlines of at least %d %s", c.Value, unit)}
	dueOf, overloads := c.Dues(js), inference.NewOverloads(js)
	for k := range c.Overloads {
		sh := &c.Overloads[k]
		of, fewest := fewestLate(overloads, sh, dueOf(k))
		names := make([]string, 0, len(of))
		for _, i := range of {
			names = append(names, js.Jobs[i].Name)
		}
		late := names[0] + " is late"
		if fewest > 1 {
			late = fmt.Sprintf("at least %d of %s are late", fewest, model.Names(names))
		} else if len(names) > 1 {
			late = "at least one of " + model.Names(names) + " is late"
		}
		out = append(out, late+": "+sh.Sentence(js, clock.Of(js)))
	}
	return out
}

// fewestLate is how many of which soft jobs must be late, at least, to relieve an overload
// that bounds misses: those with the greatest needs first.
func fewestLate(overloads *inference.Overloads, o *proof.Overload, due []model.Time) (of []model.JobID, n int) {
	r, err := overloads.Cut(due, o)
	if err != nil {
		return o.Jobs, 1
	}
	slices.SortFunc(r.Coefficients, func(a, b int64) int { return cmp.Compare(b, a) })
	for relief := int64(0); n < len(r.Coefficients) && relief < r.RHS; n++ {
		relief += r.Coefficients[n]
	}
	return r.Jobs, n
}
