package tabu

import (
	"slices"

	"downbeat/heuristics"
)

// solution is an order of all tasks in which each stands behind those that it waits for, and the
// machine of each: machines do their tasks in this order.
type solution struct {
	order, machine []int32
	// length is that of the longest path.
	length int32
	// price is that of the trajectory which came to it.
	price int32
}

func (a *solution) clone() *solution {
	return &solution{slices.Clone(a.order), slices.Clone(a.machine), a.length, a.price}
}

// set makes it equal to another, in its own memory.
func (a *solution) set(b *solution) {
	copy(a.order, b.order)
	copy(a.machine, b.machine)
	a.length, a.price = b.length, b.price
}

// distance counts tasks on different machines, and pairs of tasks of one machine that are in another order.
func (sh *shop) distance(a, b *solution) int {
	at := make([]int32, len(b.order))
	for i, v := range b.order {
		at[v] = int32(i)
	}
	byMachine := make([][]int32, len(sh.slaves))
	n := 0
	for _, v := range a.order {
		k := a.machine[v]
		if b.machine[v] != k {
			n++
			continue
		}
		for _, u := range byMachine[k] {
			if at[u] > at[v] {
				n++
			}
		}
		byMachine[k] = append(byMachine[k], v)
	}
	return n
}

// graph is a solution with the heads and tails of its tasks. Nodes are the tasks, then one for each
// machine, before its first task and behind its last one, then one that is before and after all.
type graph struct {
	sh    *shop
	nodes []node
	// order is a topological order of the tasks, at the place of each in it; what stands for a machine has none.
	order, at []int32
	// queues are the tasks of each machine in turn; nil where no task has a choice.
	queues [][]int32
	// mark and buffer are for what is moved in the order.
	mark   []bool
	buffer []int32
	// ends are the tasks whose finish counts.
	ends []int32
	// from and to are a window of places in the order, as a rule of all. Heads are right before to, tails from from on; exits are the tasks behind
	// it that wait for one in it.
	from, to int
	exits    []int32
	// rows are of sums only: see row.
	rows []int32
}

// node is a task: when it starts at the earliest, and how long the longest path from its start to the end is, its own
// length included, which is out where it ends there.
type node struct {
	head, tail, length, out, release int32
	// jp and js are the first of the tasks before and after it by stages and jobs, mp and ms those before and after it
	// on its machine.
	jp, js, mp, ms, machine int32
}

func newGraph(sh *shop) *graph {
	n, m := len(sh.js.Tasks), len(sh.slaves)
	g := &graph{
		sh: sh, nodes: make([]node, n+m+1), order: make([]int32, n), at: make([]int32, n+m+1),
		mark: make([]bool, n+m+1), buffer: make([]int32, 0, n), to: n,
	}
	if slices.ContainsFunc(sh.options, func(o []option) bool { return len(o) > 1 }) {
		g.queues = make([][]int32, m)
	}
	none := int32(n + m)
	for v := range n {
		x := &g.nodes[v]
		x.release, x.jp, x.js = sh.Release[v], none, none
		if len(sh.Before[v]) > 0 {
			x.jp = sh.Before[v][0]
		}
		if len(sh.After[v]) > 0 {
			x.js = sh.After[v][0]
		}
		if sh.Delivery[v] > heuristics.Uncounted {
			g.ends = append(g.ends, int32(v))
		}
	}
	for v := n; v <= n+m; v++ {
		g.nodes[v] = node{tail: heuristics.Uncounted, jp: none, js: none, mp: none, ms: none, machine: int32(v - n)}
		if v < n+m {
			g.nodes[v].head = int32(sh.js.Slaves[sh.slaves[v-n]].FirstBeat)
		}
	}
	if sh.sum != nil {
		g.rows = slices.Repeat([]int32{heuristics.Uncounted}, len(g.nodes)*len(sh.sum.costs))
	}
	return g
}

// isTask tells tasks from what stands for machines.
func (g *graph) isTask(v int32) bool { return int(v) < len(g.order) }

// first is the node before the first task of a machine.
func (g *graph) first(machine int32) int32 { return int32(len(g.order)) + machine }

