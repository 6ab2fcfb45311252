package inference

import (
	"fmt"

	"downbeat/model"
)

// crowded: two tasks of a stage whose tasks are apart are on one slave (C12).
func (st *state) crowded(a []int64) error {
	of := &st.stages[a[0]]
	if !of.IsApart() {
		return fmt.Errorf("tasks %d to %d need not be apart", of.First, of.End-1)
	}
	taken := map[model.SlaveID]bool{}
	for k := st.tasks[of.task].place; k < st.tasks[of.end-1].end; k++ {
		if s := st.places[k].slave; st.on(k) == yes {
			if taken[s] {
				return nil
			}
			taken[s] = true
		}
	}
	return fmt.Errorf("of tasks %d to %d no two are known to be on one slave", of.First, of.End-1)
}
