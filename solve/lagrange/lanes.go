package lagrange

import (
	"math"

	"downbeat/model"
)

// lanes are what the tasks of a job's first stage cost together, as on a slave no more of them run at a time than it has cores for: it
// has so many lanes, in each of which they come one after the other. Each task pays its base, wherever it is, and what a placement costs beyond that
// is no less than what the task does that it is cheapest for; so the least is that of as many placements, whichever tasks these are for. Without this
// a job may be in half of its plans done in no time, with all tasks side by side, where there is room for half of them.
type lanes struct {
	count int64
	// slaves are those that the tasks may be on.
	slaves []slaveLanes
	// base is what a task pays in any case, by group, with the placement of which that is the cost, unless it was given.
	base []int64
	at   []seat
	// first and last bound when any of the tasks ends.
	first, last model.Time
	// heads are how many tasks each slave has been found room for in a lane, extras what one more there costs beyond its base.
	heads  []int
	extras []int64
	// sum is what all tasks pay in any case; alone tells that what they cost one by one on slaves is not yet worked out.
	sum   int64
	alone bool
	// looked tells, by when the stage ends, that it is known what they cost so, won that it is more than each by itself.
	looked, won []bool
}

// slaveLanes are those of a slave: so many, for tasks that run for a length at least. domains are those on it, by group, -1 for none.
type slaveLanes struct {
	number  int64
	length  model.Time
	domains []int32
	// tables has by group that of its domain: that of the first group with such a domain.
	tables []int32
	// most tasks fit in a lane, and known is how many have been worked out.
	most, known int
	*laneTable
}

// laneTable has by end, and by group, what a task costs there, and when it is fetched, and the cheapest placement; the least beyond the base, and of which
// group that is; and the least of a number of tasks one after the other that end by then. All jobs share one for each slave.
type laneTable struct {
	costs   [][]int64
	fetches [][]model.Time
	best    []seat
	beyond  []int64
	groups  []int32
	least   [][]int64
}

// seat is a placement of a task in a domain.
type seat struct {
	domain       *domain
	cost         int64
	fetch, start model.Time
}

// Stages of more than mostInLanes tasks have no lanes, nor have those whose tables would be larger than mostLaneCosts.
const mostInLanes, mostLaneCosts = 32, 1 << 20

// newLanes are those of a stage, nil where it has too few tasks, or too many.
func (r *lagrangian) newLanes(st *stage) *lanes {
	ls := &lanes{base: make([]int64, len(st.groups)), at: make([]seat, len(st.groups))}
	for i := range st.groups {
		ls.count += st.groups[i].count
	}
	if ls.count < 2 || ls.count > mostInLanes || len(r.slaves)*int(ls.count)*int(r.end) > mostLaneCosts {
		return nil
	}
	if r.tables == nil {
		r.tables = make([]laneTable, len(r.slaves))
	}
	for s := range r.slaves {
		l := slaveLanes{length: model.Never, laneTable: &r.tables[s]}
		for i := range st.groups {
			l.domains = append(l.domains, -1)
			for k := range st.groups[i].domains {
				if d := &st.groups[i].domains[k]; d.slave == int32(s) {
					l.domains[i] = int32(k)
					l.length = min(l.length, d.wcet)
					l.number = max(l.number, r.atOnce(d.run))
				}
			}
		}
		if l.number > 0 {
			l.tables = make([]int32, len(st.groups))
			l.fit(len(st.groups), int(ls.count), int(r.end)+1)
			ls.slaves = append(ls.slaves, l)
		}
	}
	ls.heads, ls.extras = make([]int, len(ls.slaves)), make([]int64, len(ls.slaves))
	ls.looked, ls.won = make([]bool, r.end+1), make([]bool, r.end+1)
	return ls
}

// atOnce is how many tasks of a load run at a time at most.
func (r *rows) atOnce(l *load) int64 {
	most := int64(math.MaxInt32)
	for _, n := range l.needs {
		most = min(most, r.Capacity[n.first]/n.units)
	}
	return most
}

// fit makes room for a number of groups and tasks.
func (l *laneTable) fit(groups, count, times int) {
	for len(l.costs) < groups {
		l.costs, l.fetches = append(l.costs, make([]int64, times)), append(l.fetches, make([]model.Time, times))
		l.best = append(l.best, seat{})
	}
	if l.least == nil {
		l.beyond, l.groups, l.least = make([]int64, times), make([]int32, times), [][]int64{make([]int64, times)}
	}
	for len(l.least) <= count {
		l.least = append(l.least, make([]int64, times))
	}
}