// load takes a solution over.
func (g *graph) load(a *solution) {
	g.from, g.to, g.exits = 0, len(g.order), g.exits[:0]
	for k := range g.sh.slaves {
		s := g.first(int32(k))
		g.nodes[s].mp, g.nodes[s].ms = s, s
	}
	for k := range g.queues {
		g.queues[k] = g.queues[k][:0]
	}
	copy(g.order, a.order)
	for i, v := range g.order {
		g.at[v] = int32(i)
		g.put(v, a.machine[v], g.nodes[g.first(a.machine[v])].mp)
		if g.queues != nil {
			g.queues[a.machine[v]] = append(g.queues[a.machine[v]], v)
		}
	}
	g.heads(0)
	g.tails(len(g.order) - 1)
}

// save puts the solution into a, which has it outside of the window already.
func (g *graph) save(a *solution) {
	copy(a.order[g.from:g.to], g.order[g.from:g.to])
	for _, v := range g.order[g.from:g.to] {
		a.machine[v] = g.nodes[v].machine
	}
	a.length = g.longest()
}

// put links a task into a machine behind another.
func (g *graph) put(v, machine, behind int32) {
	x := &g.nodes[v]
	if o, _ := g.sh.on(v, machine); x.machine != machine || x.length != o.length {
		x.machine, x.length = machine, o.length
		x.out = heuristics.Uncounted
		if d := g.sh.Delivery[v]; d > heuristics.Uncounted {
			x.out = o.run + g.sh.added(d)
		}
	}
	x.mp, x.ms = behind, g.nodes[behind].ms
	g.nodes[x.ms].mp, g.nodes[behind].ms = v, v
}

// heads works out when tasks start, from a place in the order on.
func (g *graph) heads(from int) {
	nodes := g.nodes
	for _, v := range g.order[from:g.to] {
		x := &nodes[v]
		p, q := &nodes[x.jp], &nodes[x.mp]
		h := max(x.release, p.head+p.length, q.head+q.length)
		if !g.sh.Chain {
			for _, u := range g.sh.Before[v] {
				h = max(h, g.end(u))
			}
		}
		x.head = h
	}
}

// tails works out the paths from tasks on, from a place in the order back.
func (g *graph) tails(from int) {
	nodes := g.nodes
	for i := from; i >= g.from; i-- {
		v := g.order[i]
		x := &nodes[v]
		t := max(nodes[x.js].tail, nodes[x.ms].tail)
		if !g.sh.Chain {
			for _, u := range g.sh.After[v] {
				t = max(t, nodes[u].tail)
			}
		}
		x.tail = max(x.out, x.length+t)
		if g.sh.sum != nil {
			g.addRow(v)
		}
	}
}

// end is when what comes after a task may start.
func (g *graph) end(v int32) int32 { return g.nodes[v].head + g.nodes[v].length }

// ready is when a task may start for all that it waits for by stages and jobs.
func (g *graph) ready(v int32) int32 {
	x := &g.nodes[v]
	h := max(x.release, g.end(x.jp))
	if !g.sh.Chain {
		for _, u := range g.sh.Before[v] {
			h = max(h, g.end(u))
		}
	}
	return h
}

// rest is the longest path from what waits for a task by stages and jobs.
func (g *graph) rest(v int32) int32 {
	t := g.nodes[g.nodes[v].js].tail
	if !g.sh.Chain {
		for _, u := range g.sh.After[v] {
			t = max(t, g.nodes[u].tail)
		}
	}
	return t
}

// longest is the length of the longest path, of those through the window if there is one, or the sum that is the objective.
func (g *graph) longest() int32 {
	if g.sh.sum != nil {
		return g.total()
	}
	length := int32(heuristics.Uncounted)
	for _, v := range g.ends {
		if int(g.at[v]) < g.to {
			length = max(length, g.nodes[v].head+g.nodes[v].out)
		}
	}
	for _, v := range g.exits {
		length = max(length, g.through(g.nodes[v].jp, v), g.through(g.nodes[v].mp, v))
	}
	return length
}

