package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/check"
)

// Validate prints the violations by rule, a few of each, or what the plan is worth,
// recomputed.
func (v *textView) Validate(js *model.JobSet, p *model.Plan, r *check.Report) error {
	var b bytes.Buffer
	if !r.OK() {
		for _, rule := range check.Rules() {
			v.violations(&b, js, rule, r)
		}
		fmt.Fprintln(&b, table.Bad.Paint("not valid: "+wording.Count(len(r.Violations), "violation"), v.page.Color))
		return v.flush(&b)
	}
	if told := planOutcome(js, p); told != "" {
		v.answer(&b, table.Plain, "the plan is valid: "+told)
	}
	fmt.Fprintln(&b, table.Good.Paint("valid: ", v.page.Color)+validSummary(js, p))
	finishes, clock := planFinishes(js, p), wording.ClockOf(js)
	for _, id := range r.HardLate {
		j := &js.Jobs[id]
		fmt.Fprintf(&b, "hard job %s, due %s, finishes %s\n", table.Bad.Paint(table.Printable(j.Name), v.page.Color),
			clock.Point(j.Due()), table.Bad.Paint(clock.Span(j.Late(finishes[id]))+" late", v.page.Color))
	}
	if len(r.Unclaimed) > 0 {
		fmt.Fprintf(&b, "The plan itself does not say its %s.\n", strings.Join(objectiveNames(r.Unclaimed), ", "))
	}
	return v.flush(&b)
}

// maxExamples bounds the violations of a rule that are printed.
const maxExamples = 5

// violations prints those of one rule, if there are any.
func (v *textView) violations(b *bytes.Buffer, js *model.JobSet, rule check.Rule, r *check.Report) {
	broken := func(f check.Violation) bool { return f.Rule == rule.Name }
	first := slices.IndexFunc(r.Violations, broken)
	if first < 0 {
		return
	}
	all := r.Violations[first:] // in order of rule
	if after := slices.IndexFunc(all, func(f check.Violation) bool { return !broken(f) }); after >= 0 {
		all = all[:after]
	}
	fmt.Fprintf(b, "%s: %s (broken %s)\n", table.Bad.Paint(rule.Name, v.page.Color), rule.Meaning, times(len(all)))
	for i := range all[:min(len(all), maxExamples)] {
		fmt.Fprintln(b, " ", table.Printable(all[i].Message)+byClock(js, all[i].At))
	}
	if rest := all[min(len(all), maxExamples):]; len(rest) > 0 {
		fmt.Fprintf(b, "  ... and %d more%s (--format json lists all)\n", len(rest), where(rest))
	}
	if rule.Name == "digest" && len(r.Violations) > len(all) {
		fmt.Fprintln(b, "  what follows may all come from this")
	}
}

// times is "once", "3 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// byClock is an interval by the clock in brackets, where people have one.
func byClock(js *model.JobSet, at model.Interval) string {
	clock := wording.ClockOf(js)
	switch {
	case clock.Legend() == "" || at == model.Interval{}:
		return ""
	case at.End <= at.Start+1:
		return " (" + clock.Point(at.Start) + ")"
	default:
		return fmt.Sprintf(" (%s to %s)", clock.Point(at.Start), clock.Point(at.End))
	}
}

// where names the slaves of violations, as far as they have some.
func where(list []check.Violation) string {
	var names []string
	for i := range list {
		if s := list[i].Slave; s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	const most = 3
	switch n := len(names); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf(", on %s and %s", table.Printable(strings.Join(names[:most], ", ")), wording.Count(n-most, "other machine"))
	default:
		return ", on " + table.Printable(strings.Join(names, ", "))
	}
}

func objectiveNames(objectives []model.Objective) []string {
	names := make([]string, len(objectives))
	for i, o := range objectives {
		names[i] = o.String()
	}
	return names
}

// validateJSON is the answer of validate.
type validateJSON struct {
	Program    string          `json:"program"`
	Valid      bool            `json:"valid"`
	Violations []violationJSON `json:"violations"`
	HardLate   []string        `json:"hard_late"`
	Unclaimed  []string        `json:"unclaimed,omitempty"`
}

