package inference

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// outOfTurn fails unless a task has to begin after others, none of which fits in beside it, when it cannot any more, or
// to end before others when it cannot yet.
func (st *state) outOfTurn(a []int64) error {
	s, r, t := model.SlaveID(a[0]), model.ResourceID(a[1]), int32(a[2])
	units, err := st.supply(s, r, -1)
	if err != nil {
		return err
	}
	var all []held
	for p, left := range st.sure(s, -1) {
		if begin, length, _ := p.use(r.Hold(), &left); length > 0 {
			all = append(all, held{p.task, *begin, length, st.need(p, r)})
		}
	}
	this := slices.IndexFunc(all, func(h held) bool { return h.task == t })
	if this < 0 {
		return fmt.Errorf("task %d need not hold resource %d on slave %d", st.tasks[t].id, r, s)
	}
	need := all[this].need
	all = slices.DeleteFunc(all, func(h held) bool { return h.task != t && h.need+need <= units })
	ordered := func(u int32) bool { return st.comesFirst(u, t, r) }
	for range 2 {
		if late(all, t, units, ordered) {
			return nil
		}
		for k, h := range all { // time runs backwards
			all[k].begin = span{-h.begin.last - h.length, -h.begin.first - h.length}
		}
		ordered = func(u int32) bool { return st.comesFirst(t, u, r) }
	}
	return fmt.Errorf("task %d need not come too late or too early among those that do not fit in beside it on slave %d by resource %d", st.tasks[t].id, s, r)
}

// held is when a task can begin to hold a resource, for how long it does at the least, and how much of it.
type held struct {
	task   int32
	begin  span
	length model.Time
	need   int64
}

// comesFirst reports whether a literal says which of two tasks that take turns comes first: the one that starts first, or the one
// before which the other does not start. Of fetches it says nothing.
func (st *state) comesFirst(t, u int32, r model.ResourceID) bool {
	before, after := st.before[[2]int32{st.tasks[t].start, st.tasks[u].start}], st.before[[2]int32{st.tasks[u].start, st.tasks[t].start}]
	return r.Hold() != model.HoldFetch && (st.is[before].first == 1 || after > 0 && st.is[after].last == 0)
}

// late tells that a task begins, after all of the others that come before it, later than it can: those that it cannot come
// before, and those that are ordered so. Any two that need more than half of the units take turns, too.
func late(all []held, t int32, units int64, ordered func(int32) bool) bool {
	slices.SortFunc(all, func(a, b held) int { return int(a.begin.first - b.begin.first) })
	this := all[slices.IndexFunc(all, func(h held) bool { return h.task == t })]
	chain, end := model.Time(-latest), model.Time(-latest)
	for _, h := range all {
		switch {
		case h.task == t || this.begin.first+this.length <= h.begin.last && !ordered(h.task):
		case 2*h.need > units:
			chain = max(chain, h.begin.first) + h.length
			end = max(end, chain)
		default:
			end = max(end, h.begin.first+h.length)
		}
	}
	return end > this.begin.last
}
