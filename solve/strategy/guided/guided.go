// Package guided makes plans by a fluid relaxation ([fluid.Relaxation]). This says which
// jobs to let go and in what order to place the stages of the others; list scheduling
// and a few turns of squeaky wheel show where it counts on too much, and it is solved
// again with less counted on there, or more everywhere.
package guided

import (
	"context"
	"math"
	"slices"
	"sync"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/fluid"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Plans is the search for plans of one set. Not safe for concurrent use, but for Guide.
type Plans struct {
	w     *incumbent.Incumbent
	seed  uint64
	wheel *lns.Wheel
	relax *fluid.Relaxation
	// starts is how often it began anew, idle the evaluations since the last better plan
	// of its own, best its values.
	starts, idle int
	best         []int64
	// placed and steps are the work that was charged to the budget.
	placed, steps int64

	mu    sync.Mutex
	guide *fluid.Guide
}

const (
	// leastGuided is the number of tasks from which on a guide is better than rules.
	leastGuided = 400
	// firstFactor is the part of the cores' time that is counted on at first, mostFactor
	// the part at most; less, more and loose are by how much less is counted on where
	// jobs were late, more elsewhere, and more where none was.
	firstFactor, mostFactor = 0.94, 1.0
	less, more, loose       = 0.01, 0.001, 0.005
	// firstPasses solve the relaxation, warmPasses solve it again.
	firstPasses, warmPasses = 60, 6
	// turns is the number of constructions that are no better after which a guide has
	// had its turn.
	turns = 3
	// patience is the number of evaluations without a better plan after which it begins
	// anew, mostStarts how often it does.
	patience, mostStarts = 30, 4
	// evaluationsForAny is how many it takes at most to find any plan.
	evaluationsForAny = 12
	// stepsPerPlacement is the number of steps of the relaxation that take as long as
	// placing a task.
	stepsPerPlacement = 100
)

// New prepares it for the first objective, or for any plan if there is none. Nil
// if the set is small, or the objective of a kind that is not treated.
func New(w *incumbent.Incumbent, seed uint64) *Plans {
	if len(w.JS.Tasks) < leastGuided {
		return nil
	}
	if len(w.Goal) > 0 && w.Goal[0] != model.Misses && w.Goal[0] != model.HardMisses {
		return nil
	}
	return &Plans{w: w, seed: seed}
}

// Guide is the one behind its best plan, nil before the first.
func (g *Plans) Guide() *fluid.Guide {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.guide
}

// AnyPlan goes on until there is a plan, for a while.
func (g *Plans) AnyPlan(ctx context.Context) {
	for range evaluationsForAny {
		if ctx.Err() != nil || g.w.Over(incumbent.AnyPlan) || !g.evaluate(ctx) {
			return
		}
	}
}

// Run implements portfolio.Strategy. Its unit is an evaluation of a guide.
func (g *Plans) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	for n := 0; s.Units == 0 || n < s.Units; n++ {
		if ctx.Err() != nil || g.w.Over(0) {
			return portfolio.Open
		}
		if !g.evaluate(ctx) {
			return portfolio.Done
		}
	}
	return portfolio.Open
}

// evaluate makes plans by one guide, and learns from them. It gives false when there is
// no use in going on.
func (g *Plans) evaluate(ctx context.Context) bool {
	passes := warmPasses
	if g.relax == nil || g.idle >= patience {
		if g.starts == mostStarts {
			return false
		}
		g.begin(ctx)
		passes = firstPasses
	}
	if g.relax == nil || !g.relax.Run(ctx, passes) {
		return true // ctx has ended
	}
	guide := g.relax.Guide()
	spin := g.wheel.Turn(ctx, guide.Start, dropped(guide), turns)
	g.learn(guide, spin)
	g.charge(ctx)
	return true
}

// begin makes a relaxation; each time it sees slaves in another way.
func (g *Plans) begin(ctx context.Context) {
	if g.wheel == nil {
		goal := g.w.Goal
		if g.w.MayMissHard {
			goal = goal[1:] // list scheduling always puts hard misses first
		}
		start, _ := g.w.Start()
		g.wheel = lns.NewWheel(g.w.JS, lns.Options{
			Objectives: goal, Seed: g.seed, Start: start,
			OnBetter: func(plan model.Schedule, _ []int64) { g.w.Offer(plan) },
		})
	}
	opt := g.options()
	opt.Seed = g.seed + uint64(g.starts)
	opt.Pooling = [...]fluid.Pooling{fluid.ByLikeness, fluid.ByCores}[g.starts%2]
	g.starts, g.idle = g.starts+1, 0
	g.steps = 0
	if g.relax = fluid.New(ctx, g.w.JS, opt); g.relax != nil {
		g.relax.Scale(firstFactor)
	}
}

// softDrop is what it costs to let go of a soft job, over its weight, where hard ones
// may be let go for 1.
const softDrop = 1e-3

// options say what the relaxation is about: jobs may be let go for their weights.
func (g *Plans) options() fluid.Options {
	js := g.w.JS
	n := len(js.Jobs)
	opt := fluid.Options{Due: make([]model.Time, n), Drop: make([]float64, n), Slope: make([]float64, n)}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		opt.Due[i], opt.Drop[i] = job.Due(), float64(job.Weight)
		switch {
		case g.wheel.Hopeless(model.JobID(i)):
			opt.Due[i] = model.Never
		case g.w.MayMissHard && job.Kind == model.Hard:
			opt.Drop[i] = 1
		case g.w.MayMissHard:
			opt.Drop[i] *= softDrop
		case job.Kind == model.Hard:
			opt.Drop[i] = math.Inf(1)
		}
	}
	return opt
}

// dropped marks the jobs that are mostly left out.
func dropped(guide *fluid.Guide) []bool {
	out := make([]bool, len(guide.Out))
	for i, share := range guide.Out {
		out[i] = share > 0.5
	}
	return out
}

// learn adapts what is counted on to what came of a guide.
func (g *Plans) learn(guide *fluid.Guide, spin lns.Spin) {
	g.idle++
	if g.best == nil || slices.Compare(spin.Values, g.best) < 0 {
		g.best, g.idle = spin.Values, 0
		g.mu.Lock()
		g.guide = guide
		g.mu.Unlock()
	}
	if len(spin.Late) == 0 {
		g.relax.Feed(nil, 0, loose, mostFactor)
	} else {
		g.relax.Feed(spin.Late, less, more, mostFactor)
	}
}

// charge takes the work since the last time off the budget.
func (g *Plans) charge(ctx context.Context) {
	placed, steps := g.wheel.Placed()-g.placed, g.relax.Steps-g.steps
	g.placed, g.steps = g.placed+placed, g.steps+steps
	budget.Spend(ctx, 1+int((placed+steps/stepsPerPlacement)/int64(len(g.w.JS.Tasks))))
}
