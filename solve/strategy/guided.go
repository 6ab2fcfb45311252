package strategy

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics/ejection"
	"downbeat/heuristics/lns"
	"downbeat/heuristics/queue"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/fluid"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// GuidedLists makes plans in the order of a guide, where there is one: that is begun before
// the portfolio ([NewGuided]). In the first round it makes more of them where that is quick.
var GuidedLists = &portfolio.Strategy{
	Name: "guided list scheduling", Unit: "an evaluation of a guide",
	Applies: func(w *portfolio.Work) bool { return w.Guide != nil },
	Begin:   func(w *portfolio.Work, _ uint64) portfolio.Runner { return w.Guide },
}

// Guided makes plans of one set by a fluid relaxation ([fluid.Relaxation]). This says which
// jobs to let go and in what order to place the stages of the others; list scheduling
// and squeaky wheel show where it counts on too much, and it is solved again with less
// counted on there, or more everywhere. Where misses are what counts, its shares are also
// rounded by chance to sets of jobs that are cheaper to let go than those of the best
// plan. Not safe for concurrent use.
type Guided struct {
	w       *incumbent.Incumbent
	seed    uint64
	squeaky *lns.SqueakyWheel
	by      *guideTask
	rng     *rand.Rand // of roundings
	// lines are evaluated in turns.
	lines []*guideLine
	turn  int
	// placed is the work that was charged to the budget.
	placed int64
}

// guideLine is a relaxation that goes on from what came of it, in one way to place stages or in both.
type guideLine struct {
	by             *guideTask
	relax          *fluid.Relaxation
	inTurn, byTime bool // stages are placed one after the other; they are handed out by time
	// starts is how often it began anew, idle the evaluations since the last better plan
	// of its own, best its values.
	starts, idle int
	best         []int64
	// steps are those that were charged to the budget.
	steps int64
}

const (
	// firstEvaluations over the number of tasks are the evaluations of the first round, if
	// that is more than its row has. By judgement.
	firstEvaluations = 80_000
	// leastBrief are the evaluations of the first round where annealing of queues comes next, waits how many times as many as it took to
	// the best plan it goes on for: of six sets of 600 to 3,000 tasks five had their best plan by the fourth, one by the ninth.
	leastBrief, waits = 10, 2
	// firstCounted is the part of the cores' time that is counted on at first, mostCounted
	// the part at most; lessCounted, moreCounted and looseCounted are by how much less is counted on where
	// jobs were late (twice as much where many were), more elsewhere, and more where none
	// was.
	firstCounted, mostCounted              = 0.93, 1.0
	lessCounted, moreCounted, looseCounted = 0.01, 0.001, 0.005
	// lessForHard is lessCounted of a sum of lateness, where hard jobs were late, twice as much where manyHard were: soft
	// ones may be late, so that nothing else tells that too much is counted on, and no plan counts before they are in time.
	// With 0.01 that took more than 60 constructions at 3,000 tasks, with 0.03 of four of twelve sets, with 0.07 plans were worse.
	lessForHard, manyHard = 0.04, 5
	// firstCountedByTime is firstCounted where stages are handed out by time, which leaves less idle.
	firstCountedByTime = 0.96
	// leastTimed is the number of tasks from which on stages may be handed out by time: of 400 to 1,000
	// tasks on some ten slaves neither way was better (large-contended, misses, gen.Scale).
	leastTimed = 2000
	// firstTurns are those after which it counts which line has come to more.
	firstTurns = 20
	// ofTurns is how many turns there are for each that goes to the line that has come to less.
	ofTurns = 4
	// firstPasses solve the relaxation, warmPasses solve it again.
	firstPasses, warmPasses = 60, 6
	// squeakyPatience is the number of constructions that are no better after which squeaky
	// wheel is done with a guide.
	squeakyPatience = 3
	// evaluationsForAny is how many it takes at most to find any plan.
	evaluationsForAny = 12
	// stepsPerPlacement is the number of steps of the relaxation that take as long as
	// placing a task.
	stepsPerPlacement = 100
)

// NewGuided prepares it for the first objective, or for any plan if there is none. Nil
// if the set is small. Makespan is left to list scheduling once there is a plan.
func NewGuided(w *incumbent.Incumbent, seed uint64) *Guided {
	hard := slices.ContainsFunc(w.JS.Jobs, func(j model.Job) bool { return j.Kind == model.Hard })
	if len(w.JS.Tasks) < Large || len(w.Goal) > 0 && w.Goal[0].Shape().Measure == model.Completion && !hard {
		return nil
	}
	return &Guided{w: w, seed: seed, rng: rand.New(rand.NewPCG(seed, 4))}
}

