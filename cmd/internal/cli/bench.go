package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/jobsets"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/near"
	"downbeat/online/policies"
	"downbeat/online/workload"
)

func newBenchCmd(io *terminal.Streams, run func(context.Context, *benchOptions) error) *cobra.Command {
	o := &benchOptions{}
	o.IO = io
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

Workloads (an unknown parameter makes one list its own):
` + workloadHelp() + `
The same job sets, policies and seeds give the same files, whatever --workers
says; only cells marked "limit" hang on the clock. Ctrl-C ends the bench with
what is there. Exit code 0: done, if only in part. 2: bad usage or input.
3: interrupted before any job set was done, or a hunt that found nothing.`,
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
			if o.hunt != "" {
				return runHunt(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func workloadHelp() string {
	var b strings.Builder
	for _, info := range workload.List() {
		fmt.Fprintf(&b, "  %-12s  %s\n", info.Name, info.Help)
	}
	return b.String()
}

func runBench(ctx context.Context, o *benchOptions) error {
	p, err := o.plan(ctx)
	if err != nil {
		return err
	}
	journal, err := o.openJournal(p)
	if err != nil {
		return err
	}
	options.Heed(p.config.Memory)
	line := terminal.StartStatus(o.IO, o.Quiet)
	records, err := bench.Run(ctx, p.config, p.sets, journal, func(b bench.Progress) {
		line.Show(fmt.Sprintf("%d of %d job sets, last %s", b.Done, b.Total, report.Printable(b.Set)))
	})
	line.Stop()
	err = errors.Join(err, journal.Close())
	var input *bench.InputError
	var disk *fs.PathError
	switch {
	case errors.As(err, &input):
		return usage.Of(err)
	case errors.As(err, &disk):
		return files.Error(o.journal, err)
	case err != nil:
		return err
	}
	return o.answer(ctx, p, records)
}

func (o *benchOptions) openJournal(p *benchPlan) (*bench.Journal, error) {
	if o.journal == "" {
		return nil, nil
	}
	journal, err := bench.OpenJournal(o.journal, p.config, p.sets)
	var refused *bench.JournalError
	switch {
	case errors.As(err, &refused):
		return nil, usage.Errorf("--resume %s: %v", o.journal, refused)
	case err != nil:
		return nil, files.Error(o.journal, err)
	case journal.Len() > 0:
		o.Note("%s holds %d of %d job sets already", o.journal, journal.Len(), len(p.sets))
	}
	return journal, nil
}

// answer prints the summary and writes the files. The summary is printed even
// where a file cannot be written.
func (o *benchOptions) answer(ctx context.Context, p *benchPlan, records []*bench.Record) error {
	if ctx.Err() != nil {
		o.Interrupted("done")
	}
	s := p.config.Summarize(records, p.compare)
	unwritten := o.writeFiles(p, records)
	var err error
	if o.Format.Value == "json" {
		err = s.WriteJSON(o.IO.Out)
	} else {
		err = s.WriteText(o.IO.Out, o.Columns(), o.measures.List)
	}
	if err := usage.Output(err); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	if s.Sets == 0 {
		return exit.Unknown
	}
	return nil
}

// writeFiles writes cells and plots and answers with the first error.
func (o *benchOptions) writeFiles(p *benchPlan, records []*bench.Record) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range o.outputs {
		keep(files.Write(path, func(w io.Writer) error {
			if options.Extension(path) == "json" {
				return p.config.WriteJSON(w, p.sets, records, o.timing)
			}
			return p.config.WriteCSV(w, records, o.timing)
		}))
	}
	for _, plot := range p.plots {
		var picture strings.Builder
		err := p.config.Plot(&picture, plot.name, options.Extension(plot.path), records)
		if errors.Is(err, bench.ErrNothingToPlot) {
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

// benchOptions are the flags and arguments of downbeat bench.
type benchOptions struct {
	options.Answer
	options.Runs
	options.Memory
	paths      []string
	workloads  []string
	sweep      string
	seeds      string
	count      int
	seed       uint64
	objective  flags.Objectives
	timeLimit  time.Duration
	noOptimum  bool
	workers    int
	journal    string
	outputs    []string
	timing     bool
	plots      []string
	compare    string
	measures   flags.Names
	hunt       string
	huntFor    flags.OneOf
	huntFound  int
	huntFolder string
}

// defaultBenchLimit is what the solver gets per job set.
const defaultBenchLimit = 10 * time.Second

func (o *benchOptions) addFlags(cmd *cobra.Command) {
	o.huntFor = flags.OneOf{Value: "miss", Known: []string{"miss", "gap"}}
	o.Answer.AddFlags(cmd)
	o.Runs.AddFlags(cmd, []string{"all"}, "ticks")
	f := cmd.Flags()
	f.StringArrayVar(&o.workloads, "workload", nil, "job sets of a named workload, NAME or NAME:param=value,...; may be repeated")
	f.StringVar(&o.sweep, "sweep", "", "vary a parameter of the workloads: PARAM=A,B,C or PARAM=LO..HI/N")
	f.StringVar(&o.seeds, "seeds", "", "seeds of job sets and runs: 1-100, or 3,7,10-19")
	f.IntVar(&o.count, "count", 1, "number of seeds, from --seed on")
	f.Uint64Var(&o.seed, "seed", 1, "first seed")
	f.Var(&o.objective, "objective", "take the optimum of each of these by itself, instead of what each job set puts first")
	f.DurationVar(&o.timeLimit, "time-limit", defaultBenchLimit, "end the search for the optimum of a job set after this long, 0 for never")
	o.Memory.AddFlag(cmd, "")
	f.BoolVar(&o.noOptimum, "no-optimum", false, "run the policies only")
	f.IntVar(&o.workers, "workers", 0, "job sets at a time, 0 for one per core")
	f.StringVar(&o.journal, "resume", "", "keep results in this file as they come, and go on from what it holds")
	f.StringArrayVarP(&o.outputs, "output", "o", nil, "write every cell to this file: .csv or .json; may be repeated")
	f.BoolVar(&o.timing, "timing", false, "with elapsed times in the files")
	f.StringArrayVar(&o.plots, "plot", nil, "draw a plot, NAME=FILE with FILE .svg or .png: schedulability, gaps, or a measure; may be repeated")
	f.StringVar(&o.compare, "compare", "", "compare two policies A,B on the same runs")
	o.measures = flags.Names{Known: bench.MeasureNames(), Noun: "measure"}
	f.Var(&o.measures, "measure", "show these measures only, beside the gaps: "+strings.Join(bench.MeasureNames(), ", "))
	f.BoolVar(&o.Quiet, "quiet", false, "no progress and no notes on standard error")
	f.IntVar(&o.Width, "width", 0, "columns for the tables, 0 for the terminal's")
	f.StringVar(&o.hunt, "hunt", "", "search for small job sets on which this policy fails")
	f.Var(&o.huntFor, "hunt-for", "what to hunt: a missed hard deadline (miss) or a large gap (gap)")
	f.IntVar(&o.huntFound, "found", 1, "how many job sets to hunt down")
	f.StringVar(&o.huntFolder, "into", ".", "folder for what was hunted down")
}

// plotFlag is one --plot.
type plotFlag struct{ name, path string }

// benchPlan is what the flags ask for, checked.
type benchPlan struct {
	config  *bench.Config
	sets    []jobsets.Set
	compare []string
	plots   []plotFlag
}

// plan checks the flags and reads the files.
func (o *benchOptions) plan(ctx context.Context) (*benchPlan, error) {
	p := &benchPlan{}
	var err error
	if p.config, err = o.config(); err != nil {
		return nil, err
	}
	if p.compare, err = o.compared(p.config); err != nil {
		return nil, err
	}
	if p.plots, err = o.plotFlags(); err != nil {
		return nil, err
	}
	for _, path := range o.outputs {
		if ext := options.Extension(path); ext != "csv" && ext != "json" {
			return nil, usage.Errorf("-o %s: a file of cells ends in .csv or .json", path)
		}
		if err := files.CheckTarget(o.IO, path, o.journal); err != nil {
			return nil, err
		}
	}
	p.sets, err = o.sets(ctx)
	return p, err
}

func (o *benchOptions) config() (*bench.Config, error) {
	switch {
	case o.timeLimit < 0:
		return nil, usage.Errorf("--time-limit %v is negative", o.timeLimit)
	case o.workers < 0 || o.workers > options.MaxWorkers:
		return nil, usage.Errorf("--workers %d is not between 0 and %d", o.workers, options.MaxWorkers)
	case o.count < 1:
		return nil, usage.Errorf("--count %d is less than 1", o.count)
	}
	if err := o.CheckWidth(); err != nil {
		return nil, err
	}
	c := &bench.Config{
		New: policies.New, NoOptimum: o.noOptimum, Objectives: o.objective, TimeLimit: o.timeLimit, Memory: o.Ceiling(),
		SolverSeed: 1, Workers: o.workers, Program: version(),
	}
	if c.Workers == 0 {
		c.Workers = runtime.NumCPU()
	}
	var err error
	if c.Durations, err = o.Actual(); err != nil {
		return nil, err
	}
	if c.Faults, err = o.Faults(0); err != nil {
		return nil, err
	}
	c.Policies, err = o.Specs()
	return c, err
}

func (o *benchOptions) compared(c *bench.Config) ([]string, error) {
	if o.compare == "" {
		return nil, nil
	}
	two := policies.Split(o.compare)
	if len(two) != 2 || two[0] == two[1] {
		return nil, usage.Errorf("--compare %s: two different policies are needed, A,B", o.compare)
	}
	for _, spec := range two {
		if !slices.Contains(c.Policies, spec) {
			return nil, usage.Errorf("--compare: %s is not among the policies of the bench", spec)
		}
	}
	return two, nil
}

func (o *benchOptions) plotFlags() ([]plotFlag, error) {
	var out []plotFlag
	for _, text := range o.plots {
		name, path, found := strings.Cut(text, "=")
		if !found {
			return nil, usage.Errorf("--plot %s: write NAME=FILE", text)
		}
		if known := bench.PlotNames(); !slices.Contains(known, name) {
			return nil, usage.Errorf("--plot: unknown plot %q%s", name, usage.Hint(near.Word(name, known), "there are "+strings.Join(known, ", ")))
		}
		if ext := options.Extension(path); ext != "svg" && ext != "png" {
			return nil, usage.Errorf("--plot %s: a plot's name ends in .svg or .png", text)
		}
		if err := files.CheckTarget(o.IO, path, o.journal); err != nil {
			return nil, err
		}
		out = append(out, plotFlag{name, path})
	}
	return out, nil
}

// seedList is what --seeds, or --seed and --count, ask for.
func (o *benchOptions) seedList() ([]uint64, error) {
	text := o.seeds
	if text == "" {
		text = fmt.Sprintf("%d-%d", o.seed, o.seed+uint64(o.count)-1)
	}
	seeds, err := jobsets.ParseSeeds(text)
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	return seeds, nil
}

func (o *benchOptions) sets(ctx context.Context) ([]jobsets.Set, error) {
	if len(o.paths)+len(o.workloads) == 0 {
		return nil, usage.Errorf("bench needs job sets: files, folders or --workload")
	}
	seeds, err := o.seedList()
	if err != nil {
		return nil, err
	}
	var sweep jobsets.Sweep
	if o.sweep != "" {
		if sweep, err = jobsets.ParseSweep(o.sweep); err != nil {
			return nil, usage.Errorf("--sweep: %v", err)
		}
		if len(o.workloads) == 0 {
			return nil, usage.Errorf("--sweep varies a workload; name one by --workload")
		}
	}
	files, err := jobsets.FromFiles(o.paths, seeds, func(path string) (*model.JobSet, error) { return files.JobSet(ctx, o.IO, path, o.Note) })
	if err != nil {
		return nil, usage.Of(err)
	}
	made, err := jobsets.FromWorkloads(o.workloads, sweep, seeds)
	if err != nil {
		return nil, usage.Errorf("--workload: %v", err)
	}
	sets := append(files, made...)
	if err := jobsets.Check(sets); err != nil {
		return nil, usage.Errorf("%v", err)
	}
	return sets, nil
}
