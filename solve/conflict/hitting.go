package conflict

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/cover"
)

// hittingSet is a hitting set, ascending, of the sets that can be hit, and a lower bound on the
// size of any, which is checked by code that did not find it: the two agree unless either
// search was given up.
func hittingSet(ctx context.Context, sets [][]model.JobID) (hit []model.JobID, least int) {
	var cuts []proof.Cut
	jobs := 0
	for _, set := range sets {
		if len(set) == 0 {
			continue // whatever is left out, there is no plan
		}
		cuts = append(cuts, proof.Cut{Jobs: set, Coefficients: slices.Repeat([]int64{1}, len(set)), RHS: 1})
		jobs = max(jobs, int(slices.Max(set))+1)
	}
	each := slices.Repeat([]int64{1}, jobs)
	_, hit, _ = cover.Solve(ctx, each, cuts)
	if hit == nil { // there was no time
		hit = slices.Concat(sets...)
		slices.Sort(hit)
		hit = slices.Compact(hit)
	}
	size := int64(len(hit))
	proved, _ := inference.Cover(each, cuts, cover.Multipliers(each, cuts, size), size)
	return hit, int(proved)
}

func isHit(set, hit []model.JobID) bool {
	return slices.ContainsFunc(set, func(i model.JobID) bool { return slices.Contains(hit, i) })
}
