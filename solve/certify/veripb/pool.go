package veripb

import (
	"fmt"

	"downbeat/model"
)

// heldAt is a task at a time.
type heldAt struct {
	task int32
	at   model.Time
}

// pushed argues that a task is handed out after each of some points, at which others surely hold so much of a pool or cap that it does not
// fit: which of them do so, wherever they are, is derived one by one, and all else by unit propagation.
func (t *pricing) pushed(l *line, id model.TaskID, points []int64) func() bool {
	said := l != nil
	for _, at := range points {
		said = said && t.addUpTasks(l, model.Time(at))
	}
	return func() bool {
		for _, at := range points {
			if !said {
				return false
			}
			for _, u := range l.users {
				k := t.f.places[u.place].task
				if task := &t.f.tasks[k]; task.id != id && task.first == u.place && t.surelyHeld(k, model.Time(at)) {
					t.or(t.holds(l, k, l.points[l.point(model.Time(at))]).literal)
				}
			}
		}
		t.or()
		return said
	}
}

// surelyHeld reports whether a task is known to hold what it takes for its stay at a time, wherever it can be.
func (t *pricing) surelyHeld(k int32, at model.Time) bool {
	task := &t.f.tasks[k]
	if j := t.f.jobs[task.job].Job; !t.knows(atom{'e', int64(j)}) || !t.view.In(j) {
		return false
	}
	for _, p := range t.f.places[task.first:task.end] {
		start, fetch, ok := t.view.Reach(task.id, p.slave)
		if !ok {
			continue
		}
		if _, beat := t.f.Set.BeatAtOrBefore(p.slave, fetch.Last); beat > at || start.First+p.run <= at {
			return false
		}
	}
	return true
}

// addUpTasks says a constraint of a line that is held for stays by variables each of which says that a task holds something; false if it says nothing.
func (x *exporter) addUpTasks(l *line, at model.Time) bool {
	n := l.point(at)
	if n < 0 || l.ids[n] == 0 {
		return false
	}
	if x.shared[pointOf{l, n}] {
		return true
	}
	x.shared[pointOf{l, n}] = true
	all := sum{x: x}
	all.add(l.ids[n], 1)
	for _, u := range l.users {
		_, whole := x.using(l.hold(), u.place, l.points[n])
		all.add(whole, u.units)
		if k := x.f.places[u.place].task; x.f.tasks[k].first == u.place {
			all.add(x.holds(l, k, l.points[n]).most, u.units)
		}
	}
	all.derive()
	return true
}

// holds is the literal that a task holds what it takes for its stay at a time, wherever it is, and the number of the constraint that it is no more
// than what it does at all places; 0 if it has one place only.
func (x *exporter) holds(l *line, k int32, at model.Time) used {
	task, key := &x.f.tasks[k], heldAt{k, at}
	if task.end == task.first+1 {
		literal, _ := x.using(l.hold(), task.first, at)
		return used{literal: literal}
	}
	if is, found := x.held[key]; found {
		return is
	}
	var one []Literal
	for p := task.first; p < task.end; p++ {
		literal, _ := x.using(l.hold(), p, at)
		one = append(one, literal)
	}
	h := x.f.add(fmt.Sprintf("h%d", task.id), 1, at, 1)
	is := used{h, x.define(clause(append(one, -h)...), -h)}
	for _, o := range one {
		if o != False {
			x.define(clause(h, -o), h)
		}
	}
	x.held[key] = is
	return is
}
