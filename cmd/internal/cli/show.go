package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/files/planfile"
	"downbeat/model/near"
	"downbeat/online"
	"downbeat/online/follow"
)

// showOptions are the flags and arguments of downbeat show, and of diff.
type showOptions struct {
	options.Show
	plans []string
	// next is how long from now on to tell what goes on, and now and slave are when and where,
	// as they were written; empty for none.
	next, now, slave string
	// intervals is the file for when jobs start and finish, empty for none.
	intervals string
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

Where the job set has durations the plan is followed in many runs with times by them, and the report
ends with when each job starts and finishes in 10 to 90 % of them, and how likely it is in time.

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
	addIntervals(cmd, &o.intervals)
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
	if o.intervals != "" {
		if err := files.CheckTarget(o.IO, o.intervals, o.File); err != nil {
			return err
		}
	}
	if o.intervals != "" && (o.next != "" || o.Late) {
		return usage.Errorf("--intervals goes with the whole report; leave --next and --late out")
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
	followed, err := o.followed(ctx, js, plan, checked)
	if err != nil {
		return err
	}
	if o.intervals != "" {
		if followed == nil {
			return usage.Errorf("--intervals: the job set has no durations, or the plan cannot be followed from its begin")
		}
		if err := writeIntervals(o.intervals, js, []ontime.Tally{*followed}); err != nil {
			return err
		}
	}
	return o.Plan(js, plan, checked, followed)
}

// What is played to see what comes of following a plan: so many seeds, fewer for large plans.
const (
	followedSeeds, fewestSeeds = 200, 20
	followedTasks              = 2_000_000
)

// followed plays a plan with times by the history of the job set; nil where it has none, where the plan is
// not valid or is of a run, and where it was made during the night: its past would be drawn anew.
func (o *showOptions) followed(ctx context.Context, js *model.JobSet, plan *model.Plan, checked *check.Report) (*ontime.Tally, error) {
	if js.Durations() == nil || o.Late || !checked.OK() || plan.Kind == model.KindExecuted || len(plan.Tasks) == 0 {
		return nil, nil
	}
	if plan.Now > 0 {
		o.Note("the plan was made during the night: when jobs start by their history is not told")
		return nil, nil
	}
	schedule, _ := planfile.Schedule(plan, js)
	follows := ontime.Contender{Name: "follow", New: func(uint64) (online.Policy, error) { return follow.New(js, schedule, follow.Patient), nil }}
	seeds := make([]uint64, max(fewestSeeds, min(followedSeeds, followedTasks/len(js.Tasks))))
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	tallies, err := ontime.Play(ctx, js, []ontime.Contender{follows}, online.Options{Durations: online.History{}}, seeds, nil)
	if err != nil {
		return nil, err
	}
	return &tallies[0], nil
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
