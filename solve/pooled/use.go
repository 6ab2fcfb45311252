package pooled

import "downbeat/model"

// count counts the use of the cheapest column of a job, just solved, that ends by a step.
func (r *lagrangian) count(b *job, at int) {
	for k := len(b.stages) - 1; k > 0; k-- {
		st := &b.stages[k]
		left := r.ends[k][at] - r.countFree(b, k, st.groups[1:], at)
		d, fetch, start := r.find(b, st, r.ends[k-1], at, left)
		if d == nil {
			return
		}
		r.load(d, st.groups[0].count, fetch, start)
		at = int(r.handed[d.pool][fetch]) - b.first
	}
	r.countFree(b, 0, b.stages[0].groups, at)
}

// countFree counts the use of groups that are not tied to the stage before, and gives what
// they cost together.
func (r *lagrangian) countFree(b *job, k int, groups []group, at int) (cost int64) {
	if len(groups) == 0 {
		return 0
	}
	st, held := &b.stages[k], &r.blocks[k]
	if !held.holds(at) {
		for held.begin(st, at+1); held.next(); {
			r.extend(b, st, held)
		}
	}
	for i := range groups {
		g := &groups[i]
		best, least := g.domains[0], int64(impossible)
		for _, d := range g.domains {
			if cost := held.row(d)[at-held.from]; cost < least {
				best, least = d, cost
			}
		}
		r.tasks[best] += g.count
		cost += g.count * least
	}
	for d, tasks := range r.tasks[:len(st.domains)] {
		if tasks > 0 {
			fetch, start := r.placement(&st.domains[d], held.row(int32(d))[at-held.from])
			r.load(&st.domains[d], tasks, fetch, start)
			r.tasks[d] = 0
		}
	}
	return cost
}

// placement finds the first one of a task in a domain that costs no more than that.
func (r *lagrangian) placement(d *domain, cost int64) (fetch, start int) {
	held, run := &r.table[d.held], &r.table[d.run]
	best, next := int64(impossible), d.fetch
	for start = d.first; ; start++ {
		for ; next <= start-d.delay; next++ {
			if c := held.costs[next-held.from]; c < best {
				best, fetch = c, next
			}
		}
		if best+run.costs[start-run.from] <= cost {
			return fetch, start
		}
	}
}

// load counts what a number of tasks use that are placed alike.
func (r *lagrangian) load(d *domain, tasks int64, fetchStep, startStep int) {
	p := &r.pools[d.pool]
	fetch := max(d.firstAssign, model.Time(fetchStep)<<r.shift)
	start := max(fetch+d.transfer, model.Time(startStep)<<r.shift)
	for i, need := range d.needs {
		s := &r.supplies[d.pool][i]
		if need == 0 || s.Supply == nil {
			continue
		}
		held := model.Interval{Start: start, End: start + d.wcet}
		switch model.ResourceID(i).Hold() {
		case model.HoldFetch:
			held = model.Interval{Start: fetch, End: fetch + d.transfer}
		case model.HoldStay:
			held = model.Interval{Start: p.lastBeat(fetch), End: p.nextBeat(held.End)}
		}
		r.Spread(held, func(c int, ticks int64) { r.Use[s.Row(c)] += need * tasks * ticks })
	}
	for _, take := range r.lists[d.takes] {
		s := &r.shared[take.Shared]
		held := model.Interval{Start: p.lastBeat(fetch), End: start + d.wcet}
		r.Spread(held, func(c int, ticks int64) { r.Use[s.Row(c)] += take.Units * tasks * ticks })
	}
}

// find looks for a placement of a group after the stages before, of a cost, that ends by a step.
func (r *lagrangian) find(b *job, st *stage, before []int64, by int, cost int64) (where *domain, fetch, start int) {
	g := &st.groups[0]
	for _, k := range g.domains {
		d := &st.domains[k]
		run, best, next := &r.table[d.run], int64(impossible), d.fetch
		for start := d.first; start <= min(d.last, by+b.first-d.length); start++ {
			for ; next <= start-d.delay; next++ {
				if c := r.fetchCost(b, g, d, before, next); c < best {
					best, fetch = c, next
				}
			}
			if best+g.count*run.costs[start-run.from] <= cost {
				return d, fetch, start
			}
		}
	}
	return nil, 0, 0
}
