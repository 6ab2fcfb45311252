package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// onEnds refutes values of the weighted tardiness, from its bound up, by branching on
// when jobs end. Where a box of ends is closed there may be a plan, which is a better one.
type onEnds struct {
	w      *portfolio.Work
	slices int
	// ends is made for values below the plan's at the first slice.
	ends *lagrange.Ends
}

// NewOnEnds bounds the weighted tardiness by branching on when jobs end; its unit is a
// slice of its own, each four times the one before. Hard deadlines are taken as met:
// nothing is bounded where they may be missed.
func NewOnEnds(w *portfolio.Work) portfolio.Strategy { return &onEnds{w: w} }

// Run implements portfolio.Strategy.
func (b *onEnds) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if TakesHardAsMet(b.w) {
		return portfolio.Done
	}
	for range s.Units {
		if b.ends == nil {
			value, _ := b.w.Gap(b.w.P)
			b.ends = lagrange.NewEnds(ctx, b.w.JS, max(0, value-1))
		}
		work := branchingWork(b.slices)
		if b.slices > 0 {
			b.fromPlan(ctx, work)
		}
		b.slices++
		raiseTime(ctx, b.w, func(v int64) *proof.Branching { return b.refute(ctx, v, work) })
	}
	return portfolio.Open
}

// WeightedOfMany tells that the objective is the weighted tardiness of a set of so many
// tasks that questions without multipliers hardly settle it.
func WeightedOfMany(w *portfolio.Work) bool {
	return w.P != incumbent.AnyPlan && w.Goal[w.P] == model.WeightedTardiness && len(w.JS.Tasks) >= manyWeighted
}

// manyWeighted: sets of 20 tasks are settled by such questions in less than a second.
const manyWeighted = 25

// fromPlan asks for better plans than the best until there is none, or the work runs out.
// What refutes a value close to it hardly takes longer than what refutes one far below, and
// what is left of boxes has plans.
func (b *onEnds) fromPlan(ctx context.Context, work int) {
	for w := b.w; ctx.Err() == nil && w.Err() == nil && !w.Over(w.P); {
		value, _ := w.Gap(w.P)
		if c := b.refute(ctx, value-1, work); c != nil {
			raiseTo(w, value, c)
		}
		if better, _ := w.Gap(w.P); better == value {
			return
		}
	}
}

// refute looks for an argument that no plan has a weighted tardiness of v or less.
func (b *onEnds) refute(ctx context.Context, v int64, work int) *proof.Branching {
	w := b.w
	found := func(plan model.Schedule) { w.Receive(plan, w.P, v) }
	c, steps := b.ends.Run(v, work, askLeaves(ctx, w, w.Question(w.Limits(w.P, v)), work, found))
	Charge(ctx, steps)
	if c == nil {
		return nil
	}
	if err := inference.WeightedBranching(ctx, w.JS, v, c); err != nil {
		w.Fail(err)
		return nil
	}
	return c
}
