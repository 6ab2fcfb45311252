package conflict

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/cover"
)

// hittingSet is a hitting set of the cores that can be hit, ascending, and a lower bound on the size of any, which
// is checked by code that did not find it: the two agree unless either search was given up.
func hittingSet(ctx context.Context, cores [][]model.JobID) (hit []model.JobID, least int) {
	var cuts []proof.Cut
	jobs := 0
	for _, core := range cores {
		if len(core) == 0 {
			continue // whatever is left out, there is no plan
		}
		cuts = append(cuts, proof.Cut{Jobs: core, Coefficients: slices.Repeat([]int64{1}, len(core)), RHS: 1})
		jobs = max(jobs, int(slices.Max(core))+1)
	}
	each := slices.Repeat([]int64{1}, jobs)
	_, hit, _ = cover.Solve(ctx, each, cuts)
	if hit == nil { // there was no time
		hit = slices.Concat(cores...)
		slices.Sort(hit)
		hit = slices.Compact(hit)
	}
	size := int64(len(hit))
	proved, _ := inference.Cover(each, cuts, cover.Multipliers(each, cuts, size), size)
	return hit, int(proved)
}

func isHit(core, hit []model.JobID) bool {
	return slices.ContainsFunc(core, func(i model.JobID) bool { return slices.Contains(hit, i) })
}
