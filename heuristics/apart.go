package heuristics

import "downbeat/model"

// apart says where a task may go whose stage has no two tasks on one slave (C12).
type apart struct {
	b     *Board
	stage *StageFigures
	task  model.TaskID
	// used marks the slaves of the tasks that are placed.
	used []bool
	// rest is where the tasks that are not placed yet could be, the task itself aside; nil until
	// it is asked for.
	rest *matching
}

// apartOf is nil for a task that may share its slave.
func (b *Board) apartOf(t model.TaskID) *apart {
	st := &b.fig.Stages[b.StageOf(t)]
	if !st.Apart {
		return nil
	}
	a := &apart{b: b, stage: st, task: t, used: make([]bool, len(b.js.Slaves))}
	for _, other := range st.Tasks {
		if p := b.Place[other]; p.Slave != model.NoSlave {
			a.used[p.Slave] = true
		}
	}
	return a
}

// allows reports whether the task can be on slave s: none of the others is, and all that are not
// placed yet still find a slave each.
func (a *apart) allows(s model.SlaveID) bool {
	if a.used[s] {
		return false
	}
	if !a.stage.Mixed {
		return true
	}
	if a.rest == nil {
		a.rest = a.match()
	}
	return a.rest.spares(s)
}

// match finds slaves for all tasks that are not placed yet but the task itself.
func (a *apart) match() *matching {
	js := a.b.js
	m := &matching{js: js, on: make([]model.TaskID, len(js.Slaves)), tried: make([]bool, len(js.Slaves)), whole: true}
	for s, used := range a.used {
		if m.on[s] = vacant; used {
			m.on[s] = stays
		}
	}
	for _, t := range a.stage.Tasks {
		if m.whole && t != a.task && a.b.Place[t].Slave == model.NoSlave {
			clear(m.tried)
			m.whole = m.add(t)
		}
	}
	return m
}

// matching gives tasks slaves of their own, each by an augmenting path.
type matching struct {
	js *model.JobSet
	// on is the task of each slave, vacant, or stays for one that does not move.
	on []model.TaskID
	// tried are the slaves that the path in hand has come by.
	tried []bool
	// whole: every task has a slave.
	whole bool
}

const (
	vacant model.TaskID = -1
	stays  model.TaskID = -2
)

// spares reports whether all tasks have slaves without s, and then leaves that one free.
func (m *matching) spares(s model.SlaveID) bool {
	if !m.whole || m.on[s] == vacant {
		return m.whole
	}
	clear(m.tried)
	m.tried[s] = true
	if m.on[s] == stays || !m.add(m.on[s]) {
		return false
	}
	m.on[s] = vacant
	return true
}

// add finds a slave for a task: one that is free, else one from which another task can move.
func (m *matching) add(t model.TaskID) bool {
	task := &m.js.Tasks[t]
	for s, other := range m.on {
		if other == vacant && !m.tried[s] && task.Eligible(model.SlaveID(s)) {
			m.on[s] = t
			return true
		}
	}
	for s, other := range m.on {
		if other < 0 || m.tried[s] || !task.Eligible(model.SlaveID(s)) {
			continue
		}
		m.tried[s] = true
		if m.add(other) {
			m.on[s] = t
			return true
		}
	}
	return false
}
