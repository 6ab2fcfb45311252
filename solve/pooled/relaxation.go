package pooled

import (
	"context"

	"downbeat/model"
	"downbeat/model/proof"
)

// kind is how coarse a relaxation is: how slaves are pooled, whether tasks are told
// apart by their transfers, and the length of steps, 1<<shift ticks.
type kind struct {
	pools []pool
	apart bool
	shift uint
}

// relaxation is the question whether jobs can finish in time, with the capacity
// constraints of pools moved into the objective at multipliers.
type relaxation struct {
	*rows
	pools []pool
	// apart tells that tasks are taken to be equal only where they fetch equally long.
	apart bool
	// unit is what a weight of 1 is in prices.
	unit    int64
	jobs    []job
	table   []table
	tableOf map[tableKind]int32
	// handed, by pool and step, is the step of the last heartbeat in or before it.
	handed [][]int32
	// ends is scratch, one per stage of a job and one more: the least costs of the
	// stages up to it, by the step by which it ends.
	ends [][]int64
	// size is the number of steps to look at, over all groups and pools.
	size int
	// late are the penalties of jobs that are late alone; they are paid in any case.
	late int64
}

// newRelaxation sets up a question in steps of 1<<shift ticks. It is cut short where ctx
// ends.
func newRelaxation(ctx context.Context, js *model.JobSet, q *proof.LateCosts, k *kind) *relaxation {
	end := model.Time(0)
	for i, w := range q.Weight {
		if w > 0 {
			end = max(end, q.Due[i])
		}
	}
	r := &relaxation{rows: newRows(js, k.pools, end, k.shift), pools: k.pools, apart: k.apart, unit: unitOf(q), tableOf: map[tableKind]int32{}}
	c := condenser{js: js, pools: k.pools, apart: k.apart}
	for i, w := range q.Weight {
		if w == 0 || ctx.Err() != nil {
			continue
		}
		b, ok := c.newJob(model.JobID(i), q.Due[i], k.shift)
		if !ok {
			r.late += w * r.unit
			continue
		}
		b.penalty = w * r.unit
		if q.PerTick != nil {
			b.perTick = q.PerTick[i] * r.unit
		}
		r.add(b)
	}
	r.hand()
	return r
}

// hand fills handed.
func (r *relaxation) hand() {
	for k := range r.pools {
		handed := make([]int32, r.steps)
		for c := range handed {
			handed[c] = int32(r.pools[k].lastBeat(model.Time(c+1)<<r.shift-1) >> r.shift)
		}
		r.handed = append(r.handed, handed)
	}
}

// add takes a job in.
func (r *relaxation) add(b job) {
	r.jobs = append(r.jobs, b)
	for len(r.ends) < len(b.stages)+1 {
		r.ends = append(r.ends, make([]int64, r.steps))
	}
	for _, st := range b.stages {
		for _, g := range st.groups {
			for k := range g.domains {
				d := &g.domains[k]
				r.tables(d)
				r.size += int((d.lastStart-d.firstAssign-d.transfer)>>r.shift) + 1
			}
		}
	}
}

// value is the Lagrangian at the multipliers as they are: what the jobs cost less what
// all capacities do. It sets use to that of the ways selected.
func (r *relaxation) value() int64 {
	r.sum()
	r.fill()
	clear(r.use)
	total := r.late
	for i := range r.jobs {
		total += r.solve(&r.jobs[i])
	}
	return total - r.worth()
}

// solve finds what a job costs, and counts the use of its cheapest way unless that is
// to be late.
func (r *relaxation) solve(b *job) int64 {
	var before []int64
	for k := range b.stages {
		out := r.ends[k][:b.last-b.first+1]
		r.stage(b, &b.stages[k], before, out)
		before = out
	}
	best, at := b.penalty, -1
	for c, cost := range before {
		if end := model.Time(b.first+c) << r.shift; b.perTick > 0 && end > b.due {
			cost += b.perTick * int64(end-b.due)
		}
		if cost < best {
			best, at = cost, c
		}
	}
	if at >= 0 {
		r.count(b, at)
	}
	return best
}

// stage works out, by the step by which a stage ends, the cost of its cheapest way and
// that of all stages before.
func (r *relaxation) stage(b *job, st *stage, before, out []int64) {
	r.group(b, &st.groups[0], before, out)
	for i := range st.groups[1:] {
		for c, cost := range r.free(b, &st.groups[1+i]) {
			out[c] = min(impossible, out[c]+cost)
		}
	}
}

// free works out the same for a group that is not tied to the stage before, in scratch.
func (r *relaxation) free(b *job, g *group) []int64 {
	own := r.ends[len(r.ends)-1][:b.last-b.first+1]
	r.group(b, g, nil, own)
	return own
}

