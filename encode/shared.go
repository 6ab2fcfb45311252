package encode

import (
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// C11: what tasks on all slaves take of a pool, or of a cap, at one time is never
// more than its level then. What is held grows at heartbeats only, and levels fall
// at times of their own: at both it is counted (counting.go), by a literal per task
// that is implied by "t is held there":
//
//	x[t,k] ∧ [A_t ≤ τ] ∧ ¬[F_t ≤ τ] → h[t,τ]      for every slave k of t
//
// Where the literals of A and F are the same on all its slaves one clause is enough.

// limit is a shared limit with the tasks of the question that may take of it. Its
// uses are candidates of index 0 that stand for the task on all its slaves; what there
// is less than the most of it counts as fixed.
type limit struct {
	resource
	// phases are the first heartbeats, modulo the interval, of slaves that can hand
	// out its tasks: ascending, each once.
	phases []model.Time
	// changes are the times at which less of it may be left than before, ascending.
	changes []model.Time
}

// eachLimit calls yield for the pools and caps that the tasks of the question take of.
func (l *layout) eachLimit(yield func(m *limit)) {
	for id := range l.JS.Shared() {
		if m := l.limit(model.SharedID(id)); len(m.uses) > 0 {
			yield(m)
		}
	}
}

func (l *layout) limit(id model.SharedID) *limit {
	shared := &l.JS.Shared()[id]
	m := &limit{resource: resource{Supply: model.Supply{Hold: model.HoldStay, Units: max(0, shared.Most())}}}
	for _, t := range shared.Tasks {
		if len(l.Places[t]) > 0 {
			m.uses = append(m.uses, l.useOf(t, id))
			m.phases = append(m.phases, l.phasesOf(t)...)
		}
	}
	m.phases = sortedUnique(m.phases)
	m.fixed, m.fixedNeeds = l.FixedOf(id)
	for i, level := range shared.Levels {
		until := model.Never
		if i+1 < len(shared.Levels) {
			until = shared.Levels[i+1].From
		}
		if missing := m.Units - max(0, level.Amount); missing > 0 {
			m.fixed = append(m.fixed, model.Interval{Start: level.From, End: until})
			m.fixedNeeds = append(m.fixedNeeds, missing)
		}
	}
	for _, held := range m.fixed {
		m.changes = append(m.changes, held.Start)
	}
	m.changes = sortedUnique(m.changes)
	return m
}

// useOf is what a task takes of a limit, wherever it runs.
func (l *layout) useOf(t model.TaskID, id model.SharedID) use {
	u := use{Candidate: query.Candidate{Task: t}, need: l.JS.Taken(t, id)}
	for k := range l.Places[t] {
		span, length := heldWithin(&l.Places[t][k], model.HoldStay)
		if k == 0 {
			u.span, u.length = span, length
		}
		u.span.Start, u.span.End = min(u.span.Start, span.Start), max(u.span.End, span.End)
		u.length = min(u.length, length)
	}
	return u
}

func (l *layout) phasesOf(t model.TaskID) []model.Time {
	var phases []model.Time
	for k := range l.Places[t] {
		phases = append(phases, l.JS.Slaves[l.Places[t][k].Slave].FirstBeat%l.JS.Heartbeat)
	}
	return sortedUnique(phases)
}

// points lists the times of a span at which holders are counted.
func (m *limit) points(js *model.JobSet, span model.Interval) []model.Time {
	var points []model.Time
	if _, changes := slices.BinarySearch(m.changes, span.Start); changes {
		points = append(points, span.Start)
	}
	for _, phase := range m.phases {
		for at := firstOf(js, phase, span.Start); at < span.End; at += js.Heartbeat {
			points = append(points, at)
		}
	}
	return sortedUnique(points)
}

// countPoints bounds how many points lists.
func (m *limit) countPoints(js *model.JobSet, span model.Interval) int64 {
	n := int64(0)
	if _, changes := slices.BinarySearch(m.changes, span.Start); changes {
		n++
	}
	for _, phase := range m.phases {
		if at := firstOf(js, phase, span.Start); at < span.End {
			n += int64((span.End-1-at)/js.Heartbeat) + 1
		}
	}
	return n
}

// firstOf is the first time of a phase at t or later.
func firstOf(js *model.JobSet, phase, t model.Time) model.Time {
	if t <= phase {
		return phase
	}
	return phase + (t-phase+js.Heartbeat-1)/js.Heartbeat*js.Heartbeat
}

func predictShared(l *layout, stop int64) int64 {
	total := int64(0)
	l.eachLimit(func(m *limit) {
		m.sweep(func(span model.Interval, users []query.Candidate, needs []int64, left int64) {
			if total > stop {
				return
			}
			each := linearSize(int64(len(needs)))
			if !l.form.Sums {
				each = cnf.AtMostSumClauses(needs, left, stop)
			}
			for _, u := range users {
				each += l.heldClauses(u.Task)
			}
			total += product(m.countPoints(l.JS, span), each)
		})
	})
	return total
}

// heldClauses is how many clauses say that a task is held at some time.
func (l *layout) heldClauses(t model.TaskID) int64 {
	if l.tasks[t].alike {
		return 1
	}
	return int64(len(l.Places[t]))
}

// alike reports whether a task has the same figures on all slaves left to it, and these the same
// heartbeats.
func (l *layout) alike(places []query.Place) bool {
	phase := func(p *query.Place) model.Time { return l.JS.Slaves[p.Slave].FirstBeat % l.JS.Heartbeat }
	return !slices.ContainsFunc(places, func(p query.Place) bool {
		q := &places[0]
		return p.Tied != q.Tied || p.WCET != q.WCET || p.Transfer != q.Transfer || phase(&p) != phase(q)
	})
}

func buildShared(e *Encoding) {
	e.eachLimit(func(m *limit) {
		m.sweep(func(span model.Interval, users []query.Candidate, needs []int64, left int64) {
			lits := make([]z.Lit, len(users))
			for _, at := range m.points(e.JS, span) {
				for i, u := range users {
					lits[i] = e.heldAnywhere(u.Task, at)
				}
				e.AtMostSum(lits, needs, left)
			}
		})
	})
}

// heldAnywhere is a literal that is implied by "t is held at a time", on whatever slave.
func (e *Encoding) heldAnywhere(t model.TaskID, at model.Time) z.Lit {
	type state struct{ on, begun, ended z.Lit }
	var states []state
	alike := true
	for k, x := range e.vars[t].x {
		s := state{x, e.assignedBy(t, k, at), e.finishBy(t, k, at)}
		alike = alike && (k == 0 || s.begun == states[0].begun && s.ended == states[0].ended)
		states = append(states, s)
	}
	if alike {
		return conjunction(e, e.on[e.JS.Tasks[t].Job], states[0].begun, states[0].ended.Not())
	}
	states = slices.DeleteFunc(states, func(s state) bool { return s.begun == cnf.False || s.ended == cnf.True })
	switch len(states) {
	case 0:
		return cnf.False
	case 1:
		return conjunction(e, states[0].on, states[0].begun, states[0].ended.Not())
	}
	held := e.Lit()
	for _, s := range states {
		e.Add(s.on.Not(), s.begun.Not(), s.ended, held)
	}
	return held
}
