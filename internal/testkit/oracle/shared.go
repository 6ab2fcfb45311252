package oracle

import (
	"slices"

	"downbeat/model"
)

// limit is an amount that tasks on all slaves have in common (C11): a pool, or a cap.
type limit struct {
	levels []model.Level
	units  []int64 // by TaskID
}

// limits lists those of a set, from what it says of pools and caps.
func limits(js *model.JobSet) (out []limit) {
	all := func(model.TaskID) int64 { return 1 }
	add := func(levels []model.Level, from, to model.TaskID, units func(model.TaskID) int64) {
		l := limit{levels, make([]int64, len(js.Tasks))}
		for t := from; t < to; t++ {
			l.units[t] = units(t)
		}
		out = append(out, l)
	}
	for i := range js.Pools {
		add(js.Pools[i].Levels, 0, model.TaskID(len(js.Tasks)), func(t model.TaskID) int64 {
			needs := js.Tasks[t].Needs()
			return needs.Pooled(i)
		})
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.AtMost > 0 {
			add([]model.Level{{Amount: job.AtMost}}, job.First, job.End, all)
		}
		for k := range job.Stages {
			if st := &job.Stages[k]; st.AtMost > 0 {
				add([]model.Level{{Amount: st.AtMost}}, st.First, st.End, all)
			}
		}
	}
	return out
}

// changes reports whether the amount is another from now on.
func (l *limit) changes(now model.Time) bool {
	return slices.ContainsFunc(l.levels, func(at model.Level) bool { return at.From == now })
}

// within reports whether no more is held of any limit than there is now (C11).
func (s *search) within(st *state, now model.Time) bool {
	for i := range s.limits {
		l := &s.limits[i]
		left := int64(0)
		for _, at := range l.levels {
			if at.From <= now {
				left = at.Amount
			}
		}
		for t := range s.js.Tasks {
			if st.tasks[t].phase.holds(model.HoldStay) {
				left -= l.units[t]
			}
		}
		if left < 0 {
			return false
		}
	}
	return true
}

// together are the tasks that one starts with, if it is of a gang, and those that it may not share
// a slave with, by the letter of C12.
func together(js *model.JobSet, task *model.Task) (gang, apart taskSet) {
	st := &js.Jobs[task.Job].Stages[task.Stage]
	for t := st.First; t < st.End; t++ {
		if st.Gang {
			gang |= 1 << t
		}
		if st.Apart && &js.Tasks[t] != task {
			apart |= 1 << t
		}
	}
	return gang, apart
}

// startGang starts the whole gang of task i now, if i is its first and all of it can.
func (s *search) startGang(st state, m moment, i int) (next state, can bool) {
	next = st
	for t := range s.js.Tasks {
		if !s.gang[i].has(model.TaskID(t)) {
			continue
		}
		slave := model.SlaveID(next.tasks[t].slave)
		if t < i || next.tasks[t].phase != fetched || !s.mayBegin(t, m.now, startOf, m.start != 0) {
			return st, false
		}
		finish := m.now + s.js.Tasks[t].WCET(slave)
		if !s.fits(&next, t, slave, model.HoldRun) || s.away(slave, s.js.Assigned(s.places[t]), finish) {
			return st, false
		}
		s.places[t].Start = m.now
		next.tasks[t] = taskState{phase: running, slave: uint8(slave), until: int32(finish)}
	}
	return next, true
}