// inLanes is forward for a first stage with lanes: see laned.
func (b *subproblem) inLanes(st *stage, until []int64) {
	ls := st.lanes
	b.bound(st)
	for t := b.first; t <= b.last; t++ {
		until[t] = b.penalty
	}
	if ls.last < ls.first {
		return
	}
	clear(until[ls.first : ls.last+1])
	base := int64(0)
	for i := range st.groups {
		g := &st.groups[i]
		least := b.seats(st, i)
		if b.rows.base == nil {
			ls.base[i] = min(b.penalty, ls.at[i].cost)
		} else {
			ls.base[i] = b.rows.base[b.stageTask(i)]
		}
		base += g.count * ls.base[i]
		for t := ls.first; t <= ls.last; t++ {
			until[t] = min(b.penalty, until[t]+g.count*least[t])
		}
	}
	for t := ls.last + 1; t <= b.last; t++ {
		until[t] = until[ls.last]
	}
	clear(ls.looked[ls.first : ls.last+1])
	clear(ls.won[ls.first : ls.last+1])
	ls.sum, ls.alone = base, true
}

// laned is what the first stage, with lanes, costs if it ends at a time or before. Until that is asked for it is what its tasks cost each by itself,
// which is no more: few times come into question then.
func (b *subproblem) laned(t model.Time) int64 {
	ls, until := b.stages[0].lanes, b.until[0]
	at := min(t, ls.last)
	if at < ls.first {
		return until[t]
	}
	if !ls.looked[at] && until[at] < b.penalty {
		if ls.alone {
			for n := range ls.slaves {
				ls.oneByOne(&ls.slaves[n])
			}
			ls.alone = false
		}
		ls.looked[at] = true
		cost := ls.sum
		enough := ls.fill(at, func(_ *slaveLanes, _ int, number, extra int64) { cost += number * extra })
		switch {
		case !enough:
			ls.won[at], until[at] = true, b.penalty
		case cost > until[at]:
			ls.won[at], until[at] = true, min(b.penalty, cost)
		}
	}
	until[t] = until[at]
	return until[t]
}

// lane has the first stage cost what it does in lanes, if it has any, whenever others may be handed out after it.
func (b *subproblem) lane() {
	if b.stages[0].lanes == nil {
		return
	}
	for t := b.first; t <= b.last; t++ {
		b.laned(t)
	}
}

// endingInLanes is the cheapest hand-out of the last stage after one with lanes, at what both cost.
func (b *subproblem) endingInLanes(before []int64) (cost int64, handOut model.Time) {
	least, hint := int64(never), b.first
	for t := b.first; t <= b.last; t++ {
		if c := before[t] + b.from[t]; c < least {
			least, hint = c, t
		}
	}
	enough := b.laned(hint) + b.from[hint]
	cost = never
	for t := b.first; t <= b.last; t++ {
		if c := before[t] + b.from[t]; c < cost && c <= enough {
			if c = b.laned(t) + b.from[t]; c < cost {
				cost, handOut = c, t
			}
		}
	}
	return cost, handOut
}

// bound bounds when any of the tasks of a stage with lanes ends.
func (b *subproblem) bound(st *stage) {
	first, last := b.last, b.first-1
	for i := range st.groups {
		for k := range st.groups[i].domains {
			d := &st.groups[i].domains[k]
			if start := max(d.firstRun, max(d.firstAssign, d.firstFetch)+d.transfer); start <= d.lastRun {
				first, last = min(first, start+d.wcet), max(last, d.lastRun+d.wcet)
			}
		}
	}
	st.lanes.first, st.lanes.last = max(first, b.first), min(last, b.last)
}

// stageTask is the first task of a group of the first stage.
func (b *subproblem) stageTask(group int) model.TaskID {
	t := b.rows.js.Jobs[b.id].First
	for i := range group {
		t += model.TaskID(b.stages[0].groups[i].count)
	}
	return t
}

