package encode

import (
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
)

// Equal tasks of one stage are ordered, and so are slaves that are alike:
//
//	(a) tasks t before u of one stage with equal figures everywhere:
//	    R_t ≤ R_u; with fifo, or where R = S − C on every slave, S_t ≤ S_u
//	(b) slaves i before i+1 of a group of equal slaves: a task may run on i+1
//	    only if a task of lower number runs on i
//
// Nothing is lost. If a valid schedule violates (a), exchange the whole
// placements (slave, A, R, S) of t and u: the stage, and so C3, C7 and C8, are
// the same for both, the slaves see the same fetches, holds and runs, and the
// vector (R_1, R_2, …), or that of the S, is lexicographically smaller, so the
// exchanges end. Equal slaves can be renamed in order of first use; renaming
// changes neither R nor S, so it does not disturb (a).
//
// Ordering tasks that are equal on one slave only (same C and E there, other
// replicas elsewhere) is sound too, and was tried: proofs of infeasibility took
// several times as long (20 to 40 tasks, six questions, three clause orders
// each: 138 s against 43 s, of which 4 were cut off at 20 s).

// equalPairs calls yield for neighbours in number with equal figures.
func (l *layout) equalPairs(yield func(t, u model.TaskID)) {
	last := map[*model.Profile]model.TaskID{}
	var stage, job = int32(-1), model.JobID(-1)
	for _, u := range l.included {
		task := &l.JS.Tasks[u]
		if task.Stage != stage || task.Job != job {
			clear(last)
			stage, job = task.Stage, task.Job
		}
		if t, ok := last[task.Profile]; ok && l.SameDomain(t, u) {
			yield(t, u)
		}
		last[task.Profile] = u
	}
}

func predictSymmetry(l *layout, stop int64) int64 {
	if l.NoSymmetry {
		return 0
	}
	total := int64(0)
	l.equalPairs(func(t, _ model.TaskID) {
		if total > stop {
			return
		}
		lay := &l.tasks[t]
		if l.JS.FIFO || !lay.freeFetch {
			total += int64(lay.start.hi - lay.start.lo)
			return
		}
		total += int64(lay.fetch.hi - lay.fetch.lo)
		for k := range lay.slaves {
			if sl := &lay.slaves[k]; sl.tied {
				total += 4 * int64(sl.lastFetch()-sl.firstFetch+2) // 2 for each of the pair
			}
		}
	})
	for _, group := range l.EqualSlaves(l.included) {
		total += 2 * int64(len(group)-1) * int64(len(l.included))
	}
	return total
}

func (e *Encoding) buildSymmetry() {
	if e.NoSymmetry {
		return
	}
	linked := map[model.TaskID]bool{}
	e.equalPairs(func(t, u model.TaskID) {
		if e.JS.FIFO || !e.tasks[u].freeFetch {
			e.orderScales(&e.vars[t].start, &e.vars[u].start)
			return
		}
		for _, v := range []model.TaskID{t, u} {
			if !linked[v] {
				linked[v] = true
				e.linkFetch(v)
			}
		}
		e.orderScales(&e.vars[t].fetch, &e.vars[u].fetch)
	})
	for _, group := range e.EqualSlaves(e.included) {
		e.firstUse(group)
	}
}

// orderScales adds a ≤ b for scales with equal bounds.
func (e *Encoding) orderScales(a, b *scale) {
	for at := a.lo; at < a.hi; at++ {
		e.Add(b.atMost(at).Not(), a.atMost(at))
	}
}

// linkFetch gives the fetch scale its meaning R = S − C on the slaves where
// fetchBy does not use it.
func (e *Encoding) linkFetch(t model.TaskID) {
	fetch := &e.vars[t].fetch
	for k := range e.tasks[t].slaves {
		sl := &e.tasks[t].slaves[k]
		if !sl.tied {
			continue
		}
		off := e.vars[t].x[k].Not()
		for at := sl.firstFetch - 1; at <= sl.lastFetch(); at++ {
			here, started := fetch.atMost(at), e.startBy(t, at+sl.transfer)
			e.Add(off, here.Not(), started)
			e.Add(off, here, started.Not())
		}
	}
}

// firstUse adds (b) for one group: used[i] after some tasks implies that one of
// them runs on slave i.
func (e *Encoding) firstUse(group []model.SlaveID) {
	used := make([]z.Lit, len(group)-1)
	for i := range used {
		used[i] = cnf.False
	}
	for _, t := range e.included {
		x := make([]z.Lit, len(group))
		for i, s := range group {
			x[i] = e.slaveLit(t, s)
		}
		for i := range used {
			e.Add(x[i+1].Not(), used[i])
		}
		for i := range used {
			if x[i] == cnf.False {
				continue
			}
			next := e.Lit()
			e.Add(next.Not(), used[i], x[i])
			used[i] = next
		}
	}
}
