package certificate

import (
	"bytes"
	"sort"

	"downbeat/model"
)

// state is what is known of the plans that a question asks for: bounds of integers, and
// places that tasks are on, or not. What a clause of one literal says stays; all else is
// undone when the step is over.
type state struct {
	*checker
	q      *question
	jobs   []job
	stages []stage
	order  []int32 // of stages, each behind those before it
	tasks  []task
	places []place
	// onSlave lists the places on each slave, by ascending task.
	onSlave [][]int32

	// Integers, in this order: S, R and F of each task; when each stage is over; when
	// each job ends; the first task, by TaskID, on each slave.
	lo, hi []model.Time
	trail  []change
	dead   bool // what is known contradicts itself
	lost   bool // it does before anything is assumed

	clauses     map[int64][]literal
	multipliers map[int64]*multipliers
	last        int64 // ID
	scratch
}

// scratch is what a step is read into.
type scratch struct {
	clause []literal
	args   []int64
}

func (st *state) start(t int32) int32  { return 3 * t }
func (st *state) fetch(t int32) int32  { return 3*t + 1 }
func (st *state) finish(t int32) int32 { return 3*t + 2 }
func (st *state) over(stage int32) int32 {
	return int32(3*len(st.tasks)) + stage
}
func (st *state) end(job int32) int32 { return int32(3*len(st.tasks)+len(st.stages)) + job }
func (st *state) firstUse(s model.SlaveID) int32 {
	return int32(3*len(st.tasks)+len(st.stages)+len(st.jobs)) + int32(s)
}

// jobFor is the job of an integer of a task or a stage, -1 for other integers.
func (st *state) jobFor(v int32) int32 {
	tasks := int32(3 * len(st.tasks))
	switch {
	case v < tasks:
		return st.tasks[v/3].job
	case v < tasks+int32(len(st.stages)):
		return st.stages[v-tasks].job
	default:
		return -1
	}
}

// change is an old value of something, to be put back.
type change struct {
	kind uint8
	at   int32
	old  model.Time
}

// The kinds of change.
const (
	raised uint8 = iota
	lowered
	excluded
	chosen
)

// undo puts back what changed since the trail had a length.
func (st *state) undo(to int) {
	for ; len(st.trail) > to; st.trail = st.trail[:len(st.trail)-1] {
		switch c := st.trail[len(st.trail)-1]; c.kind {
		case raised:
			st.lo[c.at] = c.old
		case lowered:
			st.hi[c.at] = c.old
		case excluded:
			st.places[c.at].out = false
			st.tasks[st.places[c.at].task].left++
		default:
			st.tasks[c.at].chosen = -1
		}
	}
	st.dead = st.lost
}

// raise makes an integer at least v. A may job of which anything is later than it has to
// be is in: all is as early as it can be of one that is let go.
func (st *state) raise(at int32, v model.Time) {
	if v <= st.lo[at] {
		return
	}
	st.trail = append(st.trail, change{raised, at, st.lo[at]})
	st.lo[at] = v
	st.dead = st.dead || v > st.hi[at]
	if k := st.jobFor(at); k >= 0 {
		st.putIn(k)
	}
}

// lower makes an integer at most v.
func (st *state) lower(at int32, v model.Time) {
	if v >= st.hi[at] {
		return
	}
	st.trail = append(st.trail, change{lowered, at, st.hi[at]})
	st.hi[at] = v
	st.dead = st.dead || v < st.lo[at]
}

// putIn has a job be in.
func (st *state) putIn(k int32) { st.lower(st.end(k), st.jobs[k].by) }

// in reports whether a job is known to be in, letGo whether it is known not to be.
func (st *state) in(k int32) bool    { return st.hi[st.end(k)] <= st.jobs[k].by }
func (st *state) letGo(k int32) bool { return st.lo[st.end(k)] > st.jobs[k].by }

// choose puts a task on a place.
func (st *state) choose(at int32) {
	p := &st.places[at]
	t := &st.tasks[p.task]
	if st.on(at) == no {
		st.dead = true
	}
	if st.dead || t.chosen >= 0 {
		return
	}
	st.trail = append(st.trail, change{chosen, p.task, 0})
	t.chosen = at
	st.putIn(t.job)
	st.lower(st.firstUse(p.slave), model.Time(t.id))
}

// exclude has a task not be on a place.
func (st *state) exclude(at int32) {
	p := &st.places[at]
	st.dead = st.dead || st.on(at) == yes
	if !p.out {
		st.trail = append(st.trail, change{excluded, at, 0})
		p.out = true
		st.tasks[p.task].left--
	}
}

// truth is what is known of a literal.
type truth uint8

const (
	unknown truth = iota
	yes
	no
)

// on is whether a task is on a place.
func (st *state) on(at int32) truth {
	p := &st.places[at]
	t := &st.tasks[p.task]
	switch {
	case t.chosen == at:
		return yes
	case p.out, t.chosen >= 0, st.letGo(t.job):
		return no
	case t.left == 1 && st.in(t.job):
		return yes
	}
	return unknown
}

// literal bounds an integer, or says whether a task is on a place.
type literal struct {
	kind kind
	at   int32 // the integer, or the place: nowhere there is, if negative
	v    model.Time
}

type kind uint8

// The kinds of literals; a kind and its negation differ in the last bit.
const (
	atMost kind = iota
	above
	isOn
	isOff
)

func (l literal) not() literal { return literal{l.kind ^ 1, l.at, l.v} }

