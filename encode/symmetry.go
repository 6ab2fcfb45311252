package encode

import (
	"fmt"

	"github.com/irifrance/gini/z"

	"downbeat/model"
)

// Tasks of one stage are ordered where exchanging them changes nothing, and so
// are slaves that are alike. The orders, for tasks t before u of one stage:
//
//	(a) equal figures everywhere:            R_t ≤ R_u
//	    with fifo, or where R = S − C on every slave:  S_t ≤ S_u
//	(b) both on slave j with equal C and E there (not with fifo):
//	                                         R_t ≤ R_u and S_t ≤ S_u
//	(c) slaves i before i+1 of a group of equal slaves: a task may run on i+1
//	    only if a task of lower number runs on i.
//
// Nothing is lost. Take the valid schedule whose vector (R_1, R_2, …, S_1,
// S_2, …) is lexicographically least. If (a) or the first half of (b) is
// violated, exchange the whole placements (slave, A, R, S) of t and u: the
// stage, and so C3, C7 and C8, are the same for both, the slave sees the same
// fetches, holds and runs, and the vector is smaller. If only the second half of (b) is
// violated, S_t > S_u ≥ R_u + C ≥ R_t + C, so the starts alone can be
// exchanged: both transfers are over by then, runs are exchanged, the holds
// [A_t, F) and [A_u, F) keep their multisets of starts and ends and stay in
// one presence of the slave. Equal slaves can be renamed in order of first
// use; renaming changes neither R nor S, so it disturbs neither (a) nor (b).
// With fifo, or R tied everywhere, order (a) by S in the same way.

// nearby limits (b) to pairs this close in number: any subset of the orders
// is sound, and all pairs of a stage of a hundred tasks cost more than they
// save.
const nearby = 6

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
		if t, ok := last[task.Profile]; ok {
			yield(t, u)
		}
		last[task.Profile] = u
	}
}

// alikePairs calls yield for pairs (b): t on its slave k, u on its slave m.
func (l *layout) alikePairs(yield func(t model.TaskID, k int, u model.TaskID, m int)) {
	if l.JS.FIFO {
		return
	}
	for i, t := range l.included {
		for _, u := range l.included[i+1 : min(i+1+nearby, len(l.included))] {
			if l.JS.Tasks[u].Job != l.JS.Tasks[t].Job || l.JS.Tasks[u].Stage != l.JS.Tasks[t].Stage {
				break
			}
			l.alikeSlaves(t, u, func(k, m int) { yield(t, k, u, m) })
		}
	}
}

func (l *layout) alikeSlaves(t, u model.TaskID, yield func(k, m int)) {
	m := 0
	for k := range l.tasks[t].slaves {
		a := &l.tasks[t].slaves[k]
		for m < len(l.tasks[u].slaves) && l.tasks[u].slaves[m].slave < a.slave {
			m++
		}
		if m == len(l.tasks[u].slaves) {
			return
		}
		b := &l.tasks[u].slaves[m]
		if b.slave == a.slave && b.wcet == a.wcet && b.transfer == a.transfer {
			yield(k, m)
		}
	}
}

func predictSymmetry(l *layout, _ int64) int64 {
	if l.NoSymmetry {
		return 0
	}
	total := int64(0)
	l.equalPairs(func(_, u model.TaskID) {
		lay := &l.tasks[u]
		total += int64(max(lay.start.hi-lay.start.lo, lay.fetch.hi-lay.fetch.lo)) + 1
		total += 4 * int64(len(lay.slaves)) * int64(lay.fetch.hi-lay.fetch.lo+1)
	})
	l.alikePairs(func(t model.TaskID, k int, _ model.TaskID, _ int) {
		sl := &l.tasks[t].slaves[k]
		total += 2 * int64(sl.lastStart-sl.firstStart()+1)
	})
	for _, group := range l.equalSlaves() {
		total += 3 * int64(len(group)) * int64(len(l.included))
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
	e.alikePairs(e.orderOnSlave)
	for _, group := range e.equalSlaves() {
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

func (e *Encoding) orderOnSlave(t model.TaskID, k int, u model.TaskID, m int) {
	sl := &e.tasks[t].slaves[k]
	offT, offU := e.vars[t].x[k].Not(), e.vars[u].x[m].Not()
	for at := sl.firstStart(); at < sl.lastStart; at++ {
		e.Add(offT, offU, e.startBy(u, at).Not(), e.startBy(t, at))
	}
	if sl.tied {
		return
	}
	for at := sl.firstFetch; at < sl.lastFetch(); at++ {
		e.Add(offT, offU, e.fetchBy(u, m, at).Not(), e.fetchBy(t, k, at))
	}
}

// equalSlaves groups slaves that no included task can tell apart; groups of
// one are left out.
func (l *layout) equalSlaves() [][]model.SlaveID {
	var profiles []*model.Profile
	seen := map[*model.Profile]bool{}
	for _, t := range l.included {
		if p := l.JS.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			profiles = append(profiles, p)
		}
	}
	byKey := map[string]int{}
	var groups [][]model.SlaveID
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		slave := l.JS.Slaves[s]
		slave.Name, slave.Class = "", ""
		key := fmt.Appendf(nil, "%v", slave)
		for _, p := range profiles {
			key = fmt.Appendf(key, " %d:%d", p.WCET(s), p.Transfer(s))
		}
		i, ok := byKey[string(key)]
		if !ok {
			i = len(groups)
			byKey[string(key)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	out := groups[:0]
	for _, g := range groups {
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// firstUse adds (c) for one group: used[i] after some tasks implies that one of
// them runs on slave i.
func (e *Encoding) firstUse(group []model.SlaveID) {
	used := make([]z.Lit, len(group)-1)
	for i := range used {
		used[i] = False
	}
	for _, t := range e.included {
		x := make([]z.Lit, len(group))
		for i, s := range group {
			x[i] = e.Slave(t, s)
		}
		for i := range used {
			e.Add(x[i+1].Not(), used[i])
		}
		for i := range used {
			if x[i] == False {
				continue
			}
			next := e.Lit()
			e.Add(next.Not(), used[i], x[i])
			used[i] = next
		}
	}
}
