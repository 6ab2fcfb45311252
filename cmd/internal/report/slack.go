package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/capacity"
	"downbeat/solve/whatif"
)

// Slack prints by how much jobs may become harder to fit in.
func (v *textView) Slack(js *model.JobSet, r *capacity.SlackAnswer) error {
	var b bytes.Buffer
	v.answer(&b, statusStyle(r.Status), slackAnswer(r))
	v.head(&b, js, statusStyle(r.Status), slackLine(r), r.Elapsed.Seconds())
	v.certifiedAll(&b, r.Certified && settled(r.Status))
	if len(r.Jobs) > 0 {
		v.page.Title(&b, "How much harder each job may become to fit in, by itself (tightest first: by tasks longer, then due earlier, then released later)")
		v.slackTable(&b, js, tightest(js, r.Jobs))
	}
	if rest := len(js.Jobs) - len(r.Jobs); r.Status == model.Feasible && rest > 0 {
		fmt.Fprintf(&b, "\n%s not press: what is not hard may run after everything else.\n", plural(rest, "other job does", "other jobs do"))
	}
	return v.flush(&b)
}

// mostTight is how many jobs the answer of check has the slack of.
const mostTight = 5

// tightestFew are the jobs with least slack, where that was looked at.
func tightestFew(js *model.JobSet, r *capacity.SlackAnswer) []capacity.JobSlack {
	if r == nil || r.Status != model.Feasible {
		return nil
	}
	jobs := tightest(js, r.Jobs)
	return jobs[:min(len(jobs), mostTight)]
}

func tightTitle(r *capacity.SlackAnswer) string {
	if len(r.Jobs) <= mostTight {
		return "How much harder each job may become to fit in, by itself (slack tells more)"
	}
	return fmt.Sprintf("How much harder the %d tightest jobs may become to fit in, each by itself (slack tells more)", mostTight)
}

// plural is a number with what there is one of, or several.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// tightest sorts jobs by how little longer their tasks may take, then by how little earlier they
// may be due, what has no deadline to meet last, then by how little later they may be released.
func tightest(js *model.JobSet, jobs []capacity.JobSlack) []capacity.JobSlack {
	sorted := slices.Clone(jobs)
	slices.SortStableFunc(sorted, func(a, b capacity.JobSlack) int {
		by := func(what capacity.Measure) int {
			x, y := &a.Edges[what], &b.Edges[what]
			return cmp.Or(cmp.Compare(x.Fits, y.Fits), cmp.Compare(x.Fails, y.Fails))
		}
		x, y := js.Jobs[a.Job].Kind == model.Hard, js.Jobs[b.Job].Kind == model.Hard
		due := 0
		switch {
		case x && y:
			due = by(capacity.Due)
		case x:
			due = -1
		case y:
			due = 1
		}
		return cmp.Or(by(capacity.Growth), due, by(capacity.Release))
	})
	return sorted
}

func (v *textView) slackTable(b *bytes.Buffer, js *model.JobSet, jobs []capacity.JobSlack) {
	clock := wording.ClockOf(js)
	t := table.Table{Align: "<>>>>><"}
	t.Add(table.Head("job"), table.Head("release"), table.Head("deadline"), table.Head("released later"), table.Head("tasks longer"), table.Head("due earlier"), table.Head("more is refuted by"))
	for i := range jobs {
		s := &jobs[i]
		j, due, earlier := &js.Jobs[s.Job], "-", "-"
		proofs := []string{beyond(&s.Edges[capacity.Release]), beyond(&s.Edges[capacity.Growth])}
		if j.Kind == model.Hard {
			due, earlier = clock.Point(j.Due()), ticksEdge(clock, &s.Edges[capacity.Due])
			proofs = append(proofs, beyond(&s.Edges[capacity.Due]))
		}
		t.Add(table.Bold.Cell(j.Name), clock.Point(j.Release), due,
			ticksEdge(clock, &s.Edges[capacity.Release]), growthEdge(&s.Edges[capacity.Growth]), earlier, distinct(proofs, ", "))
	}
	t.Write(b, v.page)
	if line := rangeLegend(js, jobs); line != "" {
		fmt.Fprintf(b, "\n%s\n", line)
	}
}

// rangeLegend says how to read the first range between two edges of the table, "" if it has none.
func rangeLegend(js *model.JobSet, jobs []capacity.JobSlack) string {
	clock := wording.ClockOf(js)
	for i := range jobs {
		for _, what := range []capacity.Measure{capacity.Release, capacity.Growth, capacity.Due} {
			e := &jobs[i].Edges[what]
			if e.Exact() || e.Proof == model.NoProof || what == capacity.Due && js.Jobs[jobs[i].Job].Kind != model.Hard {
				continue
			}
			text, fits, last := ticksEdge(clock, e), clock.Span(model.Time(e.Fits)), clock.Span(model.Time(e.Fails-1))
			if what == capacity.Growth {
				text, fits, last = growthEdge(e), fmt.Sprintf("%d %%", e.Fits), fmt.Sprintf("%d %%", e.Fails-1)
			}
			return fmt.Sprintf("%s: %s is safe, more than %s is proved not to be, between is not settled", text, fits, last)
		}
	}
	return ""
}

