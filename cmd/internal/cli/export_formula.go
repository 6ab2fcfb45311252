package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/encode"
	"downbeat/model"
	"downbeat/solve/exact"
)

// exportFormula are the flags and arguments of downbeat export dimacs, wcnf and opb.
type exportFormula struct {
	exported
	request   request
	atMost    options.Limits
	objective options.Objectives
	memory    options.Memory
	old       bool
}

func newExportFormulaCmds(io *terminal.Streams, run func(context.Context, exporter) error) []*cobra.Command {
	dimacs := newExportFormulaCmd(io, run, dIMACS, "dimacs", "A formula for SAT solvers",
		`Write a formula that has a solution if, and only if, all hard deadlines of the job
set in FILE (- for standard input) can be met, the bounds of --at-most kept.`)
	wcnf := newExportFormulaCmd(io, run, wCNF, "wcnf", "A formula with costs for MaxSAT solvers",
		`Write a formula whose cheapest solution is the best plan for the job set in FILE (-
for standard input), in the format of the MaxSAT Evaluation since 2022; --old for
solvers that read the one before. Several objectives become one sum.`)
	opb := newExportFormulaCmd(io, run, oPB, "opb", "Pseudo-Boolean constraints, with what to minimise",
		`Write pseudo-Boolean constraints whose cheapest solution is the best plan for the job
set in FILE (- for standard input). Capacities are sums, which the solver adds up.
Several objectives become one sum.`)
	return []*cobra.Command{dimacs, wcnf, opb}
}

func newExportFormulaCmd(io *terminal.Streams, run func(context.Context, exporter) error, format formulaFormat, name, short, long string) *cobra.Command {
	o := &exportFormula{exported: exported{io: io}, request: request{Format: format}}
	cmd := &cobra.Command{
		Use:   name + " FILE",
		Short: short,
		Long: long + `

Comments tell what the variables mean: downbeat import solution makes a plan of what
a solver prints. The size is known before anything is built, and a formula that is
too large is refused.`,
		Example: "  downbeat export " + name + " nightly.yaml -o nightly." + name + `
  solver nightly.` + name + ` > answer
  downbeat import solution nightly.yaml nightly.` + name + " answer -o plan.json",
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return exportRun(cmd, o, run)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.Var(&o.atMost, "at-most", "bounds to keep: "+strings.Join(model.ObjectiveNames(), ", "))
	f.Int64Var(&o.request.MaxClauses, "max-clauses", exact.DefaultMaxClauses, "refuse a formula that would be larger")
	o.memory.AddFlag(cmd, "")
	f.Lookup("memory").Usage = "refuse a formula that would take more memory than this, 0 for no bound (default half of the machine's or container's)"
	if format != dIMACS {
		f.Var(&o.objective, "objective", "what to minimise, most important first, instead of what the file says")
		f.BoolVar(&o.request.Relaxed, "relax", false, "let hard jobs be late, and minimise how many are first")
	}
	if format == wCNF {
		f.BoolVar(&o.old, "old", false, "write the format before 2022, with a p line")
	}
	return cmd
}

func (o *exportFormula) check(cmd *cobra.Command) error {
	if o.request.MaxClauses < 1 {
		return usage.Errorf("--max-clauses %d is less than 1", o.request.MaxClauses)
	}
	if ceiling := o.memory.Ceiling(); ceiling > 0 {
		o.request.MaxClauses = min(o.request.MaxClauses, max(1, ceiling/encode.ClauseBytes))
	}
	return o.checkTarget(cmd, "output", o.output, o.file)
}

func (o *exportFormula) run(ctx context.Context) error {
	js, err := files.JobSet(ctx, o.io, o.file, nil)
	if err != nil {
		return err
	}
	o.noteLeaving(js)
	if o.request.AtMost, err = o.atMost.Of(js); err != nil {
		return usage.Errorf("--at-most %v", err)
	}
	if o.old {
		o.request.Format = oldWCNF
	}
	if o.request.Format != dIMACS {
		o.request.Minimize = js.Goal()
		if o.objective != nil {
			o.request.Minimize = o.objective
		}
		if o.request.Relaxed && !slices.Contains(o.request.Minimize, model.HardMisses) {
			o.request.Minimize = append([]model.Objective{model.HardMisses}, o.request.Minimize...)
		}
	}
	f, err := terminal.Until(ctx, func() (*formula, error) { return o.request.Build(ctx, js) })
	switch {
	case ctx.Err() != nil:
		return terminal.Why(ctx)
	case err != nil:
		return usage.Errorf("%s: %v", o.file, err)
	}
	return o.write(f.Write)
}
