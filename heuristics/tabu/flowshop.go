package tabu

import (
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
)

// maxCells bounds jobs times machines, by tasks: jobs come to few of the machines else, and orders of jobs say little.
const maxCells = 4

// flow is a flow shop: jobs are chains of tasks that come to the machines in one order, of which each may leave out some. Its good plans are near
// permutation schedules, of which all machines take the jobs in one order.
type flow struct {
	sh             *shop
	jobs, machines int
	// tasks has the task of each job on each machine, a row for a job, -1 where it has none there; lengths are theirs.
	tasks, lengths []int32
	// Of each job: from when on it may start, the machine of its last task, the path from the start of that to the end, what is added to its
	// finish to compare with others, and, of sums, what it costs.
	release, last, out, delivery []int32
	costs                        []*cost
	// begin is when each machine does.
	begin []int32
	// Of an order, a row for each place: heads are until when the jobs before it keep the machines, tails the longest paths from each
	// machine to the end through the jobs from it on, sofar what the jobs before it come to.
	heads, tails, sofar []int32
	free                []int32
}

// newFlow is the flow shop that a shop is, nil if it is none, or there are too few tasks, or too many.
func newFlow(sh *shop) *flow {
	if len(sh.js.Tasks) > maxOrdered {
		return nil
	}
	order := sh.passed()
	if len(order) < 2 {
		return nil
	}
	f := &flow{sh: sh, machines: len(order)}
	at := make([]int32, len(sh.slaves))
	for k, machine := range order {
		at[machine] = int32(k)
		f.begin = append(f.begin, int32(sh.js.Slaves[sh.slaves[machine]].FirstBeat))
	}
	chains := sh.chains()
	if len(chains) != len(sh.js.Jobs) || len(chains)*f.machines > maxCells*len(sh.js.Tasks) {
		return nil
	}
	for _, chain := range chains {
		if sh.js.Tasks[chain[0]].Job != sh.js.Tasks[chain[len(chain)-1]].Job {
			return nil // other jobs wait for it
		}
		f.addJob(chain, at)
	}
	n, m := f.jobs, f.machines
	f.heads, f.tails, f.sofar, f.free = make([]int32, (n+1)*m), make([]int32, (n+1)*m), make([]int32, n+1), make([]int32, m)
	return f
}

// passed is the order in which chains of tasks come to machines; nil where there is none, or tasks have a choice.
func (sh *shop) passed() []int32 {
	if !sh.Chain || slices.ContainsFunc(sh.options, func(o []option) bool { return len(o) > 1 }) {
		return nil
	}
	number, last := sh.numbered()
	order := make([]int32, last+1)
	for m, k := range number {
		if k >= 0 {
			order[k] = int32(m)
		}
	}
	return order
}

// addJob adds the job whose tasks are a chain.
func (f *flow) addJob(chain, at []int32) {
	from := len(f.tasks)
	f.jobs++
	f.tasks = append(f.tasks, slices.Repeat([]int32{-1}, f.machines)...)
	f.lengths = append(f.lengths, make([]int32, f.machines)...)
	f.release = append(f.release, f.sh.Release[chain[0]])
	for _, v := range chain {
		o := f.sh.options[v][0]
		k := from + int(at[o.machine])
		f.tasks[k], f.lengths[k] = v, o.length
	}
	last := chain[len(chain)-1]
	f.addEnd(last, at[f.sh.options[last][0].machine], f.sh.options[last][0])
}

// addEnd adds what counts of a job that ends with a task on a machine.
func (f *flow) addEnd(v, machine int32, o option) {
	sh, out := f.sh, int32(heuristics.Uncounted)
	if d := sh.Delivery[v]; d > heuristics.Uncounted {
		out = o.run + sh.added(d)
	}
	var c *cost
	if sh.sum != nil && sh.sum.of[v] >= 0 {
		c = &sh.sum.costs[sh.sum.of[v]]
	}
	f.last, f.out, f.delivery, f.costs = append(f.last, machine), append(f.out, out), append(f.delivery, sh.Delivery[v]), append(f.costs, c)
}

