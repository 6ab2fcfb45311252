package encode

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// propagate narrows windows until nothing changes or no steps are left; false
// means that a task has none left.
func (r *relaxation) propagate() bool {
	for r.steps > 0 {
		if !r.forward() || !r.backward() {
			return false
		}
		id := slices.Index(r.stale, true)
		if id < 0 {
			break
		}
		for ; id < len(r.stale); id++ {
			if r.stale[id] && !r.disjoin(id) {
				return false
			}
		}
	}
	return true
}

// forward lets no task be handed out before the stages before have ended.
func (r *relaxation) forward() bool {
	r.steps -= 2 * len(r.activities)
	for k := range r.stages {
		st := &r.stages[k]
		ready := model.Time(0)
		for _, before := range st.before {
			ready = max(ready, r.stages[before].end)
		}
		st.end = 0
		for i := st.from; i < st.to; i++ {
			a := &r.activities[i]
			if ready+a.transfer > a.first {
				_, at := r.js.BeatAtOrAfter(a.slave, ready)
				r.setFirst(a, at+a.transfer)
			}
			if a.first > a.last {
				return false
			}
			st.end = max(st.end, a.firstEnd())
		}
	}
	return true
}

// backward lets every task end before the last assignment of the stages after.
func (r *relaxation) backward() bool {
	for k := range r.stages {
		r.stages[k].limit = model.Never
	}
	for k := len(r.stages) - 1; k >= 0; k-- {
		st := &r.stages[k]
		assign := model.Never
		for i := st.from; i < st.to; i++ {
			a := &r.activities[i]
			r.setLast(a, st.limit-a.wcet)
			if a.first > a.last {
				return false
			}
			_, at := r.js.BeatAtOrBefore(a.slave, a.last-a.transfer)
			assign = min(assign, at)
		}
		for _, before := range st.before {
			r.stages[before].limit = min(r.stages[before].limit, assign)
		}
	}
	return true
}

// disjoin narrows the windows on one slave from both sides.
func (r *relaxation) disjoin(id int) bool {
	users := r.users[id]
	ok := r.push(users)
	r.mirror(users)
	ok = ok && r.push(users)
	r.mirror(users)
	r.stale[id] = false
	return ok
}

// mirror turns the time of some activities around, so that rules for first starts
// speak of last ends.
func (r *relaxation) mirror(users []int32) {
	for _, i := range users {
		a := &r.activities[i]
		a.first, a.last = -a.lastEnd(), -a.firstEnd()
	}
}

// push raises first starts by edge finding and detectable precedences; false if
// some tasks do not fit between their first start and their last end.
func (r *relaxation) push(users []int32) bool {
	r.byStart = append(r.byStart[:0], users...)
	slices.SortFunc(r.byStart, func(i, k int32) int { return cmp.Compare(r.activities[i].first, r.activities[k].first) })
	r.starts = r.starts[:0]
	for _, i := range r.byStart {
		a := &r.activities[i]
		r.starts = append(r.starts, r.endOf(func(m *activity) bool { return m != a && a.firstEnd() > m.last }))
	}
	for _, b := range r.byStart {
		last := r.activities[b].lastEnd()
		end := r.endOf(func(m *activity) bool { return m.lastEnd() <= last })
		if end > last {
			return false
		}
		for k, i := range r.byStart {
			a := &r.activities[i]
			if a.lastEnd() <= last || r.starts[k] >= end || a.first >= end {
				continue
			}
			if r.endOf(func(m *activity) bool { return m == a || m.lastEnd() <= last }) > last {
				r.starts[k] = end
			}
		}
	}
	for k, i := range r.byStart {
		if a := &r.activities[i]; r.starts[k] > a.first {
			a.first = r.starts[k]
			if a.first > a.last {
				return false
			}
		}
	}
	return true
}

// endOf is the earliest end of some tasks of byStart, one after the other.
func (r *relaxation) endOf(in func(a *activity) bool) model.Time {
	r.steps -= len(r.byStart)
	end := -model.Never
	for _, i := range r.byStart {
		if a := &r.activities[i]; in(a) {
			end = max(end, a.first) + a.wcet
		}
	}
	return end
}
