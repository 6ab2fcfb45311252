package encode

import (
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
)

// Equal tasks of one stage are ordered, and so are equal slaves (query/symmetry.go
// argues that nothing is lost):
//
//	[R_u ≤ τ] → [R_t ≤ τ]       (a); with fifo, or where R = S − C on every slave, of S
//	x[t,i+1] → ∨_u x[u,i]       (b) u of lower number than t, by literals "slave i
//	                            is used by tasks up to u"

func predictSymmetry(l *layout, stop int64) int64 {
	if l.NoSymmetry {
		return 0
	}
	total := int64(0)
	for t, u := range l.EqualPairs {
		if total > stop {
			break
		}
		lay := &l.tasks[t]
		if l.JS.FIFO || !lay.freeFetch {
			if !l.together(t, u) {
				total += int64(lay.start.hi - lay.start.lo)
			}
			continue
		}
		total += int64(lay.fetch.hi - lay.fetch.lo)
		for k := range l.Places[t] {
			if p := &l.Places[t][k]; p.Tied {
				total += 4 * int64(p.LastFetch()-p.FirstFetch+2) // 2 for each of the pair
			}
		}
	}
	for _, group := range l.EqualSlaves(l.Included) {
		total += 2 * int64(len(group)-1) * int64(len(l.Included))
	}
	return total
}

func buildSymmetry(e *Encoding) {
	if e.NoSymmetry {
		return
	}
	linked := map[model.TaskID]bool{}
	for t, u := range e.EqualPairs {
		if e.JS.FIFO || !e.tasks[u].freeFetch {
			if !e.together(t, u) {
				orderScales(e, &e.vars[t].start, &e.vars[u].start)
			}
			continue
		}
		for _, v := range []model.TaskID{t, u} {
			if !linked[v] {
				linked[v] = true
				linkFetch(e, v)
			}
		}
		orderScales(e, &e.vars[t].fetch, &e.vars[u].fetch)
	}
	for _, group := range e.EqualSlaves(e.Included) {
		firstUse(e, group)
	}
}

// together reports whether tasks have one start anyhow.
func (l *layout) together(t, u model.TaskID) bool { return l.tasks[t].like == l.tasks[u].like }

// orderScales adds a ≤ b for scales with equal bounds.
func orderScales(e *Encoding, a, b *scale) {
	for at := a.lo; at < a.hi; at++ {
		e.Add(b.atMost(at).Not(), a.atMost(at))
	}
}

// linkFetch gives the fetch scale its meaning R = S − C on the slaves where
// fetchBy does not use it.
func linkFetch(e *Encoding, t model.TaskID) {
	fetch := &e.vars[t].fetch
	for k := range e.Places[t] {
		p := &e.Places[t][k]
		if !p.Tied {
			continue
		}
		off := e.vars[t].x[k].Not()
		for at := p.FirstFetch - 1; at <= p.LastFetch(); at++ {
			here, started := fetch.atMost(at), e.StartBy(t, at+p.Transfer)
			e.Add(off, here.Not(), started)
			e.Add(off, here, started.Not())
		}
	}
}

// firstUse adds (b) for one group: used[i] after some tasks implies that one of
// them runs on slave i.
func firstUse(e *Encoding, group []model.SlaveID) {
	used := slices.Repeat([]z.Lit{cnf.False}, len(group)-1)
	for _, t := range e.Included {
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
