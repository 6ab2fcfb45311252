package strategy

import (
	"context"

	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// BelowPlan asks for the next lower value than the best plan's.
type BelowPlan struct{ asker }

// NewBelowPlan asks one question a slice, as long as it is patient; its formulas come in other orders than those of NewFromBound.
func NewBelowPlan(w *portfolio.Work, seed uint64) *BelowPlan {
	return &BelowPlan{asker{w: w, seed: seed, variant: 1 << 32}}
}

// Run implements portfolio.Strategy: one question, for as long as it is patient.
func (u *BelowPlan) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
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

// Quick is the part of it that goes on as long as plans come at once, or within a
// number of polls where work is counted.
func (u *BelowPlan) Quick() portfolio.Strategy { return quick{u} }

type quick struct{ *BelowPlan }

// Run implements portfolio.Strategy.
func (q quick) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if q.w.Counted {
		q.polls, q.noFormulas = s.Units, true
	}
	q.dig(ctx, s.Patience/quickPart)
	return portfolio.Open
}

// quickPart is the part of its patience that an answer at once may take. By
// judgement.
const quickPart = 4
