package heuristics

import (
	"slices"

	"downbeat/model"
)

// apart says where a task may go whose stage has no two tasks on one slave (C12).
type apart struct {
	b     *Board
	stage *StageFigures
	task  model.TaskID
	// used are the slaves of the tasks that are placed.
	used []model.SlaveID
}

// apartOf is nil for a task that may share its slave.
func (b *Board) apartOf(t model.TaskID) *apart {
	st := &b.fig.Stages[b.StageOf(t)]
	if !st.Apart {
		return nil
	}
	a := &apart{b: b, stage: st, task: t}
	for _, other := range st.Tasks {
		if p := b.Place[other]; p.Slave != model.NoSlave {
			a.used = append(a.used, p.Slave)
		}
	}
	return a
}

// allows reports whether the task can be on slave s: none of the others is, and all that are not
// placed yet still find a slave each.
func (a *apart) allows(s model.SlaveID) bool {
	if slices.Contains(a.used, s) {
		return false
	}
	if !a.stage.Mixed {
		return true
	}
	m := matching{js: a.b.js, taken: map[model.SlaveID]model.TaskID{s: a.task}}
	for _, used := range a.used {
		m.taken[used] = a.task // whichever: it stays
	}
	m.fixed = a.task
	for _, t := range a.stage.Tasks {
		if t != a.task && a.b.Place[t].Slave == model.NoSlave && !m.add(t, map[model.SlaveID]bool{}) {
			return false
		}
	}
	return true
}

// matching gives tasks slaves of their own, each by an augmenting path.
type matching struct {
	js    *model.JobSet
	taken map[model.SlaveID]model.TaskID
	// fixed stands for tasks that stay where they are.
	fixed model.TaskID
}

// add finds a slave for a task, for which others may have to move.
func (m *matching) add(t model.TaskID, tried map[model.SlaveID]bool) bool {
	for s := range model.SlaveID(len(m.js.Slaves)) {
		if tried[s] || !m.js.Tasks[t].Eligible(s) {
			continue
		}
		tried[s] = true
		if other, taken := m.taken[s]; !taken || other != m.fixed && m.add(other, tried) {
			m.taken[s] = t
			return true
		}
	}
	return false
}
