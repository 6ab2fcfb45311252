// Package strategy holds the techniques of the solver, each in a file that the
// others do not know: what they find they hand to the incumbent, and which of them
// run, in what order and with what share is said by the tables of package solve.
package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/budget"
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
	budget.Spend(ctx, steps/stepsPerUnit)
	if c == nil {
		return nil
	}
	if err := verify.Branching(w.JS, due, c); err != nil {
		w.Fail(err)
		return nil
	}
	return c
}

// stepsPerUnit is the number of subgradient steps that count as one unit of a budget.
const stepsPerUnit = 20

// BranchingEffort is what may be done for branching in a slice, the first being 0:
// half a second, and four times as much each time; from the third on every other
// one is thorough.
func BranchingEffort(slice int) lagrange.Effort {
	return lagrange.Effort{Work: branchingWork(slice), Thorough: slice >= 2 && slice%2 == 0}
}

func branchingWork(slice int) int { return leastWork << (2 * min(slice, 8)) }

// leastWork is that of the first slice.
const leastWork = 50_000_000

// askLeaves puts questions about parts of q, in which domains are restricted, to
// package lcg, and hands on the plan of the whole that it may find.
func askLeaves(ctx context.Context, w *portfolio.Work, q query.Question, work int, found func(plan model.Schedule)) lagrange.Ask {
	if !w.Exact.Allows(exact.LCG) {
		return nil
	}
	return func(domains []query.Restriction, last bool) (refuted, planned bool) {
		q.Restrict = domains
		search, err := exact.New(q, &w.Exact, w.Seed, w.Best())
		if err != nil {
			return false, false
		}
		most := leafPolls
		if last {
			most = min(mostLeafPolls, leafPolls*(work/leastWork))
		}
		a, plan := search.Run(ctx, atMost(most))
		if a == lcg.Satisfiable {
			found(w.Complete(plan))
		}
		return a == lcg.Unsatisfiable, a == lcg.Satisfiable
	}
}

// leafPolls is what package lcg is given for such a question in the first slice,
// mostLeafPolls at most.
const leafPolls, mostLeafPolls = 16, 256

// atMost stops a search after a number of polls: at the same point in every run,
// as patience by the clock would not.
func atMost(polls int) func() bool {
	n := 0
	return func() bool {
		n++
		return n > polls
	}
}
