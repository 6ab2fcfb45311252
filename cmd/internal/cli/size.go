package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// sizeOptions are the flags and arguments of downbeat size.
type sizeOptions struct {
	options.Solver
	classes []string
	atMost  options.Limits
	plots   options.Plots
	proof   options.Proof
}

func newSizeCmd(io *terminal.Streams, run func(context.Context, *sizeOptions) error) *cobra.Command {
	o := &sizeOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "size FILE --class CLASS[=FROM-TO]",
		Short: "Find the least number of machines of a class with which all fits",
		Long: `Find the least number of machines of a class with which the hard jobs in FILE (YAML or
JSON; - for standard input) meet their deadlines, or with which a plan keeps the
bound of --at-most. Other sizes of a class are made as by --count. The answer has a
plan, and a proof that one machine less does not do, or is given as a bracket.

With --proof or --certify that proof is written down, about the set without the machines
that are too many. Where it takes more than there are, it is about the set with one
less, and where no size will do about the set with the largest that was tried: the file
names that size, and downbeat verify-proof takes it from there.

With two classes: which sizes of both will do, over the sizes to try or up to twice
what there are. Machines may have a cost; then the pair that costs least is told.

Exit code 0: a number that does is known. 1: proved that none does. 2: bad usage or
input. 3: neither within the limit.`,
		Example: `  downbeat size nightly.yaml --class fast
  downbeat size nightly.yaml --class fast --at-most misses=0
  downbeat size nightly.yaml --class slow=1-4 --without fast-2
  downbeat size nightly.yaml --class fast --class slow=0-6 --plot frontier.svg`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.check(cmd, io); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.AddFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.classes, "class", nil, "class to size, with =FROM-TO for the sizes to try; twice for a frontier")
	o.plots.AddFlag(cmd, "draw the frontier of two classes")
	o.proof.AddFlags(cmd)
	f.Var(&o.atMost, "at-most", "a bound to keep, on one of "+strings.Join(model.ObjectiveNames(), ", "))
	return cmd
}

// check tells what cannot work before anything is read.
func (o *sizeOptions) check(cmd *cobra.Command, io *terminal.Streams) error {
	if err := cmp.Or(o.proof.Check(cmd, &o.Solver), o.proof.CheckWhy()); err != nil {
		return err
	}
	if err := o.plots.Check(io, o.File); err != nil {
		return err
	}
	switch {
	case len(o.classes) == 0:
		return usage.Errorf("size needs the class to size: --class NAME")
	case len(o.classes) > 2:
		return usage.Errorf("--class is given %d times; size looks at two classes at most", len(o.classes))
	case len(o.classes) == 2 && o.proof.Wanted():
		return usage.Errorf("--proof and --certify are about one size that will not do; give one --class")
	case len(o.classes) == 1 && len(o.plots) > 0:
		return usage.Errorf("--plot draws the frontier of two classes; give a second --class")
	case len(o.atMost) > 1:
		return usage.Errorf("--at-most bounds %d objectives; size keeps one bound at a time", len(o.atMost))
	}
	return o.Solver.Check()
}

// bound is the bound to keep, nil for none.
func (o *sizeOptions) bound(js *model.JobSet) (*capacity.Limit, error) {
	bounds, err := o.atMost.Of(js)
	switch {
	case err != nil:
		return nil, usage.Errorf("--at-most %v", err)
	case len(bounds) == 0:
		return nil, nil
	case bounds[0].Objective.Shape().Timed() && bounds[0].Value > int64(model.MaxTime):
		return nil, usage.Errorf("--at-most %s=%d is more than %d ticks", bounds[0].Objective, bounds[0].Value, model.MaxTime)
	}
	return &capacity.Limit{Objective: bounds[0].Objective, Value: bounds[0].Value}, nil
}

// class reads NAME or NAME=FROM-TO.
func (o *sizeOptions) class(js *model.JobSet, text string) (capacity.Class, error) {
	name, sizes, ranged := strings.Cut(text, "=")
	c, err := capacity.NewClass(js, name)
	if err != nil {
		return c, usage.Errorf("--class %s: %v", text, err)
	}
	if !ranged {
		return c, nil
	}
	from, to, _ := strings.Cut(sizes, "-")
	var bad error
	if c.Least, bad = strconv.ParseInt(from, 10, 64); bad == nil {
		c.Most, bad = strconv.ParseInt(to, 10, 64)
	}
	if bad != nil || c.Least < 0 || c.Most < max(1, c.Least) || c.Most > change.MostSlaves {
		return c, usage.Errorf("--class %s: write the sizes to try as FROM-TO, like %s=1-8", text, name)
	}
	return c, nil
}

func runSize(ctx context.Context, o *sizeOptions) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	bound, err := o.bound(js)
	if err != nil {
		return err
	}
	var classes []capacity.Class
	for _, text := range o.classes {
		c, err := o.class(js, text)
		if err != nil {
			return err
		}
		classes = append(classes, c)
	}
	if len(classes) == 2 {
		return o.frontier(ctx, js, classes, bound)
	}
	var r *capacity.SizeAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Proof = o.proof.Wanted()
		if r, err = capacity.Size(ctx, js, classes[0], bound, opt); err != nil {
			return nil, err
		}
		return r.Notes, nil
	})
	if err != nil {
		return err
	}
	unwritten, refused := o.proof.Deliver(ctx, r.Certificate, o.Note)
	if err := usage.Output(o.View().Size(js, r, bound)); err != nil {
		return err
	}
	return cmp.Or(refused, unwritten, sizeExit(r.None, r.Never()))
}

// frontier answers for two classes.
func (o *sizeOptions) frontier(ctx context.Context, js *model.JobSet, classes []capacity.Class, bound *capacity.Limit) error {
	if classes[0].Name == classes[1].Name {
		return usage.Errorf("--class names %s twice", classes[0].Name)
	}
	var r *capacity.FrontierAnswer
	err := o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		r, err = capacity.Frontier(ctx, js, classes[0], classes[1], bound, opt)
		if errors.Is(err, capacity.ErrLargeGrid) {
			return nil, usage.Errorf("--class: %v; write the sizes to try, like %s=1-8", err, classes[0].Name)
		}
		if err != nil {
			return nil, err
		}
		return r.Notes, nil
	})
	if err != nil {
		return err
	}
	// The answer is printed even where a file cannot be written.
	var unwritten error
	o.plots.Tell(o.Note, table.Printable(r.A.Name), table.Printable(r.B.Name))
	for _, path := range o.plots {
		draw := func(w io.Writer) error { return report.DrawFrontier(w, options.Extension(path), js, r, bound) }
		unwritten = cmp.Or(unwritten, files.Write(path, draw))
	}
	if err := usage.Output(o.View().Frontier(js, r, bound)); err != nil {
		return err
	}
	return cmp.Or(unwritten, sizeExit(len(r.Corners()) == 0, r.Never()))
}

// sizeExit is the exit code where no size is known to do, or it is proved that none does.
func sizeExit(none, never bool) error {
	switch {
	case never:
		return exit.No
	case none:
		return exit.Unknown
	}
	return nil
}
