package strategy

import (
	"context"

	"downbeat/heuristics"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Construct searches by list scheduling and local search on lists until ctx is
// done, a number of constructions (0: any number) is used up or the goal is met.
func Construct(ctx context.Context, w *incumbent.Incumbent, seed uint64, constructions int) {
	start, target := w.Start()
	construct(ctx, w, lns.Options{
		Objectives: listGoal(w), Seed: seed, Constructions: constructions, Start: start, Target: target,
	})
}

// listGoal are the objectives for heuristics, which always put hard misses first.
func listGoal(w *incumbent.Incumbent) []model.Objective {
	if w.MayMissHard {
		return w.Goal[1:]
	}
	return w.Goal
}

// FirstPlan offers what a single construction comes to, hard jobs first: it meets their
// deadlines more often than in other orders, and takes less time than anything else.
func FirstPlan(ctx context.Context, w *incumbent.Incumbent, seed uint64) {
	fig := heuristics.NewFigures(w.JS)
	board := heuristics.NewBoard(fig, seed)
	rule := heuristics.Rule{ByStage: true, Keys: []heuristics.Key{heuristics.HardFirst, heuristics.StageLatestStart}}
	if board.Construct(ctx, rule.Order(fig), heuristics.NewDeferral(w.JS, listGoal(w), nil)) {
		w.Offer(board.Place)
	}
	budget.Spend(ctx, 1)
	event.Count(ctx, event.Counts{Constructions: 1})
}

// construct runs a search by heuristics, within the budget if there is one.
func construct(ctx context.Context, w *incumbent.Incumbent, opt lns.Options) {
	var spent int
	opt.Spent = &spent
	opt.Constructions = budget.Affordable(ctx, opt.Constructions)
	opt.OnBetter = func(plan model.Schedule, _ []int64) { w.Offer(plan) }
	lns.Search(ctx, w.JS, opt)
	budget.Spend(ctx, max(1, spent)) // who goes on for ever does not do so for nothing
	event.Count(ctx, event.Counts{Constructions: int64(spent)})
}

// FirstConstructions is the number of constructions before the exact search begins: what half a second has, but leastConstructions at least.
func FirstConstructions(js *model.JobSet) int { return min(400, halfASecond(js)) }

// FirstOf is that for an objective: where local search on the longest path goes on from them, a few of those that take long are enough.
func FirstOf(w *portfolio.Work) int {
	if onLongestPath(w) {
		return min(400, max(fewConstructions, inHalfASecond/(1+len(w.JS.Tasks))))
	}
	return FirstConstructions(w.JS)
}

// Constructions of so many tasks together take about half a second; there are so many at least, and so few where others go on from them.
const inHalfASecond, leastConstructions, fewConstructions = 400_000, 30, 3

// halfASecond is a number of constructions that takes about as long.
func halfASecond(js *model.JobSet) int {
	return max(leastConstructions, inHalfASecond/(1+len(js.Tasks)))
}

// Lists goes on with list scheduling from the best plan, with another seed each
// round. For AnyPlan it ends with the first plan, whatever its values.
var Lists = &portfolio.Strategy{
	Name: "list scheduling", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return w.P == incumbent.AnyPlan || !takesOver(w) && !onLongestPath(w) },
	Begin:   func(w *portfolio.Work, seed uint64) portfolio.Runner { return &lists{w, seed} },
}

// lists works by units; the seed is that of round 0.
type lists struct {
	w    *portfolio.Work
	seed uint64
}

// Run implements portfolio.Runner.
func (l *lists) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	seed := l.seed + uint64(s.Round)
	if leftToMaster(l.w, s) {
		return portfolio.Open
	}
	if l.w.P == incumbent.AnyPlan {
		construct(ctx, l.w.Incumbent, lns.Options{Seed: seed})
		return portfolio.Open
	}
	Construct(ctx, l.w.Incumbent, seed, halfASecond(l.w.JS)*s.Units/unitsPerHalfSecond)
	if s.Units == 0 {
		return portfolio.Done // it went on to the end, or to what it takes for the best
	}
	return portfolio.Open
}

const unitsPerHalfSecond = 4
