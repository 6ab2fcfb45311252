package inference

import (
	"slices"

	"downbeat/model"
)

// poolFigures are the least of tasks that are taken to be equal, on the slaves of a pool.
type poolFigures struct {
	wcet, transfer model.Time // wcet is Never where they cannot run
	needs          [model.NumResources]int64
}

// poolGroup is a number of tasks of a stage that are taken to be equal, with their poolFigures
// by pool and, once windows are laid, where they can be.
type poolGroup struct {
	count   int64
	figures []poolFigures
	// takes are the least that any of them takes of what all pools share, in the order of
	// poolChecker.shared.
	takes []int64
	// first is when they can be handed out, last when they can start at the latest;
	// last < first + transfer where they cannot be in time.
	first, last []model.Time
}

// groups divides the tasks of a stage up. The first poolGroup is the one with the most work.
func (c *poolChecker) groups(st *model.Stage) []poolGroup {
	var out []poolGroup
	at := 0
	for t := st.First; t < st.End; t++ {
		if t == st.First || !c.js.Alike(t, t-1) {
			f, takes := c.figuresOf(&c.js.Tasks[t]), c.takesOf(t)
			at = slices.IndexFunc(out, func(g poolGroup) bool { return c.alike(g.figures, f) })
			if at < 0 {
				at = len(out)
				out = append(out, poolGroup{figures: f, takes: takes})
			}
			for k := range takes {
				out[at].takes[k] = min(out[at].takes[k], takes[k])
			}
			for k := range f {
				out[at].figures[k] = least(out[at].figures[k], f[k])
			}
		}
		out[at].count++
	}
	heaviest := 0
	for k := range out {
		if out[k].work() > out[heaviest].work() {
			heaviest = k
		}
	}
	out[0], out[heaviest] = out[heaviest], out[0]
	return out
}

func (c *poolChecker) alike(a, b []poolFigures) bool {
	for k := range a {
		if a[k].wcet != b[k].wcet || c.bound.Apart && a[k].transfer != b[k].transfer {
			return false
		}
	}
	return true
}

func (g *poolGroup) work() int64 {
	shortest := model.Never
	for _, f := range g.figures {
		shortest = min(shortest, f.wcet)
	}
	return g.count * int64(shortest)
}

func least(a, b poolFigures) poolFigures {
	a.wcet, a.transfer = min(a.wcet, b.wcet), min(a.transfer, b.transfer)
	for r := range a.needs {
		a.needs[r] = min(a.needs[r], b.needs[r])
	}
	return a
}

// nowhereInPools are the poolFigures of a task in a pool that it is barred from.
var nowhereInPools = poolFigures{wcet: model.Never, transfer: model.Never, needs: [model.NumResources]int64(slices.Repeat([]int64{most}, int(model.NumResources)))}

// figuresOf gives the figures of a task by pool.
func (c *poolChecker) figuresOf(task *model.Task) []poolFigures {
	out := make([]poolFigures, len(c.pools))
	for k := range c.pools {
		out[k] = nowhereInPools
		for _, s := range c.pools[k].slaves {
			f := poolFigures{wcet: task.WCET(s), transfer: task.Transfer(s)}
			if f.wcet == 0 {
				continue
			}
			for r := range f.needs {
				f.needs[r] = c.js.Need(task, s, model.ResourceID(r))
			}
			out[k] = least(out[k], f)
		}
	}
	return out
}

// takesOf is what a task takes of what all pools share, of that which has prices.
func (c *poolChecker) takesOf(t model.TaskID) []int64 {
	out := make([]int64, len(c.shared))
	for k := range out {
		out[k] = c.js.Taken(t, c.shared[k].id)
	}
	return out
}

// handOut is the first time at t or later at which a pool can be handed tasks.
func (c *poolChecker) handOut(p *pool, t model.Time) model.Time {
	t = max(t, p.first)
	if p.together {
		t += (c.js.Heartbeat - (t-p.first)%c.js.Heartbeat) % c.js.Heartbeat
	}
	return t
}

// handedOut is the last such time at t or earlier, -1 if there is none.
func (c *poolChecker) handedOut(p *pool, t model.Time) model.Time {
	switch {
	case t < p.first:
		return -1
	case p.together:
		return t - (t-p.first)%c.js.Heartbeat
	default:
		return t
	}
}

