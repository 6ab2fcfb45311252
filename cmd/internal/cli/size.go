package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
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
	// supplies are classes and pools to size, in the order of the flags.
	supplies []wantedSupply
	atMost   options.Limits
	plots    options.Plots
	proof    options.Proof
	parts    options.Parts
}

// wantedSupply is a class or a pool to size, as it was written: NAME or NAME=FROM-TO.
type wantedSupply struct {
	flag, text string
}

// supplyFlag is --class, or --pool where it does not change a pool.
type supplyFlag struct {
	name string
	to   *[]wantedSupply
	// change is the flag for changes of the same name; nil where there is none.
	change pflag.Value
}

// String implements pflag.Value.
func (f *supplyFlag) String() string { return "" }

// Set implements pflag.Value. NAME=N is a change, NAME and NAME=FROM-TO are to be sized.
func (f *supplyFlag) Set(text string) error {
	at := strings.LastIndexByte(text, '=')
	if f.change != nil && at >= 0 && !strings.Contains(text[at:], "-") {
		return f.change.Set(text)
	}
	*f.to = append(*f.to, wantedSupply{f.name, text})
	return nil
}

// Type implements pflag.Value.
func (f *supplyFlag) Type() string {
	if f.change != nil {
		return f.change.Type()
	}
	return strings.ToUpper(f.name) + "[=FROM-TO]"
}

func newSizeCmd(io *terminal.Streams, run func(context.Context, *sizeOptions) error) *cobra.Command {
	o := &sizeOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "size FILE --class CLASS[=FROM-TO]|--pool NAME[=FROM-TO]",
		Short: "Find the least number of machines of a class, or the least amount of a pool, with which all fits",
		Long: `Find the least number of machines of a class with which the hard jobs in FILE (YAML or
JSON; - for standard input) meet their deadlines, or with which a plan keeps the
bound of --at-most. Other sizes of a class are made as by --count. The answer has a
plan, and a proof that one machine less does not do, or is given as a bracket.

--pool NAME in place of --class finds the least amount of a pool, the same at all times;
--pool NAME=N changes the pool instead, as it does in other commands.

With --proof or --certify that proof is written down, about the set without the machines
that are too many. Where it takes more than there are, it is about the set with one
less, and where no size will do about the set with the largest that was tried: the file
names that size, and downbeat verify-proof takes it from there.

With two classes, two pools or one of each: which sizes of both will do, over the sizes to
try or up to twice what there are. Machines may have a cost; then the pair that costs least
is told.
` + options.PartsAbout("of a frontier one for each size of the first class") + `
Exit code 0: a number that does is known. 1: proved that none does. 2: bad usage or
input. 3: neither within the limit.`,
		Example: `  downbeat size nightly.yaml --class fast
  downbeat size nightly.yaml --class fast --at-most misses=0
  downbeat size nightly.yaml --class slow=1-4 --without fast-2
  downbeat size nightly.yaml --class fast --class slow=0-6 --plot frontier.svg
  downbeat size licences.yaml --pool licence
  downbeat size nightly.yaml --class fast --class slow --budget 100000 --shard 1/3 --resume shard-1.jsonl`,
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
	f.Var(&supplyFlag{name: "class", to: &o.supplies}, "class", "class to size, with =FROM-TO for the sizes to try; twice for a frontier")
	pool := f.Lookup(string(change.Pool))
	pool.Value = &supplyFlag{name: pool.Name, to: &o.supplies, change: pool.Value}
	pool.Usage = "NAME or NAME=FROM-TO: pool to size, as a class; NAME=N: " + pool.Usage
	o.plots.AddFlag(cmd, "draw the frontier of two classes or pools")
	o.proof.AddFlags(cmd)
	o.parts.AddFlags(cmd)
	f.Var(&o.atMost, "at-most", "a bound to keep, on one of "+strings.Join(model.ObjectiveNames(), ", "))
	return cmd
}

