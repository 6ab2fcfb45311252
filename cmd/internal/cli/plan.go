package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/report"
	"downbeat/model"
	"downbeat/solve"
)

// planOptions are the flags and arguments of downbeat plan.
type planOptions struct {
	solveOptions
	relax  bool
	why    bool
	from   string
	output string
	gantts []string
	// solve is solve.Plan but for tests.
	solve func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error)
}

func newPlanCmd(io *streams, run func(context.Context, *planOptions) error) *cobra.Command {
	o := &planOptions{solve: solve.Plan}
	o.io = io
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Find the best plan for a job set",
		Long: `Find the best plan for the job set in FILE (YAML or JSON; - for standard input)
and say what is proved about it.

With --from the search starts from an earlier plan, of this job set or of one
much like it: tasks go by job, stage and number. What is still valid is kept,
the rest is repaired, and the answer is no worse than that.

Exit code 0: a plan was found, with or without a gap to its bound. 1: proved
infeasible, also where --relax shows the least bad plan. 2: bad usage or input.
3: a limit was reached with neither a plan that meets every hard deadline nor a
proof that there is none.`,
		Example: `  downbeat plan nightly.yaml
  downbeat plan nightly.yaml -o plan.json --gantt plan.svg
  downbeat plan tomorrow.yaml --from plan.json -o plan.json
  downbeat plan - --objective misses,makespan --time-limit 5m < nightly.yaml`,
		Args: exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if cmd.Flags().Changed("output") && o.output == "" {
				return usagef("-o needs a file name, got an empty one")
			}
			if cmd.Flags().Changed("from") && o.from == "" {
				return usagef("--from needs a file name, got an empty one")
			}
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.relax, "relax", false, "if infeasible, find the plan that misses the fewest hard deadlines")
	f.BoolVar(&o.why, "why", false, "say what the bounds rest on: why no plan does better")
	f.StringVar(&o.from, "from", "", "start from the plan in this file, repaired as need be")
	f.StringVarP(&o.output, "output", "o", "", "write the plan to this file: .json, .yaml or .csv")
	f.StringArrayVar(&o.gantts, "gantt", nil, "draw the plan to this file: .svg, .png or .html; may be repeated")
	f.IntVar(&o.width, "width", 0, "columns for the report, 0 for the terminal's")
	return cmd
}

// check tells what cannot work before any time is spent on a search.
func (o *planOptions) check() error {
	if err := o.solveOptions.check(); err != nil {
		return err
	}
	if o.why && o.format.value != "text" {
		return usagef("--why is for the text report; leave it out with --format %s", o.format.value)
	}
	if o.width < 0 {
		return usagef("--width %d is negative", o.width)
	}
	if o.from == "-" && o.file == "-" {
		return usagef("FILE and the plan of --from cannot both be standard input")
	}
	if o.output != "" {
		if _, err := model.PlanFormatOf(o.output); err != nil {
			return usagef("-o %v", err)
		}
		if err := o.io.checkTarget(o.output, o.file); err != nil {
			return err
		}
	}
	for _, path := range o.gantts {
		if !slices.Contains(report.PictureFormats(), pictureFormat(path)) {
			return usagef("--gantt %s: a picture's name ends in .%s", path, strings.Join(report.PictureFormats(), ", ."))
		}
		if err := o.io.checkTarget(path, o.file); err != nil {
			return err
		}
	}
	return nil
}

func pictureFormat(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

func runPlan(ctx context.Context, o *planOptions) error {
	js, err := o.io.loadJobSet(o.file)
	if err != nil {
		return err
	}
	from, unknown, err := o.readFrom(js)
	if err != nil {
		return err
	}
	o.notes(unknown)
	p := startProgress(o.io, o.quiet)
	opt := o.solverOptions(p)
	opt.Relax, opt.From = o.relax, from
	res, err := o.solve(ctx, js, opt)
	p.stop()
	if err != nil {
		return err
	}
	if ctx.Err() != nil && !o.quiet {
		fmt.Fprintln(o.io.err, "interrupted: this is what was known so far")
	}
	o.notes(res.Notes)
	if !o.why {
		res.Why = nil
	}
	// The answer is printed even where a file cannot be written.
	unwritten := o.writeFiles(js, res)
	if err := outputError(o.view().Plan(js, res)); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	return planExit(res)
}

// readFrom reads the plan to start from, if there is one, and says what of it
// the job set does not know.
func (o *planOptions) readFrom(js *model.JobSet) (model.Schedule, []string, error) {
	if o.from == "" {
		return nil, nil, nil
	}
	name, src, err := o.io.readInput(o.from)
	if err != nil {
		return nil, nil, err
	}
	plan, err := model.ReadPlan(name, src)
	if err != nil {
		return nil, nil, inputError(err)
	}
	from, notes := plan.ScheduleFor(js)
	return from, notes, nil
}

// planExit is the exit code of an answer.
func planExit(res *solve.Result) error {
	switch {
	case res.Status == model.Infeasible:
		return exitCode(ExitNo)
	case res.Status == model.Unknown:
		return exitCode(ExitUnknown)
	}
	return nil
}

// writeFiles writes the plan and its pictures and answers with the first error.
func (o *planOptions) writeFiles(js *model.JobSet, res *solve.Result) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if o.output != "" {
		format, err := model.PlanFormatOf(o.output)
		if err != nil {
			return err
		}
		plan := report.PlanFile(js, res)
		keep(writeAtomically(o.output, func(w io.Writer) error { return plan.Write(w, format) }))
	}
	for _, path := range o.gantts {
		if res.Schedule == nil {
			o.notes([]string{path + " was not written: there is no plan to draw"})
			continue
		}
		keep(writeAtomically(path, func(w io.Writer) error { return report.Draw(w, pictureFormat(path), js, res) }))
	}
	return first
}
