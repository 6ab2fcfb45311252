package lagrange

import (
	"context"
	"math"

	"downbeat/model"
)

// never is a cost above all rejection penalties; sums of a few stay far from overflow.
const never = math.MaxInt64 / 16

// subproblem is a job by itself, with the placements that are left to its tasks.
type subproblem struct {
	ctx  context.Context // that of the relaxation
	rows *rows
	id   model.JobID
	// penalty is what the job costs where it is rejected, and at most.
	penalty int64
	stages  []stage
	// late is what it pays for each tick that it ends after its deadline, less what is short.
	late, short int64
	deadline    model.Time
	// first and last bound the times at which its tasks are handed out and finish.
	first, last model.Time
	// until, one per stage but the last, is the least cost of all up to that
	// stage if it ends at a time or before. Here and in from only times between
	// first and last are looked at.
	until [][]int64
	// from is the least cost of the last stage if it is handed out at a time or after.
	from []int64
	// single and lateness are scratch, shared by all jobs: what a task costs, and lateness, by time.
	single, lateness []int64
	// known has, where they need not be worked out, such costs by stage and group: see byEnd
	// and byBegin. It is nil otherwise.
	known [][][]int64
	// cost is that of the job at the multipliers last looked at.
	cost int64
	// end is when its cheapest column ends there.
	end model.Time
}

// stage is a stage with equal tasks together.
type stage struct {
	groups []group
	// alone tells that it has a single task: then it can be chained to the stage
	// before exactly.
	alone bool
	// shortest is the time between being handed out and its end, at least.
	shortest model.Time
	// lanes are those of a first stage that others come after, nil where what its tasks cost each by itself is all that is counted.
	lanes *lanes
}

// group is a number of equal tasks of a stage.
type group struct {
	count   int64
	domains []domain
}

// domain is what placements the tasks of a group have on a slave.
type domain struct {
	slave          int32
	wcet, transfer model.Time
	// run, fetch and stay are what a task holds in each way.
	run, fetch, stay *load
	// firstAssign bounds the heartbeat, firstFetch and lastFetch the start of the
	// fetch, firstRun and lastRun that of the run.
	firstAssign, firstFetch, lastFetch, firstRun, lastRun model.Time
	// least is the least cost at the multipliers last looked at, whatever the
	// other stages do.
	least int64
}

// column is one of a job: what it costs, when its last stage is handed out at the
// earliest, and when it ends at the latest.
type column struct {
	cost            int64
	handOut, finish model.Time
}

// solve finds the cheapest column of the job to finish in time, and sets cost to what
// it costs, or to its penalty where that is less.
func (b *subproblem) solve() column {
	before := b.beforeLast()
	var best column
	if b.late > 0 {
		best = b.solveLate(before)
	} else {
		best = b.endingBy(before, b.rows.end)
	}
	b.cost = min(best.cost, b.penalty)
	b.end = best.finish
	return best
}

// beforeLast is the least cost of all stages before the last by the time at which they
// end; nil if there are none.
func (b *subproblem) beforeLast() []int64 {
	var before []int64
	for k := range len(b.stages) - 1 {
		b.forward(k, before, b.until[k])
		before = b.until[k]
		if k == 0 && len(b.stages) > 2 {
			b.lane()
		}
	}
	return before
}

// endingBy is the cheapest column that ends by a time, lateness apart; before is what
// the stages before the last cost.
func (b *subproblem) endingBy(before []int64, finish model.Time) column {
	last := &b.stages[len(b.stages)-1]
	b.backward(finish)
	b.rows.looked += len(last.groups) * len(b.rows.slaves) * int(b.last-b.first)
	best := column{never, 0, finish}
	if before == nil {
		best.cost, best.handOut = b.from[b.first], b.first
		return best
	}
	if len(b.stages) == 2 && b.stages[0].lanes != nil {
		best.cost, best.handOut = b.endingInLanes(before)
		return best
	}
	for t := b.first; t <= b.last; t++ {
		if c := before[t] + b.from[t]; c < best.cost {
			best.cost, best.handOut = c, t
		}
	}
	return best
}

