package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/coarse"
	"downbeat/model/query"
	"downbeat/solve/exact"
)

// exportFormula are the flags and arguments of downbeat export dimacs.
type exportFormula struct {
	exported
	atMost     flags.Limits
	maxClauses int64
}

func newExportDIMACSCmd(io *terminal.Streams, run func(context.Context, exporter) error) *cobra.Command {
	o := &exportFormula{exported: exported{io: io}}
	cmd := &cobra.Command{
		Use:   "dimacs FILE",
		Short: "A formula for SAT solvers",
		Long: `Write a formula that has a solution if, and only if, all hard deadlines of the job
set in FILE (- for standard input) can be met, the bounds of --at-most kept.
Comments tell what its variables mean.`,
		Example: `  downbeat export dimacs nightly.yaml --at-most misses=0 -o nightly.cnf`,
		Args:    usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return exportRun(cmd, o, run)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.Var(&o.atMost, "at-most", "bounds to keep: "+strings.Join(model.ObjectiveNames(), ", "))
	f.Int64Var(&o.maxClauses, "max-clauses", exact.DefaultMaxClauses, "refuse a formula that would be larger")
	return cmd
}

func (o *exportFormula) check(cmd *cobra.Command) error {
	if o.maxClauses < 1 {
		return usage.Errorf("--max-clauses %d is less than 1", o.maxClauses)
	}
	return o.checkTarget(cmd, "output", o.output, o.file)
}

func (o *exportFormula) run(ctx context.Context) error {
	js, err := files.JobSet(ctx, o.io, o.file, nil)
	if err != nil {
		return err
	}
	unit := coarse.CommonTick(js)
	limits := map[model.Objective]int64{}
	for _, b := range o.atMost {
		limits[b.Objective] = b.Value
		if b.Objective != model.Misses {
			limits[b.Objective] /= int64(unit)
		}
	}
	inUnits := js
	if unit > 1 {
		inUnits = coarse.InTicksOf(js, unit)
	}
	e, err := encode.Build(ctx, query.Within(inUnits, false, limits), o.maxClauses)
	var large *encode.TooLarge
	if errors.As(err, &large) {
		return usage.Errorf("%s: %v; --max-clauses allows more", o.file, err)
	}
	if err != nil {
		return err
	}
	return o.write(func(w io.Writer) error {
		out := bufio.NewWriter(w)
		o.header(out, js, unit)
		if err := e.WriteMap(out); err != nil {
			return err
		}
		if err := e.WriteDIMACS(out); err != nil {
			return err
		}
		return out.Flush()
	})
}

// header is the question in words.
func (o *exportFormula) header(out *bufio.Writer, js *model.JobSet, unit model.Time) {
	fmt.Fprintf(out, "c Job set %q, %s\n", js.Name, js.Digest())
	out.WriteString("c Is there a plan in which every hard job meets its deadline")
	for _, b := range o.atMost {
		fmt.Fprintf(out, ", and %s <= %d", b.Objective, b.Value)
	}
	out.WriteString("?\n")
	if unit > 1 {
		fmt.Fprintf(out, "c A tick of the formula is %d ticks of the job set, which has no finer times.\n", unit)
	}
}
