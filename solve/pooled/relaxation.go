package pooled

import (
	"context"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/relaxation"
)

// grain is how coarse a relaxation is: how slaves are pooled, whether tasks are told
// apart by their transfers, and the length of steps, 1<<shift ticks.
type grain struct {
	pools []pool
	apart bool
	shift uint
}

// lagrangian is the question whether jobs can finish in time, with the capacity
// constraints of pools moved into the objective at multipliers.
type lagrangian struct {
	*relaxation.Relaxation
	pools []pool
	// shift turns a time into its step.
	shift    uint
	supplies [][model.NumResources]supply // by pool
	// shared are what all pools share, by SharedID, those that have rows.
	shared []supply
	*takings
	// apart tells that tasks are taken to be equal only where they fetch equally long.
	apart   bool
	jobs    []job
	table   []table
	tableOf map[tableKind]int32
	// handed, by pool and step, is the step of the last heartbeat in or before it.
	handed [][]int32
	// ends is scratch, one per stage of a job: the least costs of the stages up to it, by
	// the step by which it ends; blocks too, what a task costs in each domain of the stage.
	// tasks is scratch, one per domain: how many have the cheapest placement there.
	ends   [][]int64
	blocks []block
	tasks  []int64
	// size is the number of starts to look at, over all domains, and what groups take beside.
	size int
}

// newLagrangian sets up a question in steps of 1<<shift ticks. It is cut short where ctx
// ends.
func newLagrangian(ctx context.Context, js *model.JobSet, q *proof.LateCosts, k *grain) *lagrangian {
	end := model.Time(0)
	for i, w := range q.Weight {
		if w > 0 {
			end = max(end, q.Due[i])
		}
	}
	r := &lagrangian{pools: k.pools, shift: k.shift, apart: k.apart, tableOf: map[tableKind]int32{}, takings: newTakings(js)}
	rows := newRows(js, k.pools, end, k.shift)
	rows.AddShared(js, r.limits())
	r.Relaxation = relaxation.New(ctx, rows, unitOf(q), r)
	r.supplied()
	c := condenser{js: js, pools: k.pools, apart: k.apart, seen: map[place]int32{}, takings: r.takings}
	for i, w := range q.Weight {
		if w == 0 || ctx.Err() != nil {
			continue
		}
		b, ok := c.newJob(model.JobID(i), q.Due[i], k.shift)
		if !ok {
			r.Base += w * r.Unit
			continue
		}
		b.penalty = w * r.Unit
		if q.PerTick != nil {
			b.perTick = q.PerTick[i] * r.Unit
		}
		r.add(b)
	}
	r.hand()
	r.Largest = r.largest()
	return r
}

// hand fills handed.
func (r *lagrangian) hand() {
	for k := range r.pools {
		handed := make([]int32, r.Steps)
		for c := range handed {
			handed[c] = int32(r.pools[k].lastBeat(model.Time(c+1)<<r.shift-1) >> r.shift)
		}
		r.handed = append(r.handed, handed)
	}
}

// stepsPerStart is how many steps of a group take as long, in a pool, as a start of all.
const stepsPerStart = 6

// add takes a job in.
func (r *lagrangian) add(b job) {
	r.jobs = append(r.jobs, b)
	for len(r.ends) < len(b.stages) {
		r.ends, r.blocks = append(r.ends, make([]int64, r.Steps)), append(r.blocks, block{})
	}
	for i := range b.stages {
		st := &b.stages[i]
		for k := range st.domains {
			d := &st.domains[k]
			r.tables(d)
			r.size += d.last - d.delay - d.fetch + 1
		}
		for _, g := range st.groups {
			r.size += len(g.domains) * (b.last - b.first + 1) / stepsPerStart
		}
		r.blocks[i].fit(st)
		if n := len(st.domains) - len(r.tasks); n > 0 {
			r.tasks = append(r.tasks, make([]int64, n)...)
		}
	}
}

// Price implements relaxation.Columns.
func (r *lagrangian) Price() {
	r.sum()
	r.fill()
}

// Jobs implements relaxation.Columns.
func (r *lagrangian) Jobs() int { return len(r.jobs) }

// Pay implements relaxation.Columns.
func (r *lagrangian) Pay(job int) int64 { return r.solve(&r.jobs[job]) }

