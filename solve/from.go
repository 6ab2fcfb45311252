package solve

import (
	"context"
	"fmt"

	"downbeat/heuristics"
	"downbeat/model"
)

// Kept tells what became of the plan that a search started from. Kept, moved
// and new tasks are all there are.
type Kept struct {
	// Kept tasks stayed as they were when the plan was repaired.
	Kept int
	// Moved tasks were in the plan, but not as the job set allows, or in the way
	// of others.
	Moved int
	// New tasks were not in the plan.
	New int
	// Unchanged tasks are as they were in the answer too.
	Unchanged int
	// HardLate is the number of hard jobs that are late in the repaired plan.
	// Only if it is 0, or with Relax, is that plan an answer.
	HardLate int
	// Objectives are the values of the repaired plan, without bounds.
	Objectives []model.ObjectiveValue
}

// repair makes a complete schedule of the one to start from, and says how much
// of it was kept; both are nil where ctx ends before a large set is repaired.
func repair(ctx context.Context, js *model.JobSet, from model.Schedule, goal []model.Objective) (model.Schedule, *Kept, error) {
	if len(from) != len(js.Tasks) {
		return nil, nil, fmt.Errorf("a plan to start from places %d tasks, the job set has %d", len(from), len(js.Tasks))
	}
	if len(js.Tasks) < leastHurried {
		ctx = context.WithoutCancel(ctx)
	}
	plan := heuristics.NewFigures(js).Repair(ctx, from)
	if plan == nil {
		return nil, nil, nil
	}
	finishes := js.Finishes(plan)
	k := &Kept{HardLate: int(js.Value(model.HardMisses, finishes))}
	for _, o := range goal {
		k.Objectives = append(k.Objectives, model.ObjectiveValue{Name: o.String(), Value: js.Value(o, finishes)})
	}
	for t := range from {
		switch {
		case from[t].Slave == model.NoSlave:
			k.New++
		case from[t] == plan[t]:
			k.Kept++
		default:
			k.Moved++
		}
	}
	return plan, k, nil
}

// compare counts what the answer leaves as it was.
func (k *Kept) compare(from, answer model.Schedule) {
	for t := range answer {
		if from[t] == answer[t] {
			k.Unchanged++
		}
	}
}
