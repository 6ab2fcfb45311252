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
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/near"
)

// showOptions are the flags and arguments of downbeat show, and of diff.
type showOptions struct {
	options.Show
	plans []string
	// next is how long from now on to tell what goes on, and now and slave are when and where,
	// as they were written; empty for none.
	next, now, slave string
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

With --next the report is what the shift needs: what runs, what starts and ends within
that time, when and where, and which jobs are late or tight (slack below 10 % of the time
from release to deadline). Now is when the plan was made, if that was during the night
(plan --now), or --now.

What the job set does not have is left out. Exit code 0: done, also where the plan
is not valid. 2: bad usage or input. 3: a limit came first.`,
		Example: `  downbeat show nightly.yaml run.json
  downbeat show nightly.yaml next.json --next 30m
  downbeat show nightly.yaml plan.json --next 2h --now 23:40 --slave fast-1
  downbeat show nightly.yaml plan.json --late
  downbeat show nightly.yaml theirs.csv --gantt theirs.html -o theirs.json`,
		Args: usage.ExactArgs("FILE", "PLAN"),
		RunE: o.run(run),
	}
	o.AddFlags(cmd)
	o.AddLate(cmd)
	f := cmd.Flags()
	f.StringVar(&o.next, "next", "", "what runs, starts and ends within this time from now on, and which jobs are at risk; a duration or ticks")
	f.StringVar(&o.now, "now", "", "what time it is, if not when the plan was made: ticks, a duration or a clock time")
	f.StringVar(&o.slave, "slave", "", "with --next: on this slave, or on those of this class, alone")
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
		if err := o.checkNext(cmd); err != nil {
			return err
		}
		if err := o.Check(cmd, args...); err != nil {
			return err
		}
		return run(cmd.Context(), o)
	}
}

// checkNext tells of flags that are empty or lack others.
func (o *showOptions) checkNext(cmd *cobra.Command) error {
	for _, name := range []string{"next", "now", "slave"} {
		switch f := cmd.Flags().Lookup(name); {
		case f == nil || !f.Changed:
		case f.Value.String() == "":
			return usage.Errorf("--%s is empty", name)
		case o.next == "":
			return usage.Errorf("--%s goes with --next, which says for how long: --next 30m", name)
		}
	}
	if o.next != "" && o.Late {
		return usage.Errorf("--next tells what is late as well; leave --late out")
	}
	return nil
}

func runShow(ctx context.Context, o *showOptions) error {
	js, plans, err := o.Answer.Plans(ctx, o.File, o.plans...)
	if err != nil {
		return err
	}
	plan, shift := plans[0], (*report.Shift)(nil)
	if o.next != "" {
		if shift, err = o.shift(js, plan); err != nil {
			return err
		}
	}
	checked, err := terminal.Until(ctx, func() (*check.Report, error) { return check.Plan(js, plan), nil })
	if err != nil {
		return err
	}
	if shift != nil {
		return o.Next(js, plan, checked, shift)
	}
	return o.Plan(js, plan, checked)
}

// shift is what is asked for with --next.
func (o *showOptions) shift(js *model.JobSet, plan *model.Plan) (*report.Shift, error) {
	q := &report.Shift{Now: plan.Now, Slave: o.slave}
	length, err := change.Length(js, o.next)
	if err != nil {
		return nil, usage.Errorf("--next: %v", err)
	}
	if o.now != "" {
		if q.Now, err = change.Point(js, o.now); err != nil {
			return nil, usage.Errorf("--now: %v", err)
		}
	} else if plan.Now == 0 {
		return nil, usage.Errorf("--next starts now, and %s does not say when that is, as plans do that are made during the night; say --now TIME", o.plans[0])
	}
	q.Until = q.Now + length
	if o.slave == "" {
		return q, nil
	}
	var names []string
	for i := range js.Slaves {
		if slave := &js.Slaves[i]; slave.Name == o.slave || slave.Class == o.slave {
			return q, nil
		}
		names = append(names, js.Slaves[i].Name, js.Slaves[i].Class)
	}
	return nil, usage.Errorf("--slave %s: there is no such slave or class%s", o.slave, usage.Hint(near.Word(o.slave, names), "the job set names them"))
}

func runDiff(ctx context.Context, o *showOptions) error {
	js, plans, err := o.Answer.Plans(ctx, o.File, o.plans...)
	if err != nil {
		return err
	}
	before, after := plans[0], plans[1]
	d := model.ComparePlans(js, before, after)
	return o.Write(js,
		func(v report.View) error { return v.Diff(js, d) }, after,
		func(w io.Writer, p gantt.Picture) error { return report.DrawDiff(w, p, js, before, after, d) },
	)
}
