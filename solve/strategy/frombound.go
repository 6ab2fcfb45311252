package strategy

import (
	"context"
	"fmt"
	"math"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// fromBound asks for values from the bound up: what is refuted raises the bound, and
// the first plan found is the best. One that has no answer ends a slice.
//
// The time of a refutation has a heavy tail: the same clauses in another order
// took 0.7 s and more than 20 s. So a question is given up after a number of polls, and
// gone on with in a later slice.
type fromBound struct {
	asker
	unit int // in polls
	// brief: the bound is asked for first, then the value halfway between the bound and failed, which had no answer, until
	// that is the bound. Where the bound itself is not refuted no value above it is: that ends the slice.
	brief, begun bool
	failed       int64
	// butLast leaves the last value, below the plan's, to BelowPlan.
	butLast bool
}

// FromBound asks for values from the bound up, until one is not answered.
var FromBound = &portfolio.Strategy{
	Name: "values from the bound up", Sharing: portfolio.Copies, Crew: questionCrew, Unit: "100 polls of each question", Proves: "lcg, sat", Grows: 2, Most: mostGrown,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &fromBound{asker: asker{w: w, seed: seed, variant: (seed - w.Seed) >> 32}, unit: firstPolls}
	},
}

// FromBoundButLast is FromBound beside BelowPlan, which has learnt about the last value and goes on with that.
var FromBoundButLast = &portfolio.Strategy{
	Name: "values from the bound up but the last", Sharing: portfolio.Copies, Crew: questionCrew, Unit: "100 polls of each question", Proves: "lcg", Grows: 2, Most: mostGrown,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &fromBound{asker: asker{w: w, seed: seed, noFormulas: true}, unit: firstPolls, butLast: true}
	},
}

// FromBoundBriefly looks for the greatest value, by bisection, that is refuted at once, as edge finding
// and short searches do.
var FromBoundBriefly = &portfolio.Strategy{
	Name: "values from the bound up, briefly", Sharing: portfolio.Copies, Crew: questionCrew, Unit: "a poll of each question", Proves: "lcg",
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &fromBound{asker: asker{w: w, seed: seed, noFormulas: true}, unit: 1, brief: true, failed: math.MaxInt64}
	},
}

// FromBoundByPropagation looks for the greatest value that propagation refutes (destructive improvement; Klein and Scholl 1999): in shops of
// which each task has one slave edge finding does so in a moment, however many there are; where tasks have a choice, what all of them take does.
var FromBoundByPropagation = &portfolio.Strategy{
	Name: "values from the bound up, by propagation", Unit: "all of them", Proves: "lcg",
	Applies: func(w *portfolio.Work) bool {
		return w.P >= 0 && w.Goal[w.P].Shape().Max && (InTurn(w.JS) || isShop(w))
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &propagation{fromBound{asker: asker{w: w, seed: seed, noFormulas: true, propagates: true}, brief: true, failed: math.MaxInt64}}
	},
}

// propagation is the search for it.
type propagation struct{ fromBound }

// Run implements portfolio.Runner. Where the next value was asked about already more propagation does nothing more, and the search takes some
// hundred megabytes of 10,000 tasks.
func (l *propagation) Run(ctx context.Context, _ portfolio.Slice) portfolio.Outcome {
	for w := l.w; ctx.Err() == nil && !w.Over(w.P); {
		v := l.above()
		if _, bound := w.Gap(w.P); l.failed == bound {
			l.search.Close()
			l.search = nil
			return portfolio.Done
		}
		switch a, open, err := l.next(ctx, v); {
		case err != nil:
			return portfolio.Refused
		case a == lcg.Unsatisfiable:
			l.refuted(v)
		case open && ctx.Err() == nil:
			l.failed = v
		}
	}
	return portfolio.Open
}

// mostGrown keeps units that double from growing without bound.
const mostGrown = 1 << 20

// Run implements portfolio.Runner.
func (l *fromBound) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := l.w
	if l.brief && leftToMaster(w, s) {
		return portfolio.Open
	}
	l.polls = max(1, l.unit*s.Units/max(1, s.Workers))
	for ctx.Err() == nil && !w.Over(w.P) {
		v := l.above()
		if value, _ := w.Gap(w.P); l.butLast && v >= value-1 {
			return portfolio.Open
		}
		a, open, err := l.next(ctx, v)
		switch {
		case err != nil:
			return portfolio.Refused
		case open:
			if _, bound := w.Gap(w.P); !l.brief || v == bound {
				return portfolio.Open
			}
			l.failed = v
		case a == lcg.Unsatisfiable:
			l.refuted(v)
		}
	}
	return portfolio.Open
}

// next asks for v. open tells that there was no answer, and that it is not settled either.
func (l *fromBound) next(ctx context.Context, v int64) (a lcg.Answer, open bool, err error) {
	a, err = l.ask(ctx, v)
	if _, bound := l.w.Gap(l.w.P); l.brief && v > bound {
		l.refused = nil // a question about a lower value may not be too large
	}
	return a, a == lcg.Unknown && !l.settled(v), err
}

// above is the value to ask for, an eighth of the way from the bound to the value. Of sums
// of lateness there are too many values between: it asks for the last one, which is hardly
// harder than the one before.
func (l *fromBound) above() int64 {
	value, bound := l.w.Gap(l.w.P)
	switch {
	case l.brief && !l.begun:
		l.begun = true
		return bound
	case l.brief:
		if l.failed > bound {
			value = min(value, l.failed)
		}
		return bound + (value-bound-1)/2
	case l.w.Goal[l.w.P].Shape().Sums():
		return value - 1
	}
	return bound + (value-bound-1)/cautious
}

// cautious is the part of the gap that is dared to be skipped: half leaves a worker, which
// gives up after a number of polls, with the hardest questions. By judgement.
const cautious = 8

// searched says what an exact search has shown.
func searched(js *model.JobSet, o model.Objective, v int64) string {
	value := clock.Of(js).Value(o.String(), v)
	if o.Shape().Point() {
		return fmt.Sprintf("no plan ends by %s: every way was ruled out by search", value)
	}
	return fmt.Sprintf("no plan has %s of %s or less: every way was ruled out by search", o, value)
}