// seats lists what the tasks of a group cost on each slave, and gives the least by when they end, up to the penalty, in the scratch.
func (b *subproblem) seats(st *stage, i int) []int64 {
	ls, g := st.lanes, &st.groups[i]
	single := b.single
	for t := ls.first; t <= ls.last; t++ {
		single[t] = b.penalty
	}
	ls.at[i] = seat{cost: never}
	for n := range ls.slaves {
		l := &ls.slaves[n]
		if l.domains[i] < 0 {
			continue
		}
		d := &g.domains[l.domains[i]]
		of := l.alike(st, i)
		costs := l.costs[of]
		if l.tables[i] = int32(of); of == i {
			for t := ls.first; t <= ls.last; t++ {
				costs[t] = never
			}
			l.best[i] = b.list(d, costs, l.fetches[i])
		}
		if d.least = l.best[of].cost; d.least < ls.at[i].cost {
			ls.at[i] = l.best[of]
			ls.at[i].domain = d
		}
		for t := ls.first; t <= ls.last; t++ {
			single[t] = min(single[t], costs[t])
		}
	}
	least := b.penalty
	for t := ls.first; t <= ls.last; t++ {
		least = min(least, single[t])
		single[t] = least
	}
	return single
}

// alike is the first group that has such placements there as the given one has, of those before; that one, if there is none: tasks that differ in where
// their input is have the same way to it from most slaves.
func (l *slaveLanes) alike(st *stage, i int) int {
	d := &st.groups[i].domains[l.domains[i]]
	for h, k := range l.domains[:i] {
		if k >= 0 && l.tables[h] == int32(h) && d.like(&st.groups[h].domains[k]) {
			return h
		}
	}
	return i
}

// like reports whether tasks of two domains of a slave have the same placements, at the same costs.
func (d *domain) like(o *domain) bool {
	return d.transfer == o.transfer && d.wcet == o.wcet && d.lastRun == o.lastRun && d.firstAssign == o.firstAssign &&
		d.lastFetch == o.lastFetch && d.firstFetch == o.firstFetch && d.firstRun == o.firstRun &&
		d.run == o.run && d.fetch == o.fetch && d.stay == o.stay
}

// list lowers costs to what a task costs by when it ends, and says when it is fetched then. It gives the cheapest placement.
func (b *subproblem) list(d *domain, costs []int64, fetches []model.Time) seat {
	at := &b.rows.slaves[d.slave]
	run, fetch, stay := d.run.sums, d.fetch.sums, d.stay.sums
	best := seat{domain: d, cost: never}
	for _, present := range at.present {
		ready := max(d.firstAssign, present.Start)
		last := min(d.lastRun, present.End-d.wcet)
		held, heldFrom := int64(never), model.Time(0)
		for start := max(ready, d.firstFetch) + d.transfer; start <= last; start++ {
			r := start - d.transfer
			if beat := at.beat[r]; model.Time(beat) >= ready && r <= d.lastFetch {
				if cost := fetch[start] - fetch[r] - stay[beat]; cost <= held {
					held, heldFrom = cost, r
				}
			}
			if held < never && start >= d.firstRun {
				f := start + d.wcet
				costs[f], fetches[f] = held+run[f]-run[start]+stay[f], heldFrom
				if costs[f] < best.cost {
					best = seat{d, costs[f], heldFrom, start}
				}
			}
		}
	}
	return best
}

// oneByOne works out the least of one task on a slave; those of more one after the other are worked out when they are asked for.
func (ls *lanes) oneByOne(l *slaveLanes) {
	for t := ls.first; t <= ls.last; t++ {
		l.beyond[t] = never
	}
	for i, k := range l.domains {
		if k < 0 || l.dearest(ls.base, l.tables[i]) != i {
			continue
		}
		base, costs := ls.base[i], l.costs[l.tables[i]]
		for t := ls.first; t <= ls.last; t++ {
			if costs[t] < never && costs[t]-base < l.beyond[t] {
				l.beyond[t], l.groups[t] = costs[t]-base, int32(i)
			}
		}
	}
	l.most, l.known = min(int(ls.count), 1+int((ls.last-ls.first)/l.length)), 1
	now, least := l.least[1], int64(never)
	for t := ls.first; t <= ls.last; t++ {
		least = min(least, l.beyond[t])
		now[t] = least
	}
}

// dearest is the first group of those that pay most in any case with the table of one: beyond that it costs least.
func (l *slaveLanes) dearest(base []int64, table int32) int {
	of := int(table)
	for i := of + 1; i < len(base); i++ {
		if l.domains[i] >= 0 && l.tables[i] == table && base[i] > base[of] {
			of = i
		}
	}
	return of
}

