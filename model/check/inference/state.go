package inference

import (
	"bytes"
	"slices"

	"downbeat/model"
)

// state is what is known of the plans that a question asks for: bounds of integers. What a
// clause of one literal says stays; all else is undone when the step is over.
type state struct {
	*checker
	q      *question
	jobs   []job
	stages []stage
	order  []int32 // of stages, each behind those before it
	tasks  []task
	places []place
	// onSlave lists the places on each slave.
	onSlave [][]int32

	// Integers and whose they are. Number 0 is 0, and stands for places that there are not;
	// number 1+k is 1 if the task of place k is there, else 0; others have their numbers in
	// jobs, stages and tasks.
	is    []span
	whose []owner
	// integers has those that a proof can name, by letter and number; local, by J, K and T,
	// what number jobs, stages and tasks of the job set have here. -1 stands for none.
	integers, local map[byte][]int32
	// before has, of two S, the integer that is 1 if the first is less than the second, else 0; made when it is first named.
	before map[[2]int32]int32

	trail []change
	dead  bool // what is known contradicts itself
	lost  bool // it does before anything is assumed
	kept  bool // a clause of one literal has been derived

	clauses     map[int64][]literal
	multipliers map[int64]*multipliers
	last        int64 // ID
	observed    bool  // the observer has been told of the line
	scratch
}

// owner is whose integer one is: of tasks from one to before another and their job, or a stage of a
// job; -1 for none.
type owner struct{ task, last, job int32 }

var nobody = owner{-1, -1, -1}

// change is an old value of an integer, to be put back.
type change struct {
	n   int32
	was span
}

// scratch is what a step is read into.
type scratch struct {
	clause []literal
	args   []int64
}

// undo puts back what changed since the trail had a length.
func (st *state) undo(to int) {
	for _, c := range slices.Backward(st.trail[to:]) {
		st.is[c.n] = c.was
	}
	st.trail, st.dead = st.trail[:to], st.lost
}

// bound has an integer be within a span as well.
func (st *state) bound(n int32, within span) {
	was := st.is[n]
	is := span{max(was.first, within.first), min(was.last, within.last)}
	if is == was {
		return
	}
	st.trail = append(st.trail, change{n, was})
	st.is[n] = is
	st.dead = st.dead || is.empty()
}

// raise makes an integer at least v. A may job of which anything is later than it has to
// be is in: all is as early as it can be of one that is let go.
func (st *state) raise(n int32, v model.Time) {
	if v > st.is[n].first {
		st.bound(n, span{v, model.Never})
		if k := st.whose[n].job; k >= 0 {
			st.putIn(k)
		}
	}
}

// lower makes an integer at most v.
func (st *state) lower(n int32, v model.Time) { st.bound(n, span{-model.Never, v}) }

// putIn has a job be in.
func (st *state) putIn(k int32) { st.lower(st.jobs[k].end, st.jobs[k].by) }

// in reports whether a job is known to be in, letGo whether it is known not to be.
func (st *state) in(k int32) bool    { return st.is[st.jobs[k].end].last <= st.jobs[k].by }
func (st *state) letGo(k int32) bool { return st.is[st.jobs[k].end].first > st.jobs[k].by }

// choose puts a task on a place, and on no other.
func (st *state) choose(at int32) {
	p := &st.places[at]
	if st.dead = st.dead || st.on(at) == no; st.dead || st.is[1+at].first == 1 {
		return
	}
	st.raise(1+at, 1)
	for other := st.tasks[p.task].place; other < st.tasks[p.task].end; other++ {
		if other != at {
			st.exclude(other)
		}
	}
	st.lower(st.integers['u'][p.slave], model.Time(st.tasks[p.task].id))
}

// exclude has a task not be on a place.
func (st *state) exclude(at int32) {
	st.dead = st.dead || st.on(at) == yes
	if st.is[1+at].last == 1 {
		left := st.tasks[st.places[at].task].left
		st.lower(1+at, 0)
		st.lower(left, st.is[left].last-1)
	}
}

// truth is what is known of something.
type truth int8

const (
	no truth = iota - 1
	unknown
	yes
)

// on is whether a task is on a place.
func (st *state) on(at int32) truth {
	t := &st.tasks[st.places[at].task]
	switch is := st.is[1+at]; {
	case is.first == 1:
		return yes
	case is.last == 0, st.letGo(t.job):
		return no
	case st.is[t.left].last == 1 && st.in(t.job):
		return yes
	}
	return unknown
}