// forward works out until: the least cost, up to the penalty, of a stage and all
// before if it ends at a time or before. A stage of several tasks is not tied
// to the one before it, only to the windows: it costs as if handed out freely.
func (b *subproblem) forward(k int, before, until []int64) {
	st := &b.stages[k]
	if st.lanes != nil {
		b.inLanes(st, until)
		return
	}
	chained := before
	if !st.alone {
		chained = nil
	}
	clear(until)
	for i := range st.groups {
		single, count := b.knownOf(k, i), st.groups[i].count
		if single == nil || chained != nil {
			single = b.byEnd(&st.groups[i], chained)
		}
		for t := b.first; t <= b.last; t++ {
			until[t] = min(b.penalty, until[t]+count*single[t])
		}
	}
	if before != nil && !st.alone {
		b.shift(st, before, until)
	}
}

// knownOf is what is known of a group.
func (b *subproblem) knownOf(stage, i int) []int64 {
	if b.known == nil {
		return nil
	}
	return b.known[stage][i]
}

// byEnd is the least cost of a task of a group, up to the penalty, if it ends at a time or
// before; in the scratch.
func (b *subproblem) byEnd(g *group, chained []int64) []int64 {
	single := b.fresh()
	for k := range g.domains {
		d := &g.domains[k]
		d.least = b.ends(d, chained, nil, 0, model.Never, single).cost
	}
	least := b.penalty
	for t := b.first; t <= b.last; t++ {
		least = min(least, single[t])
		single[t] = least
	}
	return single
}

// byBegin is that if it is handed out at a time or after and ends by finish.
func (b *subproblem) byBegin(g *group, finish model.Time) []int64 {
	single := b.fresh()
	for k := range g.domains {
		b.begins(&g.domains[k], finish, single)
	}
	least := b.penalty
	for t := b.last; t >= b.first; t-- {
		least = min(least, single[t])
		single[t] = least
	}
	return single
}

// fresh sets the scratch to the penalty.
func (b *subproblem) fresh() []int64 {
	single := b.single[:b.last+1]
	for t := b.first; t <= b.last; t++ {
		single[t] = b.penalty
	}
	return single
}

// shift adds what the stages before cost, if they end early enough for a stage
// to end at a time.
func (b *subproblem) shift(st *stage, before, until []int64) {
	for t := b.first; t <= b.last; t++ {
		if at := t - st.shortest; at < b.first {
			until[t] = b.penalty
		} else {
			until[t] = min(b.penalty, until[t]+before[at])
		}
	}
}

// placement is one of a task with its cost, never if there is none.
type placement struct {
	cost         int64
	fetch, start model.Time
}

// ends lowers single[f] to the least cost of a task that finishes at f, of those
// that are handed out at from or later and finish by until, what the stages before
// cost at its heartbeat included, and what is paid for a finish at f; either may be nil. It gives the cheapest placement of all.
func (b *subproblem) ends(d *domain, before, paid []int64, from, until model.Time, single []int64) placement {
	at := &b.rows.slaves[d.slave]
	run, fetch, stay := d.run.sums, d.fetch.sums, d.stay.sums
	best := placement{cost: never}
	for _, present := range at.present {
		ready := max(d.firstAssign, present.Start, from)
		last := min(d.lastRun, present.End-d.wcet, until-d.wcet)
		held, heldFrom := int64(never), model.Time(0)
		for start := max(ready, d.firstFetch) + d.transfer; start <= last; start++ {
			r := start - d.transfer
			if beat := at.beat[r]; model.Time(beat) >= ready && r <= d.lastFetch {
				cost := fetch[start] - fetch[r] - stay[beat]
				if before != nil {
					cost += before[beat]
				}
				if cost <= held {
					held, heldFrom = cost, r
				}
			}
			if held < never && start >= d.firstRun {
				f := start + d.wcet
				cost := held + run[f] - run[start] + stay[f]
				if paid != nil {
					cost += paid[f]
				}
				single[f] = min(single[f], cost)
				if cost < best.cost {
					best = placement{cost, heldFrom, start}
				}
			}
		}
	}
	return best
}