// oneMore works out the least of one task more on a slave than is known.
func (ls *lanes) oneMore(l *slaveLanes) {
	before, least := l.least[l.known], int64(never)
	l.known++
	now, from := l.least[l.known], ls.first+model.Time(l.known-1)*l.length
	for t := ls.first; t < from; t++ {
		now[t] = never
	}
	for t := from; t <= ls.last; t++ {
		if cost := l.beyond[t]; cost < never && before[t-l.length] < never {
			least = min(least, before[t-l.length]+cost)
		}
		now[t] = least
	}
}

// extra is what a lane costs more by a time with k tasks than with one less. It grows with k, as of k+1 tasks in a lane and k-1 others of one
// length each meets two of the others at most, so that they can be parted in two lanes of k.
func (ls *lanes) extra(l *slaveLanes, k int, t model.Time) int64 {
	if k > l.most {
		return never
	}
	if k > l.known {
		ls.oneMore(l)
	}
	if l.least[k][t] >= never {
		return never
	}
	if k == 1 {
		return l.least[1][t]
	}
	return l.least[k][t] - l.least[k-1][t]
}

// fill finds room for all tasks by a time, where it costs least: take is told for how many more, in lanes of so many with it, and what each costs
// beyond its base. enough tells that there is room.
func (ls *lanes) fill(t model.Time, take func(l *slaveLanes, k int, number, extra int64)) (enough bool) {
	for n := range ls.slaves {
		ls.heads[n], ls.extras[n] = 0, ls.extra(&ls.slaves[n], 1, t)
	}
	for left := ls.count; left > 0; {
		least, of := int64(never), -1
		for n, extra := range ls.extras {
			if extra < least {
				least, of = extra, n
			}
		}
		if of < 0 {
			return false
		}
		l := &ls.slaves[of]
		ls.heads[of]++
		number := min(left, l.number)
		left -= number
		take(l, ls.heads[of], number, least)
		if left > 0 {
			ls.extras[of] = ls.extra(l, ls.heads[of]+1, t)
		}
	}
	return true
}

// selectLanes counts the use of what tasks that end by a time take up in lanes: those of placements that are for tasks of a group, and of the group's base
// for each that has none.
func (b *subproblem) selectLanes(st *stage, t model.Time) {
	ls := st.lanes
	for i := range st.groups {
		b.seated(&ls.at[i], st.groups[i].count)
	}
	ls.fill(t, func(l *slaveLanes, k int, number, _ int64) {
		b.selectLane(st, l, k, t, number)
		b.selectLane(st, l, k-1, t, -number)
	})
}

// selectLane counts the use of k tasks in a number of lanes, in place of as many bases.
func (b *subproblem) selectLane(st *stage, l *slaveLanes, k int, t model.Time, number int64) {
	for ; k > 0; k-- {
		for t > st.lanes.first && l.least[k][t] == l.least[k][t-1] {
			t--
		}
		i := l.groups[t]
		d := &st.groups[i].domains[l.domains[i]]
		b.seated(&seat{domain: d, fetch: l.fetches[l.tables[i]][t], start: t - d.wcet}, number)
		b.seated(&st.lanes.at[i], -number)
		t -= l.length
	}
}

// seated counts the use of a placement by so many tasks.
func (b *subproblem) seated(at *seat, count int64) {
	d := at.domain
	beat, finish := model.Time(b.rows.slaves[d.slave].beat[at.fetch]), at.start+d.wcet
	b.rows.add(d.run, count, at.start, finish, 1)
	b.rows.add(d.fetch, count, at.fetch, at.fetch+d.transfer, 1)
	b.rows.add(d.stay, count, beat, finish, b.rows.js.Heartbeat)
}

// basesAt are what tasks in lanes pay in any case at multipliers, by TaskID, unless that is known; nil if no tasks are in lanes. The relaxation is left
// with these multipliers.
func (r *lagrangian) basesAt(multipliers []int64) (out []int64) {
	if r.base != nil || r.tables == nil {
		return r.base
	}
	copy(r.Multipliers, multipliers)
	r.sum()
	for j := range r.jobs {
		b := &r.jobs[j]
		ls := b.stages[0].lanes
		if ls == nil {
			continue
		}
		if out == nil {
			out = make([]int64, len(r.js.Tasks))
		}
		t := r.js.Jobs[b.id].First
		b.bound(&b.stages[0])
		for i := range b.stages[0].groups {
			b.seats(&b.stages[0], i)
			for range b.stages[0].groups[i].count {
				out[t] = min(b.penalty, ls.at[i].cost)
				t++
			}
		}
	}
	return out
}
