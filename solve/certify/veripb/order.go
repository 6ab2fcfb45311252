package veripb

import (
	"fmt"

	"downbeat/model"
)

// order is the literal that a task starts before another one: by more of the times there are it has started. Where one of
// them is not in it is either.
func (x *exporter) order(first, second model.TaskID) Literal {
	of := [2]model.TaskID{x.lead(first), x.lead(second)}
	if l, known := x.orders[of]; known {
		return l
	}
	f := x.f
	l := f.add(fmt.Sprintf("b%d_%d", of[0], of[1]), 1, 0, 0)
	x.orders[of] = l
	lo, last := model.Never, model.Time(0)
	for _, id := range of {
		t := &f.tasks[f.taskOf[id]]
		for _, p := range f.places[t.first:t.end] {
			lo, last = min(lo, p.start.lo), max(last, p.start.last())
		}
	}
	more, less := Constraint{Least: 1}, Constraint{}
	counts := [2]int64{}
	for k, id := range of {
		sign := int64(1 - 2*k)
		t := &f.tasks[f.taskOf[id]]
		for _, p := range f.places[t.first:t.end] {
			for at := max(lo, p.start.lo); at < last; at++ {
				more.add(sign, p.start.at(at))
				less.add(-sign, p.start.at(at))
				counts[k]++
			}
		}
	}
	more.add(counts[1]+1, -l)
	less.add(counts[0], l)
	x.define(more, -l)
	x.define(less, l)
	return l
}

// lead is the first task of a gang, whose start all have, or the task itself.
func (x *exporter) lead(t model.TaskID) model.TaskID {
	if st := &x.f.stages[x.f.tasks[x.f.taskOf[t]].stage]; st.IsGang() {
		return st.First
	}
	return t
}

// ordered gives the literal that is known to hold of two tasks by which the first comes first, and by how much it starts sooner
// at the least; False if there is none.
func (t *pricing) ordered(first, second model.TaskID) (l Literal, sooner model.Time) {
	if holds, known := t.view.StartsFirst(first, second); known && holds {
		return t.order(first, second), 1
	}
	if holds, known := t.view.StartsFirst(second, first); known && !holds {
		return -t.order(second, first), 0
	}
	return False, 0
}

// startsBy is that, ordered by a literal, the task of a place has started by about a time if that of the other place has.
type startsBy struct {
	order, place, other Literal
	at                  model.Time
}

// turns adds up what tasks hold at times from which unit propagation has it that the second of two uses begins after some time,
// or else the first does not begin in time to be over by then: whenever the second begins, the first holds the line still.
// Where tasks may wait for each other to start this does not follow from the order of starts.
func (t *pricing) turns(l *line, first, second *sureUse, last model.Time) (follows bool) {
	order, sooner := t.ordered(first.task, second.task)
	p, q := first.place, second.place
	if order == False || t.hold == model.HoldFetch || t.hold == model.HoldStay && !(p.tied && q.tied && p.fetch+q.fetch == 0) {
		return false
	}
	for at := last; ; at -= second.length {
		if of := (startsBy{order, p.on, q.on, at}); !t.started[of] {
			t.started[of] = true
			t.or(-order, -p.on, -q.start.at(at), p.start.at(at-sooner))
		}
		if at-sooner <= last-first.length {
			return true
		}
		t.addUp(l, at)
	}
}
