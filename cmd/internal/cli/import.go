package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/imports"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/clock"
)

// importOptions are the flags and arguments of downbeat import.
type importOptions struct {
	io     *terminal.Streams
	kind   *imports.Kind // nil for what the files look like
	paths  []string
	output string
	rules  imports.Rules
	keep   imports.Keep

	retries, runs options.OneOf
	origin, zone  string
	strict, quiet bool
}

// newImportCmd makes the command of all imports.
func newImportCmd(io *terminal.Streams, run func(context.Context, *importOptions) error) *cobra.Command {
	o := &importOptions{io: io, rules: imports.DefaultRules(), keep: imports.Keep{Limit: imports.DefaultLimit}}
	cmd := &cobra.Command{
		Use:   "import KIND FILES…",
		Short: "Make a job set of what a cluster has left: histories, event logs, traces, tables",
		Long: "Make a job set of files that a cluster, a simulator or a spreadsheet has left.\nFILES may be folders, packed by gzip, or - for standard input. KIND is one of\n\n" + kindLines(imports.Kinds()) + `
and may be left out, where the first file tells by its looks. What the files do not
say comes from rules; each is a flag below, and stands as a comment in the result.
Lines that cannot be used are counted, and told with the first of each sort.
Deadlines are soft unless the source says that they are hard, or --hard does:
check asks only whether hard ones can be met.

What an engine says now of the tasks of a plan becomes a run by import executed; what a
solver answers to an exported formula is taken over by import solution.

Exit code 0: done. 2: bad usage or input, or nothing to import. 3: a limit came first.`,
		Example: `  downbeat import jhist history/ --cluster cluster.yaml -o night.yaml
  downbeat import spark app-20161116163331-0000 --deadline p95 --hard | downbeat check -
  downbeat import csv jobs.csv --origin 2026-11-21T22:00:00Z -o night.yaml
  downbeat import swim FB-2009_samples_24_times_1hr_0.tsv --since 1h --window 30m`,
		ValidArgs: imports.Names(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, args); err != nil {
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	cmd.AddCommand(options.LimitedBySize(newImportExecutedCmd(io, runImportExecuted), io), options.Limited(newImportSolutionCmd(io, runImportSolution), io))
	return options.LimitedBySize(cmd, io)
}

// kindLines lists kinds, a line or two each.
func kindLines(kinds []imports.Kind) string {
	var b strings.Builder
	for _, k := range kinds {
		line := fmt.Sprintf("  %-12s", k.Name)
		for word := range strings.FieldsSeq(k.Help) {
			if len(line)+1+len(word) > 82 {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = strings.Repeat(" ", 14)
			}
			line += word + " "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func (o *importOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output, which - stands for")
	f.IntVar(&o.rules.History, "history", imports.DefaultHistory, "how many runs of a stage it takes for durations, by which simulate and show tell when jobs start and finish; 0 for none")
	f.Float64Var(&o.rules.HalfLife, "half-life", imports.DefaultHalfLife, "in durations, how many runs ago counts half as much as the last; 0 counts all the same")
	f.Var(&o.rules.WCET, "wcet", "worst case of a task: max, p95 (or another percentile) or mean+2sd of the tasks of its stage over all runs, own (what each took), or column (what the source declares)")
	f.Var(&o.rules.Deadline, "deadline", "deadline of jobs without one: 2x (twice the time alone on the cluster, or another factor), p95 or max of the time that runs of the job took, or column (none); if not given column where the source has deadlines, else 2x")
	f.BoolVar(&o.rules.Hard, "hard", false, "deadlines are hard, not soft, but for those that the source says are soft")
	f.Var(&o.rules.Cluster, "cluster", "the cluster: a file with a job set, from-trace (the machines of the trace), or so many alike, like 15x6 or 15x6x24GB (machines, cores, memory)")
	o.runs = options.OneOf{Known: imports.RunsWords}
	f.Var(&o.runs, "runs", "several runs of a job: each is a job, the last is the one job, each is a job apart, with times of its own, or next: those that have not ended are jobs, the others tell times; if not given next for kubernetes, else each")
	f.DurationVar(&o.rules.Untimed, "untimed", 0, "what a task takes of which neither runs nor the source say how long; without it such jobs are left out")
	f.Var(o.rules.Weights, "weight", "weight of jobs of a class of priority; may be repeated")
	o.retries = options.OneOf{Value: "drop", Known: []string{"drop", "add"}}
	f.Var(&o.retries, "retries", "the time of failed attempts: drop it, or add it to that of their task")
	f.DurationVar(&o.rules.Tick, "tick", 0, "time unit; 0 for the longest of 1m, 10s, 1s, 100ms, 10ms, 1ms that is at most a tenth of the median task")
	f.DurationVar(&o.rules.Heartbeat, "heartbeat", o.rules.Heartbeat, "interval between heartbeats, rounded up to ticks, where --cluster names no file")
	f.Var(&imports.MemoryUnit{Rules: &o.rules}, "memory-unit", "unit of the resource memory, or none to leave memory out")
	f.Var(&o.rules.CPUUnit, "cpu-unit", "cpu that is a core, of Kubernetes: 1, or 100m where pods request parts of cores")
	f.Float64Var(&o.rules.Network, "network", o.rules.Network, "MB a second at which a task's input goes to a machine that does not hold it, 0 for never")
	f.Var(o.rules.PoolSizes, "pool", "size of a pool that tasks take of, where the source does not say it or you know better; may be repeated. Else it is that of --cluster FILE, of the source, or the most that was held at once")
	f.Var(&o.rules.SWIM, "swim", "rules that make tasks of bytes")
	f.StringVar(&o.origin, "origin", "", "tick 0 on the clock, like 2026-11-21T22:00:00Z: where the source has no clock, and for times of day in tables")
	f.StringVar(&o.zone, "zone", "", "zone of clock times, like Europe/Berlin, instead of UTC")
	f.StringVar(&o.keep.Since, "since", "", "leave out jobs submitted before: a point in time, or a duration after the start where the source has no clock")
	f.DurationVar(&o.keep.Window, "window", 0, "leave out jobs submitted so long after --since, or after the first job")
	f.IntVar(&o.keep.Limit, "limit", o.keep.Limit, "take at most so many jobs, in the order of the files")
	f.StringVar(&o.rules.Name, "name", "", "name of the job set; that of the first file if not given")
	f.BoolVar(&o.strict, "strict", false, "refuse files in which something cannot be used")
	options.QuietFlag(cmd, &o.quiet)
}

// arguments tells KIND and FILES apart.
func (o *importOptions) arguments(cmd *cobra.Command, args []string) (err error) {
	o.kind, o.paths, err = kindAndFiles(cmd, args, imports.Named, append(imports.Names(), "executed", "solution"))
	return err
}

// check tells what cannot work before anything is read.
func (o *importOptions) check(cmd *cobra.Command) error {
	switch {
	case o.rules.Tick < 0 || o.rules.Tick%time.Millisecond != 0:
		return usage.Errorf("--tick %v is no number of whole milliseconds", o.rules.Tick)
	case o.rules.Untimed < 0 || o.rules.Untimed%time.Millisecond != 0:
		return usage.Errorf("--untimed %v is no number of whole milliseconds", o.rules.Untimed)
	case o.rules.History < 0:
		return usage.Errorf("--history %d is less than 0", o.rules.History)
	case !(o.rules.HalfLife >= 0 && o.rules.HalfLife <= 1e9):
		return usage.Errorf("--half-life %v is no number of runs", o.rules.HalfLife)
	case o.rules.Heartbeat <= 0:
		return usage.Errorf("--heartbeat %v is not above 0", o.rules.Heartbeat)
	case !(o.rules.Network >= 0 && o.rules.Network <= 1e9):
		return usage.Errorf("--network %v is no rate", o.rules.Network)
	case o.keep.Limit < 1:
		return usage.Errorf("--limit %d is less than 1", o.keep.Limit)
	case o.keep.Window < 0:
		return usage.Errorf("--window %v is negative", o.keep.Window)
	}
	if err := checkTarget(cmd, o.io, "output", o.output, o.paths...); err != nil {
		return err
	}
	o.rules.Runs, o.rules.AddRetries = o.runs.Value, o.retries.Value == "add"
	return o.clock()
}

// clock reads the flags about clock times.
func (o *importOptions) clock() error {
	if o.zone != "" {
		var err error
		if o.rules.Zone, err = zoneNamed(o.zone); err != nil {
			return err
		}
	}
	if o.origin == "" {
		return nil
	}
	at, ok := clock.ParseStamp(o.origin)
	if !ok {
		return usage.Errorf("--origin %q is no point in time; write one like 2026-11-21T22:00:00Z", o.origin)
	}
	o.rules.Origin = at
	return nil
}

// zoneNamed is the zone that --zone names.
func zoneNamed(name string) (*time.Location, error) {
	zone, near, known := clock.Zone(name)
	if !known {
		return nil, usage.Errorf("--zone: unknown zone %q%s", name, usage.Hint(near, "write one like Europe/Berlin"))
	}
	return zone, nil
}

// readingMemory is what the program tries to hold while it reads.
const readingMemory = 150 << 20

func runImport(ctx context.Context, o *importOptions) error {
	if file := o.rules.Cluster.File; file != "" {
		of, err := files.JobSet(ctx, o.io, file, nil)
		if err != nil {
			return err
		}
		o.rules.Cluster.Of = of
	}
	// What is kept of large files is small; this keeps the garbage of reading them small too.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(readingMemory))
	result, err := terminal.Until(ctx, func() (*imports.Result, error) {
		return imports.Import(ctx, o.kind, o.paths, o.io.In, o.keep, o.rules, o.strict)
	})
	if err != nil {
		return err
	}
	if !o.quiet {
		for _, n := range result.Notes {
			fmt.Fprintln(o.io.Err, "note:", table.Printable(n))
		}
	}
	return files.WriteResult(o.io, o.output, result.Write)
}
