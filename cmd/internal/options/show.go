package options

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
)

// Show is what commands have in common that print and draw plans which are there already.
type Show struct {
	Answer
	// File is the job set's, - for standard input.
	File  string
	Files PlanFiles
}

// AddFlags registers the flags.
func (o *Show) AddFlags(cmd *cobra.Command) {
	o.Answer.AddFlags(cmd)
	QuietFlag(cmd, &o.Quiet)
	o.AddWidth(cmd)
}

// Check tells what cannot work with these inputs before anything is read.
func (o *Show) Check(cmd *cobra.Command, inputs ...string) error {
	read := 0
	for _, name := range inputs {
		if name == "-" {
			read++
		}
		if err := o.Files.Check(cmd, o.IO, name); err != nil {
			return err
		}
	}
	if read > 1 {
		return usage.Errorf("only one file can be standard input")
	}
	return o.CheckWidth()
}

// Plans reads a job set, changed as the last plan says, and the plans; Declared is the set as it
// was read. Of several plans a note says which were made for another set.
func (o *Answer) Plans(ctx context.Context, file string, names ...string) (*model.JobSet, []*model.Plan, error) {
	js, err := files.JobSet(ctx, o.IO, file, o.Note)
	if err != nil {
		return nil, nil, err
	}
	o.Declared = js
	plans := make([]*model.Plan, len(names))
	for i, name := range names {
		if plans[i], err = files.Plan(ctx, o.IO, name); err != nil {
			return nil, nil, err
		}
	}
	last := len(plans) - 1
	for i, p := range plans {
		if last == 0 {
			break
		}
		same, err := MadeFor(ctx, js, p)
		if err != nil {
			return nil, nil, err
		}
		if !same {
			o.Note("%s was made for another job set, or for an earlier form of this one", names[i])
		}
	}
	js, err = terminal.Until(ctx, func() (*model.JobSet, error) {
		changed, err := change.ApplyUntil(ctx, js, plans[last].Changes)
		if err != nil {
			return nil, usage.Errorf("%s: the changes of the plan cannot be made to this job set: %v", names[last], err)
		}
		return changed, nil
	})
	return js, plans, err
}

// MadeFor reports whether a plan is one for js with the changes that the plan names; the error is
// that of a context that is done.
func MadeFor(ctx context.Context, js *model.JobSet, p *model.Plan) (bool, error) {
	return terminal.Until(ctx, func() (bool, error) { return change.MadeFor(ctx, js, p), nil })
}

// Write prints an answer, and writes the files, of which there may be nothing to draw.
func (o *Show) Write(js *model.JobSet, print func(report.View) error, plan *model.Plan, draw func(w io.Writer, p gantt.Picture) error) error {
	nothing := ""
	if len(plan.Tasks) == 0 {
		nothing = "there is no task to draw"
	}
	unwritten := o.Files.Write(js, func() *model.Plan { return plan }, draw, nothing, o.Note)
	if err := usage.Output(print(o.View())); err != nil {
		return err
	}
	return unwritten
}

// Plan prints and draws a plan that was checked, and followed, if that is not nil.
func (o *Show) Plan(js *model.JobSet, plan *model.Plan, checked *check.Report, followed *ontime.Tally) error {
	return o.Write(js,
		func(v report.View) error { return v.Show(js, plan, checked, followed) }, plan,
		func(w io.Writer, p gantt.Picture) error { return report.DrawPlan(w, p, js, plan, checked) },
	)
}

// Next prints what goes on in a plan that was checked, and draws the plan.
func (o *Show) Next(js *model.JobSet, plan *model.Plan, checked *check.Report, q *report.Shift) error {
	return o.Write(js,
		func(v report.View) error { return v.Next(js, plan, checked, q) }, plan,
		func(w io.Writer, p gantt.Picture) error { return report.DrawPlan(w, p, js, plan, checked) },
	)
}
