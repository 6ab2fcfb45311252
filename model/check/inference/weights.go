package inference

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

const (
	// mostWeight bounds what a task weighs, mostLeft how many amounts of what a slave has may be left: an argument with more is refused.
	mostWeight, mostLeft = 1 << 20, 1 << 18
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

// amounts are what is left of what a slave has.
type amounts [model.NumResources]int64

// implied reports whether tasks of which there is enough of q have enough of r: none needs a greater share of it.
func implied(needs []amounts, all *amounts, r, q int) bool {
	for k := range needs {
		if max(all[r], all[q], needs[k][r], needs[k][q]) > math.MaxInt32 || needs[k][r]*all[q] > needs[k][q]*all[r] {
			return false
		}
	}
	return true
}

// heaviest is what the tasks weigh at most that slave s can run at once: a table of what is left of all that a task holds
// while it runs, of each the most that tasks weigh which leave so much.
func heaviest(js *model.JobSet, s model.SlaveID, weights []proof.Weight) (int64, error) {
	var all, sum amounts
	var needs []amounts
	var of []int64
	for _, w := range weights {
		task := &js.Tasks[w.Task]
		if task.WCET(s) == 0 {
			continue
		}
		var need amounts
		for _, supply := range js.Supplies(s) {
			if r := supply.Resource; supply.Hold != model.HoldFetch {
				all[r], need[r] = supply.Units, js.Need(task, s, r)
				sum[r] += need[r]
			}
		}
		needs, of = append(needs, need), append(of, w.Weight)
	}
	// Nothing is said of what there is enough of for all at once, or for all that there is enough of another for, so that few amounts differ.
	for r := range sum {
		idle := sum[r] <= all[r]
		for q := range sum {
			idle = idle || q != r && all[q] > 0 && implied(needs, &all, r, q)
		}
		if idle {
			all[r] = 0
			for k := range needs {
				needs[k][r] = 0
			}
		}
	}
	found := map[amounts]int64{all: 0}
	most := int64(0)
	for k := range needs {
		before := make(map[amounts]int64, len(found))
		for at, weight := range found {
			before[at] = weight
		}
		for at, weight := range before {
			fits := true
			for r := range at {
				at[r] -= needs[k][r]
				fits = fits && at[r] >= 0
			}
			if fits {
				found[at] = max(found[at], weight+of[k])
				most = max(most, weight+of[k])
			}
		}
		if len(found) > mostLeft {
			return 0, errors.New("too many amounts may be left to weigh tasks")
		}
	}
	return most, nil
}
