package inference

import (
	"fmt"

	"downbeat/model"
)

// pushedOutOfPool: at each point in turn others hold so much of a limit that a task does not fit, which is
// not over by then wherever it runs, so that it is handed out later; after the last point it has
// no place left.
func (st *state) pushedOutOfPool(a []int64) error {
	t, sh := int32(a[0]), st.limits[a[1]]
	of := &st.tasks[t]
	switch {
	case sh == nil:
		return fmt.Errorf("%d is no limit", a[1])
	case !st.in(of.job):
		return fmt.Errorf("job %d need not be in", st.jobs[of.job].job)
	}
	left := map[int32]reach{}
	for k := of.place; k < of.end; k++ {
		if r, ok := st.fit(&st.places[k], st.among(&st.places[k])); ok && st.on(k) != no {
			left[k] = r
		}
	}
	need := int64(0)
	if takes(sh, of.id) {
		need = st.units(sh, of.id)
	}
	for _, n := range a[2:] {
		at := model.Time(n)
		if need == 0 || plus(st.taken(sh, at, t), need) <= sh.At(at) {
			return fmt.Errorf("there is enough of limit %d at %d for task %d", a[1], at, of.id)
		}
		for k, r := range left {
			p := &st.places[k]
			if r.start.first+p.run <= at {
				return fmt.Errorf("task %d may be over by %d", of.id, at)
			}
			r.fetch.first = max(r.fetch.first, st.beatFrom(p.slave, at+1))
			if r, ok := st.fit(p, r); ok {
				left[k] = r
			} else {
				delete(left, k)
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("task %d still fits", of.id)
	}
	return nil
}
