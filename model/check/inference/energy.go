package inference

import (
	"context"
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// Energy recomputes a lower bound by overloads: each of them against the due times that Due
// gives, and how they add up to Value as the comment of [proof.EnergyBound] says. What it
// returns is proved, provided that all hard jobs are to be in time: Value, or less where
// it gives up on adding up overloads of many jobs, and 0 where ctx ends before all are
// recomputed and that takes long. Overloads that bound misses are given as cuts on late
// jobs, too, by figures of its own; hints gives multipliers for these (see [Cover]), of which
// nothing is believed. The error says what does not hold.
func Energy(ctx context.Context, js *model.JobSet, b *proof.EnergyBound, hints func([]proof.Cut) []int64) (value int64, cuts []proof.Cut, err error) {
	if b.Value < 0 || len(b.Grace) != len(b.Overloads) {
		return 0, nil, errors.New("the bound and its arguments do not hang together")
	}
	shape, due, overloads, steps := b.Objective.Shape(), b.Dues(js), NewOverloads(js), 0
	overloads.stopped = func(n int) bool {
		steps += n
		return steps > energyAllowance && ctx.Err() != nil
	}
	for k := range b.Overloads {
		if steps > energyAllowance && ctx.Err() != nil {
			return 0, nil, nil
		}
		if b.Grace[k] < 0 || shape.Counts() && b.Grace[k] != 0 {
			return 0, nil, fmt.Errorf("argument %d: a grace of %d", k+1, b.Grace[k])
		}
		if err := overloads.Check(due(k), &b.Overloads[k]); errors.Is(err, errNoTime) {
			return 0, nil, nil
		} else if err != nil {
			return 0, nil, fmt.Errorf("argument %d: %w", k+1, err)
		}
		if shape.Measure != model.Completion && len(proof.SoftOf(js, b.Overloads[k].Jobs)) == 0 {
			return 0, nil, fmt.Errorf("argument %d: names no soft job", k+1)
		}
		steps += stepsOf(js, &b.Overloads[k])
	}
	all := true
	switch {
	case !proof.ByEnergy(shape):
		return 0, nil, fmt.Errorf("no bound is known on %s", b.Objective)
	case shape.Counts():
		weight := make([]int64, len(js.Jobs))
		for i := range weight {
			weight[i] = shape.Weight(&js.Jobs[i])
		}
		for k := range b.Overloads {
			cut, err := overloads.Cut(due(k), &b.Overloads[k])
			if err != nil {
				return 0, nil, fmt.Errorf("argument %d: %w", k+1, err)
			}
			cuts = append(cuts, cut)
		}
		value, all = Cover(weight, cuts, hints(cuts), b.Value)
	case shape.Sums():
		if value, err = weightedSum(js, b); err != nil {
			return 0, nil, err
		}
	case shape.Measure == model.Completion:
		if len(b.Overloads) > 0 {
			value = b.Value // Due has Value in it
		}
	default:
		for _, grace := range b.Grace {
			value = max(value, int64(grace)+1)
		}
	}
	if value < b.Value && all {
		return 0, nil, fmt.Errorf("the arguments prove %s of at least %d, not %d", b.Objective, value, b.Value)
	}
	return min(value, b.Value), cuts, nil
}

// energyAllowance is the number of steps, of some tenths of a microsecond, that are made
// even after ctx has ended: what was found when the time was up counts.
const energyAllowance = 200_000

// stepsOf is the number of pairs of task and slave that an overload is about.
func stepsOf(js *model.JobSet, o *proof.Overload) int {
	tasks := 0
	for _, i := range o.Jobs {
		tasks += int(js.Jobs[i].End - js.Jobs[i].First)
	}
	return tasks * len(js.Slaves)
}

// weightedSum is the weighted tardiness that floors and, on top of them, disjoint
// wider overloads prove.
func weightedSum(js *model.JobSet, b *proof.EnergyBound) (int64, error) {
	total := int64(0)
	for i, floor := range b.Floors(js) {
		total += js.Jobs[i].Weight * int64(floor)
	}
	used := map[model.JobID]bool{}
	for k := range b.Overloads {
		soft := proof.SoftOf(js, b.Overloads[k].Jobs)
		if len(soft) == 1 {
			continue
		}
		least := js.Jobs[soft[0]].Weight
		for _, i := range soft {
			if used[i] {
				return 0, fmt.Errorf("argument %d: job %q has paid already", k+1, js.Jobs[i].Name)
			}
			used[i] = true
			least = min(least, js.Jobs[i].Weight)
		}
		total += least * int64(b.Grace[k]+1)
	}
	return total, nil
}
