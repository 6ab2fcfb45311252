package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/coarse"
	"downbeat/model/minizinc"
	"downbeat/model/near"
	"downbeat/model/query"
	"downbeat/solve/exact"
)

// exportKinds are the formats that export writes.
var exportKinds = []string{"minizinc", "dimacs"}

// exportOptions are the flags and arguments of downbeat export.
type exportOptions struct {
	io         *terminal.Streams
	kind, file string
	output     string
	atMost     flags.Limits
	// Of minizinc only.
	data      string
	objective flags.Objectives
	relax     bool
	// Of dimacs only.
	maxClauses int64
}

func newExportCmd(io *terminal.Streams, run func(context.Context, *exportOptions) error) *cobra.Command {
	o := &exportOptions{io: io}
	cmd := &cobra.Command{
		Use:   "export KIND FILE",
		Short: "State a job set in the language of other solvers",
		Long: `State the problem of the job set in FILE (- for standard input) in the language
of other solvers. KIND is one of

  minizinc  a model of the whole problem with its data: constraints C0 to C10,
            the objectives, and a search for solvers that follow one. What it
            prints is a plan in CSV that downbeat validate reads.
  dimacs    a formula that has a solution if, and only if, all hard deadlines
            can be met, the bounds of --at-most kept. Comments tell what its
            variables mean.

Several objectives become one sum in which a unit of an objective outweighs all
later ones. Where that sum would be larger than solvers take, minimise them one
at a time: the first alone, then the second with the first at its best, which
--at-most bounds, and so on.`,
		Example: `  downbeat export minizinc nightly.yaml -o nightly.mzn
  minizinc --soln-sep '' --search-complete-msg '' nightly.mzn > plan.csv
  downbeat validate nightly.yaml plan.csv
  downbeat export minizinc nightly.yaml --objective tardiness --at-most misses=1
  downbeat export dimacs nightly.yaml --at-most misses=0 -o nightly.cnf`,
		Args:      exportArgs,
		ValidArgs: exportKinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.kind, o.file = args[0], args[1]
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output")
	f.Var(&o.atMost, "at-most", "bounds to keep: "+strings.Join(model.ObjectiveNames(), ", "))
	f.StringVar(&o.data, "data", "", "minizinc: write the data to this file, so that the model holds for any job set")
	f.Var(&o.objective, "objective", "minizinc: what to minimise, most important first, instead of what the file says")
	f.BoolVar(&o.relax, "relax", false, "minizinc: let hard jobs be late, and minimise how many are first")
	f.Int64Var(&o.maxClauses, "max-clauses", exact.DefaultMaxClauses, "dimacs: refuse a formula that would be larger")
	return cmd
}

// exportArgs demands KIND and FILE, and says which kinds there are where only one of
// these is given.
func exportArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && !slices.Contains(exportKinds, args[0]) {
		return usage.Errorf("%s needs KIND, %s, and FILE; got %q alone", cmd.CommandPath(), strings.Join(exportKinds, " or "), args[0])
	}
	return usage.ExactArgs("KIND", "FILE")(cmd, args)
}

// flagsOfKind are the flags that only one kind takes.
var flagsOfKind = map[string]string{
	"data": "minizinc", "objective": "minizinc", "relax": "minizinc", "max-clauses": "dimacs",
}

// check tells what cannot work before anything is read.
func (o *exportOptions) check(cmd *cobra.Command) error {
	if !slices.Contains(exportKinds, o.kind) {
		return usage.Errorf("unknown kind %q%s", o.kind, usage.Hint(near.Word(o.kind, exportKinds), "known are "+strings.Join(exportKinds, " and ")))
	}
	for _, name := range slices.Sorted(maps.Keys(flagsOfKind)) {
		if kind := flagsOfKind[name]; kind != o.kind && cmd.Flags().Changed(name) {
			return usage.Errorf("--%s is for export %s", name, kind)
		}
	}
	if o.maxClauses < 1 {
		return usage.Errorf("--max-clauses %d is less than 1", o.maxClauses)
	}
	if o.output != "" && o.output == o.data {
		return usage.Errorf("-o and --data name one file, %s", o.data)
	}
	for _, target := range []struct{ flag, path string }{{"output", o.output}, {"data", o.data}} {
		switch {
		case target.path != "":
			if err := files.CheckTarget(o.io, target.path, o.file); err != nil {
				return err
			}
		case cmd.Flags().Changed(target.flag):
			return usage.Errorf("--%s needs a file name, got an empty one", target.flag)
		}
	}
	return nil
}

func runExport(ctx context.Context, o *exportOptions) error {
	js, err := files.JobSet(ctx, o.io, o.file, nil)
	if err != nil {
		return err
	}
	if o.kind == "dimacs" {
		return o.dimacs(ctx, js)
	}
	return o.minizinc(js)
}

// write hands the text to the file of -o or to standard output.
func (o *exportOptions) write(write func(io.Writer) error) error {
	if o.output == "" {
		return usage.Output(write(o.io.Out))
	}
	return files.Write(o.output, write)
}

func (o *exportOptions) minizinc(js *model.JobSet) error {
	q := minizinc.Question{Minimize: js.Goal(), AtMost: o.atMost, Relaxed: o.relax, Guide: true}
	if o.objective != nil {
		q.Minimize = o.objective
	}
	if o.relax {
		q.Minimize = append([]model.Objective{model.HardMisses}, q.Minimize...)
	}
	if err := q.Check(js); err != nil {
		return usage.Errorf("%s: %v%s", o.file, err, o.oneAtATime(err))
	}
	if o.data == "" {
		return o.write(func(w io.Writer) error { return minizinc.Write(w, js, q) })
	}
	return o.write(func(constraints io.Writer) error {
		return files.Write(o.data, func(data io.Writer) error {
			return minizinc.WriteApart(constraints, data, js, q)
		})
	})
}

// oneAtATime tells the flags for objectives that make no sum.
func (o *exportOptions) oneAtATime(err error) string {
	var wide *minizinc.TooWide
	if !errors.As(err, &wide) || wide.Objectives[0] == model.HardMisses {
		return ""
	}
	first, second := wide.Objectives[0], wide.Objectives[1]
	return fmt.Sprintf(": --objective %s, then --objective %s --at-most %s=BEST", first, second, first)
}

func (o *exportOptions) dimacs(ctx context.Context, js *model.JobSet) error {
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
func (o *exportOptions) header(out *bufio.Writer, js *model.JobSet, unit model.Time) {
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
