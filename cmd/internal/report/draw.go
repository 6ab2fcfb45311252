package report

import (
	"fmt"
	"io"

	"downbeat/cmd/internal/page"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/online"
	"downbeat/solve"
)

// PictureFormats lists the formats that plans are drawn in, which are also file extensions.
func PictureFormats() []string { return append(gantt.PictureFormats(), page.Format) }

// write writes the chart as a picture, or as a page to explore.
func write(w io.Writer, p gantt.Picture, d *gantt.Drawing) error {
	if p.Format == page.Format {
		return page.Write(w, d)
	}
	return d.Write(w, p)
}

// Draw writes a Gantt chart of the answer's plan. The answer must have a plan. An error says
// that w failed, that the plan is too large for a picture, or the picture too small for it.
func Draw(w io.Writer, p gantt.Picture, js *model.JobSet, res *solve.Result) error {
	d := gantt.Drawing{Summary: summary.Summarize(js, res.Schedule), Headline: wording.Answer(js, res), Status: wording.Headline(js, res), Notes: res.Notes}
	if n := js.Value(model.HardMisses, js.Finishes(res.Schedule)); n > 0 {
		d.Notes = append([]string{fmt.Sprintf("This plan misses %s.", wording.Count(int(n), "hard deadline"))}, d.Notes...)
	}
	return write(w, p, &d)
}

// DrawRun is Draw for an online run in which something ran.
func DrawRun(w io.Writer, p gantt.Picture, sim *Simulation, run *Run) error {
	d := gantt.Drawing{Summary: summary.SummarizeRun(run.Outcome), Headline: RunLine(run), Chance: sim.chance()}
	if n := online.Measure(run.Outcome).HardMisses; n > 0 {
		d.Notes = []string{fmt.Sprintf("This run misses %s.", wording.Count(int(n), "hard deadline"))}
	}
	return write(w, p, &d)
}

// DrawPlan is Draw for a plan from anywhere, in which something can be drawn.
func DrawPlan(w io.Writer, pic gantt.Picture, js *model.JobSet, p *model.Plan, r *check.Report) error {
	_, told, line := shownLines(js, p, r)
	d := gantt.Drawing{Summary: summary.SummarizePlan(js, p), Headline: line}
	if told != "" {
		d.Headline, d.Status = told, line
	}
	return write(w, pic, &d)
}

// Drawn is an answer on a page that shows several plans. Without one its headline says why.
func Drawn(js *model.JobSet, res *solve.Result) page.Drawn {
	out := page.Drawn{Name: "The best plan that is known", Headline: wording.Headline(js, res)}
	switch {
	case res.Schedule == nil:
		out.Name = "No plan"
		return out
	case res.Status == model.Optimal:
		out.Name = "The optimum's plan"
	case len(res.Objectives) == 0:
		out.Name = "A plan that meets every hard deadline"
	}
	out.Plan = gantt.LayOut(summary.Summarize(js, res.Schedule))
	return out
}

// DrawnRun is a run on a page that shows several.
func DrawnRun(run *Run) page.Drawn {
	return page.Drawn{Name: table.Printable(run.Policy), Headline: table.Printable(RunLine(run)), Plan: gantt.LayOut(summary.SummarizeRun(run.Outcome))}
}

// DrawDiff draws both plans, those of each slave one above the other, and marks the tasks
// that differ.
func DrawDiff(w io.Writer, p gantt.Picture, js *model.JobSet, before, after *model.Plan, d *model.PlanDiff) error {
	drawn := gantt.Drawing{Summary: summary.SummarizeDiff(js, before, after, d), Headline: DiffLine(js, d), Notes: []string{"Finishes of jobs are those of the plan that ends them later."}}
	if len(d.Tasks) > 0 {
		drawn.Headline += " (with a dark edge)"
	}
	return write(w, p, &drawn)
}
