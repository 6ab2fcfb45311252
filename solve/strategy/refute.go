package strategy

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// Refute looks for an argument by multipliers that not all jobs finish by due,
// with some work for branching, and has other code check it; nil if it finds none.
// ask, which may be nil, answers about leaves that multipliers do not refute.
func Refute(ctx context.Context, w *incumbent.Incumbent, due []model.Time, e lagrange.Effort, ask lagrange.Ask) *proof.Branching {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return refuteOn(ctx, w, lagrange.NewRefutation(ctx, w.JS, due, e.Thorough), due, e.Work, ask)
}

// refuteOn goes on with such a search.
func refuteOn(ctx context.Context, w *incumbent.Incumbent, r *lagrange.Refutation, due []model.Time, work int, ask lagrange.Ask) *proof.Branching {
	c, steps := r.Run(work, ask)
	charge(ctx, steps)
	if c == nil {
		return nil
	}
	if err := inference.Branching(ctx, w.JS, due, c); err != nil {
		w.Fail(err)
		return nil
	}
	return c
}

// stepsPerUnit is the number of subgradient steps that count as one unit of a budget:
// at 40 tasks they take about as long as a construction.
const stepsPerUnit = 20

// charge takes steps of multipliers off the budget, and tells of them.
func charge(ctx context.Context, steps int) {
	budget.Spend(ctx, steps/stepsPerUnit)
	event.Count(ctx, event.Counts{Steps: int64(steps)})
}

// BranchingEffort is what may be done for branching at an attempt, the first being 0:
// half a second, and four times as much each time; from the third on every other
// one is thorough.
func BranchingEffort(attempt int) lagrange.Effort {
	return lagrange.Effort{Work: branchingWork(attempt), Thorough: thorough(attempt)}
}

func branchingWork(attempt int) int { return leastWork << (2 * min(attempt, 8)) }

func thorough(attempt int) bool { return attempt >= 2 && attempt%2 == 0 }

// leastWork is that of the first attempt: half a second (10⁸ starts take about one). Each
// has branchingGrows times as much as the one before, up to mostBranching times that of the
// first. By judgement.
const leastWork, branchingGrows, mostBranching = 50_000_000, 4, 1 << 16

// branchingUnits are those of the portfolio in leastWork.
const branchingUnits = 4

// askLeaves puts questions about parts of q, in which domains are restricted, to
// package lcg, and hands on the plan of the whole that it may find. The answers are of use
// until open ends.
func askLeaves(ctx, open context.Context, w *portfolio.Work, q query.Question, work int, found func(plan model.Schedule)) lagrange.Ask {
	if !w.Exact.Allows(exact.LCG) {
		return nil
	}
	return func(domains []query.Restriction, last bool) (refuted, planned bool) {
		q.Restrict = domains
		search, err := exact.New(ctx, q, &w.Exact, w.Seed, w.Best())
		if err != nil {
			return false, false
		}
		most := leafPolls
		if last {
			most = min(mostLeafPolls, leafPolls*(work/leastWork))
		}
		enough := atMost(most)
		a, plan := search.Run(ctx, func() bool { return enough() || open.Err() != nil })
		if a == lcg.Satisfiable {
			found(w.Complete(plan))
		}
		return a == lcg.Unsatisfiable, a == lcg.Satisfiable
	}
}

// leafPolls is what package lcg is given for such a question in the first slice,
// mostLeafPolls at most: a leaf with a plan has it early, and of 90 questions of
// 5,000 conflicts between splits none was answered (docs/diary.md).
const leafPolls, mostLeafPolls = 16, 256

// treeCrew is the number of workers that divide a tree, or the candidates of the master problem, before
// others do something else. By judgement.
const treeCrew = 8

// atMost stops a search after a number of polls: at the same point in every run,
// as patience by the clock would not.
func atMost(polls int) func() bool {
	n := 0
	return func() bool {
		n++
		return n > polls
	}
}

// boundsHold tells that arguments from due times speak of the plans that are sought. They
// take hard deadlines as met, and say nothing where these may be missed without being what
// is counted.
func boundsHold(w *portfolio.Work) bool {
	return !w.MayMissHard || w.Goal[w.P] == model.HardMisses
}

// poses reports whether the set with the objective at its bound is a problem of a kind, which is made of a set and due times.
func poses[P any](w *portfolio.Work, problem func(*model.JobSet, []model.Time) (P, bool)) bool {
	_, bound := timesOpen(w)
	_, ok := problem(w.JS, duesAt(w, bound))
	return ok
}

// timesOpen are the value and the bound of an objective that is a time. Where any plan will do 0 stands for one that meets the hard
// deadlines: it is to be found, or refuted.
func timesOpen(w *portfolio.Work) (value, bound int64) {
	if w.P == incumbent.AnyPlan {
		return 1, 0
	}
	return w.Gap(w.P)
}

// duesAt are the due times of plans with an objective, which is a time, of at most v; where any plan will do, the hard deadlines.
func duesAt(w *portfolio.Work, v int64) []model.Time {
	if w.P == incumbent.AnyPlan {
		return query.HardDues(w.JS)
	}
	return query.AtMost(w.JS, w.Goal[w.P], model.Time(v))
}

// raiseTime refutes values of an objective that is a time, by steps that double
// after each success, from a part of what is between bound and plan on, and until no more than that is left. Failures are what takes time. Values that others settle meanwhile it
// passes over.
func raiseTime(ctx context.Context, w *portfolio.Work, refute func(v int64) *proof.Branching) {
	failed, bound := w.Gap(w.P) // failed is not refuted, or not to be: it has a plan
	least := max(1, (failed-bound)/fineValues)
	for stride := least; ctx.Err() == nil && w.Err() == nil; {
		value, bound := w.Gap(w.P)
		if failed = min(failed, value); failed-bound < least {
			return
		}
		v := min(bound+stride-1, failed-1)
		c := refute(v)
		switch _, bound := w.Gap(w.P); {
		case c != nil:
			stride *= 2
			raiseTo(w, v+1, c)
		case bound <= v:
			failed = v
			stride = max(1, (failed-bound)/2)
		}
	}
}

// raiseTo raises the bound by an argument that has been checked.
func raiseTo(w *portfolio.Work, bound int64, c *proof.Branching) {
	w.RaiseBy(w.P, bound, c.Proof(), incumbent.Argument{Branching: c}, append([]string{claim(w.JS, w.Goal[w.P], bound)}, c.Sentences(w.JS, clock.Of(w.JS))...)...)
}

// claim is the sentence that a bound on an objective is introduced by.
func claim(js *model.JobSet, o model.Objective, least int64) string {
	if o.Shape().Point() {
		return fmt.Sprintf("no plan ends before %s:", clock.Of(js).Value(o.String(), least))
	}
	return fmt.Sprintf("every plan has %s of at least %s:", o, clock.Of(js).Value(o.String(), least))
}
