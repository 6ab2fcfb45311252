package strategy

import (
	"context"
	"time"

	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// ByCores settles whether the hard ones of some jobs can all be in time, those jobs by themselves, where which core does which task is all there
// is to find ([Packing], [Assignment]): with a plan of these jobs if they can. It is lcg.Unknown where it is not so, or neither is found.
func ByCores(ctx context.Context, w *incumbent.Incumbent, jobs []model.JobID, seed uint64) (lcg.Answer, model.Schedule) {
	alone := &portfolio.Work{Incumbent: incumbent.New(w.JS.Subset(jobs), nil, nil, nil, time.Time{}), P: incumbent.AnyPlan, Seed: seed}
	for _, s := range []*portfolio.Strategy{Packing, Assignment} {
		if s.AppliesTo(alone) {
			s.Begin(alone, seed).Run(ctx, portfolio.Slice{Units: unitsByCores})
		}
	}
	switch {
	case alone.Err() != nil:
		w.Fail(alone.Err())
	case alone.Refuted() != nil:
		return lcg.Unsatisfiable, nil
	case alone.Best() != nil:
		return lcg.Satisfiable, alone.Best()
	}
	return lcg.Unknown, nil
}

// unitsByCores are as many as the first slices of the two have of a makespan.
const unitsByCores = 16
