package cli

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/online/workload"
	"downbeat/solve/memory"
)

// benchOptions are the flags and arguments of downbeat bench.
type benchOptions struct {
	cellOptions
	options.Runs
	options.Memory
	paths     []string
	workloads []string
	sweeps    []string
	seeds     string
	count     int
	seed      uint64
	objective options.Objectives
	timeLimit time.Duration
	limited   bool // a time limit was named
	budget    int64
	noOptimum bool
	certify   bool
	workers   int
	journal   string
	shard     string
	hunt      string
	huntFor   options.OneOf
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
	o.huntFor = options.OneOf{Value: "miss", Known: []string{"miss", "gap"}}
	o.cellOptions.addFlags(cmd, ".csv or .json")
	o.Runs.AddFlags(cmd, []string{"all"}, "ticks")
	f := cmd.Flags()
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "count" { // what it was called before
			name = "sets"
		}
		return pflag.NormalizedName(name)
	})
	f.StringArrayVar(&o.workloads, "workload", nil, "job sets of a workload: a name, a workload file or exec:COMMAND (LABEL=exec:COMMAND calls it LABEL), with :param=value,... after it; may be repeated")
	f.BoolVar(&o.list, "list", false, "list the named workloads")
	f.StringVar(&o.explain, "explain", "", "tell of a workload, as --workload names it: parameters, units, values, and what its source leaves open")
	f.StringVar(&o.write, "write", "", "write the job sets to this folder, and do not run the bench")
	f.StringArrayVar(&o.sweeps, "sweep", nil, "vary a parameter of the workloads: PARAM=A,B,C or PARAM=LO..HI/N; repeated, all values with all")
	f.StringVar(&o.seeds, "seeds", "", "seeds of job sets and runs: 1-100, or 3,7,10-19")
	f.IntVar(&o.count, "sets", 1, "how many job sets to draw, from each workload and level, with seeds from --seed on")
	f.Uint64Var(&o.seed, "seed", 1, "number that fixes job sets and runs, with --sets the first one")
	f.Var(&o.objective, "objective", "take the optimum of each of these by itself, instead of what each job set puts first")
	f.DurationVar(&o.timeLimit, "time-limit", defaultBenchLimit, "end the search for the optimum of a job set after this long, 0 for never")
	f.Int64Var(&o.budget, "budget", 0, "end that search after this much work, counted in constructions of a plan, in place of a time limit: the same cells on every machine")
	o.Memory.AddFlag(cmd, ", with --budget "+memory.Text(memory.Fixed))
	f.BoolVar(&o.noOptimum, "no-optimum", false, "run the policies only")
	f.BoolVar(&o.certify, "certify", false, "hold policies only against optima that a checker has found proved")
	f.IntVar(&o.workers, "workers", 0, "job sets side by side, 0 for one per core")
	f.StringVar(&o.journal, "resume", "", "keep results in this journal as they come, and go on from what it holds; with more seeds, levels or policies it grows")
	f.StringVar(&o.shard, "shard", "", "work on every N-th job set only, from the I-th on: I/N; 0/N is N/N")
	f.StringVar(&o.hunt, "hunt", "", "search for small job sets on which this policy fails")
	f.Var(&o.huntFor, "hunt-for", "what to hunt: a missed hard deadline (miss) or a large gap (gap)")
	f.IntVar(&o.huntFound, "found", 1, "how many job sets to hunt down")
	f.StringVar(&o.folder, "into", ".", "folder for what was hunted down, or for the journals of a script")
	o.script.addFlags(cmd)
}

// benchPlan is what the flags ask for, checked.
type benchPlan struct {
	config *bench.Config
	// sets are those of the shard.
	sets    []bench.Set
	asked   bench.Asked
	compare []string
	plots   []plotFlag
}

// plan checks the flags and reads the files.
func (o *benchOptions) plan(ctx context.Context) (*benchPlan, error) {
	p := &benchPlan{}
	if o.journal != "" {
		o.journals = []string{o.journal}
	}
	var err error
	if p.config, err = o.config(ctx); err != nil {
		return nil, err
	}
	if p.compare, err = o.compared(p.config); err != nil {
		return nil, err
	}
	if p.plots, err = o.plotFlags(); err != nil {
		return nil, err
	}
	if err := o.checkOutputs("csv", "json"); err != nil {
		return nil, err
	}
	workloads, sweep, text, err := o.grid()
	if err != nil {
		return nil, err
	}
	sets, err := o.sets(ctx, workloads, sweep)
	if err != nil {
		return nil, err
	}
	var shard journal.Shard
	if o.shard != "" {
		if shard, err = journal.ParseShard(o.shard); err != nil {
			return nil, usage.Errorf("--shard: %v", err)
		}
	}
	p.sets = journal.Part(shard, sets)
	p.asked = bench.Asked{Workloads: workloads, Sweep: text, Seeds: o.seedText(), Policies: p.config.Policies, Shard: shard.String()}
	if o.journal != "" {
		if p.asked.Sources, err = bench.Sources(ctx, workloads, sweep); err != nil {
			return nil, usage.Of(err)
		}
	}
	for _, s := range sets {
		if s.ID == s.Source {
			p.asked.Files = append(p.asked.Files, s.ID)
		}
	}
	return p, nil
}

