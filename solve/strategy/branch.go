package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// branching refutes values of an objective that is a time, from its bound up, or
// that there is a plan, by multipliers in the parts that shaving and splits leave.
// Its unit is a slice of its own, each four times as long as the one before.
// Hard deadlines are taken as met.
type branching struct {
	w      *portfolio.Work
	slices int
}

// NewBranching prepares it, for AnyPlan, Tardiness or Makespan.
func NewBranching(w *portfolio.Work) portfolio.Strategy { return &branching{w: w} }

// Run implements portfolio.Strategy.
func (b *branching) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
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
		w.Refute(incumbent.Refutation{Proof: c.Proof(), Branching: c})
	}
}

// raiseTime refutes values of an objective that is a time, by steps that double
// after each success, with some work for branching in each. Failures are what takes
// time.
func raiseTime(ctx context.Context, w *portfolio.Work, e lagrange.Effort) {
	value, bound := w.Gap(w.P)
	failed := value // not refuted, or not to be: it has a plan
	for stride := int64(1); bound < failed && ctx.Err() == nil && w.Err() == nil; {
		v := min(bound+stride-1, failed-1)
		ask := askLeaves(ctx, w, w.Question(w.Limits(w.P, v)), e.Work,
			func(plan model.Schedule) { w.Receive(plan, w.P, v) })
		due := query.AtMost(w.JS, w.Goal[w.P], model.Time(v))
		if c := Refute(ctx, w.Incumbent, due, e, ask); c != nil {
			bound = v + 1
			stride *= 2
			w.Raise(w.P, bound, c.Proof(), append([]string{claim(w.Goal[w.P], bound)}, c.Sentences(w.JS)...)...)
		} else {
			failed = v
			stride = max(1, (failed-bound)/2)
		}
	}
}
