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

// match finds slaves for all tasks that are not placed yet but the task itself: such as are not gone for good by then, if
// there are enough of them for all.
func (a *apart) match() *matching {
	m := a.vacancies(a.b.Ready(a.b.StageOf(a.task)))
	if a.addTo(m, true); !m.whole {
		m = a.vacancies(whenever)
	}
	m = a.vacancies(m.from)
	a.addTo(m, false)
	return m
}

// vacancies is a matching of no task yet, of those that can begin from a time on.
func (a *apart) vacancies(from model.Time) *matching {
	js := a.b.js
	m := &matching{js: js, from: from, on: make([]model.TaskID, len(js.Slaves)), tried: make([]bool, len(js.Slaves)), whole: true}
	for s, used := range a.used {
		if m.on[s] = vacant; used {
			m.on[s] = stays
		}
	}
	return m
}

// addTo adds the tasks that are not placed yet, with or without the task itself.
func (a *apart) addTo(m *matching, itself bool) {
	for _, t := range a.stage.Tasks {
		if m.whole && (itself || t != a.task) && a.b.Place[t].Slave == model.NoSlave {
			clear(m.tried)
			m.whole = m.add(t)
		}
	}
}

// matching gives tasks slaves of their own, each by an augmenting path.
type matching struct {
	js *model.JobSet
	// from is when the tasks can begin: what has no time until its slave is gone for good is not on that one; whenever if it may be.
	from model.Time
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

// whenever has slaves that are gone for good taken for others.
const whenever model.Time = -1

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
		if other == vacant && !m.tried[s] && m.fits(task, model.SlaveID(s)) {
			m.on[s] = t
			return true
		}
	}
	for s, other := range m.on {
		if other < 0 || m.tried[s] || !m.fits(task, model.SlaveID(s)) {
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

// fits reports whether a task can run on a slave before that is gone for good, which is away until the horizon then.
func (m *matching) fits(task *model.Task, s model.SlaveID) bool {
	if !task.Eligible(s) {
		return false
	}
	down := m.js.Slaves[s].Down
	if n := len(down); m.from != whenever && n > 0 && down[n-1].End >= m.js.Horizon() {
		return m.from+task.Transfer(s)+task.WCET(s) <= down[n-1].Start
	}
	return true
}
