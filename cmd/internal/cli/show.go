package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/compare"
	"downbeat/model/verify"
)

// showOptions are the flags and arguments of downbeat show, and of diff.
type showOptions struct {
	options.Answer
	file  string
	plans []string
	files options.PlanFiles
}

func newShowCmd(io *terminal.Streams, run func(context.Context, *showOptions) error) *cobra.Command {
	o := &showOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "show FILE PLAN",
		Short: "Show a plan, from anywhere, as a report and in pictures",
		Long: `Show the plan in PLAN (JSON, YAML or CSV) for the job set in FILE: jobs, slaves and
a chart, and whether it is valid. Where the plan names changes to the job set, they
are made first. Either may be - for standard input.

What the job set does not have is left out. Exit code 0: done, also where the plan
is not valid. 2: bad usage or input.`,
		Example: `  downbeat show nightly.yaml run.json
  downbeat show nightly.yaml theirs.csv --gantt theirs.html -o theirs.json`,
		Args: usage.ExactArgs("FILE", "PLAN"),
		RunE: o.run(run),
	}
	o.addFlags(cmd)
	o.files.AddFlags(cmd, "write the plan", "draw the plan")
	return cmd
}

func newDiffCmd(io *terminal.Streams, run func(context.Context, *showOptions) error) *cobra.Command {
	o := &showOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "diff FILE PLAN PLAN",
		Short: "Tell what differs between two plans",
		Long: `Tell what differs between two plans for the job set in FILE, the first of them the
earlier one: values of objectives, when jobs end, and which tasks are on another
slave, later or earlier. Where the later plan names changes to the job set, they
are made first. One of the three may be - for standard input.

Exit code 0: done, whether or not they differ. 2: bad usage or input.`,
		Example: `  downbeat diff nightly.yaml plan.json next.json
  downbeat diff nightly.yaml plan.json next.json --gantt both.svg`,
		Args: usage.ExactArgs("FILE", "PLAN", "PLAN"),
		RunE: o.run(run),
	}
	o.addFlags(cmd)
	o.files.AddGantt(cmd, "draw both plans, with the tasks that differ marked,")
	return cmd
}

func (o *showOptions) addFlags(cmd *cobra.Command) {
	o.Answer.AddFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Quiet, "quiet", false, "no notes on standard error")
	f.IntVar(&o.Width, "width", 0, "columns for the report, 0 for the terminal's")
}

// run checks the call before it runs it.
func (o *showOptions) run(run func(context.Context, *showOptions) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		o.file, o.plans = args[0], args[1:]
		read := 0
		for _, name := range args {
			if name == "-" {
				read++
			}
			if err := o.files.Check(cmd, o.IO, name); err != nil {
				return err
			}
		}
		if read > 1 {
			return usage.Errorf("only one file can be standard input")
		}
		if err := o.CheckWidth(); err != nil {
			return err
		}
		return run(cmd.Context(), o)
	}
}

// loadPlans reads a job set, changed as the last plan says, and the plans.
func loadPlans(ctx context.Context, o *options.Answer, file string, names ...string) (*model.JobSet, []*model.Plan, error) {
	js, err := files.JobSet(ctx, o.IO, file, o.Note)
	if err != nil {
		return nil, nil, err
	}
	plans := make([]*model.Plan, len(names))
	for i, name := range names {
		if plans[i], err = files.Plan(ctx, o.IO, name); err != nil {
			return nil, nil, err
		}
	}
	last := len(plans) - 1
	if js, err = change.Apply(js, plans[last].Changes); err != nil {
		return nil, nil, usage.Errorf("%s: the changes of the plan cannot be made to this job set: %v", names[last], err)
	}
	return js, plans, nil
}

// write prints an answer, and writes the files, of which there may be nothing to draw.
func (o *showOptions) write(js *model.JobSet, print func(report.View) error, plan *model.Plan, draw func(w io.Writer, format string) error) error {
	nothing := ""
	if len(plan.Tasks) == 0 {
		nothing = "there is no task to draw"
	}
	unwritten := o.files.Write(js, func() *model.Plan { return plan }, draw, nothing, o.Note)
	if err := usage.Output(print(o.View())); err != nil {
		return err
	}
	return unwritten
}

func runShow(ctx context.Context, o *showOptions) error {
	js, plans, err := loadPlans(ctx, &o.Answer, o.file, o.plans...)
	if err != nil {
		return err
	}
	return o.show(js, plans[0], verify.Plan(js, plans[0]))
}

// show prints and draws a plan that was checked.
func (o *showOptions) show(js *model.JobSet, plan *model.Plan, checked *verify.Report) error {
	return o.write(js,
		func(v report.View) error { return v.Show(js, plan, checked) }, plan,
		func(w io.Writer, format string) error { return report.DrawPlan(w, format, js, plan, checked) },
	)
}

func runDiff(ctx context.Context, o *showOptions) error {
	js, plans, err := loadPlans(ctx, &o.Answer, o.file, o.plans...)
	if err != nil {
		return err
	}
	before, after := plans[0], plans[1]
	for i, p := range plans {
		if p.Digest != "" && p.Digest != js.Digest() {
			o.Note("%s was made for another job set, or for an earlier form of this one", o.plans[i])
		}
	}
	d := compare.Plans(js, before, after)
	return o.write(js,
		func(v report.View) error { return v.Diff(js, d) }, after,
		func(w io.Writer, format string) error { return report.DrawDiff(w, format, js, before, after, d) },
	)
}
