package inference

import (
	"fmt"

	"downbeat/model"
)

// notFirst: t is on s2, and no task of a lower number is on s, which comes before s2 and is
// its equal. Equal slaves can be renamed in the order of their first tasks, which changes
// no time.
func (st *state) notFirst(a []int64) error {
	t, s, s2 := int32(a[0]), model.SlaveID(a[1]), model.SlaveID(a[2])
	at := st.placeOn(t, s2)
	switch {
	case s >= s2 || !st.equalSlaves(s, s2):
		return fmt.Errorf("slaves %d and %d are not to be ordered", s, s2)
	case at < 0 || st.on(at) != yes:
		return fmt.Errorf("task %d need not be on slave %d", st.tasks[t].id, s2)
	}
	return st.nobody(s, model.Time(st.tasks[t].id)-1)
}

// unused: the first task on s is one of those up to t, and none of them is on it.
func (st *state) unused(a []int64) error {
	t, s := st.tasks[a[0]].id, model.SlaveID(a[1])
	last := st.is[st.integers['u'][s]].last
	if last > model.Time(t) {
		return fmt.Errorf("slave %d need not have a task up to %d", s, t)
	}
	return st.nobody(s, last)
}

// nobody fails if one of the tasks up to last, and no lower than the first one on slave s,
// can be there.
func (st *state) nobody(s model.SlaveID, last model.Time) error {
	for _, at := range st.onSlave[s] {
		id := st.tasks[st.places[at].task].id
		if u := st.is[st.integers['u'][s]]; model.Time(id) >= u.first && model.Time(id) <= last && st.on(at) != no {
			return fmt.Errorf("task %d may be on slave %d", id, s)
		}
	}
	return nil
}

// equalSlaves reports whether no task of the question that has a place can tell two
// slaves apart.
func (st *state) equalSlaves(s, s2 model.SlaveID) bool {
	if !st.offerAlike(s, s2) {
		return false
	}
	for t := range st.tasks {
		of := &st.tasks[t]
		run, fetch := st.lengths(of.id, s)
		if run2, fetch2 := st.lengths(of.id, s2); st.stopped() || of.place < of.end && (run != run2 || fetch != fetch2) {
			return false
		}
	}
	return true
}
