package energy

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/patterns"
)

const (
	// weightUnit is what a set of tasks weighs that a slave runs at once, at most, before rounding.
	weightUnit = 1 << 16
	// mostWeight is what a task may weigh: checkers refuse more. Prices that are not yet the best may be any.
	mostWeight = 1 << 20
	// mostCells bounds the amounts that may be left of what a slave has, mostItems the kinds of tasks, mostTable both together.
	mostCells, mostItems, mostTable = 1 << 16, 400, 1 << 23
	// fewCells is up to where weights are found in no time.
	fewCells = 1 << 14
	// mostSubsets and mostScales are how many sets of slaves, those with the most tasks, and weights that were found last, are looked at. With 2 and 32,
	// and with 4 and 36, the bounds of vec-40x3-1 to -80x4-2, rigid-40-1 and -2 and rigidr-60-1 and -2 are the same, in as long.
	mostSubsets, mostScales = 8, 12
	// rounds are how many intervals tasks are weighed for, one after the other, if none is an overload; nearly is the share of what there
	// is that they need more than.
	rounds, nearly, nearlyOf = 3, 15, 16
	// near is the share of the best weights that is enough; the last of them would take most of the time.
	near = 0.9998
	// weightsSteps bounds the work of one bound, a tenth of a second or two.
	weightsSteps = 1 << 27
)

// Weighted is a lower bound on the largest lateness of a soft job, or on the last finish of all jobs, beyond one that is known, by
// overloads of weighed tasks (see [proof.WeightTicks]). It is 0 with an empty certificate if it is no higher. When ctx ends it
// returns what is proved by then.
//
// For an interval the best weights are the multipliers of a linear programme, in which what tasks have to run inside it is
// covered by sets of tasks that a slave can run at once, for as little time as possible: no overload of that interval refutes more. It is
// solved for all the time that there is, and for intervals that are nearly full by the weights so far; weights that were found once are tried first.
func Weighted(ctx context.Context, js *model.JobSet, o model.Objective, known int64) (int64, *proof.EnergyBound) {
	if pairs(js) > mostUnhurried || !unlike(js) {
		return 0, &proof.EnergyBound{Objective: o}
	}
	w := &weigher{ctx: ctx, js: js, steps: weightsSteps}
	return climbed(js, o, known, w.refute)
}

// InfeasibleByWeights is an overload of weighed tasks that shows that the hard jobs cannot all meet their deadlines, where [Infeasible]
// shows nothing; nil if none is found, or when ctx ends.
func InfeasibleByWeights(ctx context.Context, js *model.JobSet) *proof.Overload {
	if pairs(js) > mostUnhurried || !unlike(js) {
		return nil
	}
	w := &weigher{ctx: ctx, js: js, steps: weightsSteps}
	return w.refute(query.HardDues(js))
}

// unlike reports whether some tasks need more of a resource than others do, so that what tasks take of slaves need not add up.
func unlike(js *model.JobSet) bool {
	if len(js.Tasks) == 0 {
		return false
	}
	first := js.Tasks[0].Needs()
	return first.Cores > 1 || slices.ContainsFunc(js.Tasks, func(t model.Task) bool { return t.Needs() != first })
}

// weigher looks for overloads of weighed tasks.
type weigher struct {
	ctx   context.Context
	js    *model.JobSet
	steps int
	// scales are weights that were found before.
	scales []*scale
}

// scale has what each task of a set weighs, and how much a slave can run at once at the most, -1 where that is not known.
type scale struct {
	weights, most []int64
	// demand and counts are what they were found for.
	demand []float64
	counts []int
}

// refute is like prover.refute.
func (w *weigher) refute(due []model.Time) *proof.Overload {
	windows := window.ByJobUntil(w.ctx, w.js, due)
	if windows == nil || len(windows.Late) > 0 {
		return nil
	}
	p := newProblem(w.ctx, w.js, due, windows)
	if len(p.counted) < len(counted(w.js)) {
		return nil
	}
	subsets := p.subsets()
	subsets = subsets[:min(len(subsets), mostSubsets)]
	for _, g := range subsets {
		for _, c := range w.scales {
			if iv := w.overloaded(p, g, c, 1, 1); iv.Len() > 0 {
				return w.argument(p, g, c, iv)
			}
		}
	}
	for _, g := range subsets {
		if sh := w.search(p, g); sh != nil {
			return sh
		}
	}
	return nil
}

// search weighs tasks confined to some slaves for intervals.
func (w *weigher) search(p *problem, g subset) *proof.Overload {
	tasks := p.confinedTo(g)
	k := p.largest(tasks, g.slaves.slaves(len(w.js.Slaves)), func(model.TaskID) int64 { return 0 })
	if k == nil {
		return nil
	}
	var seen []model.Interval
	for iv := p.span(tasks); len(seen) < rounds && iv.Len() > 0 && !slices.Contains(seen, iv) && w.steps > 0 && w.ctx.Err() == nil; {
		seen = append(seen, iv)
		enough := 0.0
		if k.Cells()*len(k.tasks) > fewCells && p.alike(g) {
			enough = float64(iv.Len()) * float64(len(g.slaves.slaves(len(w.js.Slaves))))
		}
		c := w.weigh(p, k, iv, enough)
		if c == nil {
			return nil
		}
		if !slices.Contains(w.scales, c) {
			w.scales = append(w.scales[max(0, len(w.scales)+1-mostScales):], c)
		}
		if iv := w.overloaded(p, g, c, 1, 1); iv.Len() > 0 {
			return w.argument(p, g, c, iv)
		}
		iv = w.overloaded(p, g, c, nearly, nearlyOf)
	}
	return nil
}

