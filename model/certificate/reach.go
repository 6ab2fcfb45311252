package certificate

import (
	"sort"

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

// own is what the integers of the task of a place leave to its S and R there.
func (st *state) own(p *place) (start, fetch span) {
	s, r, f := st.start(p.task), st.fetch(p.task), st.finish(p.task)
	start = span{max(st.lo[s], st.lo[f]-p.run), min(st.hi[s], st.hi[f]-p.run)}
	return start, span{st.lo[r], st.hi[r]}
}

// reach is what is left to a task at a place if it is there; false if nothing is. It is
// handed out when the stages before its own are over, and finishes before its own stage
// and its job do.
func (st *state) reach(p *place) (reach, bool) {
	start, fetch := st.own(p)
	of := &st.tasks[p.task]
	start.last = min(start.last, min(st.hi[st.over(of.stage)], st.hi[st.end(of.job)])-p.run)
	for _, before := range st.stages[of.stage].before {
		fetch.first = max(fetch.first, st.beatFrom(&st.slaves[p.slave], st.lo[st.over(before)]))
	}
	return st.fit(p, start, fetch)
}

// fit cuts S and R to what the window and the absences of the slave leave: it is handed out
// after one absence, at a heartbeat, and finishes before the next.
func (st *state) fit(p *place, start, fetch span) (reach, bool) {
	start = span{max(start.first, p.first+p.fetch), min(start.last, p.last)}
	fetch = span{max(fetch.first, p.first), min(fetch.last, p.last-p.fetch)}
	s := &st.slaves[p.slave]
	all := reach{nowhere, nowhere}
	next := sort.Search(len(s.Down), func(i int) bool { return s.Down[i].End > fetch.first })
	back := fetch.first
	if next > 0 {
		back = max(back, st.beatFrom(s, s.Down[next-1].End))
	}
	for ; back <= fetch.last; next++ {
		away := model.Never
		if next < len(s.Down) {
			away = s.Down[next].Start
		}
		here := p.between(start, fetch, back, away)
		if !here.start.empty() && !here.fetch.empty() {
			all.start.join(here.start)
			all.fetch.join(here.fetch)
		}
		if away == model.Never {
			break
		}
		back = st.beatFrom(s, s.Down[next].End)
	}
	return all, !all.start.empty()
}

// between is what is left of S and R with R ≥ back and F ≤ away.
func (p *place) between(start, fetch span, back, away model.Time) reach {
	fetch.first = max(fetch.first, back)
	start.first = max(start.first, fetch.first+p.fetch)
	start.last = min(start.last, away-p.run)
	fetch.last = min(fetch.last, start.last-p.fetch)
	if p.tied {
		fetch.first = max(fetch.first, start.first-p.fetch)
		start.last = min(start.last, fetch.last+p.fetch)
	}
	return reach{start, fetch}
}
