package encode

import (
	"downbeat/model"

	"github.com/irifrance/gini/z"
)

// C7: a task is handed out only after every task of the stage before has
// finished. g[β] means that the stage before has finished by heartbeat β; of a
// stage with one task t that is bound to its slave, it is [F_t ≤ β] itself.
//
//	g[β] → g[β']                              for the next beat β' of the gate
//	g[β] ∧ x[t,k] → [F_t ≤ β]                 t in the stage before
//	x[u,k] ∧ [A_u ≤ β] → g[β]                 u in the stage after, β a beat of k

func predictStages(l *layout, stop int64) int64 {
	total := int64(0)
	beats := make([]int64, len(l.gates))
	for g := range l.gates {
		if l.gates[g].sole >= 0 {
			continue
		}
		beats[g] = l.countBeats(l.gates[g].after.First, l.gates[g].after.End)
		total += beats[g]
	}
	for _, t := range l.included {
		if total > stop {
			break
		}
		if g := l.gateAfter[t]; g >= 0 {
			total += product(beats[g], int64(len(l.tasks[t].slaves)))
		}
		if l.gateBefore[t] >= 0 {
			for k := range l.tasks[t].slaves {
				sl := &l.tasks[t].slaves[k]
				total += int64((sl.lastFetch()-sl.firstFetch)/l.JS.Heartbeat) + 1
			}
		}
	}
	return total
}

func (e *Encoding) buildStages() {
	for g := range e.gates {
		if e.gates[g].sole >= 0 {
			continue
		}
		e.Chain(e.gateVars[g], len(e.gates[g].beats))
	}
	for _, t := range e.included {
		if g := e.gateAfter[t]; g >= 0 && e.gates[g].sole < 0 {
			e.finishBeforeGate(t, g)
		}
		if g := e.gateBefore[t]; g >= 0 {
			e.assignAfterGate(t, g)
		}
	}
}

func (e *Encoding) finishBeforeGate(t model.TaskID, g int32) {
	for i, beat := range e.gates[g].beats {
		open := (e.gateVars[g] + z.Var(i)).Pos()
		for k, x := range e.vars[t].x {
			e.Add(open.Not(), x.Not(), e.finishBy(t, k, beat))
		}
	}
}

func (e *Encoding) assignAfterGate(t model.TaskID, g int32) {
	for k, x := range e.vars[t].x {
		for _, beat := range e.slaveBeats(&e.tasks[t].slaves[k]) {
			e.Add(x.Not(), e.assignBy(t, k, beat).Not(), e.gateBy(g, beat))
		}
	}
}