// AnyPlan goes on until there is a plan, for a while. One guide is looked at in any case, unless a rule
// leaves no job late: a plan that is there already is one by a rule.
func (g *Guided) AnyPlan(ctx context.Context) {
	g.open(ctx, model.Misses)
	if aim := g.by.byRule(); g.timed() && len(g.w.Goal) > 0 {
		aim.ByTime = true
		if run := g.squeaky.Run(ctx, aim, squeakyPatience); run.Values != nil && len(run.Late) == 0 {
			g.charge(ctx, nil)
			return
		}
	}
	for n := range evaluationsForAny {
		if ctx.Err() != nil || n > 0 && g.w.Over(incumbent.AnyPlan) || !g.evaluate(ctx) {
			return
		}
	}
}

// Run implements portfolio.Runner. There is a plan already.
func (g *Guided) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	units := s.Units
	if s.Round == 0 {
		units = max(units, firstEvaluations/len(g.w.JS.Tasks))
	}
	g.prepare(ctx)
	first := g.w.Goal[:1]
	brief, better := s.Round == 0 && (queue.Treats(g.w.JS, first) || g.w.JS.JobsLinked() && ejection.Treats(g.w.JS, first)), 0
	for n := range units {
		if ctx.Err() != nil || g.w.Over(0) || brief && n >= max(leastBrief, waits*better) {
			return portfolio.Open
		}
		before, _ := g.w.Gap(0)
		if !g.evaluate(ctx) {
			return portfolio.Done
		}
		if value, _ := g.w.Gap(0); value < before {
			better = n + 1
		}
	}
	return portfolio.Open
}

// prepare goes over to the first objective. Plans that let jobs go say little about
// tardiness, so that its first targets come from a rule.
func (g *Guided) prepare(ctx context.Context) {
	objective := g.w.Goal[0]
	if g.w.MayMissHard {
		objective = model.Misses
	}
	first := g.by == nil || g.by.objective != objective
	g.open(ctx, objective)
	g.squeaky.Consider(ctx, g.w.Best())
	if shape := objective.Shape(); first && shape.Max && shape.Measure == model.Delay {
		g.construct(ctx, g.lines[0], g.by.byRule(), squeakyPatience)
	}
}

// open prepares for an objective, unless that was done before.
func (g *Guided) open(ctx context.Context, objective model.Objective) {
	if g.squeaky == nil {
		goal := g.w.Goal
		if g.w.MayMissHard {
			goal = goal[1:] // list scheduling always puts hard misses first
		}
		start, _ := g.w.Start()
		g.squeaky = lns.NewSqueakyWheel(ctx, g.w.JS, lns.Options{
			Objectives: goal, Seed: g.seed, Start: start,
			OnBetter: func(plan model.Schedule, _ []int64) { g.w.Offer(plan) },
		})
	}
	if g.by == nil || g.by.objective != objective {
		g.by = newGuideTask(g.w, g.squeaky, objective)
		g.lines, g.turn = g.newLines(), 0
	}
}

// newLines are those for an objective. Of a sum of lateness there is one, and where a value is aimed at, in which both
// ways are tried: each is to be asked whether it can be had. In small sets there is one way, and with pools, caps and
// gangs: by time gangs take what comes first and slaves wait for pools, so that guides came to more late jobs.
func (g *Guided) newLines() []*guideLine {
	starts := 0
	if len(g.lines) > 0 {
		starts = g.lines[0].starts
	}
	byTime := g.timed() && !g.w.JS.Coupled()
	switch {
	case !byTime:
		return []*guideLine{{by: g.by, inTurn: true, starts: starts}}
	case g.by.shape.Max:
		return []*guideLine{{by: g.by, inTurn: true, byTime: true, starts: starts}}
	case g.by.shape.Sums():
		return []*guideLine{{by: g.by, byTime: true, starts: starts}}
	}
	return []*guideLine{{by: g.by, byTime: true, starts: starts}, {by: g.by, inTurn: true, starts: starts}}
}

// timed reports whether stages may be handed out by time.
func (g *Guided) timed() bool { return len(g.w.JS.Tasks) >= leastTimed }

