package strategy

import (
	"context"

	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// belowPlan asks package lcg for the next lower value than the best plan's, as long as plans come
// within a number of polls, the units of its slices.
type belowPlan struct{ asker }

// Run implements portfolio.Runner.
func (u *belowPlan) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	u.polls, u.noFormulas = s.Units, true
	for value, bound := u.w.Gap(u.w.P); value > bound; value, bound = u.w.Gap(u.w.P) {
		if a, err := u.ask(ctx, value-1); a != lcg.Satisfiable || err != nil {
			break
		}
	}
	return portfolio.Open
}
