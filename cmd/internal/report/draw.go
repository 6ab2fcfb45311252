package report

import (
	"downbeat/cmd/internal/page"
	"downbeat/model"
	"downbeat/model/compare"
	"downbeat/model/verify"
	"downbeat/online/performance"
	"downbeat/solve"
	"fmt"
	"io"
)

// Draw writes a Gantt chart of the answer's plan. The answer must have a plan. An error says
// that w failed, that the plan is too large for a picture, or the picture too small for it.
func Draw(w io.Writer, p Picture, js *model.JobSet, res *solve.Result) error {
	d := drawing{Summary: Summarize(js, res.Schedule), headline: Headline(res), notes: res.Notes}
	if n := js.Value(model.HardMisses, js.Finishes(res.Schedule)); n > 0 {
		d.notes = append([]string{fmt.Sprintf("This plan misses %s.", count(int(n), "hard deadline"))}, d.notes...)
	}
	return d.write(w, p)
}

// DrawRun is Draw for an online run in which something ran.
func DrawRun(w io.Writer, p Picture, sim *Simulation, run *Run) error {
	d := drawing{Summary: SummarizeRun(run.Outcome), headline: RunLine(run), chance: sim.chance()}
	if n := performance.Of(run.Outcome).HardMisses; n > 0 {
		d.notes = []string{fmt.Sprintf("This run misses %s.", count(int(n), "hard deadline"))}
	}
	return d.write(w, p)
}

// DrawPlan is Draw for a plan from anywhere, in which something can be drawn.
func DrawPlan(w io.Writer, pic Picture, js *model.JobSet, p *model.Plan, r *verify.Report) error {
	_, line := shownLine(js, p, r)
	d := drawing{Summary: SummarizePlan(js, p), headline: line}
	return d.write(w, pic)
}

// Drawn is an answer on a page that shows several plans. Without one its headline says why.
func Drawn(js *model.JobSet, res *solve.Result) page.Drawn {
	out := page.Drawn{Name: "The best plan that is known", Headline: Headline(res)}
	switch {
	case res.Schedule == nil:
		out.Name = "No plan"
		return out
	case res.Status == model.Optimal:
		out.Name = "The optimum's plan"
	case len(res.Objectives) == 0:
		out.Name = "A plan that meets every hard deadline"
	}
	plan := Summarize(js, res.Schedule).pagePlan()
	out.Plan = &plan
	return out
}

// DrawnRun is a run on a page that shows several.
func DrawnRun(run *Run) page.Drawn {
	plan := SummarizeRun(run.Outcome).pagePlan()
	return page.Drawn{Name: Printable(run.Policy), Headline: Printable(RunLine(run)), Plan: &plan}
}

// DrawDiff draws both plans, those of each slave one above the other, and marks the tasks
// that differ.
func DrawDiff(w io.Writer, p Picture, js *model.JobSet, before, after *model.Plan, d *compare.Diff) error {
	drawn := drawing{Summary: SummarizeDiff(js, before, after, d), headline: DiffLine(js, d), notes: []string{"Finishes of jobs are those of the plan that ends them later."}}
	if len(d.Tasks) > 0 {
		drawn.headline += " (with a dark edge)"
	}
	return drawn.write(w, p)
}
