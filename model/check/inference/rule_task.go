package inference

import (
	"fmt"
)

func (st *state) noPlace(a []int64) error { return st.homeless(int32(a[0]), int32(a[0])+1) }

func (st *state) stageLate(a []int64) error {
	return st.homeless(st.stages[a[0]].task, st.stages[a[0]].end)
}

func (st *state) jobLate(a []int64) error { return st.homeless(st.jobs[a[0]].task, st.jobs[a[0]].last) }

// homeless fails unless the job of tasks from first to before last is in, and one of these
// has no place left.
func (st *state) homeless(first, last int32) error {
	if k := st.tasks[first].job; !st.in(k) {
		return fmt.Errorf("job %d need not be in", st.jobs[k].job)
	}
	var err error
	for t := first; t < last && !st.stopped(); t++ {
		_, finish := st.open(t, st.among)
		if finish.empty() {
			return nil
		}
		err = fmt.Errorf("task %d can still finish from %d to %d", st.tasks[t].id, finish.first, finish.last)
	}
	return err
}