// least is the least that a job pays in prices, at most for being late.
func (c *poolChecker) least(id model.JobID) int64 {
	job, due := &c.js.Jobs[id], c.q.Due[id]
	penalty := c.q.Weight[id] * c.bound.Unit
	var stages [][]poolGroup
	for k := range job.Stages {
		stages = append(stages, c.groups(&job.Stages[k]))
	}
	if !c.window(stages, job.Release, due) {
		return penalty
	}
	// after, by step, is the least cost of what comes after a stage that ends in it.
	after := make([]int64, due/c.bound.Step+1)
	if perTick := c.perTick(id); perTick > 0 {
		for k := range after {
			after[k] = perTick * c.bound.Unit * int64(max(0, model.Time(k)*c.bound.Step-job.Due()))
		}
	}
	for k := len(stages) - 1; k >= 0; k-- {
		after = c.stage(stages[k], after)
	}
	return min(penalty, after[job.Release/c.bound.Step])
}

// window lays windows for tasks; false where the job cannot be in time even alone.
func (c *poolChecker) window(stages [][]poolGroup, ready, limit model.Time) bool {
	for _, st := range stages {
		next := ready
		for i := range st {
			g := &st[i]
			g.first, g.last = make([]model.Time, len(c.pools)), make([]model.Time, len(c.pools))
			end := model.Never
			for k, f := range g.figures {
				if f.wcet < model.Never {
					g.first[k] = c.handOut(&c.pools[k], ready)
					end = min(end, g.first[k]+f.transfer+f.wcet)
				}
			}
			next = max(next, end)
		}
		ready = next
	}
	for k := len(stages) - 1; k >= 0; k-- {
		before := model.Never
		for i := range stages[k] {
			before = min(before, c.latest(&stages[k][i], limit))
		}
		if before < 0 {
			return false
		}
		limit = before
	}
	return true
}

// latest sets when tasks start at the latest to finish by limit, and gives the last
// time at which they are handed out then; -1 if they cannot be in time.
func (c *poolChecker) latest(g *poolGroup, limit model.Time) model.Time {
	last := model.Time(-1)
	for k, f := range g.figures {
		g.last[k] = -1
		if f.wcet == model.Never {
			continue
		}
		if at := c.handedOut(&c.pools[k], limit-f.wcet-f.transfer); at >= g.first[k] {
			g.last[k] = limit - f.wcet
			last = max(last, at)
		}
	}
	return last
}

// stage is, by step, the least cost of a stage that is handed out
// in that step or later, and of what comes after it; after has the latter by the step
// in which the stage ends.
func (c *poolChecker) stage(groups []poolGroup, after []int64) []int64 {
	// Groups but the first may be handed out at any time of their windows.
	after = slices.Clone(after)
	for i := range groups[1:] {
		ends := c.ends(&groups[1+i], len(after))
		for k := range after {
			after[k] = min(dear, after[k]+ends[k])
		}
	}
	// A stage that could end earlier need not.
	for k := len(after) - 2; k >= 0; k-- {
		after[k] = min(after[k], after[k+1])
	}
	from := slices.Repeat([]int64{dear}, len(after))
	c.ways(&groups[0], func(w *poolWay) {
		cheapest := int64(2 * most)
		for fetch, run := w.fetches-1, w.runs-1; fetch >= 0; fetch-- {
			for ; run >= 0 && w.run+run >= w.fetch+fetch+w.delay; run-- {
				cheapest = min(cheapest, w.ran(run)+after[w.run+run+w.length])
			}
			handed := c.handedOut(w.pool, (w.fetch+fetch+1)*c.bound.Step-1) / c.bound.Step
			from[handed] = min(from[handed], w.fetched(fetch)+cheapest)
		}
	})
	for k := len(from) - 2; k >= 0; k-- {
		from[k] = min(from[k], from[k+1])
	}
	return from
}