// group works out the same for a group, tied to the stage before unless that is nil.
// All its tasks may go the same way, the cheapest.
func (r *relaxation) group(b *job, g *group, before, out []int64) {
	for c := range out {
		out[c] = impossible
	}
	for k := range g.domains {
		r.domain(b, g, &g.domains[k], before, out)
	}
	least := int64(impossible)
	for c := range out {
		least = min(least, out[c])
		out[c] = least
	}
}

// steps are those in which the tasks of a domain begin to fetch first, and to run, first
// and last. A run begins delay steps or more after its fetch, and ends length steps later
// or after.
func (d *domain) steps(shift uint) (fetch, first, last, delay, length int) {
	return int(d.firstAssign >> shift), int((d.firstAssign + d.transfer) >> shift), int(d.lastStart >> shift),
		int(d.transfer >> shift), int(d.wcet >> shift)
}

// fetchCost is what the tasks of a group pay for the part up to the end of a fetch that
// begins in a step, and for the stages before.
func (r *relaxation) fetchCost(b *job, g *group, d *domain, before []int64, fetch int) int64 {
	held := &r.table[d.held]
	cost := g.count * held.costs[fetch-held.from]
	if before != nil {
		cost += before[int(r.handed[d.pool][fetch])-b.first]
	}
	return cost
}

// domain lowers the costs by end to those in a pool.
func (r *relaxation) domain(b *job, g *group, d *domain, before, out []int64) {
	fetch, first, last, delay, length := d.steps(r.shift)
	held, run, handed := &r.table[d.held], &r.table[d.run], r.handed[d.pool]
	best, least := int64(impossible), int64(impossible)
	for ; fetch < first-delay; fetch++ {
		best = min(best, r.fetchCost(b, g, d, before, fetch))
	}
	costs, runs, ends := held.costs[fetch-held.from:], run.costs[first-run.from:last+1-run.from], out[first+length-b.first:]
	costs, ends = costs[:len(runs)], ends[:len(runs)]
	handed = handed[fetch:][:len(runs)]
	for i, runCost := range runs {
		cost := g.count * costs[i]
		if before != nil {
			cost += before[int(handed[i])-b.first]
		}
		best = min(best, cost)
		whole := best + g.count*runCost
		least = min(least, whole)
		ends[i] = min(ends[i], whole)
	}
	d.least = least
}

// find looks for a way of a group of a cost, tied to the stage before unless that is
// nil, that ends by a step.
func (r *relaxation) find(b *job, g *group, before []int64, by int, cost int64) (way *domain, fetch, start int) {
	for k := range g.domains {
		d := &g.domains[k]
		if d.least > cost {
			continue
		}
		next, first, last, delay, length := d.steps(r.shift)
		run := &r.table[d.run]
		best := int64(impossible)
		for start := first; start <= min(last, by+b.first-length); start++ {
			for ; next <= start-delay; next++ {
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

// count counts the use of the cheapest way of a job, just solved, that ends by a step.
func (r *relaxation) count(b *job, at int) {
	for k := len(b.stages) - 1; k >= 0; k-- {
		st := &b.stages[k]
		left := r.ends[k][at]
		for i := range st.groups[1:] {
			g := &st.groups[1+i]
			cost := r.free(b, g)[at]
			left -= cost
			if d, fetch, start := r.find(b, g, nil, at, cost); d != nil {
				r.load(g, d, fetch, start)
			}
		}
		var before []int64
		if k > 0 {
			before = r.ends[k-1]
		}
		g := &st.groups[0]
		d, fetch, start := r.find(b, g, before, at, left)
		if d == nil {
			return
		}
		r.load(g, d, fetch, start)
		at = int(r.handed[d.pool][fetch]) - b.first
	}
}

// load counts what the tasks of a group use on their way.
func (r *relaxation) load(g *group, d *domain, fetchStep, startStep int) {
	p := &r.pools[d.pool]
	fetch := max(d.firstAssign, model.Time(fetchStep)<<r.shift)
	start := max(fetch+d.transfer, model.Time(startStep)<<r.shift)
	for i, need := range d.needs {
		s := &r.supplies[d.pool][i]
		if need == 0 || s.row == nil {
			continue
		}
		held := model.Interval{Start: start, End: start + d.wcet}
		switch model.ResourceID(i).Hold() {
		case model.HoldFetch:
			held = model.Interval{Start: fetch, End: fetch + d.transfer}
		case model.HoldStay:
			held = model.Interval{Start: p.lastBeat(fetch), End: p.nextBeat(held.End)}
		}
		r.spread(held, func(c int, ticks int64) { r.use[s.row[c]] += need * g.count * ticks })
	}
}
