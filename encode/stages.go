package encode

import (
	"downbeat/model"

	"github.com/irifrance/gini/z"
)

// C7 and C10: a task is handed out only after every task of the stages before has
// finished. D is the completion of such a stage: [D ≤ β] means that it has
// finished by heartbeat β; of a stage with one task t that is bound to its slave,
// it is [F_t ≤ β] itself.
//
//	[D ≤ β] → [D ≤ β']                        β' the next beat that matters
//	[D ≤ β] ∧ x[t,k] → [F_t ≤ β]              t in the stage
//	x[u,k] ∧ [A_u ≤ β] → [D ≤ β]              u in a stage after, β a beat of k
//
// Where the stages are of two jobs, the one before must be in.

func predictStages(l *layout, stop int64) int64 {
	total := int64(0)
	beats := make([]int64, len(l.completions))
	for i := range l.completions {
		if c := &l.completions[i]; c.sole < 0 {
			beats[i] = l.countBeats(c.after...)
			total += beats[i]
		}
	}
	for _, t := range l.Included {
		if total > stop {
			break
		}
		if c := l.completes[t]; c >= 0 {
			total += product(beats[c], int64(len(l.Places[t])))
		}
		if n := int64(len(l.awaits[t])); n > 0 {
			for k := range l.Places[t] {
				p := &l.Places[t][k]
				total += product(n, int64((p.LastFetch()-p.FirstFetch)/l.JS.Heartbeat)+1)
			}
		}
	}
	return total
}

func buildStages(e *Encoding) {
	for i := range e.completions {
		if c := &e.completions[i]; c.sole < 0 {
			e.Chain(e.done[i], len(c.beats))
		}
	}
	for _, t := range e.Included {
		if c := e.completes[t]; c >= 0 && e.completions[c].sole < 0 {
			finishBeforeCompletion(e, t, c)
		}
		for _, c := range e.awaits[t] {
			assignAfterCompletion(e, t, c)
		}
	}
}

func finishBeforeCompletion(e *Encoding, t model.TaskID, c int32) {
	for i, beat := range e.completions[c].beats {
		done := (e.done[c] + z.Var(i)).Pos()
		for k, x := range e.vars[t].x {
			e.Add(done.Not(), x.Not(), e.finishBy(t, k, beat))
		}
	}
}

func assignAfterCompletion(e *Encoding, t model.TaskID, c int32) {
	for k, x := range e.vars[t].x {
		for _, beat := range e.slaveBeats(&e.Places[t][k]) {
			e.Add(x.Not(), e.assignBy(t, k, beat).Not(), e.doneBy(c, beat))
		}
	}
}
