package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/compare"
	"downbeat/model/verify"
)

// showOptions are the flags and arguments of downbeat show, and of diff.
type showOptions struct {
	options.Show
	plans []string
}

func newShowCmd(io *terminal.Streams, run func(context.Context, *showOptions) error) *cobra.Command {
	o := &showOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "show FILE PLAN",
		Short: "Show a plan, from anywhere, as a report and in pictures",
		Long: `Show the plan in PLAN (JSON, YAML or CSV) for the job set in FILE: jobs, machines and
a chart, and whether it is valid. Where the plan names changes to the job set, they
are made first. Either may be - for standard input.

What the job set does not have is left out. Exit code 0: done, also where the plan
is not valid. 2: bad usage or input. 3: a limit came first.`,
		Example: `  downbeat show nightly.yaml run.json
  downbeat show nightly.yaml theirs.csv --gantt theirs.html -o theirs.json`,
		Args: usage.ExactArgs("FILE", "PLAN"),
		RunE: o.run(run),
	}
	o.AddFlags(cmd)
	o.Files.AddFlags(cmd, "write the plan", "draw the plan")
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
machine, later or earlier. Where the later plan names changes to the job set, they
are made first. One of the three may be - for standard input.

Exit code 0: done, whether or not they differ. 2: bad usage or input. 3: a limit came
first.`,
		Example: `  downbeat diff nightly.yaml plan.json next.json
  downbeat diff nightly.yaml plan.json next.json --gantt both.svg`,
		Args: usage.ExactArgs("FILE", "PLAN", "PLAN"),
		RunE: o.run(run),
	}
	o.AddFlags(cmd)
	o.Files.AddGantt(cmd, "draw both plans, with the tasks that differ marked,")
	return cmd
}

// run checks the call before it runs it.
func (o *showOptions) run(run func(context.Context, *showOptions) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		o.File, o.plans = args[0], args[1:]
		if err := o.Check(cmd, args...); err != nil {
			return err
		}
		return run(cmd.Context(), o)
	}
}

func runShow(ctx context.Context, o *showOptions) error {
	js, plans, err := o.Answer.Plans(ctx, o.File, o.plans...)
	if err != nil {
		return err
	}
	checked, err := terminal.Until(ctx, func() (*verify.Report, error) { return verify.Plan(js, plans[0]), nil })
	if err != nil {
		return err
	}
	return o.Plan(js, plans[0], checked)
}

func runDiff(ctx context.Context, o *showOptions) error {
	js, plans, err := o.Answer.Plans(ctx, o.File, o.plans...)
	if err != nil {
		return err
	}
	before, after := plans[0], plans[1]
	d := compare.Plans(js, before, after)
	return o.Write(js,
		func(v report.View) error { return v.Diff(js, d) }, after,
		func(w io.Writer, p gantt.Picture) error { return report.DrawDiff(w, p, js, before, after, d) },
	)
}
