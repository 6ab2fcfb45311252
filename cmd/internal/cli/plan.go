package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/underway"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/incumbent"
)

// planOptions are the flags and arguments of downbeat plan.
type planOptions struct {
	options.Solver
	relax bool
	night underway.Options
	// failOn are conditions on which the exit code is that of a no.
	failOn options.Conditions
	files  options.PlanFiles
	proof  options.Proof
	cubes  cubesOptions
	// solve is solve.Plan but for tests.
	solve underway.Solver
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
plan is under way: tasks that it hands out before that time keep machine, beat,
fetch and start, all others are handed out then or later; tasks on machines that
are absent by then are lost, and run again. The last objective is the number of
tasks that go to another machine, or at another time, than planned (moves).

With --executed what has happened is taken from a run: what simulate -o writes, or
a table with columns job, stage, task, slave, start, finish (ticks or clock times)
and, if need be, state and assigned, from a spreadsheet or an engine. Tasks that
have finished took as long as they did; those that run keep their machine and start,
and are taken to end as declared, or a tick from now where they are over that; jobs
that the run has rejected are left out. What the run says of later than --now is
passed over.

A plan that is under way is never given up: where hard jobs are late already, or can
no more be in time, the rest is planned with as few of them late as can be, as with
--relax, and the exit code is 1.

With --cubes what is left open at the limit is split into questions that do not hang
on each other, which go into the folder of --into for downbeat cube: on as many
machines as there are. --join answers from that folder at any time, with one proof
of all.

Exit code 0: a plan was found, with or without a gap to its bound. 1: proved
infeasible, also where --relax shows the least bad plan, or --fail-on holds. 2: bad usage or input.
3: a limit was reached with neither a plan that meets every hard deadline nor a
proof that there is none.`,
		Example: `  downbeat plan nightly.yaml
  downbeat plan nightly.yaml -o plan.json -o plan.csv --gantt plan.svg
  downbeat plan nightly.yaml --without fast-2@23:30 --fail-on 'misses>0'
  downbeat plan tomorrow.yaml --from plan.json -o plan.json
  downbeat plan nightly.yaml --from plan.json --now 23:30 --without fast-2@23:20
  downbeat plan nightly.yaml --from plan.json --executed run.json --now 23:30 -o next.json
  downbeat plan - --objective misses,makespan --time-limit 5m < nightly.yaml
  downbeat plan nightly.yaml --cubes 64 --into nightly-cubes
  downbeat plan --join nightly-cubes --proof nightly.proof.gz
  downbeat plan nightly.yaml --cubes 64 --into nightly-cubes --script slurm > run.sh`,
		Args: o.cubes.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.File = args[0]
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			switch {
			case o.cubes.join != "":
				return runJoin(cmd.Context(), o)
			case o.cubes.script.Value != "":
				return runCubesScript(cmd.Context(), cmd, o)
			}
			annotated := o.About(o.File, "")
			return annotated(run(cmd.Context(), o))
		},
	}
	o.AddFlags(cmd)
	o.AllowGithub(cmd)
	o.AddObjective(cmd)
	o.AddStats(cmd)
	o.AddLate(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.relax, "relax", false, "if infeasible, find the plan that misses the fewest hard deadlines")
	o.night.AddFlags(cmd)
	f.Var(&o.failOn, "fail-on", "exit with 1 where this holds of the plan, like 'misses>0', 'tardiness>29m', 'late(etl)' or 'slack(etl)<10m'; may be repeated")
	o.files.AddFlags(cmd, "write the plan", "draw the plan")
	o.proof.AddFlags(cmd)
	o.cubes.addFlags(cmd)
	return cmd
}

// check tells what cannot work before any time is spent on a search.
func (o *planOptions) check(cmd *cobra.Command) error {
	if err := o.Solver.Check(); err != nil {
		return err
	}
	if err := o.cubes.check(cmd, o); err != nil {
		return err
	}
	if err := o.night.Check(cmd, o.File); err != nil {
		return err
	}
	if o.proof.Wanted() && o.night.Underway() {
		return usage.Errorf("--proof and --certify are about a job set, of which a plan that is under way is only the rest; leave --now and --executed out")
	}
	if err := o.proof.Check(cmd, &o.Solver); err != nil {
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
	checks, err := o.failOn.Of(js)
	if err != nil {
		return usage.Errorf("--fail-on %v", err)
	}
	work, err := o.night.Begin(loading, o.IO, o.Changes.File(), js, o.solve, o.Note)
	if err != nil {
		return err
	}
	js = work.JS
	if o.cubes.cubes > 0 {
		if f, err := o.goesOn(ctx, js); err != nil || f != nil {
			if err != nil {
				return err
			}
			return o.answerFrom(ctx, f)
		}
	}
	var res *solve.Result
	var asked solve.Options
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Relax, opt.From, opt.Proof = o.relax || o.night.Underway(), work.From, o.proof.Wanted() || o.cubes.cubes > 0
		opt.EachSlave = o.cubes.cubes > 0
		opt.Early = true
		asked = opt
		opt.Writing, opt.Painting = o.files.Writing(), o.files.Painting(js)
		if res, err = work.Solve(ctx, js, opt); err != nil {
			return nil, err
		}
		return res.Notes, nil
	})
	if err != nil {
		return err
	}
	if o.cubes.cubes > 0 {
		if res, err = o.splitOpen(ctx, js, res, asked); err != nil {
			return err
		}
		if !o.proof.Wanted() {
			res.Certificate = nil
		}
	}
	return o.deliver(ctx, js, res, checks)
}

// deliver writes the proof and the files that were asked for, and prints the answer.
func (o *planOptions) deliver(ctx context.Context, js *model.JobSet, res *solve.Result, checks []*options.Check) error {
	if res.Why = reasons(res); !o.proof.Why {
		res.Why = nil
	}
	// The answer is printed even where a file cannot be written.
	unwritten, refused := o.proof.Deliver(ctx, res.Certificate, o.Note)
	unwritten = cmp.Or(unwritten, writePlan(&o.files, js, res, o.Note))
	if err := usage.Output(o.View().Plan(js, res)); err != nil {
		return err
	}
	if err := cmp.Or(refused, unwritten); err != nil {
		return err
	}
	if err := planExit(res); err != nil {
		return err
	}
	return o.failed(checks, js, res)
}

// reasons are those of bounds, or why an optimum needs none: nothing can be below 0.
func reasons(res *solve.Result) []incumbent.Reason {
	if res.Status != model.Optimal || len(res.Why) > 0 {
		return res.Why
	}
	var out []incumbent.Reason
	for _, v := range res.Objectives {
		if o, err := model.ParseObjective(v.Name); err == nil && v.Value == 0 {
			out = append(out, incumbent.Reason{Objective: o, Sentences: []string{"no plan can have " + v.Name + " below 0"}})
		}
	}
	return out
}

// failed is the exit code of a no where a condition of --fail-on holds, which is told even where
// notes are not.
func (o *planOptions) failed(checks []*options.Check, js *model.JobSet, res *solve.Result) error {
	var code error
	finishes := js.Finishes(res.Schedule)
	for _, c := range checks {
		if what, holds := c.Holds(js, finishes); holds {
			o.Failed("--fail-on %s: %s", c.Text, what)
			code = exit.No
		}
	}
	return code
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

// writePlan writes a plan and its pictures and answers with the first error.
func writePlan(files *options.PlanFiles, js *model.JobSet, res *solve.Result, note func(string, ...any)) error {
	nothing := ""
	if res.Schedule == nil {
		nothing = "there is no plan to draw"
	}
	plan := func() *model.Plan { return report.PlanFile(js, res) }
	draw := func(w io.Writer, p gantt.Picture) error { return report.Draw(w, p, js, res) }
	return files.Write(js, plan, draw, nothing, note)
}
