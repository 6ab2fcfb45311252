package options

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/runlog"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/solve"
	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/memory"
)

// Solver is what the commands that ask the solver about a job set have in common.
type Solver struct {
	Answer
	Changes Changes
	Memory
	// File is the job set's, - for standard input.
	File string
	// TimeLimit counts from Limit on, 0 for none.
	TimeLimit time.Duration
	// limited tells that the user named a time limit.
	limited func() bool
	// Budget is that of solve.Options, 0 for none.
	Budget int64
	Seed   uint64
	// Workers is the number of searches side by side, 0 for one per core.
	Workers int
	// until is when the time limit ends, zero where there is none.
	until     time.Time
	Objective Objectives
	engine    OneOf
	order     OneOf
	logFormat OneOf
	// Stats asks for the statistics of a solve. Not all commands have the flag.
	Stats bool
}

const (
	defaultTimeLimit = 30 * time.Second
	// MaxWorkers keeps a slip of the finger from filling the memory: each
	// search holds a formula of its own.
	MaxWorkers = 1024
)

// Patience is how many times the time limit a search has for which the call names none. Tests that share their machine have more
// of it: the answers that they compare are those of time enough.
var Patience time.Duration = 1

// AddFlags registers the flags.
func (o *Solver) AddFlags(cmd *cobra.Command) {
	o.Answer.AddFlags(cmd)
	o.Changes.AddFlags(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.TimeLimit, "time-limit", defaultTimeLimit, "end the search after this long, reading included, 0 for never")
	o.limited = func() bool { return f.Changed("time-limit") && o.TimeLimit > 0 }
	f.Int64Var(&o.Budget, "budget", 0, "end the search after this much work, counted in constructions of a plan, in place of a time limit: the same answer on every machine")
	o.Memory.AddFlag(cmd, ", with --budget "+memory.Text(memory.Fixed))
	f.Uint64Var(&o.Seed, "seed", 1, "number that fixes every random choice")
	f.IntVar(&o.Workers, "workers", 0, "searches side by side, 0 for one per core, with --budget for one: the same answer for the same number")
	o.engine = OneOf{Value: "both", Known: exact.EngineNames()}
	f.Var(&o.engine, "engine", "what answers questions: lazy clause generation (lcg), the SAT solver gini, or both")
	o.order = OneOf{Value: "both", Known: slices.Sorted(maps.Keys(orders))}
	f.Var(&o.order, "order", "in which order gini is guided to a first plan: earliest deadline first (edf), least laxity first (llf), both one after the other, or none (Penn §4.2)")
	o.logFormat = OneOf{Known: runlog.Formats()}
	f.Var(&o.logFormat, "log", "tell on standard error of all that happens, as text or json")
	QuietFlag(cmd, &o.Quiet)
	o.AddWidth(cmd)
}

// AddObjective registers --objective, where there is something to minimise.
func (o *Solver) AddObjective(cmd *cobra.Command) {
	cmd.Flags().Var(&o.Objective, "objective", "what to minimise, most important first, instead of what the file says: "+strings.Join(model.ObjectiveNames(), ", "))
}

// AddStats registers --stats, which only a single solve has.
func (o *Solver) AddStats(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Stats, "stats", false, "tell what the search did: why it ended, what each strategy took")
}

// orders are the rules by which gini is guided.
var orders = map[string][]string{"both": {"edf", "llf"}, "edf": {"edf"}, "llf": {"llf"}, "none": {}}

// Check tells values that no flag can have.
func (o *Solver) Check() error {
	switch {
	case o.TimeLimit < 0:
		return usage.Errorf("--time-limit %v is negative", o.TimeLimit)
	case o.Budget < 0:
		return usage.Errorf("--budget %d is negative", o.Budget)
	case o.Budget > 0 && o.limited():
		return usage.Errorf("--budget counts work in place of a clock; leave --time-limit out")
	case o.Workers < 0:
		return usage.Errorf("--workers %d is negative", o.Workers)
	case o.Workers > MaxWorkers:
		return usage.Errorf("--workers %d is more than %d", o.Workers, MaxWorkers)
	}
	if o.logFormat.Value != "" {
		o.log = runlog.New(o.IO.Err, o.logFormat.Value)
	}
	return o.CheckWidth()
}

// Flags are those that an answer depends on beside the job set: with a budget the ceiling of
// memory, where it is named, and the number of workers among them; the time limit else.
func (o *Solver) Flags() []journal.Flag {
	flags := []journal.Flag{{Name: "seed", Value: fmt.Sprint(o.Seed)}, {Name: "engine", Value: o.engine.Value}, {Name: "order", Value: o.order.Value}}
	add := func(name string, value any) {
		flags = append(flags, journal.Flag{Name: name, Value: fmt.Sprint(value)})
	}
	if o.Budget == 0 {
		add("time-limit", o.TimeLimit)
		return flags
	}
	add("budget", o.Budget)
	add("workers", max(1, o.Workers))
	if named := o.Named(); named > 0 {
		add("memory", memory.Text(named))
	}
	return flags
}