// next is the line whose turn it is: most often the one that has come to more. For some turns that is the first:
// while it counts on too much, hard jobs are late that will not be.
func (g *Guided) next() *guideLine {
	g.turn++
	best, other := g.lines[0], g.lines[len(g.lines)-1]
	if g.turn > firstTurns && best.best != nil && other.best != nil && slices.Compare(other.best, best.best) < 0 {
		best, other = other, best
	}
	if g.turn%ofTurns == 0 {
		return other
	}
	return best
}

// evaluate makes plans by one guide, and learns from them. It gives false when there is
// no use in going on.
func (g *Guided) evaluate(ctx context.Context) bool {
	passes, l := warmPasses, g.next()
	if l.relax == nil || l.idle >= l.by.patience {
		if !l.by.next(g.squeaky.Values()) {
			return false
		}
		g.begin(ctx, l)
		passes = firstPasses
	}
	if l.relax == nil || !l.relax.Run(ctx, passes) {
		return true // ctx has ended
	}
	guide := l.relax.Guide()
	run := g.construct(ctx, l, l.by.aim(guide), squeakyPatience)
	if run.Values != nil {
		g.learn(l, guide, run)
		g.round(ctx, l, guide)
	}
	g.charge(ctx, l)
	return true
}

// construct makes plans with an aim in the ways of a line, and tells of the better ones.
func (g *Guided) construct(ctx context.Context, l *guideLine, aim lns.Aim, patience int) (run lns.SqueakyRun) {
	if l.inTurn {
		run = g.squeaky.Run(ctx, aim, patience)
	}
	if l.byTime {
		aim.ByTime = true
		byTime := g.squeaky.Run(ctx, aim, patience)
		if run.Values == nil || byTime.Values != nil && slices.Compare(byTime.Values, run.Values) < 0 {
			run = byTime
		}
	}
	return run
}

// begin makes a relaxation; each time it sees slaves in another way.
func (g *Guided) begin(ctx context.Context, l *guideLine) {
	opt := l.by.options()
	opt.Seed = g.seed + uint64(l.starts)
	opt.Pooling = [...]fluid.Pooling{fluid.ByLikeness, fluid.ByCores}[l.starts%2]
	l.starts, l.idle = l.starts+1, 0
	l.steps = 0
	if l.relax = fluid.New(ctx, g.w.JS, opt); l.relax == nil {
		return
	}
	if l.inTurn {
		l.relax.Scale(firstCounted)
	} else {
		l.relax.Scale(firstCountedByTime)
	}
}

// learn adapts what is counted on to what came of a guide.
func (g *Guided) learn(l *guideLine, guide *fluid.Guide, run lns.SqueakyRun) {
	l.idle++
	if l.best == nil || slices.Compare(run.Values, l.best) < 0 {
		l.best, l.idle = run.Values, 0
	}
	switch {
	case l.by.shape.Sums():
		if late := g.hardOf(run.Late); len(late) > 0 {
			l.idle = 0 // what was learnt of capacity is not to be lost before they are in time
			l.relax.Feed(late, lessForHard*(1+min(1, float64(len(late))/manyHard)), moreCounted, mostCounted)
		}
	case !l.by.letsGo:
	case len(run.Late) == 0:
		l.relax.Feed(nil, 0, looseCounted, mostCounted)
	default:
		l.relax.Feed(run.Late, lessCounted*(1+min(1, mistaken(guide, run))), moreCounted, mostCounted)
	}
}

// hardOf are the hard ones of some jobs.
func (g *Guided) hardOf(jobs []model.JobID) (hard []model.JobID) {
	for _, i := range jobs {
		if g.w.JS.Jobs[i].Kind == model.Hard {
			hard = append(hard, i)
		}
	}
	return hard
}

// mistaken is how many jobs were late beside those that were to be, over these.
func mistaken(guide *fluid.Guide, run lns.SqueakyRun) float64 {
	out := 1
	for _, share := range guide.Out {
		if share > 0.5 {
			out++
		}
	}
	return float64(len(run.Late)) / float64(out)
}

// charge takes the work since the last time, that of a line if there is one, off the budget.
func (g *Guided) charge(ctx context.Context, l *guideLine) {
	placed, steps := g.squeaky.Placed()-g.placed, int64(0)
	if l != nil {
		steps = l.relax.Looked - l.steps
		l.steps += steps
	}
	g.placed += placed
	budget.Spend(ctx, 1+int((placed+steps/stepsPerPlacement)/int64(len(g.w.JS.Tasks))))
	event.Count(ctx, event.Counts{Constructions: placed / int64(len(g.w.JS.Tasks))})
}
