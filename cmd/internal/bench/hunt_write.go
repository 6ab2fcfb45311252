package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// Write writes it as a job set with a comment that tells what it shows,
// what both sides do, and the answers, in the form that examples have them.
func (e *Counterexample) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, line := range e.story() {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	if err := jobfile.Write(&b, e.JobSet); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Headline says in one sentence what it shows.
func (e *Counterexample) Headline() string {
	if e.Gap > 0 {
		v := e.Best.Objectives[0]
		return fmt.Sprintf("%s has %s %d where %d is the optimum", e.Policy, v.Name, v.Value+e.Gap, v.Value)
	}
	return e.Policy + " misses a hard deadline that can be met"
}

func (e *Counterexample) story() []string {
	js := e.JobSet
	lines := []string{e.Headline() + ".", e.Policy + ":"}
	lines = append(lines, timetable(js, e.Outcome.Schedule)...)
	lines = append(lines, "A plan that is better, and proved the best:")
	if len(e.Best.Objectives) == 0 {
		lines[len(lines)-1] = "A plan that meets every deadline that is hard:"
	}
	lines = append(lines, timetable(js, e.Best.Schedule)...)
	shrunk := []string{"Found by search and shrunk: no job, stage, task or machine can go, and no number be", "lowered by one, without losing this. Made by " + version.Made() + "."}
	if e.Unfinished {
		shrunk = []string{"Found by search, which was interrupted: a smaller set may show this, too.", "Made by " + version.Made() + "."}
	}
	return append(append(lines, shrunk...),
		"",
		"answer: "+e.answer(),
		fmt.Sprintf("online (%s): %s", e.Policy, e.online()))
}

// timetable lists tasks in the order in which they are handed out.
func timetable(js *model.JobSet, s model.Schedule) []string {
	var placed []model.TaskID
	for t := range model.TaskID(len(s)) {
		if s[t].Slave != model.NoSlave {
			placed = append(placed, t)
		}
	}
	slices.SortStableFunc(placed, func(a, b model.TaskID) int {
		return cmp.Or(cmp.Compare(js.Assigned(s[a]), js.Assigned(s[b])), cmp.Compare(s[a].Slave, s[b].Slave), cmp.Compare(s[a].Start, s[b].Start))
	})
	var out []string
	for _, t := range placed {
		p := s[t]
		out = append(out, fmt.Sprintf("  at %d %s gets %s, which runs %d to %d",
			js.Assigned(p), js.Slaves[p.Slave].Name, js.TaskName(t), p.Start, js.Finish(t, p)))
	}
	return out
}

// answer is the solver's, as examples have it.
func (e *Counterexample) answer() string {
	parts := []string{e.Best.Status.String()}
	for _, v := range e.Best.Objectives {
		parts = append(parts, fmt.Sprintf("%s %d", v.Name, v.Value))
	}
	return strings.Join(parts, ", ")
}

// online is the policy's answer: each job that is late or rejected, then the
// objectives.
func (e *Counterexample) online() string {
	js, out := e.JobSet, e.Outcome
	var parts []string
	for i := range js.Jobs {
		j := &js.Jobs[i]
		switch finish := out.Finishes[i]; {
		case out.IsLeftOut(model.JobID(i)):
			parts = append(parts, j.Name+" left out")
		case finish == model.Never:
			parts = append(parts, j.Name+" rejected")
		case j.Late(finish) > 0:
			parts = append(parts, fmt.Sprintf("%s late by %d", j.Name, j.Late(finish)))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "all in time")
	}
	for _, o := range js.Goal() {
		parts = append(parts, fmt.Sprintf("%s %d", o, out.Value(o)))
	}
	return strings.Join(parts, ", ")
}
