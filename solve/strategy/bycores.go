package strategy

import (
	"context"
	"time"

	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// ByCores settles whether the hard ones of some jobs can all be in time, those jobs by themselves, where which core does which task is all there
// is to find ([Packing], [Assignment]): the answer has a plan of these jobs if they can. It has neither that nor a refutation where it is not so, or
// nothing is found.
func ByCores(ctx context.Context, w *incumbent.Incumbent, jobs []model.JobID, seed uint64) *incumbent.Incumbent {
	alone := &portfolio.Work{Incumbent: incumbent.New(w.JS.Subset(jobs), nil, nil, nil, time.Time{}), P: incumbent.AnyPlan, Seed: seed}
	for _, s := range []*portfolio.Strategy{Packing, Assignment} {
		if s.AppliesTo(alone) {
			s.Begin(alone, seed).Run(ctx, portfolio.Slice{Units: unitsByCores})
		}
	}
	if err := alone.Err(); err != nil {
		w.Fail(err)
	}
	return alone.Incumbent
}

// unitsByCores are as many as the first slices of the two have of a makespan.
const unitsByCores = 16
