package encode

import (
	"downbeat/encode/cnf"
	"downbeat/model"
)

// C1–C3 and C8: order literals are ordered, and on each slave a task keeps to
// its window, which already respects release, heartbeats, transfer, stages and
// the job's cap. C1 (F = S + E) needs no clause: finishBy
// shifts the start's literals.
//
//	[v ≤ τ] → [v ≤ τ+1]
//	x[t,k] → firstStart ≤ S ≤ lastStart
//	x[t,k] → firstFetch ≤ R ≤ lastFetch           where R is free
//	x[t,k] ∧ [S ≤ τ+C] → [R ≤ τ]                  C2
//	x[t,k] ∧ [R ≤ τ] → [A ≤ τ]                    C3, with fifo
//	x[t,k] → A is a heartbeat of slave k          with fifo

func predictWindows(l *layout, stop int64) int64 {
	total := int64(0)
	for _, t := range l.Included {
		if total > stop {
			break
		}
		lay := &l.tasks[t]
		if lay.like == t {
			total += int64(lay.start.hi - lay.start.lo)
		}
		if lay.freeFetch {
			total += int64(lay.fetch.hi - lay.fetch.lo)
		}
		beats := int64(0)
		if l.JS.FIFO {
			beats = l.countBeats(only(t))
		}
		total += beats
		for k := range l.Places[t] {
			p := &l.Places[t][k]
			span := int64(p.LastStart - p.FirstStart() + 1)
			total += 4
			if !p.Tied && lay.freeFetch {
				total += span
			}
			if l.JS.FIFO {
				total += span + beats
			}
		}
	}
	return total
}

func buildWindows(e *Encoding) {
	for _, t := range e.Included {
		lay, v := &e.tasks[t], &e.vars[t]
		if lay.like == t {
			e.Chain(v.start.first, int(lay.start.hi-lay.start.lo))
		}
		if lay.freeFetch {
			e.Chain(v.fetch.first, int(lay.fetch.hi-lay.fetch.lo))
		}
		if n := len(lay.assign); n > 1 {
			e.Chain(v.assign, n-1)
		}
		for k := range e.Places[t] {
			windowOn(e, t, k)
		}
	}
}

func windowOn(e *Encoding, t model.TaskID, k int) {
	p := &e.Places[t][k]
	off := e.vars[t].x[k].Not()
	e.Add(off, e.StartBy(t, p.FirstStart()-1).Not())
	e.Add(off, e.StartBy(t, p.LastStart))
	if !p.Tied {
		e.Add(off, e.fetchBy(t, k, p.FirstFetch-1).Not())
		e.Add(off, e.fetchBy(t, k, p.LastFetch()))
		for at := p.FirstFetch; at < p.LastFetch(); at++ {
			e.Add(off, e.StartBy(t, at+p.Transfer).Not(), e.fetchBy(t, k, at))
		}
	}
	if e.JS.FIFO {
		assignOn(e, t, k)
	}
}

// assignOn ties A to R and to the heartbeats of slave k.
func assignOn(e *Encoding, t model.TaskID, k int) {
	p := &e.Places[t][k]
	off := e.vars[t].x[k].Not()
	for at := p.FirstFetch; at <= p.LastFetch(); at++ {
		e.Add(off, e.fetchBy(t, k, at).Not(), e.assignScaleBy(t, at))
	}
	before := cnf.False
	for _, beat := range e.tasks[t].assign {
		here := e.assignScaleBy(t, beat)
		gamma, at := e.JS.BeatAtOrBefore(p.Slave, beat)
		if gamma < 0 || at != beat || beat < p.FirstFetch {
			e.Add(off, here.Not(), before)
		}
		before = here
	}
}