// check tells what cannot work before anything is read.
func (o *sizeOptions) check(cmd *cobra.Command, io *terminal.Streams) error {
	if err := cmp.Or(o.proof.Check(cmd, &o.Solver), o.proof.CheckWhy(), o.parts.Check(cmd)); err != nil {
		return err
	}
	if err := o.plots.Check(io, o.File); err != nil {
		return err
	}
	switch n := len(o.supplies); {
	case n == 0:
		return usage.Errorf("size needs the class or the pool to size: --class NAME or --pool NAME")
	case n > 2:
		return usage.Errorf("--class and --pool name %d classes and pools; size looks at two at most", n)
	case n == 1 && o.parts.Wanted():
		return usage.Errorf("--resume, --shard and --join are for frontiers, which have pieces; give a second --class or --pool")
	case n == 2 && o.proof.Wanted():
		return usage.Errorf("--proof and --certify are about one size that will not do; give one --class or --pool")
	case n == 1 && len(o.plots) > 0:
		return usage.Errorf("--plot draws the frontier of two classes or pools; give a second --class or --pool")
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

// supply reads NAME or NAME=FROM-TO.
func (w wantedSupply) supply(js *model.JobSet) (capacity.Supply, error) {
	name, sizes, ranged := w.text, "", false
	if at := strings.LastIndexByte(w.text, '='); at >= 0 {
		name, sizes, ranged = w.text[:at], w.text[at+1:], true
	}
	named := capacity.NewClass
	if w.flag == string(change.Pool) {
		named = capacity.NewPool
	}
	c, err := named(js, name)
	if err != nil {
		return c, usage.Errorf("--%s %s: %v", w.flag, w.text, err)
	}
	if !ranged {
		return c, nil
	}
	from, to, _ := strings.Cut(sizes, "-")
	var bad error
	if c.Least, bad = strconv.ParseInt(from, 10, 64); bad == nil {
		c.Most, bad = strconv.ParseInt(to, 10, 64)
	}
	if bad != nil || c.Least < 0 || c.Most < max(1, c.Least) || c.Most > c.MostSize() {
		return c, usage.Errorf("--%s %s: write the sizes to try as FROM-TO, like %s=1-8", w.flag, w.text, name)
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
	var supplies []capacity.Supply
	for _, w := range o.supplies {
		c, err := w.supply(js)
		if err != nil {
			return err
		}
		supplies = append(supplies, c)
	}
	if len(supplies) == 2 {
		return o.frontier(ctx, js, supplies, bound)
	}
	var r *capacity.SizeAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Proof = o.proof.Wanted()
		if r, err = capacity.Size(ctx, js, supplies[0], bound, opt); err != nil {
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

// flags are those that a frontier depends on.
func (o *sizeOptions) flags() []journal.Flag {
	flags := o.Flags()
	for _, name := range []string{"class", string(change.Pool)} {
		var texts []string
		for _, w := range o.supplies {
			if w.flag == name {
				texts = append(texts, w.text)
			}
		}
		if texts != nil {
			flags = append(flags, journal.Flag{Name: name, Value: strings.Join(texts, " and ")})
		}
	}
	for _, bound := range o.atMost {
		flags = append(flags, journal.Flag{Name: "at-most", Value: fmt.Sprint(bound)})
	}
	return flags
}

// frontier answers for two classes or pools.
func (o *sizeOptions) frontier(ctx context.Context, js *model.JobSet, of []capacity.Supply, bound *capacity.Limit) (err error) {
	if flag := o.supplies[0].flag; flag == o.supplies[1].flag && of[0].Name == of[1].Name {
		return usage.Errorf("--%s names %s twice", flag, of[0].Name)
	}
	if err := o.parts.Open("downbeat size", js.Digest(), o.flags(), o.Note); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.parts.Close()) }()
	var r *capacity.FrontierAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		r, err = capacity.Frontier(ctx, js, of[0], of[1], bound, o.parts.Keep(), opt)
		if errors.Is(err, capacity.ErrLargeGrid) {
			return nil, usage.Errorf("--%s: %v; write the sizes to try, like %s=1-8", o.supplies[0].flag, err, of[0].Name)
		}
		if err != nil {
			return nil, err
		}
		return r.Notes, nil
	})
	if err != nil {
		return err
	}
	if over, err := o.parts.Finish(&o.Answer); over {
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