// literal says that an integer is above a value, or that it is at most that.
type literal struct {
	above bool
	n     int32
	v     model.Time
}

func (l literal) not() literal { return literal{!l.above, l.n, l.v} }

// sense is on which side a literal bounds its integer, and how strongly.
func (l literal) sense() (side int, strength model.Time) {
	if l.above {
		return 1, l.v
	}
	return 0, -l.v
}

// ofPlace reports whether an integer says that a task is on a place.
func (st *state) ofPlace(n int32) bool { return 0 < n && int(n) <= len(st.places) }

// value is what is known of a literal.
func (st *state) value(l literal) truth {
	above, is := unknown, st.is[l.n]
	switch {
	case st.ofPlace(l.n):
		above = st.on(l.n - 1)
	case is.first > l.v:
		above = yes
	case is.last <= l.v:
		above = no
	}
	if !l.above {
		return -above
	}
	return above
}

// assume has a literal hold.
func (st *state) assume(l literal) {
	switch place := st.ofPlace(l.n); {
	case place && l.above:
		st.choose(l.n - 1)
	case place:
		st.exclude(l.n - 1)
	case l.above:
		st.raise(l.n, l.v+1)
	default:
		st.lower(l.n, l.v)
	}
}

// consequences has stages and jobs end no earlier than tasks of which something changed.
func (st *state) consequences() {
	for i := 0; i < len(st.trail) && !st.dead && !st.stopped(); i++ {
		for of := st.whose[st.trail[i].n]; of.task < of.last && !st.dead; of.task++ {
			st.pressEnds(of.task)
		}
	}
}

// pressEnds has the stage and the job of a task end no earlier than it can, if it is in.
func (st *state) pressEnds(t int32) {
	of := &st.tasks[t]
	if !st.in(of.job) {
		return
	}
	_, finish := st.open(t, st.alone)
	if finish.empty() { // it can be nowhere
		st.dead = true
		return
	}
	st.raise(st.stages[of.stage].over, finish.first)
	st.raise(st.jobs[of.job].end, finish.first)
}

// keep has a literal hold from now on.
func (st *state) keep(l literal) {
	st.assume(l)
	st.consequences()
	st.trail, st.lost, st.kept = st.trail[:0], st.dead, true
}

// startsFirst is the integer that is 1 if a task starts before another one does, else 0.
func (st *state) startsFirst(t, u int32) int32 {
	of := [2]int32{st.tasks[t].start, st.tasks[u].start}
	if st.before[of] == 0 {
		st.before[of] = st.integer(span{0, 1}, nobody)
	}
	return st.before[of]
}

// readLiteral reads the next field as a literal: x of a task and a slave, b of two tasks, or the letter and
// the number of an integer with a relation to a value.
func (st *state) readLiteral() literal {
	word := st.word()
	text, negative := bytes.CutPrefix(word, []byte("-"))
	for _, relation := range [...]string{".", "<=", ">"} {
		name, value, found := bytes.Cut(text, []byte(relation))
		if !found || len(name) < 2 {
			continue
		}
		number, err := parse(name[1:])
		v, bad := parse(value)
		n, t, u := numbered(st.integers[name[0]], number), numbered(st.local['T'], number), numbered(st.local['T'], v)
		switch {
		case err != nil || bad != nil || v < -latest || v > latest:
		case relation != "." && n >= 0 && !negative:
			return literal{relation == ">", n, model.Time(v)}
		case relation == "." && name[0] == 'x' && t >= 0 && 0 <= v && v < int64(len(st.js.Slaves)):
			return literal{!negative, 1 + st.placeOn(t, model.SlaveID(v)), 0}
		case relation == "." && name[0] == 'b' && t >= 0 && u >= 0:
			return literal{!negative, st.startsFirst(t, u), 0}
		}
	}
	st.fail("%.40q is no literal of this question", word)
	return literal{}
}

// numbered is what has a number in a list; -1 for nothing.
func numbered(list []int32, number int64) int32 {
	if number < 0 || number >= int64(len(list)) {
		return -1
	}
	return list[number]
}

// placeOn is the place of a task on a slave; -1 if there is none.
func (st *state) placeOn(t int32, s model.SlaveID) int32 {
	of := &st.tasks[t]
	at, found := slices.BinarySearchFunc(st.places[of.place:of.end], s, func(p place, s model.SlaveID) int { return int(p.slave - s) })
	if !found {
		return -1
	}
	return of.place + int32(at)
}