// beyond says by what the value after an edge is refuted.
func beyond(e *whatif.Edge) string {
	if e.Proof == model.NoProof {
		return "not tried"
	}
	return wording.ProofWord(e.Proof)
}

// ticksEdge is an edge in time: a value, or between which two it lies.
func ticksEdge(clock wording.Clock, e *whatif.Edge) string {
	if e.Exact() {
		return clock.Span(model.Time(e.Fits))
	}
	return fmt.Sprintf("%s to %s", clock.Span(model.Time(e.Fits)), clock.Span(model.Time(e.Fails-1)))
}

// growthEdge is an edge in percent.
func growthEdge(e *whatif.Edge) string {
	switch {
	case e.Proof == model.NoProof:
		return fmt.Sprintf("%d %% or more", e.Fits)
	case e.Exact():
		return fmt.Sprintf("%d %%", e.Fits)
	default:
		return fmt.Sprintf("%d to %d %%", e.Fits, e.Fails-1)
	}
}

// slackAnswer says to people by how much all tasks may take longer.
func slackAnswer(r *capacity.SlackAnswer) string {
	e := &r.All
	switch {
	case r.Status == model.Infeasible:
		return "hard deadlines cannot all be met as it stands"
	case r.Status == model.Unknown:
		return wording.Unanswered
	case len(r.Jobs) == 0:
		return "there are no hard deadlines that could be missed"
	}
	text := fmt.Sprintf("all hard deadlines can be met even if all tasks take %d %% longer", e.Fits)
	switch {
	case e.Proof == model.NoProof && e.Fits == 0:
		return "all hard deadlines can be met; whether they can if all tasks take longer is not known"
	case e.Proof == model.NoProof:
		return text + ", perhaps more"
	case e.Fits == 0:
		return fmt.Sprintf("all hard deadlines can be met, but not if all tasks take %d %% longer", e.Fails)
	}
	return fmt.Sprintf("%s, but not with %d %%", text, e.Fails)
}

// slackLine is the answer in a line: the critical scaling factor.
func slackLine(r *capacity.SlackAnswer) string {
	e := &r.All
	switch {
	case r.Status == model.Infeasible:
		return "infeasible as it stands: the hard jobs cannot all be in time, and check says why"
	case r.Status == model.Unknown:
		return wording.UnknownLine
	case len(r.Jobs) == 0:
		return "feasible whatever the times are: no job is hard"
	case e.Exact() && e.Proof != model.NoProof:
		return fmt.Sprintf("feasible with all times %d %% longer, not with %d %% (proved by %s)", e.Fits, e.Fails, wording.ProofWord(e.Proof))
	case e.Proof == model.NoProof:
		return fmt.Sprintf("feasible with all times %d %% longer, perhaps more", e.Fits)
	default:
		return fmt.Sprintf("feasible with all times %d %% longer, not with %d %% (proved by %s); %s between", e.Fits, e.Fails, wording.ProofWord(e.Proof), wording.LimitEnded)
	}
}

// jobSlackJSON is the slack of a job, in ticks and percent.
type jobSlackJSON struct {
	Job     string    `json:"job"`
	Release edgeJSON  `json:"released_later"`
	Growth  edgeJSON  `json:"longer_percent"`
	Due     *edgeJSON `json:"due_earlier"`
}

func newJobSlackJSON(js *model.JobSet, s *capacity.JobSlack) jobSlackJSON {
	out := jobSlackJSON{
		Job: js.Jobs[s.Job].Name, Release: newEdgeJSON(s.Edges[capacity.Release]), Growth: newEdgeJSON(s.Edges[capacity.Growth]),
	}
	if js.Jobs[s.Job].Kind == model.Hard {
		due := newEdgeJSON(s.Edges[capacity.Due])
		out.Due = &due
	}
	return out
}

func jobSlacksJSON(js *model.JobSet, jobs []capacity.JobSlack) []jobSlackJSON {
	out := []jobSlackJSON{}
	for i := range jobs {
		out = append(out, newJobSlackJSON(js, &jobs[i]))
	}
	return out
}

// slackJSON is the answer of slack.
type slackJSON struct {
	answerJSON
	Status   string         `json:"status"`
	Together *edgeJSON      `json:"all_longer_percent"`
	Jobs     []jobSlackJSON `json:"jobs"`
	// Certified: a checker has agreed to a proof wherever something does not fit.
	Certified bool `json:"certified,omitempty"`
}

// Slack prints the same as an object.
func (v *jsonView) Slack(js *model.JobSet, r *capacity.SlackAnswer) error {
	var together *edgeJSON
	if r.Status == model.Feasible {
		e := newEdgeJSON(r.All)
		together = &e
	}
	return v.write(slackJSON{newAnswerJSON(js, r.Notes, r.Elapsed.Seconds()), r.Status.String(), together, jobSlacksJSON(js, r.Jobs), r.Certified})
}