func (o *benchOptions) config(ctx context.Context) (*bench.Config, error) {
	switch {
	case o.timeLimit < 0:
		return nil, usage.Errorf("--time-limit %v is negative", o.timeLimit)
	case o.budget < 0:
		return nil, usage.Errorf("--budget %d is negative", o.budget)
	case o.budget > 0 && o.limited:
		return nil, usage.Errorf("--budget counts work in place of a clock; leave --time-limit out")
	case o.workers < 0 || o.workers > options.MaxWorkers:
		return nil, usage.Errorf("--workers %d is not between 0 and %d", o.workers, options.MaxWorkers)
	case o.certify && o.noOptimum:
		return nil, usage.Errorf("--certify is about the optimum, which --no-optimum leaves out")
	case o.count < 1:
		return nil, usage.Errorf("--sets %d is less than 1", o.count)
	}
	if err := o.CheckWidth(); err != nil {
		return nil, err
	}
	c := &bench.Config{
		New: o.Exec.New, NoOptimum: o.noOptimum, Objectives: o.objective, TimeLimit: o.timeLimit, Memory: o.Ceiling(),
		Budget: o.budget, SolverSeed: 1, Workers: o.workers, Program: version.String(), Certify: o.certify,
		Theirs: o.Exec.Theirs, Definitions: map[string]string{},
	}
	if c.Workers == 0 {
		c.Workers = runtime.NumCPU()
	}
	if o.budget > 0 {
		c.Memory = o.Named()
	}
	var err error
	if c.Durations, err = o.Actual(); err != nil {
		return nil, err
	}
	if c.Faults, err = o.Faults(0); err != nil {
		return nil, err
	}
	if c.Policies, err = o.Specs(); err != nil {
		return nil, err
	}
	for _, policy := range c.Policies {
		if c.Definitions[policy], err = o.Exec.Definition(ctx, policy); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// seedText is what --seeds, or --seed and --sets, ask for.
func (o *benchOptions) seedText() string {
	if o.seeds != "" {
		return o.seeds
	}
	return fmt.Sprintf("%d-%d", o.seed, o.seed+uint64(o.count)-1)
}

func (o *benchOptions) seedList() ([]uint64, error) {
	seeds, err := bench.ParseSeeds(o.seedText())
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	return seeds, nil
}

// grid is what --workload and --sweep ask for: workloads, the sweep that varies them, and
// how that was written.
func (o *benchOptions) grid() (workloads []string, sweep bench.Sweep, text string, err error) {
	var sweeps []bench.Sweep
	for _, text = range o.sweeps {
		s, err := bench.ParseSweep(text)
		if err != nil {
			return nil, sweep, "", usage.Errorf("--sweep: %v", err)
		}
		sweeps = append(sweeps, s)
	}
	if len(sweeps) > 0 && len(o.workloads) == 0 {
		return nil, sweep, "", usage.Errorf("--sweep varies a workload; name one by --workload")
	}
	if workloads, sweep, err = bench.Grid(o.workloads, sweeps); err != nil {
		return nil, sweep, "", usage.Errorf("--sweep: %v", err)
	}
	return workloads, sweep, text, nil
}

// programs is how programs of workloads are run.
func (o *benchOptions) programs() *workload.Programs {
	return &workload.Programs{Limit: o.Exec.Limit, Stderr: o.Exec.Output()}
}

// sets are those of files and of workloads, varied by a sweep.
func (o *benchOptions) sets(ctx context.Context, workloads []string, sweep bench.Sweep) ([]bench.Set, error) {
	if len(o.paths)+len(workloads) == 0 {
		return nil, usage.Errorf("bench needs job sets: files, folders or --workload")
	}
	seeds, err := o.seedList()
	if err != nil {
		return nil, err
	}
	files, err := bench.FromFiles(o.paths, seeds, func(path string) (*model.JobSet, error) {
		reading, stop, err := options.Reading(ctx, o.IO, path)
		if err != nil {
			return nil, err
		}
		defer stop()
		return files.JobSet(reading, o.IO, path, o.Note)
	})
	if err != nil {
		return nil, usage.Of(err)
	}
	made, err := bench.FromWorkloads(workloads, sweep, seeds, o.programs())
	if err != nil {
		return nil, usage.Errorf("--workload: %v", err)
	}
	sets := append(files, made...)
	if err := bench.CheckSets(sets); err != nil {
		return nil, usage.Errorf("%v", err)
	}
	return sets, nil
}
