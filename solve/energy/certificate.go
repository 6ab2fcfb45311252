package energy

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// Certificate is a lower bound on one objective and the arguments for it. It
// speaks about schedules in which all hard jobs meet their deadlines.
//
// Each shortage refutes the due times that Due gives for it. What follows from
// that depends on the objective:
//
//	misses              of the soft jobs of each shortage so many are late that
//	                    what they need (verify.Needs) makes up for Need − Have;
//	                    Value is the least weight of a choice of soft jobs
//	                    that does so for every shortage
//	tardiness           some soft job is later than Value − 1 (one shortage)
//	makespan            some job ends after Value − 1 (one shortage)
//	weighted-tardiness  the shortages are read in order; no two have a soft job
//	                    in common, except that one on a single soft job may
//	                    come first and a wider one later: see Floors
//
// A Value of 0 needs no shortage.
type Certificate struct {
	Objective model.Objective
	Value     int64
	Shortages []proof.Overload
	// Grace, one per shortage, is by how many ticks every soft job may be late
	// beyond its floor and the shortage still holds. 0 for misses; Value − 1
	// for tardiness; not used for makespan.
	Grace []model.Time
}

// add appends an argument.
func (c *Certificate) add(sh *proof.Overload, grace model.Time) {
	c.Shortages = append(c.Shortages, *sh)
	c.Grace = append(c.Grace, grace)
}

// Floors gives, per job, by how much it is late in every schedule on the word
// of those shortages alone that name a single soft job. They matter for
// weighted tardiness: every job pays its weight times its floor, and a
// shortage on several soft jobs proves that one of them is later than its
// floor plus the shortage's Grace, which costs Grace + 1 times the least
// weight among them on top.
func (c *Certificate) Floors(js *model.JobSet) []model.Time {
	floors := make([]model.Time, len(js.Jobs))
	if c.Objective != model.WeightedTardiness {
		return floors
	}
	for k := range c.Shortages {
		if soft := softOf(js, c.Shortages[k].Jobs); len(soft) == 1 {
			floors[soft[0]] = max(floors[soft[0]], c.Grace[k]+1)
		}
	}
	return floors
}

// Due gives the absolute due times, per job, that shortage k refutes: hard
// jobs at their deadlines; soft jobs at theirs plus Grace, plus the floor if
// the shortage names several soft jobs; best-effort jobs never. For makespan
// every job is due at Value − 1, hard ones at their deadlines if that is
// earlier.
func (c *Certificate) Due(js *model.JobSet, k int) []model.Time {
	if c.Objective == model.Makespan {
		return makespanDues(js, model.Time(c.Value-1))
	}
	floors := make([]model.Time, len(js.Jobs))
	if len(softOf(js, c.Shortages[k].Jobs)) > 1 {
		floors = c.Floors(js)
	}
	return lateDues(js, floors, c.Grace[k])
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
		model.Tardiness:         "every plan has a soft job that is at least %d late",
		model.WeightedTardiness: "every plan has a weighted tardiness of at least %d",
		model.Makespan:          "no plan ends before %d",
	}[c.Objective]
	out := []string{fmt.Sprintf(claim, c.Value)}
	for k := range c.Shortages {
		sh := &c.Shortages[k]
		due := fmt.Sprintf("with everything due at %d", c.Value-1)
		if c.Objective != model.Makespan {
			due = fmt.Sprintf("with soft jobs allowed to be %d late", c.Grace[k])
			if soft := softOf(js, sh.Jobs); len(soft) == 1 {
				due = fmt.Sprintf("with %s allowed to be %d late", js.Jobs[soft[0]].Name, c.Grace[k])
			} else if slices.Max(c.Floors(js)) > 0 {
				due += " beyond what each is late by anyway"
			}
		}
		out = append(out, due+": "+sh.Sentence(js))
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
	for k := range c.Shortages {
		sh := &c.Shortages[k]
		names := make([]string, 0, len(sh.Jobs))
		for _, i := range softOf(js, sh.Jobs) {
			names = append(names, js.Jobs[i].Name)
		}
		late := names[0] + " is late"
		if fewest := c.fewestLate(js, k); fewest > 1 {
			late = fmt.Sprintf("at least %d of %s are late", fewest, proof.Names(names))
		} else if len(names) > 1 {
			late = "at least one of " + proof.Names(names) + " is late"
		}
		out = append(out, late+": "+sh.Sentence(js))
	}
	return out
}

// fewestLate is how many soft jobs must be late, at least, to relieve shortage
// k of a certificate for misses: those with the greatest needs first.
func (c *Certificate) fewestLate(js *model.JobSet, k int) int {
	r, err := c.row(js, k)
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

// softOf picks the soft jobs.
func softOf(js *model.JobSet, jobs []model.JobID) []model.JobID {
	var out []model.JobID
	for _, i := range jobs {
		if js.Jobs[i].Kind == model.Soft {
			out = append(out, i)
		}
	}
	return out
}

// lateDues are the deadlines, those of soft jobs put off by their floor plus
// grace.
func lateDues(js *model.JobSet, floors []model.Time, grace model.Time) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	for i := range js.Jobs {
		due[i] = js.Jobs[i].Due()
		if js.Jobs[i].Kind == model.Soft {
			due[i] += floors[i] + grace
		}
	}
	return due
}

// makespanDues make every job due at end, hard ones at their deadlines if that
// is earlier.
func makespanDues(js *model.JobSet, end model.Time) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	for i := range js.Jobs {
		due[i] = end
		if js.Jobs[i].Kind == model.Hard {
			due[i] = min(end, js.Jobs[i].Due())
		}
	}
	return due
}