// readingGrace is by how much reading may overrun a time limit: a small job set has a
// plan however short the limit is.
const readingGrace = 200 * time.Millisecond

// Limit puts the time limit, which counts from now, on what is read; what is left
// of it is for the search. Runs by budget have a limit for reading alone, which nothing comes near
// but a pipe that nobody writes to. Reading keeps under the ceiling of memory, too.
func (o *Solver) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	free, stop := func() {}, func() {}
	if ceiling := o.Memory.Ceiling(); ceiling > 0 {
		Heed(ceiling)
		ctx, free = memory.With(ctx, ceiling, true)
	}
	switch {
	case o.Budget > 0 && o.File != "-":
		ctx, stop = context.WithTimeoutCause(ctx, longReading, terminal.TimeLimit(longReading))
	case o.Budget == 0 && o.TimeLimit > 0:
		limit := o.TimeLimit
		if o.limited == nil || !o.limited() {
			limit *= Patience
		}
		o.until = time.Now().Add(limit)
		ctx, stop = context.WithDeadlineCause(ctx, o.until.Add(readingGrace), terminal.ErrTimeLimit)
	}
	return ctx, func() { stop(); free() }
}

// Ceiling is that of memory, in bytes, 0 for none or for the one of runs by budget.
func (o *Solver) Ceiling() int64 {
	if o.Budget > 0 {
		return o.Named()
	}
	return o.Memory.Ceiling()
}

// Left is what is left of the time limit, 0 where there is none.
func (o *Solver) Left() time.Duration {
	if o.until.IsZero() {
		return 0
	}
	return max(1, time.Until(o.until))
}

// Ask hands the options to the solver, shows how far it is, and prints what it
// notes.
func (o *Solver) Ask(ctx context.Context, solver func(solve.Options) (notes []string, err error)) error {
	ceiling := o.Ceiling()
	Heed(ceiling)
	var line *terminal.Status
	if o.log == nil {
		line = terminal.StartStatus(o.IO, o.Quiet)
	}
	notes, err := solver(solve.Options{
		Objectives: o.Objective, TimeLimit: o.Left(), Budget: o.Budget, Memory: ceiling, Seed: o.Seed, Workers: o.Workers,
		Exact:  exact.Options{Engine: exact.Engine(slices.Index(exact.EngineNames(), o.engine.Value)), Order: orders[o.order.Value]},
		Events: o.observer(line), Stats: o.Stats,
	})
	line.Stop()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		o.Interrupted("known")
	}
	for _, n := range notes {
		o.Note("%s", n)
	}
	return nil
}

// observer is what a search should call, nil if nobody watches.
func (o *Solver) observer(line *terminal.Status) func(event.Event) {
	switch {
	case o.log != nil:
		return o.log.Take
	case line == nil:
		return nil
	}
	return func(now event.Event) {
		if now.Kind == event.Verdict && (now.Settled.Status == model.Infeasible || len(now.Objectives) == 0) { // else it is plans that people wait for
			line.Keep(wording.SettledLine(now.Settled, now.Elapsed))
		}
		line.Show(progressText(o.Changes.clock, now))
	}
}

// progressText says what a search is at, and how good its plan is so far.
func progressText(by clock.Clock, now event.Event) string {
	var parts []string
	if now.Phase != "" {
		parts = append(parts, now.Phase)
	}
	if now.HavePlan && len(now.Objectives) == 0 {
		parts = append(parts, "have a plan")
	}
	for _, o := range now.Objectives {
		parts = append(parts, progressValue(by, o, now.HavePlan))
	}
	return strings.Join(parts, " · ")
}

func progressValue(by clock.Clock, o model.ObjectiveValue, havePlan bool) string {
	value := o.Name + " " + by.Value(o.Name, o.Value)
	switch {
	case !havePlan && o.Bound == nil:
		return o.Name
	case !havePlan:
		return o.Name + " ≥ " + by.Value(o.Name, *o.Bound)
	case o.Bound == nil:
		return value
	}
	gap := by.Value(o.Name, o.Value-*o.Bound)
	if of, err := model.ParseReported(o.Name); err == nil && of.Shape().Point() { // a length of time, as lengths of others are
		gap = by.Span(model.Time(o.Value - *o.Bound))
	}
	return fmt.Sprintf("%s, bound %s, gap %s", value, by.Value(o.Name, *o.Bound), gap)
}
