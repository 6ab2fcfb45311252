package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/figures"
	"downbeat/cmd/internal/bench/jobsets"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/near"
	"downbeat/online/policies"
	"downbeat/solve/memory"
)

func newBenchCmd(io *terminal.Streams, run func(context.Context, *benchOptions) error) *cobra.Command {
	o := &benchOptions{}
	o.IO, o.Exec.Stderr = io, io.Err
	cmd := &cobra.Command{
		Use:   "bench [FILE|FOLDER]...",
		Short: "Run online schedulers and the optimum over many job sets",
		Long: `Run online schedulers over job sets from files, folders or named workloads, and
hold each run against the proved optimum of the same job set: tables with 95 %
intervals, paired comparisons, every cell as CSV or JSON, and plots.

A gap is what a run is above the optimum, or above the proved bound where the
time limit ended the proof (marked). Runs that cannot be compared (shorter
actual times, jobs rejected, hard deadlines missed) have none and say why. Each
side checks the other: a policy that beats a proved bound, or meets the hard
deadlines of a set proved infeasible, ends the bench with exit code 70.

With --hunt POLICY, search for small job sets on which the policy misses a hard
deadline that can be met, or has a large gap, shrink each until nothing can be
left out, and write it to a file.

--list names the workloads, --explain WORKLOAD tells their parameters; --write DIR
leaves the job sets as files, for plan say.

The same job sets, policies and seeds give the same files, whatever --workers
says; only cells marked "limit" hang on the clock, and with --budget none. Ctrl-C
ends the bench with what is there; --resume keeps it in a journal and goes on from
there. Sweeps too large for one machine run as shards, each with a journal of its
own, and bench report puts them together.
Exit code 0: done. 2: bad usage or input. 3: interrupted, the answer is of what
was done; or a hunt that found nothing.`,
		Example: `  downbeat bench examples --policy fifo,fair,edf,llf
  downbeat bench --workload realtime --sweep utilisation=0.1..0.9/9 --count 20 \
      --plot schedulability=curves.svg -o cells.csv --resume bench.jsonl
  downbeat bench --workload small:tasks=12 --seeds 1-200 --compare edf,llf
  downbeat bench --hunt edf --found 3 --into examples`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if cmd.Flags().Changed("seeds") && (cmd.Flags().Changed("seed") || cmd.Flags().Changed("count")) {
				return usage.Errorf("--seeds stands alone; --count and --seed say the same in another way")
			}
			o.limited = cmd.Flags().Changed("time-limit")
			switch {
			case o.list || o.explain != "":
				return runExplain(o)
			case o.hunt != "":
				return runHunt(cmd.Context(), o)
			case o.script.engine.Value != "":
				return runScript(cmd.Context(), cmd, o)
			case o.write != "":
				return runWrite(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	cmd.AddCommand(newBenchReportCmd(io))
	return cmd
}

func runBench(ctx context.Context, o *benchOptions) error {
	p, err := o.plan(ctx)
	if err != nil {
		return err
	}
	store, err := o.openJournal(p)
	if err != nil {
		return err
	}
	var keep bench.Keeper
	if store != nil {
		keep = store
	}
	options.Heed(p.config.Memory)
	line := terminal.StartStatus(o.IO, o.Quiet)
	records, err := bench.Run(ctx, p.config, p.sets, keep, func(b bench.Progress) {
		line.Show(fmt.Sprintf("%d of %d job sets, last %s", b.Done, b.Total, report.Printable(b.Set)))
	})
	line.Stop()
	err = errors.Join(err, store.Close())
	var input *bench.InputError
	var disk *fs.PathError
	switch {
	case errors.As(err, &input):
		return usage.Of(err)
	case errors.As(err, &disk):
		return files.Error(o.journal, err)
	case schedulers.Theirs(err):
		return usage.Errorf("%v", err)
	case err != nil:
		return err
	}
	if ctx.Err() != nil {
		o.Interrupted("done")
	}
	return o.answer(p.config, p.sets, records, p.compare, p.plots)
}

// answer prints the summary and writes the files. The summary is printed even
// where a file cannot be written.
func (o *cellOptions) answer(c *bench.Config, sets []jobsets.Set, records []*bench.Record, compare []string, plots []plotFlag) error {
	s := c.Summarize(records, compare)
	unwritten := o.writeFiles(c, sets, records, plots)
	if o.table != "" && unwritten == nil {
		unwritten = files.Write(o.table, s.WriteTable)
	}
	var err error
	if o.Format.Value == "json" {
		err = s.WriteJSON(o.IO.Out)
	} else {
		err = s.WriteText(o.IO.Out, bench.Page{Width: o.Columns(), Measures: o.measures.List, Holm: o.holm, Effects: o.effects})
	}
	if err := usage.Output(err); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	if s.Sets < s.Planned || s.Sets == 0 {
		return exit.Unknown
	}
	return nil
}

// writeFiles writes cells and plots and answers with the first error.
func (o *cellOptions) writeFiles(c *bench.Config, sets []jobsets.Set, records []*bench.Record, plots []plotFlag) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range o.outputs {
		keep(files.Write(path, func(w io.Writer) error {
			if options.Extension(path) == "json" {
				return c.WriteJSON(w, sets, records, o.timing)
			}
			return c.WriteCSV(w, records, o.timing)
		}))
	}
	for _, plot := range plots {
		var picture strings.Builder
		err := figures.Draw(&picture, c, plot.name, options.Extension(plot.path), records, o.figures.style())
		if errors.Is(err, figures.ErrNothing) {
			o.Note("%s was not written: %v", plot.path, err)
			continue
		}
		if err == nil {
			err = files.Write(plot.path, func(w io.Writer) error {
				_, err := io.WriteString(w, picture.String())
				return err
			})
		}
		keep(err)
	}
	return first
}

// cellOptions are what is made of cells: tables, files and plots.
type cellOptions struct {
	options.Answer
	outputs  []string
	timing   bool
	table    string
	plots    []string
	compare  string
	holm     bool
	effects  bool
	measures flags.Names
	figures  figureOptions
	// journals that no file of ours may replace.
	journals []string
}

// addFlags registers the flags; kinds are the endings of files of cells.
func (o *cellOptions) addFlags(cmd *cobra.Command, kinds string) {
	o.Answer.AddFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVarP(&o.outputs, "output", "o", nil, "write every cell to this file: "+kinds+"; may be repeated")
	f.StringVar(&o.table, "table", "", "write the table to this file, .csv: a line to each level, policy and measure")
	f.BoolVar(&o.timing, "timing", false, "with elapsed times in the files")
	f.StringArrayVar(&o.plots, "plot", nil, "draw a figure, NAME=FILE with FILE .svg, .png or .pdf: schedulability, weighted-schedulability, gaps, pareto, or a measure; may be repeated")
	o.figures.addFlags(cmd)
	f.StringVar(&o.compare, "compare", "", "compare policy A with B, and with C and so on, on the same runs: A,B,C")
	f.BoolVar(&o.holm, "holm", false, "with --compare, claim only what is shown after Holm's correction for all that is compared")
	f.BoolVar(&o.effects, "effects", false, "with --compare, effect sizes with intervals, how many job sets would show them, and p-values")
	o.measures = flags.Names{Known: bench.MeasureNames(), Noun: "measure", Today: bench.MeasureName}
	f.Var(&o.measures, "measure", "show these measures only, beside the gaps: "+strings.Join(bench.MeasureNames(), ", "))
	f.BoolVar(&o.Quiet, "quiet", false, "no progress and no notes on standard error")
	f.IntVar(&o.Width, "width", 0, "columns for the tables, 0 for the terminal's")
}

// checkTarget tells early that a file cannot be written.
func (o *cellOptions) checkTarget(path string) error {
	for _, journal := range append(o.journals, "") {
		if err := files.CheckTarget(o.IO, path, journal); err != nil {
			return err
		}
	}
	return nil
}

// benchOptions are the flags and arguments of downbeat bench.
type benchOptions struct {
	cellOptions
	options.Runs
	options.Memory
	paths     []string
	workloads []string
	sweep     string
	seeds     string
	count     int
	seed      uint64
	objective flags.Objectives
	timeLimit time.Duration
	limited   bool // a time limit was named
	budget    int64
	noOptimum bool
	workers   int
	journal   string
	shard     string
	hunt      string
	huntFor   flags.OneOf
	huntFound int
	folder    string
	script    scriptOptions
	list      bool
	explain   string
	write     string
}

// defaultBenchLimit is what the solver gets per job set.
const defaultBenchLimit = 10 * time.Second

func (o *benchOptions) addFlags(cmd *cobra.Command) {
	o.huntFor = flags.OneOf{Value: "miss", Known: []string{"miss", "gap"}}
	o.cellOptions.addFlags(cmd, ".csv or .json")
	o.Runs.AddFlags(cmd, []string{"all"}, "ticks")
	f := cmd.Flags()
	f.StringArrayVar(&o.workloads, "workload", nil, "job sets of a named workload, NAME or NAME:param=value,...; may be repeated")
	f.BoolVar(&o.list, "list", false, "list the named workloads")
	f.StringVar(&o.explain, "explain", "", "tell of a workload, NAME or NAME:param=value,...: parameters, units, values, and what its source leaves open")
	f.StringVar(&o.write, "write", "", "do not run the bench but write its job sets to this folder")
	f.StringVar(&o.sweep, "sweep", "", "vary a parameter of the workloads: PARAM=A,B,C or PARAM=LO..HI/N")
	f.StringVar(&o.seeds, "seeds", "", "seeds of job sets and runs: 1-100, or 3,7,10-19")
	f.IntVar(&o.count, "count", 1, "number of seeds, from --seed on")
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.Var(&o.objective, "objective", "take the optimum of each of these by itself, instead of what each job set puts first")
	f.DurationVar(&o.timeLimit, "time-limit", defaultBenchLimit, "end the search for the optimum of a job set after this long, 0 for never")
	f.Int64Var(&o.budget, "budget", 0, "end that search after this much work, counted in constructions of a plan, in place of a time limit: the same cells on every machine")
	o.Memory.AddFlag(cmd, ", with --budget "+memory.Text(memory.Fixed))
	f.BoolVar(&o.noOptimum, "no-optimum", false, "run the policies only")
	f.IntVar(&o.workers, "workers", 0, "job sets at a time, 0 for one per core")
	f.StringVar(&o.journal, "resume", "", "keep results in this journal as they come, and go on from what it holds; with more seeds, levels or policies it grows")
	f.StringVar(&o.shard, "shard", "", "work on every N-th job set only, from the I-th on: I/N; 0/N is N/N")
	f.StringVar(&o.hunt, "hunt", "", "search for small job sets on which this policy fails")
	f.Var(&o.huntFor, "hunt-for", "what to hunt: a missed hard deadline (miss) or a large gap (gap)")
	f.IntVar(&o.huntFound, "found", 1, "how many job sets to hunt down")
	f.StringVar(&o.folder, "into", ".", "folder for what was hunted down, or for the journals of a script")
	o.script.addFlags(cmd)
}

// plotFlag is one --plot.
type plotFlag struct{ name, path string }

// checkOutputs tells of files of cells that cannot be written, or end otherwise.
func (o *cellOptions) checkOutputs(endings ...string) error {
	for _, path := range o.outputs {
		if !slices.Contains(endings, options.Extension(path)) {
			last := len(endings) - 1
			return usage.Errorf("-o %s: a file of cells ends in .%s or .%s", path, strings.Join(endings[:last], ", ."), endings[last])
		}
		if err := o.checkTarget(path); err != nil {
			return err
		}
	}
	if o.table == "" {
		return nil
	}
	if options.Extension(o.table) != "csv" {
		return usage.Errorf("--table %s: a table's name ends in .csv", o.table)
	}
	return o.checkTarget(o.table)
}

func (o *cellOptions) compared(c *bench.Config) ([]string, error) {
	if o.compare == "" {
		if o.holm || o.effects {
			return nil, usage.Errorf("--holm and --effects are about what --compare compares")
		}
		return nil, nil
	}
	named := policies.Split(o.compare)
	if len(named) < 2 || len(slices.Compact(slices.Sorted(slices.Values(named)))) < len(named) {
		return nil, usage.Errorf("--compare %s: two different policies are needed, A,B, or more", o.compare)
	}
	for _, spec := range named {
		if !slices.Contains(c.Policies, spec) {
			return nil, usage.Errorf("--compare: %s is not among the policies of the bench", spec)
		}
	}
	return named, nil
}

func (o *cellOptions) plotFlags() ([]plotFlag, error) {
	var out []plotFlag
	for _, text := range o.plots {
		name, path, found := strings.Cut(text, "=")
		if !found {
			return nil, usage.Errorf("--plot %s: write NAME=FILE", text)
		}
		name = bench.MeasureName(name)
		if known := figures.Names(); !slices.Contains(known, name) {
			return nil, usage.Errorf("--plot: unknown plot %q%s", name, usage.Hint(near.Word(name, known), "there are "+strings.Join(known, ", ")))
		}
		if ext := options.Extension(path); !slices.Contains(chart.Formats(), ext) {
			return nil, usage.Errorf("--plot %s: a plot's name ends in .%s", text, strings.Join(chart.Formats(), ", ."))
		}
		if err := o.checkTarget(path); err != nil {
			return nil, err
		}
		out = append(out, plotFlag{name, path})
	}
	return out, nil
}
