package strategy

import (
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// fromBound asks for values from the bound up: what is refuted raises the bound, and
// the first plan found is the best. Steps double after every refutation, up to the
// middle between bound and value, and halve where there is no answer, which ends a
// slice.
//
// The time of a refutation has a heavy tail: the same clauses in another order
// took 0.7 s and more than 20 s. So a question is given up after some time and
// asked again in another order, with more time. Where work is counted it is
// given up after a number of polls.
type fromBound struct {
	asker
	patience time.Duration
	stride   int64
}

// FromBound asks for values from the bound up, until one is not answered.
var FromBound = &portfolio.Strategy{
	Name: "values from the bound up", Sharing: portfolio.Copies, Unit: "100 polls of each question", Proves: "lcg, sat", Grows: 2, Most: mostGrown,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		l := &fromBound{asker: asker{w: w, seed: seed}, stride: 1}
		if !w.Counted {
			l.patience = firstTryPatience // what falls at once need not wait for other bounds
		}
		return l
	},
}

// mostGrown keeps units that double from growing without bound.
const mostGrown = 1 << 20

// Run implements portfolio.Runner.
func (l *fromBound) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := l.w
	if w.Counted {
		l.polls = firstPolls * s.Units
	}
	for ctx.Err() == nil && !w.Over(w.P) {
		v := l.above()
		began := time.Now()
		a, err := l.ask(ctx, v, l.patience)
		switch {
		case err != nil:
			return portfolio.Refused
		case a == lcg.Unknown:
			l.unanswered()
			return portfolio.Open
		case a == lcg.Unsatisfiable:
			l.refuted(v)
			l.stride *= 2
		}
		l.answered(time.Since(began))
	}
	return portfolio.Open
}

// unanswered grants the next question more time, and asks for less.
func (l *fromBound) unanswered() {
	switch {
	case l.w.Counted:
	case l.patience < questionPatience:
		l.patience = questionPatience
	default:
		l.giveUp()
		l.patience += l.patience / 2
		l.stride = max(1, l.stride/2)
	}
}

// answered: the next question is likely to be harder than one that took so long.
func (l *fromBound) answered(took time.Duration) {
	if !l.w.Counted && l.patience >= questionPatience {
		l.patience = max(questionPatience, 2*took)
	}
}

// above is the value to ask for: stride values, if refuted, raise the bound by as
// much, but not beyond the middle. Close to the value all questions are about as
// hard, so there it asks for the last one, and steps are no shorter than the pace.
// Where work is counted it keeps to an eighth of the way. Of sums of lateness there are
// too many values between: a single worker asks for the last one, which is hardly
// harder than the one before.
func (l *fromBound) above() int64 {
	value, bound := l.w.Gap(l.w.P)
	pace := value / 100
	switch gap := value - bound; {
	case l.w.Counted && l.w.Goal[l.w.P].Shape().Sums():
		return value - 1
	case l.w.Counted:
		return bound + (gap-1)/cautious
	case gap <= 2*pace:
		return value - 1
	default:
		return bound + min(max(l.stride-1, pace), (gap-1)/2)
	}
}

// cautious is the part of the gap that is dared to be skipped: half, as on the clock,
// leaves a worker that cannot give up with the hardest questions. By judgement.
const cautious = 8

// searched says what an exact search has shown.
func searched(js *model.JobSet, o model.Objective, v int64) string {
	value := clock.Of(js).Value(o.String(), v)
	if o.Shape().Point() {
		return fmt.Sprintf("no plan ends by %s: every way was ruled out by search", value)
	}
	return fmt.Sprintf("no plan has %s of %s or less: every way was ruled out by search", o, value)
}
