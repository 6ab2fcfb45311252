package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// onEnds refutes values of the weighted tardiness, from its bound up, by branching on
// when jobs end. Where a box of ends is closed there may be a plan, which is a better one.
type onEnds struct {
	w *portfolio.Work
	joint
	// ends is made for values below the plan's at the first slice.
	ends *lagrange.Ends
}

// BranchingOnEnds bounds the weighted tardiness by branching on when jobs end.
var BranchingOnEnds = &portfolio.Strategy{
	Name: "branching on ends", Sharing: portfolio.Together, Crew: treeCrew, After: Multipliers, Unit: "half a second of branching", Proves: "dual, branching, lcg",
	Grows: branchingGrows, Most: mostBranching, Applies: boundsHold,
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner { return &onEnds{w: w} },
}

// Run implements portfolio.Runner.
func (b *onEnds) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if !b.lead() {
		b.follow(ctx)
		return portfolio.Open
	}
	defer b.leave()
	if b.ends == nil {
		value, _ := b.w.Gap(b.w.P)
		b.ends = lagrange.NewEnds(ctx, b.w.JS, max(0, value-1), !b.w.Exact.Record)
	}
	work := leastWork * s.Units
	if b.ends.Coarse() {
		work *= coarseWork
	}
	if s.Number == 0 {
		raiseTime(ctx, b.w, func(v int64) *proof.Branching { return b.refute(ctx, v, work) })
		return portfolio.Open
	}
	b.fromPlan(ctx, work)
	left := work
	raiseTime(ctx, b.w, func(v int64) (c *proof.Branching) {
		if left > work/leastPart {
			c = b.refute(ctx, v, left)
			left = b.ends.Left()
		}
		return c
	})
	return portfolio.Open
}

// coarseWork is how many times as much a slice has where ticks are fine: of a set in milliseconds a step takes some ten times as long in coarse
// ticks as in seconds, and the first ascent alone took all that there was.
const coarseWork = 4

// leastPart is the part of the work of a slice, all values from the bound up together, of which a rest is not worth another value. Where each had
// as much as the value below the plan's they took most of a slice, and the one that closes the gap came a slice later (docs/diary.md).
const leastPart = 64

// ManyWeighted is the number of tasks from which on questions without multipliers hardly
// settle weighted tardiness: sets of 20 tasks are settled by them in less than a second.
const ManyWeighted = 25

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
func (b *onEnds) refute(ctx context.Context, v int64, work int) (c *proof.Branching) {
	w := b.w
	open, end := w.Until(ctx, w.P, v)
	defer end()
	q := w.Question(w.Limits(w.P, v))
	found := func(plan model.Schedule) { w.Receive(tidied(ctx, w, plan), w.P, v) }
	ask := func(ctx context.Context) lagrange.Ask { return askLeaves(ctx, open, w, q, work, found) }
	b.helped(func(ctx context.Context) { charge(ctx, b.ends.Help(ask(ctx))) }, func(begun func()) {
		b.ends.Begun = begun
		var steps int
		c, steps = b.ends.Run(open, v, work, ask(ctx))
		charge(ctx, steps)
	})
	if c == nil {
		return nil
	}
	if err := inference.WeightedBranching(ctx, w.JS, v, c); err != nil {
		if !b.ends.Coarse() { // else what looks at some ticks only may come to less
			w.Fail(err)
		}
		return nil
	}
	return c
}