// weigh finds weights of tasks that are best in an interval; nil where it does not.
// Where sets of tasks turn out to be enough that there is time for, weights are not the best, as none are an overload of the interval.
func (w *weigher) weigh(p *problem, k *kinds, iv model.Interval, enough float64) *scale {
	n := len(k.tasks)
	demand, counts := make([]float64, n), make([]int, n)
	for i, tasks := range k.tasks {
		for _, t := range tasks {
			if inside := p.tasks[t].items[model.HoldRun].inside(iv); inside > 0 {
				demand[i], counts[i] = demand[i]+float64(inside), counts[i]+1
			}
		}
	}
	same := slices.IndexFunc(w.scales, func(c *scale) bool { return slices.Equal(c.demand, demand) && slices.Equal(c.counts, counts) })
	if same >= 0 {
		return w.scales[same] // makespans later by a tick mostly ask for the same
	}
	lp := patterns.Relaxation{Knapsack: k, Near: near, Enough: enough, Most: w.steps}
	lp.Begin(demand, counts, slices.Repeat([]int{1}, n))
	lp.Solve(w.ctx, math.Inf(1)) // where it is cut short weights are not the best
	if w.steps -= lp.Steps; w.ctx.Err() != nil {
		return nil
	}
	c := &scale{demand: demand, counts: counts, weights: make([]int64, len(w.js.Tasks)), most: slices.Repeat([]int64{-1}, len(w.js.Slaves))}
	for i, tasks := range k.tasks {
		for _, t := range tasks {
			c.weights[p.tasks[t].id] = min(mostWeight, max(0, int64(lp.Prices[i]*weightUnit)))
		}
	}
	return c
}

// overloaded is the interval in which tasks confined to some slaves weigh most above what there is, of which only num of den parts count;
// empty if there is none.
func (w *weigher) overloaded(p *problem, g subset, c *scale, num, den int64) model.Interval {
	at := map[item]int{}
	var groups []group
	for _, t := range p.confinedTo(g) {
		weight, it := c.weights[p.tasks[t].id], p.tasks[t].items[model.HoldRun]
		if weight == 0 {
			continue
		}
		k, seen := at[it]
		if !seen {
			k = len(groups)
			at[it] = k
			groups = append(groups, group{it, 0})
		}
		groups[k].count += weight
	}
	rate := int64(0)
	var changes []change
	for _, s := range g.slaves.slaves(len(w.js.Slaves)) {
		if c.most[s] < 0 {
			most, known := w.heaviest(p, s, func(t model.TaskID) int64 { return c.weights[t] })
			if !known {
				return model.Interval{}
			}
			c.most[s] = most
		}
		n := c.most[s] * num / den
		rate += n
		changes = append(changes, p.closed(s, proof.CoreTicks, n)...)
	}
	sw := newSweeper(groups, rate, mergeChanges(changes))
	w.steps -= min(maxSteps, 2*sw.steps(2*len(groups)))
	iv, _ := sw.most(w.ctx, maxSteps)
	return iv
}

// argument is that of an interval: only tasks that have to run inside it weigh anything. Nil if it is none, as weights were rounded.
func (w *weigher) argument(p *problem, g subset, c *scale, iv model.Interval) *proof.Overload {
	if w.ctx.Err() != nil {
		return nil
	}
	sh := &proof.Overload{Resource: proof.WeightTicks, Interval: iv, Slaves: g.slaves.slaves(len(w.js.Slaves))}
	weights := make([]int64, len(w.js.Tasks))
	for _, t := range p.confinedTo(g) {
		task := &p.tasks[t]
		inside, weight := task.items[model.HoldRun].inside(iv), c.weights[task.id]
		if inside == 0 || weight == 0 {
			continue
		}
		weights[task.id] = weight
		sh.Weights = append(sh.Weights, proof.Weight{Task: task.id, Weight: weight})
		sh.Need += int64(inside) * weight
		if job := w.js.Tasks[task.id].Job; len(sh.Jobs) == 0 || sh.Jobs[len(sh.Jobs)-1] != job {
			sh.Jobs = append(sh.Jobs, job)
		}
	}
	for _, s := range sh.Slaves {
		open := iv.Len()
		for _, closed := range w.js.Closed(s, model.HoldRun) {
			open -= closed.Intersect(iv).Len()
		}
		most, known := w.heaviest(p, s, func(t model.TaskID) int64 { return weights[t] })
		if !known {
			return nil
		}
		sh.Have += most * int64(open)
	}
	if sh.Need <= sh.Have {
		return nil
	}
	return sh
}

