package verify

import (
	"errors"

	"downbeat/model"
	"downbeat/model/proof"
)

// Needs tells how much each of sh.Jobs must occupy of sh.Resource on sh.Slaves
// inside sh.Interval if it finishes by its due time, in the order of sh.Jobs.
// The sum is what [Overload] compares with Need; a job that is let off its due
// time relieves the overload by its share. For CriticalPath the one job counts
// 1 more than Have: let off, it relieves.
func Needs(js *model.JobSet, due []model.Time, sh *proof.Overload) ([]int64, error) {
	if err := wellFormed(js, due, sh); err != nil {
		return nil, err
	}
	if sh.Resource == proof.CriticalPath {
		return []int64{sh.Have + 1}, criticalPath(js, due, sh)
	}
	inside := make([]bool, len(js.Slaves))
	for _, s := range sh.Slaves {
		inside[s] = true
	}
	needs := make([]int64, len(sh.Jobs))
	for k, id := range sh.Jobs {
		n, err := jobNeed(js, id, due[id], inside, sh)
		if err != nil {
			return nil, err
		}
		if !n.IsInt64() {
			return nil, errors.New("a need beyond 64 bits")
		}
		needs[k] = n.Int64()
	}
	return needs, nil
}