// backward works out from: the least cost, up to the penalty, of the last stage if
// it is handed out at a time or after and ends by finish.
func (b *subproblem) backward(finish model.Time) {
	clear(b.from)
	last := len(b.stages) - 1
	st := &b.stages[last]
	for i := range st.groups {
		single, count := b.knownOf(last, i), st.groups[i].count
		if single == nil {
			single = b.byBegin(&st.groups[i], finish)
		}
		for t := b.first; t <= b.last; t++ {
			b.from[t] = min(b.penalty, b.from[t]+count*single[t])
		}
	}
}

// begins lowers single[a] to the least cost of a task that is handed out at a and
// finishes by until.
func (b *subproblem) begins(d *domain, until model.Time, single []int64) {
	at := &b.rows.slaves[d.slave]
	run, fetch, stay := d.run.sums, d.fetch.sums, d.stay.sums
	least := int64(never)
	for _, present := range at.present {
		ready := max(d.firstAssign, present.Start)
		last := min(d.lastRun, present.End-d.wcet, until-d.wcet)
		right := int64(never)
		for start := last; start >= max(ready, d.firstFetch)+d.transfer; start-- {
			f, r := start+d.wcet, start-d.transfer
			if start >= d.firstRun {
				right = min(right, run[f]-run[start]+stay[f])
			}
			if beat := at.beat[r]; model.Time(beat) >= ready && r <= d.lastFetch {
				cost := right + fetch[start] - fetch[r] - stay[beat]
				single[beat] = min(single[beat], cost)
				least = min(least, cost)
			}
		}
	}
	d.least = least
}

// selectPlacements counts the use of the placements of the job, just solved, on its
// cheapest column.
func (b *subproblem) selectPlacements(c column) {
	last, handOut := len(b.stages)-1, c.handOut
	for k := last; k >= 0; k-- {
		var before []int64
		from, until := model.Time(0), handOut
		if k == last {
			from, until = handOut, c.finish
		} else if k > 0 && b.stages[k].alone {
			before = b.until[k-1]
		}
		if ls := b.stages[k].lanes; ls != nil && ls.won[min(until, ls.last)] {
			b.selectLanes(&b.stages[k], min(until, ls.last))
			break
		}
		for i := range b.stages[k].groups {
			g := &b.stages[k].groups[i]
			d, p := b.cheapest(g, before, from, until)
			if d == nil {
				continue // costs as much as rejection
			}
			beat := model.Time(b.rows.slaves[d.slave].beat[p.fetch])
			b.rows.add(d.run, g.count, p.start, p.start+d.wcet, 1)
			b.rows.add(d.fetch, g.count, p.fetch, p.fetch+d.transfer, 1)
			b.rows.add(d.stay, g.count, beat, p.start+d.wcet, b.rows.js.Heartbeat)
			if before != nil {
				handOut = beat
			}
		}
		if k < last && k > 0 && before == nil {
			handOut = max(0, until-b.stages[k].shortest)
		}
	}
}

// cheapest finds the cheapest placement of a task of a group that is handed out at
// from or later and finishes by until.
func (b *subproblem) cheapest(g *group, before []int64, from, until model.Time) (which *domain, best placement) {
	best.cost = never
	consider := func(d *domain) {
		if d.least >= best.cost {
			return
		}
		if p := b.ends(d, before, nil, from, until, b.single); p.cost < best.cost {
			which, best = d, p
		}
	}
	first := &g.domains[0]
	for k := range g.domains {
		if d := &g.domains[k]; d.least < first.least {
			first = d
		}
	}
	consider(first)
	for k := range g.domains {
		if d := &g.domains[k]; d != first {
			consider(d)
		}
	}
	return which, best
}
