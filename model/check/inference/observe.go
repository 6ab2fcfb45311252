package inference

import (
	"context"
	"io"

	"downbeat/model"
)

// Observer is told of a proof while it is checked, for those who say it in another way.
type Observer interface {
	// Question is called when a question begins, with what the root state knows.
	Question(number int, now *View)
	// Step is called with each line of a refutation that is in order, which is valid until it returns,
	// and what is known while all literals of its clause are supposed to be false.
	Step(line []byte, now *View)
}

// Watch is [CheckFile] with an observer. What that is told of counts only if no error is returned.
func Watch(ctx context.Context, js *model.JobSet, r io.Reader, o Observer) (*Verdict, error) {
	c := newChecker(ctx, js, r)
	c.observer = o
	return c.result()
}

// View is what the checker knows in the middle of a question.
type View struct{ st *state }

// Asked is what a question asks of a job: must, may or later by a time.
type Asked struct {
	Job  model.JobID
	Role string
	By   model.Time
}

// Span are the times from First to Last, both included, in ticks of the proof; none if Last is less.
type Span struct{ First, Last model.Time }

// Set is the job set in ticks of the proof; slaves that are taken not to be there are away all the time.
func (v *View) Set() *model.JobSet { return v.st.js }

// Jobs lists what is asked of jobs, ascending.
func (v *View) Jobs() []Asked {
	out := make([]Asked, len(v.st.q.jobs))
	for k, a := range v.st.q.jobs {
		out[k] = Asked{a.job, roleWords[a.role], a.by}
	}
	return out
}

// Limit is that on an objective; false if there is none.
func (v *View) Limit(o model.Objective) (most int64, is bool) {
	most = v.st.q.limits[o]
	return most, most != noLimit
}

// Bounds are those of s, r or f of a task, g of a stage or e of a job of the question; false for what it does not know.
func (v *View) Bounds(letter byte, id int64) (Span, bool) {
	n := numbered(v.st.integers[letter], id)
	if n < 0 {
		return Span{}, false
	}
	is := v.st.is[n]
	return Span{is.first, is.last}, true
}

// Window is when a task may be fetched first and start last on a slave, by the root windows; false where it has no
// place there.
func (v *View) Window(t model.TaskID, s model.SlaveID) (Span, bool) {
	at := v.placeOn(t, s)
	if at < 0 {
		return Span{}, false
	}
	p := &v.st.places[at]
	return Span{p.first, p.last}, true
}

// Sure reports whether a task is known to be on a slave.
func (v *View) Sure(t model.TaskID, s model.SlaveID) bool {
	at := v.placeOn(t, s)
	return at >= 0 && v.st.on(at) == yes
}

// StartsFirst is whether a task of the question starts before another one, as far as literals say so.
func (v *View) StartsFirst(t, u model.TaskID) (holds, known bool) {
	n := v.st.before[[2]int32{v.st.tasks[v.st.local['T'][t]].start, v.st.tasks[v.st.local['T'][u]].start}]
	return v.st.is[n].first == 1, n > 0 && v.st.is[n].first == v.st.is[n].last
}

// Contradicts reports whether what is supposed contradicts itself.
func (v *View) Contradicts() bool { return v.st.dead }

// If calls f with what is known if a job is to end by a time, too.
func (v *View) If(i model.JobID, by model.Time, f func()) {
	st := v.st
	defer st.undo(len(st.trail))
	j := &st.jobs[st.local['J'][i]]
	st.lower(j.end, by)
	for t := j.task; t < j.last && !st.stopped(); t++ {
		st.pressEnds(t)
	}
	f()
}

// LetGo reports whether a job of the question is known not to be in.
func (v *View) LetGo(i model.JobID) bool { return v.st.letGo(v.st.local['J'][i]) }

// In reports whether a job of the question is known to be in.
func (v *View) In(i model.JobID) bool { return v.st.in(v.st.local['J'][i]) }

// Reach is when a task can start and be fetched on a slave, if its job is in; false where it cannot be there.
func (v *View) Reach(t model.TaskID, s model.SlaveID) (start, fetch Span, ok bool) {
	at := v.placeOn(t, s)
	if at < 0 || v.st.on(at) == no {
		return Span{}, Span{}, false
	}
	p := &v.st.places[at]
	left, ok := v.st.fit(p, v.st.among(p))
	return Span{left.start.first, left.start.last}, Span{left.fetch.first, left.fetch.last}, ok
}

// placeOn is -1 of tasks that the question does not have, too.
func (v *View) placeOn(t model.TaskID, s model.SlaveID) int32 {
	if n := v.st.local['T'][t]; n >= 0 {
		return v.st.placeOn(n, s)
	}
	return -1
}
