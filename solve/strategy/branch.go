package strategy

import (
	"context"

	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// branching refutes values of an objective that is a time, from its bound up, or
// that there is a plan, by multipliers in the parts that shaving and splits leave.
// Its unit is a slice of its own, each four times as long as the one before.
// Hard deadlines are taken as met: nothing is bounded where they may be missed.
type branching struct {
	w      *portfolio.Work
	slices int
}

// NewBranching bounds by multipliers in the parts that shaving and splits leave; its
// unit is a slice of its own, each four times the one before. For AnyPlan, Tardiness or Makespan.
func NewBranching(w *portfolio.Work) portfolio.Strategy { return &branching{w: w} }

// Run implements portfolio.Strategy.
func (b *branching) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if TakesHardAsMet(b.w) {
		return portfolio.Done
	}
	for range s.Units {
		e := BranchingEffort(b.slices)
		b.slices++
		if b.w.P == incumbent.AnyPlan {
			b.refuteHard(ctx, e)
		} else {
			raiseTime(ctx, b.w, e)
		}
	}
	return portfolio.Open
}

func (b *branching) refuteHard(ctx context.Context, e lagrange.Effort) {
	w := b.w
	ask := askLeaves(ctx, w, w.Question(nil), e.Work, w.Offer)
	if c := Refute(ctx, w.Incumbent, query.HardDues(w.JS), e, ask); c != nil {
		w.Refute(incumbent.NoPlan{Proof: c.Proof(), Branching: c})
	}
}