type violationJSON struct {
	Rule    string         `json:"rule"`
	Tasks   []string       `json:"tasks"`
	More    int            `json:"more,omitempty"`
	Slave   string         `json:"slave,omitempty"`
	At      *[2]model.Time `json:"at,omitempty"`
	AtClock *[2]string     `json:"at_clock,omitempty"`
	Message string         `json:"message"`
}

// Validate prints all violations.
func (v *jsonView) Validate(js *model.JobSet, _ *model.Plan, r *check.Report) error {
	clock := wording.ClockOf(js)
	violations := []violationJSON{}
	for i := range r.Violations {
		f := &r.Violations[i]
		out := violationJSON{Rule: f.Rule, Tasks: nonNil(f.Tasks), More: f.More, Slave: f.Slave, Message: f.Message}
		if f.At != (model.Interval{}) {
			out.At = &[2]model.Time{f.At.Start, f.At.End}
			if stamp := clock.Stamp(f.At.Start); stamp != "" {
				out.AtClock = &[2]string{stamp, clock.Stamp(f.At.End)}
			}
		}
		violations = append(violations, out)
	}
	late := []string{}
	for _, id := range r.HardLate {
		late = append(late, js.Jobs[id].Name)
	}
	return v.write(validateJSON{version.String(), r.OK(), violations, late, objectiveNames(r.Unclaimed)})
}

// validSummary is what a valid plan is worth, recomputed from its tasks.
func validSummary(js *model.JobSet, p *model.Plan) string {
	switch {
	case len(p.Tasks) == 0:
		return "a plan without tasks, status " + table.Printable(p.Status)
	case p.Kind == model.KindExecuted:
		return "executed, " + valueSummary(js, p)
	case p.Relaxed:
		return "relaxed, " + valueSummary(js, p)
	default:
		return valueSummary(js, p)
	}
}

// planOutcome says what becomes of the jobs in a valid plan, "" where it has no tasks.
func planOutcome(js *model.JobSet, p *model.Plan) string {
	if len(p.Tasks) == 0 {
		return ""
	}
	finishes, index := planFinishes(js, p), jobIndex(js)
	var rejected []model.JobID
	for _, name := range p.Rejected {
		rejected = append(rejected, index[name])
	}
	return wording.OutcomeOf(js, finishes, rejected).Told()
}

// jobIndex finds jobs by their names.
func jobIndex(js *model.JobSet) map[string]model.JobID {
	index := make(map[string]model.JobID, len(js.Jobs))
	for i := range js.Jobs {
		index[js.Jobs[i].Name] = model.JobID(i)
	}
	return index
}

// planFinishes are the jobs' last finishes in a valid plan, 0 for rejected jobs, Never for those
// that are left out.
func planFinishes(js *model.JobSet, p *model.Plan) []model.Time {
	index := jobIndex(js)
	finishes := make([]model.Time, len(js.Jobs))
	for i := range p.Tasks {
		id := index[p.Tasks[i].Job]
		finishes[id] = max(finishes[id], p.Tasks[i].Finish)
	}
	for _, job := range p.LeftOut {
		finishes[index[job]] = model.Never
	}
	return finishes
}

// valueSummary recomputes the objectives of a valid plan from its tasks.
func valueSummary(js *model.JobSet, p *model.Plan) string {
	finishes := planFinishes(js, p)
	goal := js.Goal()
	if len(goal) == 0 {
		goal = []model.Objective{model.Makespan}
	}
	parts := []string{wording.Count(len(p.Tasks), "task")}
	for _, o := range goal {
		parts = append(parts, o.String()+" "+wording.ClockOf(js).Value(o.String(), js.Value(o, finishes)))
	}
	if n := js.Value(model.HardMisses, finishes); n > 0 {
		parts = append(parts, fmt.Sprintf("hard-misses %d", n))
	}
	if n := len(p.Rejected); n > 0 {
		parts = append(parts, wording.Count(n, "rejected job"))
	}
	if n := len(p.LeftOut); n > 0 {
		parts = append(parts, wording.Count(n, "job")+" left out")
	}
	if n := len(p.Lost); n > 0 {
		parts = append(parts, wording.Count(n, "lost attempt"))
	}
	return strings.Join(parts, ", ")
}
