package strategy

import (
	"context"

	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// belowPlan asks for the next lower value than the best plan's.
type belowPlan struct{ asker }

// BelowPlan asks for the next lower value than the best plan's, for as long as it is
// patient. Its formulas come in other orders than those of FromBound.
var BelowPlan = &portfolio.Strategy{
	Name: "values below the plan", Unit: "a question", Proves: "lcg, sat",
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner { return belowPlanOf(w, seed) },
}

// BelowPlanAtOnce is the part of BelowPlan that goes on as long as plans come at once, or
// within a number of polls where work is counted.
var BelowPlanAtOnce = &portfolio.Strategy{
	Name: "values below the plan, at once", Unit: "a poll of each question",
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner { return atOnce{belowPlanOf(w, seed)} },
}

type belowPlanKey struct{}

// belowPlanOf is what both parts go on with.
func belowPlanOf(w *portfolio.Work, seed uint64) *belowPlan {
	return portfolio.Shared(w, belowPlanKey{}, func() *belowPlan {
		return &belowPlan{asker{w: w, seed: seed, variant: 1 << 32}}
	})
}

// Run implements portfolio.Runner: one question, for as long as it is patient.
func (u *belowPlan) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := u.w
	value, _ := w.Gap(w.P)
	switch a, err := u.ask(ctx, value-1, s.Patience); {
	case err != nil:
		return portfolio.Refused
	case a == lcg.Satisfiable:
		return portfolio.Improved
	case a == lcg.Unsatisfiable:
		u.refuted(value - 1)
	default:
		u.giveUp()
	}
	return portfolio.Open
}

type atOnce struct{ *belowPlan }

// Run implements portfolio.Runner.
func (q atOnce) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if q.w.Counted {
		q.polls, q.noFormulas = s.Units, true
	}
	q.dig(ctx, s.Patience/quickPart)
	return portfolio.Open
}

// quickPart is the part of its patience that an answer at once may take. By
// judgement.
const quickPart = 4