// solve finds what a job costs, and counts the use of its cheapest column unless that is
// to be late.
func (r *lagrangian) solve(b *job) int64 {
	var before []int64
	for k := range b.stages {
		out := r.ends[k][:b.last-b.first+1]
		r.stage(b, k, before, out)
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

// stage works out, by the step by which a stage ends, the cost of its cheapest column and
// that of all stages before. Where there is one before its first group is tied to it.
func (r *lagrangian) stage(b *job, k int, before, out []int64) {
	st := &b.stages[k]
	free := st.groups
	if before == nil {
		clear(out)
	} else {
		r.tied(b, st, before, out)
		free = free[1:]
	}
	if len(free) == 0 {
		return
	}
	at := &r.blocks[k]
	for at.begin(st, len(out)); at.next(); {
		r.extend(b, st, at)
		at.add(free, out[at.from:at.to])
	}
}

// add adds what groups cost at the least that are not tied to the stage before. All tasks
// of a group may have the same placement, the cheapest.
func (b *block) add(groups []group, out []int64) {
	var least [mostSteps]int64
	for i := range groups {
		g := &groups[i]
		row := least[:len(out)]
		copy(row, b.row(g.domains[0]))
		for _, k := range g.domains[1:] {
			for c, cost := range b.row(k)[:len(row)] {
				row[c] = min(row[c], cost)
			}
		}
		for c, cost := range row {
			if cost == impossible {
				out[c] = impossible
			} else {
				out[c] = min(impossible, out[c]+g.count*cost)
			}
		}
	}
}

// extend works out a block.
func (r *lagrangian) extend(b *job, st *stage, at *block) {
	for k := range st.domains {
		r.extendDomain(b, &st.domains[k], at.from, at.row(int32(k)))
	}
}

// extendDomain works out what a task costs at the least in a domain, by the steps of a
// block by which it ends, from what was least before the block.
func (r *lagrangian) extendDomain(b *job, d *domain, from int, out []int64) {
	ends := d.first + d.length - b.first - from // the index of the first end
	idle := min(len(out), max(0, ends))
	for c := range out[:idle] {
		out[c] = d.least
	}
	held, run := &r.table[d.held], &r.table[d.run]
	if ends >= 0 && ends < len(out) {
		for fetch := d.fetch; fetch < d.first-d.delay; fetch++ {
			d.fetched = min(d.fetched, held.costs[fetch-held.from])
		}
	}
	start := d.first + idle - ends // of the run that ends at idle
	n := max(0, min(len(out)-idle, d.last+1-start))
	rest := out[idle:]
	if n > 0 {
		costs, runs := held.costs[start-d.delay-held.from:][:n], run.costs[start-run.from:][:n]
		fetched, least := d.fetched, d.least
		for i, cost := range runs {
			fetched = min(fetched, costs[i])
			least = min(least, fetched+cost)
			rest[i] = least
		}
		d.fetched, d.least = fetched, least
	}
	for i := n; i < len(rest); i++ {
		rest[i] = d.least
	}
}

// tied works out the same for the first group, with the cost of the stages before.
func (r *lagrangian) tied(b *job, st *stage, before, out []int64) {
	for c := range out {
		out[c] = impossible
	}
	g := &st.groups[0]
	for _, k := range g.domains {
		r.after(b, g, &st.domains[k], before, out)
	}
	least := int64(impossible)
	for c := range out {
		least = min(least, out[c])
		out[c] = least
	}
}

// span is the steps in which the tasks of a domain begin to fetch first, and to run, first
// and last. A run begins delay steps or more after its fetch, and ends length steps later
// or after.
type span struct{ fetch, first, last, delay, length int }

func (d *domain) steps(shift uint) span {
	return span{
		int(d.firstAssign >> shift), int((d.firstAssign + d.transfer) >> shift), int(d.lastStart >> shift),
		int(d.transfer >> shift), int(d.wcet >> shift),
	}
}

// fetchCost is what the tasks of a group pay for the part up to the end of a fetch that
// begins in a step, and for the stages before.
func (r *lagrangian) fetchCost(b *job, g *group, d *domain, before []int64, fetch int) int64 {
	held := &r.table[d.held]
	return g.count*held.costs[fetch-held.from] + before[int(r.handed[d.pool][fetch])-b.first]
}

// after lowers the costs by end to those of a group after the stages before, in a pool.
func (r *lagrangian) after(b *job, g *group, d *domain, before, out []int64) {
	run, best, next := &r.table[d.run], int64(impossible), d.fetch
	for start := d.first; start <= d.last; start++ {
		for ; next <= start-d.delay; next++ {
			best = min(best, r.fetchCost(b, g, d, before, next))
		}
		end := start + d.length - b.first
		out[end] = min(out[end], best+g.count*run.costs[start-run.from])
	}
}
