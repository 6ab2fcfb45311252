package report

import (
	"io"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/table"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// View prints answers. Each method prints one whole answer.
type View interface {
	// Plan prints the answer of a planning question.
	Plan(js *model.JobSet, res *solve.Result) error
	// Check prints the answer of a feasibility question, and the slack of the five jobs that
	// have least of it; tight is nil where that was not looked at. With why it says on what a yes
	// rests, as a no does in any case.
	Check(js *model.JobSet, v *solve.Verdict, tight *capacity.SlackAnswer, why bool) error
	// SingleFailures prints what the loss of each single slave from a time on does.
	SingleFailures(js *model.JobSet, at model.Time, all []capacity.SingleFailure, certified bool) error
	// Size prints how few slaves of a class will do, for the hard jobs or within a limit.
	Size(js *model.JobSet, r *capacity.SizeAnswer, limit *capacity.Limit) error
	// Frontier prints which sizes of two classes will do together.
	Frontier(js *model.JobSet, r *capacity.FrontierAnswer, limit *capacity.Limit) error
	// Slack prints by how much jobs may become harder to fit in.
	Slack(js *model.JobSet, r *capacity.SlackAnswer) error
	// Validate prints what a check of a plan file found.
	Validate(js *model.JobSet, p *model.Plan, r *check.Report) error
	// Proof prints what a checker says of a proof.
	Proof(js *model.JobSet, p *Proof) error
	// Trimmed prints what is left of a proof, and on what its claims rest.
	Trimmed(js *model.JobSet, t *Trimmed) error
	// Show prints a plan from anywhere, and whether the validator passed it; and when jobs start and
	// finish where it is followed and tasks take times by their history, nil where that is not known.
	Show(js *model.JobSet, p *model.Plan, r *check.Report, followed *ontime.Tally) error
	// Next prints what goes on in a plan from a time on, for the shift.
	Next(js *model.JobSet, p *model.Plan, r *check.Report, q *Shift) error
	// Diff prints how two plans differ.
	Diff(js *model.JobSet, d *model.PlanDiff) error
	// Simulate prints one online run at length, or several side by side.
	Simulate(sim *Simulation) error
	// Cubes prints what a process has done about cubes of an open proof, and what is left.
	Cubes(c *Cubes) error
	// Odds prints how likely jobs are in time, over many runs.
	Odds(sim *Simulation, tallies []ontime.Tally) error
}

// NewText is the view for people. A terse one begins with what the solver says, as scripts read
// it, and not with a sentence.
func NewText(w io.Writer, page table.Page, terse bool) View {
	return &textView{w: w, page: page, terse: terse}
}

// NewJSON is the view for programs: one object, indented, stable names.
func NewJSON(w io.Writer) View { return &jsonView{w: w} }

// LateOnly is a view that tells of a plan's jobs those alone that are late or tight, of which
// there are few where there are many jobs; it is of the same format as a view of this package.
func LateOnly(v View) View {
	switch v := v.(type) {
	case *textView:
		few := *v
		few.lateOnly = true
		return &few
	case *jsonView:
		few := *v
		few.lateOnly = true
		return &few
	}
	return v
}