// row is that of a job or a place.
func (f *flow) row(of []int32, i int) []int32 { return of[i*f.machines : (i+1)*f.machines] }

// pass has a job come to the machines after others that keep them until some times, which it puts off, and is what it comes to: the longest path to its end, or, of
// sums, what it costs.
func (f *flow) pass(j int32, free []int32) int32 {
	lengths, tasks := f.row(f.lengths, int(j)), f.row(f.tasks, int(j))
	t := f.release[j]
	for k, d := range lengths {
		if tasks[k] >= 0 {
			t = max(t, free[k]) + d
			free[k] = t
		}
	}
	end := t - lengths[f.last[j]] + f.out[j]
	switch {
	case f.sh.sum == nil:
		return end
	case f.costs[j] == nil:
		return 0
	}
	return f.costs[j].at(end)
}

// join adds what a job comes to to what others do.
func (f *flow) join(value, of int32) int32 {
	if f.sh.sum == nil {
		return max(value, of)
	}
	return value + of
}

// forward works out the heads of an order, and is what it comes to.
func (f *flow) forward(order []int32) int32 {
	copy(f.heads, f.begin)
	f.sofar[0] = 0
	for i, j := range order {
		free := f.row(f.heads, i+1)
		copy(free, f.row(f.heads, i))
		f.sofar[i+1] = f.join(f.sofar[i], f.pass(j, free))
	}
	return f.sofar[len(order)]
}

// backward works out the tails of an order.
func (f *flow) backward(order []int32) {
	last := f.row(f.tails, len(order))
	for k := range last {
		last[k] = heuristics.Uncounted
	}
	for i, j := range slices.Backward(order) {
		tails, next := f.row(f.tails, i), f.row(f.tails, i+1)
		lengths, tasks := f.row(f.lengths, int(j)), f.row(f.tasks, int(j))
		copy(tails, next)
		t := int32(heuristics.Uncounted)
		for k := f.machines - 1; k >= 0; k-- {
			if tasks[k] < 0 {
				continue
			}
			if t = max(t, next[k]) + lengths[k]; k == int(f.last[j]) {
				t = max(t, f.out[j])
			}
			tails[k] = t
		}
	}
}

// insertion is the best place of an order for a job, one of them by chance, and what the order comes to then.
func (f *flow) insertion(order []int32, j int32, rng *rand.Rand) (place int, value int32) {
	f.forward(order)
	if f.sh.sum == nil {
		f.backward(order)
	}
	ties := 0
	value = math.MaxInt32
	for i := range len(order) + 1 {
		var v int32
		if f.sh.sum == nil {
			v = f.longest(order, i, j)
		} else {
			v = f.total(order, i, j, value)
		}
		if v < value {
			value, ties = v, 0
		}
		if v == value {
			if ties++; ties == 1 || rng.IntN(ties) == 0 {
				place = i
			}
		}
	}
	return place, value
}

// longest is the longest path of an order with a job put in at a place: one of the order alone, or one that leads through a task of the job (Taillard, 1990).
func (f *flow) longest(order []int32, i int, j int32) int32 {
	lengths, tasks := f.row(f.lengths, int(j)), f.row(f.tasks, int(j))
	heads, tails := f.row(f.heads, i), f.row(f.tails, i)
	t, value := f.release[j], f.sofar[len(order)]
	for k, d := range lengths {
		if tasks[k] >= 0 {
			t = max(t, heads[k]) + d
			value = max(value, t+tails[k])
		}
	}
	return max(value, t-lengths[f.last[j]]+f.out[j])
}

// total is what all jobs of an order with another put in at a place cost, or more than enough.
func (f *flow) total(order []int32, i int, j, enough int32) int32 {
	copy(f.free, f.row(f.heads, i))
	value := f.sofar[i] + f.pass(j, f.free)
	for _, u := range order[i:] {
		if value > enough {
			break
		}
		value += f.pass(u, f.free)
	}
	return value
}
