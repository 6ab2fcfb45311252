package inference

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// weighed checks that each of some tasks, of the jobs that an argument is about, has one weight.
func weighed(js *model.JobSet, jobs map[model.JobID]bool, weights []proof.Weight) error {
	last := model.TaskID(-1)
	for _, w := range weights {
		if w.Task <= last || int(w.Task) >= len(js.Tasks) || !jobs[js.Tasks[w.Task].Job] || w.Weight <= 0 || w.Weight > mostWeight {
			return fmt.Errorf("task %d weighs %d: it is not there, not of the jobs, not in order, or that is no weight", w.Task, w.Weight)
		}
		last = w.Task
	}
	return nil
}

// weightOf is what a task weighs, 0 if nothing is said of it.
func weightOf(weights []proof.Weight, t model.TaskID) int64 {
	k, found := slices.BinarySearchFunc(weights, t, func(w proof.Weight, t model.TaskID) int { return cmp.Compare(w.Task, t) })
	if !found {
		return 0
	}
	return weights[k].Weight
}

// weightsOf are those of an argument for the checker.
func weightsOf(weights []proof.Weight) []weight {
	out := make([]weight, len(weights))
	for k, w := range weights {
		out[k] = weight{w.Task, w.Weight}
	}
	return out
}