// value is what is known of a literal.
func (st *state) value(l literal) truth {
	known := unknown
	switch {
	case l.kind <= above && st.hi[l.at] <= l.v:
		known = yes
	case l.kind <= above && st.lo[l.at] > l.v:
		known = no
	case l.kind >= isOn && l.at < 0:
		known = no
	case l.kind >= isOn:
		known = st.on(l.at)
	}
	if known != unknown && l.kind&1 == 1 {
		known = yes + no - known
	}
	return known
}

// assume has a literal hold.
func (st *state) assume(l literal) {
	switch {
	case l.kind == atMost:
		st.lower(l.at, l.v)
	case l.kind == above:
		st.raise(l.at, l.v+1)
	case l.at < 0:
		st.dead = st.dead || l.kind == isOn
	case l.kind == isOn:
		st.choose(l.at)
	default:
		st.exclude(l.at)
	}
}

// consequences has stages and jobs end no earlier than tasks of which something changed
// since the trail had a length.
func (st *state) consequences(since int) {
	for i := since; i < len(st.trail) && !st.dead; i++ {
		switch c := st.trail[i]; {
		case c.kind == excluded:
			st.pressEnds(st.places[c.at].task)
		case c.kind == chosen:
			st.pressEnds(c.at)
		case c.at < int32(3*len(st.tasks)):
			st.pressEnds(c.at / 3)
		}
	}
}

func (st *state) pressEnds(t int32) {
	of := &st.tasks[t]
	if !st.in(of.job) {
		return
	}
	least := model.Never
	for at := of.place; at < of.end; at++ {
		if st.on(at) == no {
			continue
		}
		p := &st.places[at]
		start, fetch := st.own(p)
		if r, ok := st.fit(p, start, fetch); ok {
			least = min(least, r.start.first+p.run)
		}
	}
	if least < model.Never {
		st.raise(st.over(of.stage), least)
		st.raise(st.end(of.job), least)
	}
}

// keep has a literal hold from now on.
func (st *state) keep(l literal) {
	st.assume(l)
	st.consequences(0)
	st.trail, st.lost = st.trail[:0], st.dead
}

// readLiteral reads the next field as a literal: a variable, its numbers, and a relation
// if it is an integer.
func (st *state) readLiteral(f *fields) literal {
	word := f.word()
	l, ok := st.literal(word)
	if !ok {
		f.fail("%.40q is no literal of this question", word)
	}
	return l
}

func (st *state) literal(word []byte) (l literal, ok bool) {
	text := bytes.TrimPrefix(word, []byte("-"))
	negative := kind(len(word) - len(text))
	at := bytes.IndexAny(text, ".<>")
	if at < 2 {
		return l, false
	}
	relation, value, fine := text[at], text[at+1:], true
	if relation == '<' {
		value, fine = bytes.CutPrefix(value, []byte("="))
	}
	n, ok1 := parse(text[1:at])
	v, ok2 := parse(value)
	if !fine || !ok1 || !ok2 || v < -latest || v > latest {
		return l, false
	}
	l = literal{atMost, st.variable(text[0], n), model.Time(v)}
	switch t := st.taskOf(n); {
	case relation != '.':
		if relation == '>' {
			l.kind = above
		}
		return l, l.at >= 0 && negative == 0
	case v < 0 || v >= int64(len(st.slaves)):
		return l, false
	case text[0] == 'u':
		return literal{atMost + negative, st.firstUse(model.SlaveID(v)), model.Time(n)}, n >= 0 && n < int64(len(st.js.Tasks))
	case text[0] != 'x' || t < 0:
		return l, false
	default:
		return literal{isOn + negative, st.placeOn(t, model.SlaveID(v)), 0}, true
	}
}

// variable is an integer of a task, stage or job by its letter and number; -1 if the
// question has none such.
func (st *state) variable(name byte, n int64) int32 {
	switch t, k, i := st.taskOf(n), st.stageOf(n), st.indexOf(n); {
	case name == 's' && t >= 0:
		return st.start(t)
	case name == 'r' && t >= 0:
		return st.fetch(t)
	case name == 'f' && t >= 0:
		return st.finish(t)
	case name == 'g' && k >= 0:
		return st.over(k)
	case name == 'e' && i >= 0:
		return st.end(i)
	}
	return -1
}

// indexOf, stageOf, taskOf and placeOn find what the question has: a job, a stage, a task
// and a place by the numbers of the job set; -1 if it has none such.
func (st *state) indexOf(i int64) int32 {
	if i < 0 || i >= int64(len(st.jobOf)) {
		return -1
	}
	return st.jobOf[i]
}

func (st *state) stageOf(n int64) int32 {
	if n < 0 || n >= int64(st.js.Stages()) {
		return -1
	}
	_, i := st.js.Stage(model.StageID(n))
	if st.jobOf[i] < 0 {
		return -1
	}
	return st.jobs[st.jobOf[i]].stage + int32(model.StageID(n)-st.js.Jobs[i].FirstStage)
}

func (st *state) taskOf(n int64) int32 {
	if n < 0 || n >= int64(len(st.js.Tasks)) {
		return -1
	}
	i := st.js.Tasks[n].Job
	if st.jobOf[i] < 0 {
		return -1
	}
	return st.jobs[st.jobOf[i]].task + int32(model.TaskID(n)-st.js.Jobs[i].First)
}

func (st *state) placeOn(t int32, s model.SlaveID) int32 {
	of := &st.tasks[t]
	at := of.place + int32(sort.Search(int(of.end-of.place), func(k int) bool { return st.places[int(of.place)+k].slave >= s }))
	if at == of.end || st.places[at].slave != s {
		return -1
	}
	return at
}
