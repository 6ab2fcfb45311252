package encode

import "downbeat/model"

// Absences: a hold [A, F) overlaps no [a, b) in which the slave is away. With
// b' the first heartbeat at b or later, A < b means A ≤ b' − h:
//
//	x[t,k] ∧ [A ≤ b'−h] → [F ≤ a]

func predictAbsences(l *layout, _ int64) int64 {
	total := int64(0)
	for s := range l.JS.Slaves {
		total += int64(len(l.JS.Slaves[s].Down) * len(l.bySlave[s]))
	}
	return total
}

func (e *Encoding) buildAbsences() {
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		for _, down := range e.JS.Slaves[s].Down {
			_, back := e.JS.BeatAtOrAfter(s, down.End)
			for _, c := range e.bySlave[s] {
				sl := &e.tasks[c.task].slaves[c.index]
				if sl.firstFetch >= down.End || sl.lastFinish() <= down.Start {
					continue
				}
				e.Add(e.vars[c.task].x[c.index].Not(),
					e.assignBy(c.task, c.index, back-e.JS.Heartbeat).Not(),
					e.finishBy(c.task, c.index, down.Start))
			}
		}
	}
}
