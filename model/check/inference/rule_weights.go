package inference

import (
	"errors"
	"fmt"
	"math"

	"downbeat/model"
)

const (
	// mostWeight bounds what a task weighs, mostLeft how many amounts of what a slave has may be left: more is refused.
	mostWeight, mostLeft = 1 << 20, 1 << 18
	// WeightWord is the word that the weight of a task begins with.
	WeightWord = "weigh"
)

// errNoTime tells that the context was done.
var errNoTime = errors.New("there was no time to weigh tasks")

// weight is what a task weighs.
type weight struct {
	task   model.TaskID
	weight int64
}

// readWeight reads weigh.T.V.
func (st *state) readWeight(m *multipliers) {
	t, v := st.readArg('T'), st.number(1, mostWeight)
	if st.err != nil {
		return
	}
	w := weight{st.tasks[t].id, v}
	if n := len(m.weights); n > 0 && m.weights[n-1].task >= w.task {
		st.fail("weights of tasks that do not ascend")
	}
	m.weights = append(m.weights, w)
}

// outweighed: in an interval tasks surely run for more, by their weights, than slaves can run at once.
func (st *state) outweighed(a []int64) error {
	m, from, to := st.multipliers[a[0]], model.Time(a[1]), model.Time(a[2])
	if m == nil || len(m.weights) == 0 || from >= to {
		return fmt.Errorf("there are no weights in line %d, or nothing is between %d and %d", a[0], from, to)
	}
	sum := int64(0)
	on := make([][]weight, len(st.js.Slaves))
	for _, w := range m.weights {
		t := st.local['T'][w.task]
		if !st.in(st.tasks[t].job) || st.dead {
			continue
		}
		sum = plus(sum, times(w.weight, int64(st.leastHeld(t, model.HoldRun, from, to))))
		for k := st.tasks[t].place; k < st.tasks[t].end; k++ {
			if p := &st.places[k]; st.on(k) != no {
				on[p.slave] = append(on[p.slave], w)
			}
		}
	}
	have := int64(0)
	for s := range on {
		most, err := heaviest(st.js, model.SlaveID(s), on[s], st.stoppedAfter)
		if err != nil {
			return err
		}
		have = plus(have, times(most, int64(to-from)))
	}
	if sum <= have {
		return fmt.Errorf("tasks that run from %d to %d weigh %d, of %d", from, to, sum, have)
	}
	return nil
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
// while it runs, of each the most that tasks weigh which leave so much. It asks stopped before what takes so many steps.
func heaviest(js *model.JobSet, s model.SlaveID, weights []weight, stopped func(steps int) bool) (int64, error) {
	var all, sum amounts
	var needs []amounts
	var of []int64
	for _, w := range weights {
		task := &js.Tasks[w.task]
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
		needs, of = append(needs, need), append(of, w.weight)
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
		if stopped(len(found)) {
			return 0, errNoTime
		}
		before := map[amounts]int64{}
		for at, sum := range found {
			before[at] = sum
		}
		for at, sum := range before {
			fits := true
			for r := range at {
				at[r] -= needs[k][r]
				fits = fits && at[r] >= 0
			}
			if fits {
				found[at] = max(found[at], sum+of[k])
				most = max(most, sum+of[k])
			}
		}
		if len(found) > mostLeft {
			return 0, errors.New("too many amounts may be left to weigh tasks")
		}
	}
	return most, nil
}
