package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/files/minizinc"
)

// exportMiniZinc are the flags and arguments of downbeat export minizinc.
type exportMiniZinc struct {
	exported
	atMost    options.Limits
	data      string
	objective options.Objectives
	relax     bool
}

func newExportMiniZincCmd(io *terminal.Streams, run func(context.Context, exporter) error) *cobra.Command {
	o := &exportMiniZinc{exported: exported{io: io}}
	cmd := &cobra.Command{
		Use:   "minizinc FILE",
		Short: "A model of the whole problem with its data, for constraint solvers",
		Long: `Write a MiniZinc model of the whole problem of the job set in FILE (- for standard
input) with its data: constraints C0 to C12, the objectives, and a search for
solvers that follow one. What it prints is a plan in CSV that downbeat validate
reads.

Several objectives become one sum in which a unit of an objective outweighs all
later ones. Where that sum would be larger than solvers take, bound objectives by
--at-most with the values of a plan, which makes it smaller, or minimise them one at a
time: the first alone, then the second with the first at its best, and so on.`,
		Example: `  downbeat export minizinc nightly.yaml -o nightly.mzn
  minizinc --soln-sep '' --search-complete-msg '' nightly.mzn > plan.csv
  downbeat validate nightly.yaml plan.csv
  downbeat export minizinc nightly.yaml --objective tardiness --at-most misses=1`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return exportRun(cmd, o, run)
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.Var(&o.atMost, "at-most", "bounds to keep: "+strings.Join(model.ObjectiveNames(), ", "))
	f.StringVar(&o.data, "data", "", "write the data to this file, so that the model holds for any job set")
	f.Var(&o.objective, "objective", "what to minimise, most important first, instead of what the file says")
	f.BoolVar(&o.relax, "relax", false, "let hard jobs be late, and minimise how many are first")
	return cmd
}

func (o *exportMiniZinc) check(cmd *cobra.Command) error {
	if o.output != "" && o.output == o.data {
		return usage.Errorf("-o and --data name one file, %s", o.data)
	}
	if err := o.checkTarget(cmd, "output", o.output, o.file); err != nil {
		return err
	}
	return o.checkTarget(cmd, "data", o.data, o.file)
}

func (o *exportMiniZinc) run(ctx context.Context) error {
	js, err := files.JobSet(ctx, o.io, o.file, nil)
	if err != nil {
		return err
	}
	o.noteLeaving(js)
	bounds, err := o.atMost.Of(js)
	if err != nil {
		return usage.Errorf("--at-most %v", err)
	}
	q := minizinc.Question{Minimize: js.Goal(), AtMost: bounds, Relaxed: o.relax, Guide: true}
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
		return o.write(func(w io.Writer) error {
			signed(w)
			return minizinc.Write(w, js, q)
		})
	}
	return o.write(func(constraints io.Writer) error {
		return files.Write(o.data, func(data io.Writer) error {
			signed(constraints)
			signed(data)
			return minizinc.WriteApart(constraints, data, js, q)
		})
	})
}

// signed begins a file with who made it. Where that cannot be written, what follows cannot
// either.
func signed(w io.Writer) { fmt.Fprintf(w, "%% Made by %s.\n", version.Made()) }

// oneAtATime tells the flags for objectives that make no sum.
func (o *exportMiniZinc) oneAtATime(err error) string {
	var wide *minizinc.TooWide
	if !errors.As(err, &wide) || wide.Objectives[0] == model.HardMisses {
		return ""
	}
	first, second := wide.Objectives[0], wide.Objectives[1]
	return fmt.Sprintf(": --objective %s, then --objective %s --at-most %s=BEST; or bound them all by the values of a plan, --at-most %s=VALUE,%s=VALUE", first, second, first, first, second)
}
