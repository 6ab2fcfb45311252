package encode

import "downbeat/model"

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
func (l *layout) fifoBeats(s model.SlaveID) (first, n model.Time, starts bounds) {
	var last model.Time
	for i, c := range l.bySlave[s] {
		sl := &l.tasks[c.task].slaves[c.index]
		if i == 0 {
			first, last = sl.firstFetch, sl.lastFetch()
			starts = bounds{sl.firstStart(), sl.lastStart}
		}
		first, last = min(first, sl.firstFetch), max(last, sl.lastFetch())
		starts = starts.extend(sl.firstStart(), sl.lastStart)
	}
	if len(l.bySlave[s]) < 2 {
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
		_, beats, starts := l.fifoBeats(s)
		perBeat := int64(starts.hi - starts.lo)
		for _, c := range l.bySlave[s] {
			sl := &l.tasks[c.task].slaves[c.index]
			perBeat += 2 * int64(sl.lastStart-sl.firstStart()+2)
		}
		total += product(int64(beats), perBeat)
		if total > stop {
			break
		}
	}
	return total
}

func (e *Encoding) buildFIFO() {
	if !e.JS.FIFO {
		return
	}
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		first, n, starts := e.fifoBeats(s)
		for i := range n {
			beat := first + i*e.JS.Heartbeat
			between := e.newScale(starts)
			e.Chain(between.first, int(starts.hi-starts.lo))
			for _, c := range e.bySlave[s] {
				e.separate(c, beat, &between)
			}
		}
	}
}

func (e *Encoding) separate(c candidate, beat model.Time, between *scale) {
	sl := &e.tasks[c.task].slaves[c.index]
	off := e.vars[c.task].x[c.index].Not()
	early := e.assignScaleBy(c.task, beat)
	for at := sl.firstStart() - 1; at <= sl.lastStart; at++ {
		started := e.startBy(c.task, at)
		e.Add(off, early.Not(), between.atMost(at).Not(), started)
		e.Add(off, early, started.Not(), between.atMost(at))
	}
}
