package strategy

import (
	"context"

	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// BelowPlan asks for the next lower value than the best plan's, until one is not answered: where plans are
// soon the best, or nearly so, the last question is all that has to be refuted.
var BelowPlan = &portfolio.Strategy{
	Name: "value below the plan's", Sharing: portfolio.Copies, Crew: questionCrew, Unit: "20 polls of each question", Proves: "lcg", Grows: 4, Most: mostGrown,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		u := &belowPlan{asker: asker{w: w, seed: seed, noFormulas: true}, raises: true}
		u.justified = newJustifier(w, seed)
		return u
	},
}

// belowPlanPolls are the polls of a unit: two to four seconds at 100 to 150 tasks, in which plans are found, and what is
// easy to refute is. By judgement.
const belowPlanPolls = 20

// outOfReach: a value that is lower by a hundredth takes a project half as many conflicts to refute, so that with more of the
// value than one part of so many between bound and plan what slices later have would not do either. They look for plans then, for
// lookingPolls each: when these doubled from slice to slice, j120_46_1 had 119,000 conflicts here and 34,000 from the bound up in
// 30 s of processor time; now 73,000 and 232,000 in 56 s. The last value below the plan's is nobody else's of projects, however small
// all values are.
const outOfReach, lookingPolls = 32, 80

// lateJobsPolls are those of late jobs: with 160 res-miss-60-1 comes from 40 to 39, mrmiss-25x6-2 from 8 to 6, a map and reduce set of 141 tasks,
// where 40 bring nothing, and what more brings takes many times as long.
const lateJobsPolls = 160

// belowPlan asks package lcg for the next lower value than the best plan's, as long as plans come
// within a number of polls.
type belowPlan struct {
	asker
	// raises: a value that is refuted raises the bound.
	raises    bool
	justified *justifier
}

// closeBy: with so little between bound and plan of late jobs the master problem, which comes after, is the
// one to close it: of misses-50-1, 8 over 7 after its first candidates, a question took 2.5 s of 2.9.
const closeBy = 2

// leftToMaster reports whether that is so of a slice.
func leftToMaster(w *portfolio.Work, s portfolio.Slice) bool {
	if w.P == incumbent.AnyPlan || s.Round > 0 || !w.Goal[w.P].Shape().Counts() {
		return false
	}
	value, bound := w.Gap(w.P)
	return value-bound <= closeBy
}

// Run implements portfolio.Runner.
func (u *belowPlan) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	polls := belowPlanPolls * s.Units
	switch value, bound := u.w.Gap(u.w.P); {
	case leftToMaster(u.w, s) && (s.Number > 0 || !lateOfJobShop(u.w)):
		return portfolio.Open
	case s.Round == 0 && JobShop(u.w) && beyondReach(value, bound):
		return portfolio.Open // tabu search, whose second slice comes before, gains more: swv07 1624 in place of 1647 after 14 s
	case u.w.Goal[u.w.P].Shape().Sums() || !beyondReach(value, bound):
	case u.w.Goal[u.w.P].Shape().Counts():
		polls = min(polls, lateJobsPolls)
	default:
		polls = min(polls, lookingPolls)
	}
	u.improve(ctx, max(1, polls/max(1, s.Workers)))
	return portfolio.Open
}

// beyondReach reports whether a value is out of reach below a plan's.
func beyondReach(value, bound int64) bool { return value-bound > 1 && outOfReach*(value-bound) > value }

// improve asks until a question is not answered by a plan within so many polls.
func (u *belowPlan) improve(ctx context.Context, polls int) {
	u.polls = polls
	for value, bound := u.w.Gap(u.w.P); value > bound && ctx.Err() == nil; value, bound = u.w.Gap(u.w.P) {
		v := value - stride(u.w)
		a, err := u.ask(ctx, v)
		if a == lcg.Unsatisfiable && u.raises {
			u.refuted(v)
		}
		if err != nil || a != lcg.Satisfiable && !u.settled(v) {
			return
		}
		if a == lcg.Satisfiable {
			u.justified.justify(ctx)
		}
	}
}
