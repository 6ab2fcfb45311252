package lagrange

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// leeways are the windows of a market, to be narrowed by splits and put back.
type leeways struct {
	m *market
	// at is where each task is in the market; job -1 if it plays no part.
	at []spot
	// changed lists options as they were before each change.
	changed []change
}

type spot struct{ job, stage, class int32 }

type change struct {
	option *option
	was    option
}

// newLeeways takes the windows as they are.
func newLeeways(m *market) *leeways {
	l := &leeways{m: m, at: make([]spot, len(m.js.Tasks))}
	for t := range l.at {
		l.at[t].job = -1
	}
	for j := range m.jobs {
		b := &m.jobs[j]
		for k := range b.stages {
			t := m.js.Jobs[b.id].Stages[k].First
			for c := range b.stages[k].classes {
				for range b.stages[k].classes[c].count {
					l.at[t] = spot{int32(j), int32(k), int32(c)}
					t++
				}
			}
		}
	}
	return l
}

func (l *leeways) stage(t model.TaskID) *stage {
	at := l.at[t]
	return &l.m.jobs[at.job].stages[at.stage]
}

func (l *leeways) class(t model.TaskID) *class { return &l.stage(t).classes[l.at[t].class] }

// narrow leaves the placements for which a split holds, or does not, and reports
// whether each task of the classes concerned still has one.
func (l *leeways) narrow(s *proof.Split, holds bool) bool {
	switch {
	case s.Kind == proof.StageEndsBy && holds:
		return l.each(l.stage(s.Task).classes, func(o *option) { o.lastRun = min(o.lastRun, s.At-o.wcet) })
	case s.Kind == proof.StageEndsBy:
		at := l.at[s.Task]
		next := &l.m.jobs[at.job].stages[at.stage+1]
		return l.each(next.classes, func(o *option) { o.firstAssign = max(o.firstAssign, s.At+1) })
	}
	at := l.at[s.Task].class
	alone := l.stage(s.Task).classes[at : at+1]
	return l.each(alone, func(o *option) {
		switch {
		case s.Kind == proof.TaskEndsBy && holds:
			o.lastRun = min(o.lastRun, s.At-o.wcet)
		case s.Kind == proof.TaskEndsBy:
			o.firstRun = max(o.firstRun, s.At+1-o.wcet)
		case s.Kind == proof.FetchedBy && holds:
			o.lastFetch = min(o.lastFetch, s.At)
		case s.Kind == proof.FetchedBy:
			o.firstFetch = max(o.firstFetch, s.At+1)
		case (model.SlaveID(o.slave) == s.Slave) != holds: // proof.OnSlave
			o.lastRun = -1
		}
	})
}

func (l *leeways) each(classes []class, change func(*option)) bool {
	possible := true
	for c := range classes {
		some := false
		for k := range classes[c].options {
			o := &classes[c].options[k]
			was := *o
			change(o)
			if *o != was {
				l.note(o, was)
			}
			some = some || l.m.possible(o)
		}
		possible = possible && some
	}
	return possible
}

func (l *leeways) note(o *option, was option) { l.changed = append(l.changed, change{o, was}) }

// mark is a state to go back to.
func (l *leeways) mark() int { return len(l.changed) }

// back undoes all changes since a mark.
func (l *leeways) back(mark int) {
	for k := len(l.changed) - 1; k >= mark; k-- {
		*l.changed[k].option = l.changed[k].was
	}
	l.changed = l.changed[:mark]
}

// possible reports whether an option has any placement.
func (m *market) possible(o *option) bool {
	st := &m.slaves[o.slave]
	for _, there := range st.there {
		ready := max(o.firstAssign, there.Start)
		last := min(o.lastRun, there.End-o.wcet)
		if last < o.firstRun {
			continue
		}
		for fetch := max(ready, o.firstFetch); fetch <= min(o.lastFetch, last-o.transfer); fetch++ {
			if model.Time(st.beat[fetch]) >= ready {
				return true
			}
		}
	}
	return false
}

// endsOf gives the earliest and latest time at which a stage can end, as far as its
// tasks' own windows say.
func (m *market) endsOf(st *stage) (first, last model.Time) {
	for c := range st.classes {
		f, l := m.finishes(&st.classes[c])
		first, last = max(first, f), max(last, l)
	}
	return first, last
}

// finishes are the earliest and latest time at which a task of a class can finish.
func (m *market) finishes(c *class) (first, last model.Time) {
	first = model.Never
	for k := range c.options {
		if o := &c.options[k]; m.possible(o) {
			first = min(first, max(o.firstRun, max(o.firstAssign, o.firstFetch)+o.transfer)+o.wcet)
			last = max(last, o.lastRun+o.wcet)
		}
	}
	return first, last
}

// fetches are the earliest and latest time at which the fetch of a task of a
// class can start.
func (m *market) fetches(c *class) (first, last model.Time) {
	first = model.Never
	for k := range c.options {
		if o := &c.options[k]; m.possible(o) {
			first = min(first, max(o.firstAssign, o.firstFetch))
			last = max(last, min(o.lastFetch, o.lastRun-o.transfer))
		}
	}
	return first, last
}

// gate gives the earliest and latest time at which stage k of a job can end, as
// far as that makes a difference: the next one has its first heartbeat no earlier.
func (m *market) gate(b *buyer, k int) (first, last model.Time) {
	first, last = m.endsOf(&b.stages[k])
	from := model.Never
	for c := range b.stages[k+1].classes {
		cl := &b.stages[k+1].classes[c]
		for o := range cl.options {
			if m.possible(&cl.options[o]) {
				from = min(from, cl.options[o].firstAssign)
			}
		}
	}
	return max(first, from), last
}

// rooms are the windows by task, as far as rooms can say.
func (l *leeways) rooms() []query.Restriction {
	rooms := make([]query.Restriction, len(l.at))
	for t := range rooms {
		room := &rooms[t]
		if room.To = model.Never; l.at[t].job < 0 {
			continue
		}
		c := l.class(model.TaskID(t))
		room.From = model.Never
		for k := range c.options {
			if o := &c.options[k]; l.m.possible(o) {
				room.Slaves = append(room.Slaves, model.SlaveID(o.slave))
				room.From = min(room.From, o.firstAssign)
			}
		}
		slices.Sort(room.Slaves)
		_, room.To = l.m.finishes(c)
	}
	return rooms
}