// ends is, by step, the least cost of a poolGroup that has ended in that step or before.
func (c *poolChecker) ends(g *poolGroup, steps int) []int64 {
	out := slices.Repeat([]int64{dear}, steps)
	c.ways(g, func(w *poolWay) {
		cheapest, fetch := int64(dear), model.Time(0)
		for run := range w.runs {
			for ; fetch < w.fetches && w.fetch+fetch+w.delay <= w.run+run; fetch++ {
				cheapest = min(cheapest, w.fetched(fetch))
			}
			end := w.run + run + w.length
			out[end] = min(out[end], cheapest+w.ran(run))
		}
	})
	for k := 1; k < steps; k++ {
		out[k] = min(out[k], out[k-1])
	}
	return out
}

// poolWay is how the tasks of a poolGroup can be in a pool.
type poolWay struct {
	pool *pool
	// fetch and run are the first steps in which a fetch and a run can begin, fetches
	// and runs how many follow, each counted.
	fetch, fetches, run, runs model.Time
	// A run begins delay steps or more after its fetch and ends length steps later or
	// after.
	delay, length model.Time
	// fetched and ran are what all tasks of the poolGroup pay for the part up to the end of
	// the fetch and from the start of the run, by the number of the step.
	fetched, ran func(n model.Time) int64
}

// ways calls yield for every pool in which a poolGroup can be in time.
func (c *poolChecker) ways(g *poolGroup, yield func(*poolWay)) {
	step := c.bound.Step
	for k := range c.pools {
		f := &g.figures[k]
		if f.wcet == model.Never || g.last[k] < g.first[k]+f.transfer {
			continue
		}
		w := &poolWay{pool: &c.pools[k], fetch: g.first[k] / step, run: (g.first[k] + f.transfer) / step, delay: f.transfer / step, length: f.wcet / step}
		w.runs = g.last[k]/step - w.run + 1
		w.fetches = w.run + w.runs - w.delay - w.fetch
		w.fetched = func(n model.Time) int64 { return g.count * c.untilFetched(w.pool, g, f, w.fetch+n) }
		w.ran = func(n model.Time) int64 { return g.count * c.fromRun(w.pool, g, f, w.run+n) }
		yield(w)
	}
}

// untilFetched is what a task pays at least for a fetch that begins in a step, less what
// it would for all time before it is handed out.
func (c *poolChecker) untilFetched(p *pool, g *poolGroup, f *poolFigures, k model.Time) int64 {
	cost := int64(0)
	for i, units := range g.takes {
		cost -= units * c.until(&c.shared[i].prices, c.handedOut(p, (k+1)*c.bound.Step-1))
	}
	for r := range p.prices {
		switch hold := model.ResourceID(r).Hold(); {
		case f.needs[r] == 0 || p.prices[r].at == nil || hold == model.HoldRun:
		case hold == model.HoldFetch:
			cost += f.needs[r] * c.cheapest(&p.prices[r], k, f.transfer)
		default:
			cost -= f.needs[r] * c.until(&p.prices[r], c.handedOut(p, (k+1)*c.bound.Step-1))
		}
	}
	return cost
}

// fromRun is what it pays at least for a run that begins in a step, with what it pays
// for all time to its end for what it holds throughout: to the next heartbeat, but for what all
// pools share, which is free at once.
func (c *poolChecker) fromRun(p *pool, g *poolGroup, f *poolFigures, k model.Time) int64 {
	cost := int64(0)
	for i, units := range g.takes {
		cost += units * c.until(&c.shared[i].prices, k*c.bound.Step+f.wcet)
	}
	for r := range p.prices {
		switch hold := model.ResourceID(r).Hold(); {
		case f.needs[r] == 0 || p.prices[r].at == nil || hold == model.HoldFetch:
		case hold == model.HoldRun:
			cost += f.needs[r] * c.cheapest(&p.prices[r], k, f.wcet)
		default:
			cost += f.needs[r] * c.until(&p.prices[r], c.handOut(p, k*c.bound.Step+f.wcet))
		}
	}
	return cost
}

// cheapest is the least price of holding something for some ticks from within a step
// on. Prices change between steps only: it is paid from the first tick of the step, or
// from the last, or until a step ends.
func (c *poolChecker) cheapest(of *prices, k, ticks model.Time) int64 {
	step := c.bound.Step
	cost := func(from model.Time) int64 { return c.until(of, from+ticks) - c.until(of, from) }
	if step == 1 {
		return cost(k)
	}
	return min(cost(k*step), cost((k+1)*step-1), cost(k*step+(step-ticks%step)%step))
}
