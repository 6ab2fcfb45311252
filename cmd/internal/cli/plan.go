package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/planfile"
	"downbeat/solve"
)

// planOptions are the flags and arguments of downbeat plan.
type planOptions struct {
	options.Solver
	relax bool
	why   bool
	from  string
	night nightOptions
	// failOn are conditions on which the exit code is that of a no.
	failOn flags.Conditions
	files  options.PlanFiles
	// solve is solve.Plan but for tests.
	solve solver
}

func newPlanCmd(io *terminal.Streams, run func(context.Context, *planOptions) error) *cobra.Command {
	o := &planOptions{solve: solve.Plan}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Find the best plan for a job set",
		Long: `Find the best plan for the job set in FILE (YAML or JSON; - for standard input)
and say what is proved about it.

With --from the search starts from an earlier plan, of this job set or of one
much like it: tasks go by job, stage and number. What is still valid is kept,
the rest is repaired, and the answer is no worse than that. With --now too, the
plan is under way: tasks that it hands out before that time keep slave, beat,
fetch and start, all others are handed out then or later; tasks on slaves that
are absent by then are lost, and run again. The last objective is the number of
tasks that go to another slave, or at another time, than planned (moves).

Exit code 0: a plan was found, with or without a gap to its bound. 1: proved
infeasible, also where --relax shows the least bad plan, or --fail-on holds. 2: bad usage or input.
3: a limit was reached with neither a plan that meets every hard deadline nor a
proof that there is none.`,
		Example: `  downbeat plan nightly.yaml
  downbeat plan nightly.yaml -o plan.json -o plan.csv --gantt plan.svg
  downbeat plan nightly.yaml --without fast-2@23:30 --fail-on 'misses>0'
  downbeat plan tomorrow.yaml --from plan.json -o plan.json
  downbeat plan nightly.yaml --from plan.json --now 23:30 --without fast-2@23:20
  downbeat plan - --objective misses,makespan --time-limit 5m < nightly.yaml`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.AddFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.relax, "relax", false, "if infeasible, find the plan that misses the fewest hard deadlines")
	f.BoolVar(&o.why, "why", false, "say what the bounds rest on: why no plan does better")
	f.StringVar(&o.from, "from", "", "start from the plan in this file, repaired as need be")
	o.night.addFlags(cmd)
	f.Var(&o.failOn, "fail-on", "exit with 1 where this holds of the plan, like 'misses>0'; may be repeated")
	o.files.AddFlags(cmd, "write the plan", "draw the plan")
	f.IntVar(&o.Width, "width", 0, "columns for the report, 0 for the terminal's")
	return cmd
}

// check tells what cannot work before any time is spent on a search.
func (o *planOptions) check(cmd *cobra.Command) error {
	if err := o.Solver.Check(); err != nil {
		return err
	}
	if err := o.CheckWidth(); err != nil {
		return err
	}
	if err := options.NotEmpty(cmd, "--from", "from"); err != nil {
		return err
	}
	if o.from == "-" && o.File == "-" {
		return usage.Errorf("FILE and the plan of --from cannot both be standard input")
	}
	if err := o.night.check(cmd, o.from); err != nil {
		return err
	}
	return o.files.Check(cmd, o.IO, o.File)
}

func runPlan(ctx context.Context, o *planOptions) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	from, unknown, err := o.readFrom(loading, js)
	if err != nil {
		return err
	}
	for _, n := range unknown {
		o.Note("%s", n)
	}
	plan, err := o.night.solver(js, from, o.solve, o.Note)
	if err != nil {
		return err
	}
	var res *solve.Result
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Relax, opt.From = o.relax, from
		if res, err = plan(ctx, js, opt); err != nil {
			return nil, err
		}
		return res.Notes, nil
	})
	if err != nil {
		return err
	}
	if !o.why {
		res.Why = nil
	}
	// The answer is printed even where a file cannot be written.
	unwritten := o.writeFiles(js, res)
	if err := usage.Output(o.View().Plan(js, res)); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	if err := planExit(res); err != nil {
		return err
	}
	return o.failed(js, res)
}

// failed is the exit code of a no where a condition of --fail-on holds.
func (o *planOptions) failed(js *model.JobSet, res *solve.Result) error {
	var code error
	finishes := js.Finishes(res.Schedule)
	for _, c := range o.failOn {
		if v := js.Value(c.Objective, finishes); c.Holds(v) {
			o.Note("--fail-on %s: %s is %d", c.Text, c.Objective, v)
			code = exit.No
		}
	}
	return code
}

// readFrom reads the plan to start from, if there is one, and says what of it
// the job set does not know.
func (o *planOptions) readFrom(ctx context.Context, js *model.JobSet) (model.Schedule, []string, error) {
	if o.from == "" {
		return nil, nil, nil
	}
	plan, err := files.Plan(ctx, o.IO, o.from)
	if err != nil {
		return nil, nil, err
	}
	from, notes := planfile.Schedule(plan, js)
	return from, notes, nil
}

// planExit is the exit code of an answer.
func planExit(res *solve.Result) error {
	switch {
	case res.Status == model.Infeasible:
		return exit.No
	case res.Status == model.Unknown:
		return exit.Unknown
	}
	return nil
}

// writeFiles writes the plan and its pictures and answers with the first error.
func (o *planOptions) writeFiles(js *model.JobSet, res *solve.Result) error {
	nothing := ""
	if res.Schedule == nil {
		nothing = "there is no plan to draw"
	}
	plan := func() *model.Plan { return report.PlanFile(js, res) }
	draw := func(w io.Writer, format string) error { return report.Draw(w, format, js, res) }
	return o.files.Write(plan, draw, nothing, o.Note)
}
