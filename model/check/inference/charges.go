package inference

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// charges checks those of an overload (see [proof.Charge]), and gives their sum. If some jobs are in time, each job that they come after, and each
// of themselves, needs as much as it does for the one of them for which that is most, the others left aside: charges to any of them are no more than that.
func (o *Overloads) charges(due []model.Time, sh *proof.Overload) (*big.Int, error) {
	if sh.Idle != 0 || sh.Resource == proof.WeightTicks || sh.Resource == proof.CriticalPath {
		return nil, fmt.Errorf("charges of %s, of which %d are idle", sh.Resource, sh.Idle)
	}
	type charge struct{ need, ticks *big.Int }
	of, to, sum := make([][]charge, len(o.js.Jobs)), map[model.JobID]map[model.JobID]*big.Int{}, new(big.Int)
	for k, c := range sh.Charges {
		if k > 0 && cmp.Or(cmp.Compare(sh.Charges[k-1].Job, c.Job), cmp.Compare(sh.Charges[k-1].To, c.To)) >= 0 {
			return nil, fmt.Errorf("charges %d and %d are not in order", k, k+1)
		}
		if c.Ticks <= 0 || due[c.To] >= model.Never {
			return nil, fmt.Errorf("charge %d is of nothing, or to a job that is not due", k+1)
		}
		if to[c.To] == nil {
			needs, err := o.closure(due, sh, c.To)
			if err != nil {
				return nil, err
			}
			to[c.To] = needs
		}
		need := to[c.To][c.Job]
		if need == nil {
			return nil, fmt.Errorf("job %s is charged to %s, which does not come after it", o.js.Jobs[c.Job].Name, o.js.Jobs[c.To].Name)
		}
		of[c.Job] = append(of[c.Job], charge{need, big.NewInt(c.Ticks)})
		sum.Add(sum, big.NewInt(c.Ticks))
	}
	for i := range of {
		slices.SortFunc(of[i], func(a, b charge) int { return a.need.Cmp(b.need) })
		below := new(big.Int)
		for _, c := range of[i] {
			if below.Add(below, c.ticks).Cmp(c.need) > 0 {
				return nil, fmt.Errorf("job %s is charged for %v, and needs %v", o.js.Jobs[i].Name, below, c.need)
			}
		}
	}
	if !sum.IsInt64() { // Needs adds them up in 64 bits
		return nil, fmt.Errorf("charges of %v in all, beyond 64 bits", sum)
	}
	return sum, nil
}

// closure is what a job that is to be in time needs of what is overloaded, and each job that it comes after, directly or not, if nothing
// else is due.
func (o *Overloads) closure(due []model.Time, sh *proof.Overload, id model.JobID) (map[model.JobID]*big.Int, error) {
	only, alone := slices.Repeat([]model.Time{model.Never}, len(due)), *sh
	only[id], alone.Jobs = due[id], []model.JobID{id}
	for k := 0; k < len(alone.Jobs); k++ {
		for _, before := range o.js.Jobs[alone.Jobs[k]].After {
			if !slices.Contains(alone.Jobs, before) {
				alone.Jobs = append(alone.Jobs, before)
			}
		}
	}
	found, err := o.jobNeeds(only, &alone, true)
	needs := map[model.JobID]*big.Int{}
	for k := range found {
		needs[alone.Jobs[k]] = found[k]
	}
	return needs, err
}
