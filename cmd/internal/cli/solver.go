package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/exact"
	"downbeat/solve/memory"
)

// solveOptions are what plan and check have in common.
type solveOptions struct {
	viewOptions
	changes changeOptions
	memoryOption
	file      string
	timeLimit time.Duration
	// limited tells that the user named a time limit.
	limited func() bool
	budget  int64
	seed    uint64
	workers int
	// until is when the time limit ends, zero where there is none.
	until     time.Time
	objective flags.Objectives
	engine    flags.OneOf
	order     flags.OneOf
}

const (
	defaultTimeLimit = 30 * time.Second
	// maxWorkers keeps a slip of the finger from filling the memory: each
	// search holds a formula of its own.
	maxWorkers = 1024
)

func (o *solveOptions) addFlags(cmd *cobra.Command) {
	o.viewOptions.addFlags(cmd)
	o.changes.addFlags(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.timeLimit, "time-limit", defaultTimeLimit, "end after this long, reading included, 0 for never")
	o.limited = func() bool { return f.Changed("time-limit") && o.timeLimit > 0 }
	f.Int64Var(&o.budget, "budget", 0, "end the search after this much work, counted in constructions of a plan, in place of a time limit: the same answer on every machine")
	o.memoryOption.addFlag(cmd, ", with --budget "+memory.Text(memory.Fixed))
	f.Uint64Var(&o.seed, "seed", 1, "number that fixes every random choice")
	f.IntVar(&o.workers, "workers", 0, "searches side by side, 0 for one per core")
	f.Var(&o.objective, "objective", "what to minimise, most important first, instead of what the file says: "+strings.Join(model.ObjectiveNames(), ", "))
	o.engine = flags.OneOf{Value: "both", Known: exact.EngineNames()}
	f.Var(&o.engine, "engine", "what answers questions: lazy clause generation (lcg), the SAT solver gini, or both")
	o.order = flags.OneOf{Value: "both", Known: slices.Sorted(maps.Keys(orders))}
	f.Var(&o.order, "order", "in which order gini is guided to a first plan: earliest deadline first (edf), least laxity first (llf), both one after the other, or none (Penn §4.2)")
	f.BoolVar(&o.quiet, "quiet", false, "no progress and no notes on standard error")
}

// orders are the rules by which gini is guided.
var orders = map[string][]string{"both": {"edf", "llf"}, "edf": {"edf"}, "llf": {"llf"}, "none": {}}

// check tells values that no flag can have.
func (o *solveOptions) check() error {
	switch {
	case o.timeLimit < 0:
		return usage.Errorf("--time-limit %v is negative", o.timeLimit)
	case o.budget < 0:
		return usage.Errorf("--budget %d is negative", o.budget)
	case o.budget > 0 && o.limited():
		return usage.Errorf("--budget counts work in place of a clock; leave --time-limit out")
	case o.budget > 0 && o.workers > 1:
		return usage.Errorf("--budget is for a single worker, whose answer repeats; leave --workers %d out", o.workers)
	case o.workers < 0:
		return usage.Errorf("--workers %d is negative", o.workers)
	case o.workers > maxWorkers:
		return usage.Errorf("--workers %d is more than %d", o.workers, maxWorkers)
	}
	return nil
}

// readingGrace is by how much reading may overrun a time limit: a small job set has a
// plan however short the limit is.
const readingGrace = 200 * time.Millisecond

// limit puts the time limit, which counts from now, on what is read; what is left
// of it is for the search.
func (o *solveOptions) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeLimit == 0 || o.budget > 0 {
		return context.WithCancel(ctx)
	}
	o.until = time.Now().Add(o.timeLimit)
	return context.WithDeadlineCause(ctx, o.until.Add(readingGrace), terminal.ErrTimeLimit)
}

// ceiling is that of memory, in bytes, 0 for none or for the one of runs by budget.
func (o *solveOptions) ceiling() int64 {
	if o.budget > 0 {
		return o.memory.Bytes
	}
	return o.memoryOption.ceiling()
}

// left is what is left of the time limit, 0 where there is none.
func (o *solveOptions) left() time.Duration {
	if o.until.IsZero() {
		return 0
	}
	return max(1, time.Until(o.until))
}

// ask hands the options to the solver, shows how far it is, and prints what it
// notes.
func (o *solveOptions) ask(ctx context.Context, solver func(solve.Options) (notes []string, err error)) error {
	ceiling := o.ceiling()
	heed(ceiling)
	line := terminal.StartStatus(o.io, o.quiet)
	notes, err := solver(solve.Options{
		Objectives: o.objective, TimeLimit: o.left(), Budget: o.budget, Memory: ceiling, Seed: o.seed, Workers: o.workers,
		Exact:    exact.Options{Engine: exact.Engine(slices.Index(exact.EngineNames(), o.engine.Value)), Order: orders[o.order.Value]},
		Progress: observer(line),
	})
	line.Stop()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		o.interrupted("known")
	}
	for _, n := range notes {
		o.note("%s", n)
	}
	return nil
}

// observer is what a search should call, nil if nobody watches.
func observer(line *terminal.Status) func(solve.Progress) {
	if line == nil {
		return nil
	}
	return func(now solve.Progress) { line.Show(progressText(now)) }
}

// progressText says what a search is at, and how good its plan is so far.
func progressText(now solve.Progress) string {
	var parts []string
	if now.Phase != "" {
		parts = append(parts, now.Phase)
	}
	if now.HavePlan && len(now.Objectives) == 0 {
		parts = append(parts, "have a plan")
	}
	for _, o := range now.Objectives {
		parts = append(parts, progressValue(o, now.HavePlan))
	}
	return strings.Join(parts, " · ")
}

func progressValue(o model.ObjectiveValue, havePlan bool) string {
	switch {
	case !havePlan && o.Bound == nil:
		return o.Name
	case !havePlan:
		return fmt.Sprintf("%s ≥ %d", o.Name, *o.Bound)
	case o.Bound == nil:
		return fmt.Sprintf("%s %d", o.Name, o.Value)
	default:
		return fmt.Sprintf("%s %d, bound %d, gap %d", o.Name, o.Value, *o.Bound, o.Value-*o.Bound)
	}
}
