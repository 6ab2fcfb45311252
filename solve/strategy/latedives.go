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
	Name: "dives for late jobs", Unit: "a candidate",
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && divesApply(w) },
	Begin:   func(w *portfolio.Work, _ uint64) portfolio.Runner { return &lateDives{master: masterOf(w)} },
}

type lateDives struct {
	*master
	// dived are the clashes of candidates that were dived for, so that others follow.
	dived []proof.Cut
}

// noShaving: of so many tasks four seconds of it come to nothing.
const noShaving = 0

// Run implements portfolio.Runner.
func (d *lateDives) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := d.w
	if err := d.prepare(ctx); err != nil {
		w.Fail(err)
		return portfolio.Done
	}
	for range s.Units {
		if ctx.Err() != nil || w.Over(w.P) {
			break
		}
		at, ok := d.fresh(ctx, d.dived...)
		if value, _ := w.Gap(w.P); !ok || at.weight >= value {
			return portfolio.Done
		}
		d.dived = append(d.dived, d.clash(at))
		v := d.halfway(at.weight)
		wide := d.widened(at, v)
		if !d.diveFor(ctx, wide, noShaving) {
			d.tooFew = v
		}
		if wide.dives.Large() {
			return portfolio.Done
		}
	}
	return portfolio.Open
}
