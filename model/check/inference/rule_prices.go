package inference

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"downbeat/model"
)

// overpaid: jobs pay more, all together, than all that has a price is worth.
func (st *state) overpaid(a []int64) error {
	return st.overpay(a[0], func(m *multipliers) int64 { return m.worth }, st.pays)
}

// overpay fails unless jobs pay more, each so much, at the prices of a line than what slaves have, and share, is worth at them,
// and what limits allow.
func (st *state) overpay(line int64, worthOf func(*multipliers) int64, pays func(*multipliers, int32) int64) error {
	m := st.multipliers[line]
	if m == nil {
		return fmt.Errorf("there is no line of prices %d", line)
	}
	worth, all := worthOf(m), int64(0)
	for _, o := range limited {
		worth = plus(worth, times(m.ofLimits[o], st.q.limits[o]))
	}
	for k := range st.jobs {
		if all = plus(all, pays(m, int32(k))); all > worth || st.stopped() {
			break
		}
	}
	if all <= worth {
		return errors.New("jobs may pay no more than what all that has a price is worth")
	}
	return nil
}

// pays is the least that a job pays: more than there is where it can neither be in nor be
// let go.
func (st *state) pays(m *multipliers, k int32) int64 {
	j := &st.jobs[k]
	spec := &st.js.Jobs[j.job]
	missed, letGo := st.missed(m, k)
	if st.letGo(k) || !st.in(k) && letGo == 0 {
		return letGo
	}
	least := st.cheapest(m, k, min(j.by, spec.Due()))
	if j.by > spec.Due() {
		least = min(least, plus(missed, st.cheapest(m, k, j.by)))
	}
	if !st.in(k) {
		least = min(least, letGo)
	}
	return least
}

// missed is what a job pays if it is late, and what it does if it is let go: nothing where its time is before its deadline.
func (st *state) missed(m *multipliers, k int32) (late, letGo int64) {
	spec := &st.js.Jobs[st.jobs[k].job]
	for _, o := range limited {
		if shape := o.Shape(); shape.Counts() && shape.Jobs.Has(spec.Kind) {
			late = plus(late, times(m.ofLimits[o], shape.Weight(spec)))
		}
	}
	if st.jobs[k].by < spec.Due() {
		return late, 0
	}
	return late, late
}

// cheapest is the least that a job pays for its tasks, and per tick for ending late, if it
// ends by a time.
func (st *state) cheapest(m *multipliers, k int32, by model.Time) int64 {
	j := &st.jobs[k]
	defer st.undo(len(st.trail))
	st.lower(j.end, by)
	for t := j.task; t < j.last && !st.stopped(); t++ {
		st.pressEnds(t)
	}
	spec := &st.js.Jobs[j.job]
	switch {
	case st.dead || by < spec.Release:
		return largest
	case by-spec.Release >= mostTicks:
		return 0
	}
	w := way{state: st, m: m, tariff: newTariff(st.js, spec.Release, by-spec.Release)}
	w.putAllShared()
	after := make([]int64, 1+by-spec.Release)
	for _, o := range limited {
		shape, from := o.Shape(), o.Shape().From(spec)
		perTick := times(m.ofLimits[o], shape.Weight(spec))
		pays := perTick > 0 && j.role == must && shape.Sums() && shape.Jobs.Has(spec.Kind)
		for t := model.Time(0); pays && t <= by-spec.Release; t++ {
			end := max(spec.Release+t, w.is[j.end].first)
			after[t] = min(mostWorth, plus(after[t], times(perTick, int64(max(0, end-from)))))
		}
	}
	parts := [][]batch{w.batches(j.task, j.last)}
	if spec.Chain() {
		parts = nil
		for n := j.stage; n < j.lastStage; n++ {
			parts = append(parts, w.batches(st.stages[n].task, st.stages[n].end))
		}
	}
	r := &route{heartbeat: st.js.Heartbeat, from: spec.Release, most: mostWorth, stop: st.stoppedAfter}
	n := model.Time(len(after))
	return r.cheapest(parts, after, func(int) (anchor, step model.Time) { return spec.Release, grain(st.js, n, mostSteps) })
}

// way has what the tasks of a job cost at multipliers.
type way struct {
	*state
	m *multipliers
	*tariff
}

// batches lists tasks, as many as there is room for: others cost nothing.
func (w *way) batches(from, to int32) (out []batch) {
	alike := func(a, b stay) bool {
		return a.slave == b.slave && a.fetch == b.fetch && a.start == b.start
	}
	size, before := 0, []stay(nil)
	for t := from; t < to; t++ {
		var stays []stay
		w.each(t, func(p *place, here *reach) {
			beat := w.beatFrom(p.slave, here.fetch.first+1) - w.state.js.Heartbeat
			stays = append(stays, stay{slave: p.slave, run: p.run, transfer: p.fetch, fetch: here.fetch, start: here.start, tied: p.tied, beat: beat})
		})
		if t > from && w.state.js.Alike(w.tasks[t].id, w.tasks[t-1].id) && slices.EqualFunc(stays, before, alike) {
			out[len(out)-1].count++
			continue
		}
		for _, s := range stays {
			size += int(1 + s.start.last - s.start.first)
		}
		if size += int(w.ticks) + 1; size > mostSteps {
			break
		}
		b, c := batch{count: 1}, (*cost)(nil)
		for k, s := range stays {
			if k == 0 || stays[k-1].slave != s.slave {
				c = w.costAt(t, s.slave)
			}
			s.cost = c
			b.with(s)
		}
		out, before = append(out, b), stays
	}
	return out
}

// costAt is what a task costs on a slave.
func (w *way) costAt(t int32, s model.SlaveID) *cost {
	if w.lines[s] == nil {
		all := w.tariff.on(s)
		for k := range all {
			of := w.m.of[resource{s, all[k].Resource}]
			first := sort.Search(len(of), func(i int) bool { return of[i].in.End > w.from })
			for _, p := range of[first:] {
				if p.in.Start >= w.from+w.ticks {
					break
				}
				w.put(s, &all[k], p.in, p.each)
			}
			all[k].addUp()
		}
	}
	return w.costOf(w.tasks[t].id, s)
}

// putAllShared puts the prices of pools and caps.
func (w *way) putAllShared() {
	for id, of := range w.m.ofShared {
		first := sort.Search(len(of), func(i int) bool { return of[i].in.End > w.from })
		for _, p := range of[first:] {
			if p.in.Start >= w.from+w.ticks {
				break
			}
			w.putShared(id, p.in, p.each)
		}
	}
	w.addUpShared()
}

// each goes through what is left to a task, by place and presence.
func (w *way) each(t int32, yield func(*place, *reach)) {
	for at := w.tasks[t].place; at < w.tasks[t].end; at++ {
		p := &w.places[at]
		if w.state.on(at) == no {
			continue
		}
		for here := range w.during(p, w.among(p)) {
			if w.stoppedAfter(int(here.start.last - here.fetch.first)) {
				return
			}
			yield(p, &here)
		}
	}
}
