package encode

import (
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// resource is something that at most capacity tasks use at a time on a slave.
type resource struct {
	slave    model.SlaveID
	capacity int
	// step is the distance of the points in time that must be counted; they
	// are congruent to first.
	first, step model.Time
	uses        []use
	// held are the times at which one of the capacity is taken already.
	held []model.Interval
}

// predictResource bounds the clauses of one resource.
func (l *layout) predictResource(r *resource, stop int64) int64 {
	counted := predictCounters(r, stop)
	if n, yes := l.byOrder(r, counted); yes {
		return n
	}
	return counted
}

// predictCounters bounds the clauses of one resource by counting: a clause per
// use and point, and a counter per point.
func predictCounters(r *resource, stop int64) int64 {
	total := int64(0)
	sweep(r.uses, r.held, r.capacity, func(span model.Interval, users []candidate, left int) {
		if total > stop {
			return
		}
		points := int64(r.pointsIn(span))
		n := int64(len(users))
		total += product(points, n+cnf.AtMostClauses(n, int64(left)))
	})
	return total
}

// pointAtOrAfter is the first counted point at t or later.
func (r *resource) pointAtOrAfter(t model.Time) model.Time {
	if t <= r.first {
		return r.first
	}
	return r.first + (t-r.first+r.step-1)/r.step*r.step
}

func (r *resource) pointsIn(span model.Interval) model.Time {
	from := r.pointAtOrAfter(span.Start)
	if from >= span.End {
		return 0
	}
	return (span.End-1-from)/r.step + 1
}

// buildResource keeps users within the capacity. using gives, for a user and a
// point, the two literals that together (with x) mean that it uses the resource
// then.
func (e *Encoding) buildResource(r *resource, using func(c candidate, at model.Time) (begun, ended z.Lit)) {
	if _, yes := e.byOrder(r, predictCounters(r, huge)); yes {
		e.buildPairs(r, using)
	} else {
		e.buildCounters(r, using)
	}
}

// buildCounters counts users at every point where too many can meet.
func (e *Encoding) buildCounters(r *resource, using func(c candidate, at model.Time) (begun, ended z.Lit)) {
	sweep(r.uses, r.held, r.capacity, func(span model.Interval, users []candidate, left int) {
		lits := make([]z.Lit, len(users))
		for at := r.pointAtOrAfter(span.Start); at < span.End; at += r.step {
			for i, c := range users {
				begun, ended := using(c, at)
				lits[i] = e.conjunction(e.vars[c.task].x[c.index], begun, ended.Not())
			}
			e.AtMost(lits, left)
		}
	})
}

// conjunction is a literal implied by a ∧ b ∧ c: one of them where the others
// are True, else a new one.
func (e *Encoding) conjunction(a, b, c z.Lit) z.Lit {
	switch {
	case a == cnf.False || b == cnf.False || c == cnf.False:
		return cnf.False
	case b == cnf.True && c == cnf.True:
		return a
	}
	m := e.Lit()
	e.Add(a.Not(), b.Not(), c.Not(), m)
	return m
}

// resources calls yield for each slave with the uses that span and length give.
func (l *layout) resources(
	span func(sl *slaveLayout) model.Interval, length func(sl *slaveLayout) model.Time, yield func(r *resource),
) {
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		r := &resource{slave: s, step: 1}
		for _, c := range l.bySlave[s] {
			sl := &l.tasks[c.task].slaves[c.index]
			if iv := span(sl); iv.Len() > 0 {
				r.uses = append(r.uses, use{c, iv, length(sl)})
			}
		}
		yield(r)
	}
}

// C4: at every tick at most nc tasks run on a slave. A task runs at τ if
// [S ≤ τ] and not [F ≤ τ].

func (l *layout) cores(yield func(r *resource)) {
	runs := func(sl *slaveLayout) model.Interval {
		return model.Interval{Start: sl.firstStart(), End: sl.lastFinish()}
	}
	wcet := func(sl *slaveLayout) model.Time { return sl.wcet }
	l.resources(runs, wcet, func(r *resource) {
		if l.coresNeverShort(r.slave) {
			return
		}
		r.capacity = l.JS.Slaves[r.slave].Cores
		r.held = l.heldOn(r.slave, run)
		yield(r)
	})
}

func predictCores(l *layout, stop int64) int64 { return l.predictAll(l.cores, stop) }

func (e *Encoding) buildCores() {
	e.cores(func(r *resource) { e.buildResource(r, e.running) })
}

func (e *Encoding) running(c candidate, at model.Time) (begun, ended z.Lit) {
	return e.startBy(c.task, at), e.finishBy(c.task, c.index, at)
}

// C5: at every heartbeat at most as many tasks hold slots of a pool as it has.
// A task holds one at β if [A ≤ β] and not [F ≤ β].

func (l *layout) slots(yield func(r *resource)) {
	holds := func(sl *slaveLayout) model.Interval {
		return model.Interval{Start: sl.firstFetch, End: sl.lastFinish()}
	}
	length := func(sl *slaveLayout) model.Time { return sl.transfer + sl.wcet }
	l.resources(holds, length, func(r *resource) {
		slave := &l.JS.Slaves[r.slave]
		for p := range slave.Pools() {
			pool := &resource{slave: r.slave, capacity: slave.PoolSize(p), first: slave.FirstBeat, step: l.JS.Heartbeat}
			for _, u := range r.uses {
				if slave.Pool(l.JS.Tasks[u.task].Slot) == p {
					pool.uses = append(pool.uses, u)
				}
			}
			pool.held = l.heldOn(r.slave, func(h *query.Fixed) model.Interval {
				if slave.Pool(h.Task.Slot) != p {
					return model.Interval{}
				}
				return hold(h, l.JS)
			})
			yield(pool)
		}
	})
}

func predictSlots(l *layout, stop int64) int64 { return l.predictAll(l.slots, stop) }

func (e *Encoding) buildSlots() {
	e.slots(func(r *resource) { e.buildResource(r, e.holding) })
}

func (e *Encoding) holding(c candidate, at model.Time) (begun, ended z.Lit) {
	return e.assignBy(c.task, c.index, at), e.finishBy(c.task, c.index, at)
}

// C6: at every tick a slave fetches at most one input. A task fetches at τ if
// [R ≤ τ] and not [R ≤ τ−C].

func (l *layout) fetchLines(yield func(r *resource)) {
	if l.JS.Fetch == model.FetchConcurrent {
		return
	}
	fetch := func(sl *slaveLayout) model.Interval {
		if sl.transfer == 0 {
			return model.Interval{}
		}
		return model.Interval{Start: sl.firstFetch, End: sl.lastStart}
	}
	transfer := func(sl *slaveLayout) model.Time { return sl.transfer }
	l.resources(fetch, transfer, func(r *resource) {
		r.capacity = 1
		r.held = l.heldOn(r.slave, fetching)
		yield(r)
	})
}

func predictFetchLine(l *layout, stop int64) int64 { return l.predictAll(l.fetchLines, stop) }

func (e *Encoding) buildFetchLine() {
	e.fetchLines(func(r *resource) { e.buildResource(r, e.fetching) })
}

func (e *Encoding) fetching(c candidate, at model.Time) (begun, ended z.Lit) {
	transfer := e.tasks[c.task].slaves[c.index].transfer
	return e.fetchBy(c.task, c.index, at), e.fetchBy(c.task, c.index, at-transfer)
}

func (l *layout) predictAll(each func(func(r *resource)), stop int64) int64 {
	total := int64(0)
	each(func(r *resource) {
		if total <= stop {
			total += l.predictResource(r, stop-total)
		}
	})
	return total
}
