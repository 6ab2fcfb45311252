package inference

import (
	"iter"

	"downbeat/model"
)

// span are the times from first to last, both included; none if last is less.
type span struct{ first, last model.Time }

// nowhere is the empty span, to be joined with others.
var nowhere = span{model.Never, -model.Never}

func (a *span) join(b span) { a.first, a.last = min(a.first, b.first), max(a.last, b.last) }

func (a *span) empty() bool { return a.first > a.last }

// reach is when a task can start and be fetched at a place.
type reach struct{ start, fetch span }

// alone is what bounds and its window leave to the task of a place, if it is there. A task
// that is alone in its stage ends with it, and with its job if that has no other.
func (st *state) alone(p *place) reach {
	of := &st.tasks[p.task]
	s, r, f := st.is[of.start], st.is[of.fetch], st.is[of.finish]
	if in := &st.stages[of.stage]; in.end == in.task+1 {
		f.first = max(f.first, st.is[in.over].first)
	}
	if in := &st.jobs[of.job]; in.last == in.task+1 {
		f.first = max(f.first, st.is[in.end].first)
	}
	return reach{
		start: span{max(s.first, f.first-p.run, p.first+p.fetch), min(s.last, f.last-p.run, p.last)},
		fetch: span{max(r.first, p.first), min(r.last, p.last-p.fetch)},
	}
}

// among is alone less what others leave: it is handed out when the stages before its own
// are over, and finishes before its own stage and its job do.
func (st *state) among(p *place) reach {
	left, of := st.alone(p), &st.tasks[p.task]
	in := &st.stages[of.stage]
	left.start.last = min(left.start.last, min(st.is[in.over].last, st.is[st.jobs[of.job].end].last)-p.run)
	for _, before := range in.before {
		left.fetch.first = max(left.fetch.first, st.beatFrom(p.slave, st.is[st.stages[before].over].first))
	}
	return left
}

// during is what is left of S and R in each presence of the slave: a task is handed out at a
// heartbeat after one absence, and finishes before the next.
func (st *state) during(p *place, left reach) iter.Seq[reach] {
	return func(yield func(reach) bool) {
		for _, here := range st.presences[p.slave] {
			fetch := span{max(left.fetch.first, st.beatFrom(p.slave, here.Start)), left.fetch.last}
			start := span{max(left.start.first, fetch.first+p.fetch), min(left.start.last, here.End-p.run)}
			fetch.last = min(fetch.last, start.last-p.fetch)
			if p.tied {
				fetch.first, start.last = max(fetch.first, start.first-p.fetch), min(start.last, fetch.last+p.fetch)
			}
			if !start.empty() && !fetch.empty() && !yield(reach{start, fetch}) {
				return
			}
		}
	}
}

// open is what is left of R and F of a task over its places, by what bounds leave it at each;
// empty if there is none.
func (st *state) open(t int32, bounds func(*place) reach) (fetch, finish span) {
	fetch, finish = nowhere, nowhere
	for at := st.tasks[t].place; at < st.tasks[t].end; at++ {
		if p := &st.places[at]; st.on(at) != no {
			if all, ok := st.fit(p, bounds(p)); ok {
				fetch.join(all.fetch)
				finish.join(span{all.start.first + p.run, all.start.last + p.run})
			}
		}
	}
	return fetch, finish
}

// fit is what is left of S and R in all presences together; false if nothing is.
func (st *state) fit(p *place, left reach) (reach, bool) {
	all := reach{nowhere, nowhere}
	for here := range st.during(p, left) {
		all.start.join(here.start)
		all.fetch.join(here.fetch)
	}
	return all, !all.start.empty()
}
