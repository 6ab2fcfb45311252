package encode

import "downbeat/model"

// Absences: a hold [A, F) overlaps no [a, b) in which the slave is away. With
// b' the first heartbeat at b or later, A < b means A ≤ b' − h:
//
//	x[t,k] ∧ [A ≤ b'−h] → [F ≤ a]

func predictAbsences(l *layout, _ int64) int64 {
	total := int64(0)
	for s := range l.JS.Slaves {
		total += int64(len(l.JS.Slaves[s].Down) * len(l.BySlave[s]))
	}
	return total
}

func buildAbsences(e *Encoding) {
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		for _, down := range e.JS.Slaves[s].Down {
			_, back := e.JS.BeatAtOrAfter(s, down.End)
			for _, c := range e.BySlave[s] {
				p := &e.Places[c.Task][c.Index]
				if p.FirstFetch >= down.End || p.LastFinish() <= down.Start {
					continue
				}
				e.Add(e.vars[c.Task].x[c.Index].Not(),
					e.assignBy(c.Task, c.Index, back-e.JS.Heartbeat).Not(),
					e.finishBy(c.Task, c.Index, down.Start))
			}
		}
	}
}
