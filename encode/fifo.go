package encode

import (
	"downbeat/model"
	"downbeat/model/query"
)

// fifo: tasks of one slave start in the order of their heartbeats. For every
// heartbeat β of a slave there is a time T[β] that stands between the starts of
// the tasks handed out by β and those of the tasks handed out later:
//
//	x[t,k] ∧ [A_t ≤ β] ∧ [T ≤ τ] → [S_t ≤ τ]
//	x[t,k] ∧ ¬[A_t ≤ β] ∧ [S_t ≤ τ] → [T ≤ τ]
//
// That is linear in the number of tasks, where comparing pairs is not.

// fifoBeats finds the heartbeats of a slave that can lie between two tasks that
// it can run, n of them from first on, and the span of the tasks' starts.
func fifoBeats(l *layout, s model.SlaveID) (first, n model.Time, starts bounds) {
	var last model.Time
	for i, c := range l.BySlave[s] {
		p := &l.Places[c.Task][c.Index]
		if i == 0 {
			first, last = p.FirstFetch, p.LastFetch()
			starts = bounds{p.FirstStart(), p.LastStart}
		}
		first, last = min(first, p.FirstFetch), max(last, p.LastFetch())
		starts = starts.extend(p.FirstStart(), p.LastStart)
	}
	if len(l.BySlave[s]) < 2 {
		return first, 0, starts
	}
	return first, (last - first) / l.JS.Heartbeat, starts
}

func predictFIFO(l *layout, stop int64) int64 {
	if !l.JS.FIFO {
		return 0
	}
	total := int64(0)
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		_, beats, starts := fifoBeats(l, s)
		perBeat := int64(starts.hi - starts.lo)
		for _, c := range l.BySlave[s] {
			p := &l.Places[c.Task][c.Index]
			perBeat += 2 * int64(p.LastStart-p.FirstStart()+2)
		}
		total += product(int64(beats), perBeat)
		if total > stop {
			break
		}
	}
	return total
}

func buildFIFO(e *Encoding) {
	if !e.JS.FIFO {
		return
	}
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		first, n, starts := fifoBeats(e.layout, s)
		for i := range n {
			beat := first + i*e.JS.Heartbeat
			between := e.newScale(starts)
			e.Chain(between.first, int(starts.hi-starts.lo))
			for _, c := range e.BySlave[s] {
				separate(e, c, beat, &between)
			}
		}
	}
}

// separate says on which side of a time the start of a task is, by its heartbeat.
func separate(e *Encoding, c query.Candidate, beat model.Time, between *scale) {
	p := &e.Places[c.Task][c.Index]
	off := e.vars[c.Task].x[c.Index].Not()
	early := e.assignScaleBy(c.Task, beat)
	for at := p.FirstStart() - 1; at <= p.LastStart; at++ {
		started := e.StartBy(c.Task, at)
		e.Add(off, early.Not(), between.atMost(at).Not(), started)
		e.Add(off, early, started.Not(), between.atMost(at))
	}
}