// heaviest is what tasks weigh at most that a slave can run at once; not known where its own amounts are too many, as those of a
// slave may be that has less than another.
func (w *weigher) heaviest(p *problem, s model.SlaveID, weight func(model.TaskID) int64) (most int64, known bool) {
	var tasks []int
	for i := range p.tasks {
		if t := p.tasks[i].id; weight(t) > 0 && w.js.Tasks[t].WCET(s) > 0 {
			tasks = append(tasks, i)
		}
	}
	k := p.largest(tasks, []model.SlaveID{s}, weight)
	if k == nil {
		return 0, false
	}
	prices, counts := make([]float64, len(k.tasks)), make([]int, len(k.tasks))
	for i, of := range k.tasks {
		prices[i], counts[i] = float64(weight(p.tasks[of[0]].id)), len(of)
	}
	w.steps -= k.Cells() * len(prices)
	value, _ := k.Solve(prices, counts)
	return int64(value), true
}

// alike reports whether slaves of a subset have the same.
func (p *problem) alike(g subset) bool {
	slaves := g.slaves.slaves(len(p.js.Slaves))
	return !slices.ContainsFunc(slaves, func(s model.SlaveID) bool { return p.units[s] != p.units[slaves[0]] })
}

// span is from when on tasks can run until all have.
func (p *problem) span(tasks []int) model.Interval {
	iv := model.Interval{Start: model.Never, End: 0}
	for _, t := range tasks {
		it := p.tasks[t].items[model.HoldRun]
		iv.Start, iv.End = min(iv.Start, it.firstEnd-it.length), max(iv.End, it.lastStart+it.length)
	}
	return iv
}

// confinedTo lists the tasks that can run only on the slaves of a subset.
func (p *problem) confinedTo(g subset) (tasks []int) {
	for i := range p.tasks {
		if slices.Contains(g.sets, p.tasks[i].set) && p.tasks[i].items[model.HoldRun].length > 0 {
			tasks = append(tasks, i)
		}
	}
	return tasks
}

// kinds are tasks by what they need and weigh, as items of a knapsack.
type kinds struct {
	*patterns.Vector
	tasks [][]int
}

// dimension is something that tasks may be short of on a slave.
type dimension struct {
	r proof.Resource
	// has is how much of it there is, unit what all tasks need a multiple of.
	has, unit int64
}

// dimensions are those of slaves that have as much of everything as any of those given, but for those of which there is enough where there is
// enough of another one.
func (p *problem) dimensions(tasks []int, slaves []model.SlaveID) (out []dimension) {
	for _, r := range p.counted {
		sum, d := int64(0), dimension{r: r}
		for _, t := range tasks {
			sum, d.unit = sum+p.tasks[t].needs[r], gcd(d.unit, p.tasks[t].needs[r])
		}
		for _, s := range slaves {
			d.has = max(d.has, p.units[s][r])
		}
		if r.Hold() == model.HoldFetch || sum <= d.has {
			continue
		}
		if slices.ContainsFunc(out, func(e dimension) bool { return p.implies(tasks, e, d) }) {
			continue
		}
		out = append(slices.DeleteFunc(out, func(e dimension) bool { return p.implies(tasks, d, e) }), d)
	}
	return out
}

// implies reports whether tasks of which a slave has enough of one are no more than it has enough of another for: none of them needs a greater
// share of it.
func (p *problem) implies(tasks []int, of, other dimension) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool {
		a, b := p.tasks[t].needs[of.r], p.tasks[t].needs[other.r]
		return max(of.has, other.has, a, b) > math.MaxInt32 || b*of.has > a*other.has
	})
}

// largest has tasks as items, by what they weigh, of a slave that has as much of everything as any of those given; nil where that is too large.
func (p *problem) largest(tasks []int, slaves []model.SlaveID, weight func(model.TaskID) int64) *kinds {
	of := p.dimensions(tasks, slaves)
	var capacities []int
	for _, d := range of {
		if d.has/d.unit >= mostCells {
			return nil
		}
		capacities = append(capacities, int(d.has/d.unit))
	}
	k := &kinds{}
	at := map[string]int{}
	var needs [][]int
	var key []byte
	for _, t := range tasks {
		key = binary.LittleEndian.AppendUint64(key[:0], uint64(weight(p.tasks[t].id)))
		need := make([]int, len(of))
		for n, d := range of {
			need[n] = int(p.tasks[t].needs[d.r] / d.unit)
			key = binary.LittleEndian.AppendUint64(key, uint64(need[n]))
		}
		i, seen := at[string(key)]
		if !seen {
			i = len(needs)
			at[string(key)] = i
			needs, k.tasks = append(needs, need), append(k.tasks, nil)
		}
		k.tasks[i] = append(k.tasks[i], t)
	}
	if len(needs) > mostItems {
		return nil
	}
	k.Vector = patterns.NewVector(capacities, needs, min(mostCells, mostTable/max(1, len(needs))))
	if k.Vector == nil {
		return nil
	}
	return k
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
