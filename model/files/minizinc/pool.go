package minizinc

import (
	"fmt"

	"downbeat/model"
)

// Pool is what a slave has of a resource that tasks hold while they run or for their
// whole stay; fetch lines are apart.
type Pool struct {
	Slave model.SlaveID
	model.Supply
	// Needs are what a task needs of it, by kind of task.
	Needs []int64
}

// Pools lists the pools that have units, of all slaves, and by task its kind, from 0
// on: tasks of a kind need the same of each pool. Tasks are barred from slaves where
// they would need what there is none of.
func Pools(js *model.JobSet) (pools []Pool, kinds []int) {
	for s := range model.SlaveID(len(js.Slaves)) {
		for _, supply := range js.Supplies(s) {
			if supply.Hold != model.HoldFetch && supply.Units > 0 {
				pools = append(pools, Pool{Slave: s, Supply: supply})
			}
		}
	}
	number := map[string]int{}
	needs := make([]int64, len(pools))
	for t := range js.Tasks {
		for i := range pools {
			needs[i] = js.Need(&js.Tasks[t], pools[i].Slave, pools[i].Resource)
		}
		key := fmt.Sprint(needs)
		k, seen := number[key]
		if !seen {
			k = len(number)
			number[key] = k
			for i := range pools {
				pools[i].Needs = append(pools[i].Needs, needs[i])
			}
		}
		kinds = append(kinds, k)
	}
	return pools, kinds
}