// move takes a task to behind another on a machine, the node of the machine itself for its front. If there
// were a cycle then, it is false, and nothing changes.
func (g *graph) move(v, machine, behind int32) bool {
	x := &g.nodes[v]
	from, was := x.machine, x.mp
	g.nodes[was].ms, g.nodes[x.ms].mp = x.ms, was
	g.put(v, machine, behind)
	low, high, ok := g.reorder(v, behind, x.ms)
	if !ok {
		g.nodes[x.mp].ms, g.nodes[x.ms].mp = x.ms, x.mp
		g.put(v, from, was)
		return false
	}
	if g.queues != nil {
		g.requeue(v, from)
	}
	g.heads(low)
	g.tails(high)
	return true
}

// requeue has the queues heed that a task went from a machine to where it stands now.
func (g *graph) requeue(v, from int32) {
	i := slices.Index(g.queues[from], v)
	g.queues[from] = slices.Delete(g.queues[from], i, i+1)
	to, n := g.nodes[v].machine, 0
	if behind := g.nodes[v].mp; g.isTask(behind) {
		n = slices.Index(g.queues[to], behind) + 1
	}
	g.queues[to] = slices.Insert(g.queues[to], n, v)
}

// reorder has the topological order heed that v stands between two nodes now. It gives the part of the order that
// heads are to be worked out from, and tails from back.
func (g *graph) reorder(v, behind, before int32) (low, high int, ok bool) {
	at := int(g.at[v])
	if g.isTask(behind) && int(g.at[behind]) > at {
		to := int(g.at[behind])
		return at, to, g.later(at, to)
	}
	if g.isTask(before) && int(g.at[before]) < at {
		to := int(g.at[before])
		return to, at, g.earlier(to, at)
	}
	return at, at, true
}

// later moves the task at a place of the order, and all after it that wait for it, to behind that at another place,
// unless that waits for it, too.
func (g *graph) later(from, to int) bool {
	moved := append(g.buffer[:0], g.order[from])
	g.mark[g.order[from]] = true
	for _, v := range g.order[from+1 : to+1] {
		if g.waits(v) {
			g.mark[v] = true
			moved = append(moved, v)
		}
	}
	cycle := g.mark[g.order[to]]
	if !cycle {
		kept := from
		for _, v := range g.order[from : to+1] {
			if !g.mark[v] {
				g.order[kept] = v
				kept++
			}
		}
		copy(g.order[kept:], moved)
	}
	g.settle(moved, from, to)
	return !cycle
}

// waits reports whether a task waits for one that is marked.
func (g *graph) waits(v int32) bool {
	x := &g.nodes[v]
	if g.mark[x.jp] || g.mark[x.mp] {
		return true
	}
	if !g.sh.Chain {
		for _, u := range g.sh.Before[v] {
			if g.mark[u] {
				return true
			}
		}
	}
	return false
}

// earlier moves the task at a place of the order, and all before that it waits for, to in front of that at another
// place, unless it waits for that, too.
func (g *graph) earlier(to, from int) bool {
	moved := append(g.buffer[:0], g.order[from])
	g.mark[g.order[from]] = true
	for i := from - 1; i >= to; i-- {
		if v := g.order[i]; g.awaited(v) {
			g.mark[v] = true
			moved = append(moved, v)
		}
	}
	cycle := g.mark[g.order[to]]
	if !cycle {
		kept := from
		for i := from; i >= to; i-- {
			if v := g.order[i]; !g.mark[v] {
				g.order[kept] = v
				kept--
			}
		}
		slices.Reverse(moved)
		copy(g.order[to:], moved)
	}
	g.settle(moved, to, from)
	return !cycle
}

// awaited reports whether one that is marked waits for a task.
func (g *graph) awaited(v int32) bool {
	x := &g.nodes[v]
	if g.mark[x.js] || g.mark[x.ms] {
		return true
	}
	if !g.sh.Chain {
		for _, u := range g.sh.After[v] {
			if g.mark[u] {
				return true
			}
		}
	}
	return false
}

// settle unmarks what was moved and numbers a part of the order anew.
func (g *graph) settle(moved []int32, from, to int) {
	for _, v := range moved {
		g.mark[v] = false
	}
	for i := from; i <= to; i++ {
		g.at[g.order[i]] = int32(i)
	}
}
