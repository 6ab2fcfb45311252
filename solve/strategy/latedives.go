package strategy

import (
	"context"

	"downbeat/model/proof"
	"downbeat/solve/portfolio"
)

// LateDives is what the master problem does for plans of many tasks, of which hardly a candidate
// is refuted and each takes seconds: it dives for one candidate after the other, with more
// jobs let go, halfway to the plan.
var LateDives = &portfolio.Strategy{
	Name: "dives for late jobs", Unit: "a candidate", Sharing: portfolio.Together,
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && divesApply(w) },
	Begin:   func(w *portfolio.Work, _ uint64) portfolio.Runner { return &lateDives{master: masterOf(w)} },
}

type lateDives struct {
	*master
	// tried are the clashes of candidates that were dived for, so that others follow.
	tried []proof.Cut
}

// noShaving: of so many tasks four seconds of it come to nothing.
const noShaving = 0

// Run implements portfolio.Runner.
func (d *lateDives) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := d.w
	if err := d.again(ctx); err != nil {
		w.Fail(err)
		return portfolio.Done
	}
	d.enter(s.Number)
	defer d.leave()
	for d.within(s.Units) && ctx.Err() == nil && !w.Over(w.P) {
		d.use(1)
		at, ok := d.untried(ctx)
		if !ok {
			return portfolio.Done
		}
		v := d.halfway(at.weight)
		wide := d.widened(at, v)
		d.dived(v, d.diveFor(ctx, wide, noShaving))
		if wide.dives.Large() {
			return portfolio.Done
		}
	}
	return portfolio.Open
}

// again reads the cuts that there are by now.
func (d *lateDives) again(ctx context.Context) error {
	d.choosing.Lock()
	defer d.choosing.Unlock()
	return d.prepare(ctx)
}

// untried is the lightest candidate that was not dived for; ok is false if there is none that is
// of use.
func (d *lateDives) untried(ctx context.Context) (at *candidate, ok bool) {
	d.choosing.Lock()
	defer d.choosing.Unlock()
	at, ok = d.fresh(ctx, d.tried...)
	if value, _ := d.w.Gap(d.w.P); !ok || at.weight >= value {
		return nil, false
	}
	d.tried = append(d.tried, d.clash(at.late))
	return at, true
}
