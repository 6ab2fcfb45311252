package tabu

import (
	"cmp"
	"slices"

	"downbeat/heuristics"
)

const (
	// windowed is from how many tasks on a trajectory goes through windows of the order, as a move in one takes as long as its tasks, not all. The
	// first ones have windowTasks each, or the windowShare-th part of all, and windowPatience.
	windowed, windowTasks, windowShare, windowPatience = 2000, 1200, 8, 1000
	// mostJobs is how many jobs there are at most, for each machine, in sets that are searched so: where there are more the busiest machine is soon all that a
	// longest path has in most windows, and what counts is how it begins and ends.
	mostJobs = 2
	// leastInTurn is how many tasks a machine has at least, on average, as with few of each in a window hardly any two could change places.
	leastInTurn = 40
	// sortedAs is how many heads and tails a task that is sorted takes as long as.
	sortedAs = 50
)

// windows are where a trajectory of a large set is.
type windows struct {
	// size of each, in tasks, at which place of the order the next one begins, and after how many moves that bring nothing better it does.
	size, next, patience int
	// before is the length of the solution when they began from the front.
	before int32
	// best is the best solution of all while it is owed, as what is found in a window is not as short yet.
	best *solution
	// byTails: the order is that of tails, not of heads.
	byTails bool
}

// goesByWindows reports whether the trajectory under way does. Exits are by one task before on each side, so a set has to be one of chains.
func (s *Search) goesByWindows() bool {
	n, m := len(s.g.order), len(s.sh.slaves)
	return n >= max(windowed, leastInTurn*m) && len(s.g.ends) <= mostJobs*m && s.sh.Chain && !s.flexible && s.sh.sum == nil && (s.tried < 0 || s.tried == candidates)
}

// firstWindow is how many tasks of n the first windows have.
func firstWindow(n int) int { return max(windowTasks, n/windowShare) }

// onward has a trajectory go on in the next window of the best solution it has found, half of which is that of the last; each pass from the front to the end
// is followed by one in another order, with windows twice as large if it brought nothing, and, after windows of nearly all tasks, with small ones again and
// twice the patience. It is false where that is the patience of other trajectories.
//
// In a window heads of what is before it, and tails of what is behind it, stay, and the longest path through it is what is to be shortened: time
// windows of a schedule as problems of their own, with heads and tails for the rest.
func (s *Search) onward() bool {
	g, w := s.g, &s.windows
	n := len(g.order)
	g.unfocus(s.found)
	if s.found.length = g.longest(); s.found.length < s.best {
		w.best.set(s.found)
		s.note(s.found.length)
	}
	if w.next >= n {
		s.considerWanted()
		if s.found.length >= w.before {
			w.size *= 2
		}
		if w.size > n {
			w.size, w.patience = firstWindow(n), 2*w.patience
		}
		if w.patience > patience {
			return false
		}
		w.next, w.before = -s.rng.IntN(w.size/2), s.found.length
		g.sort(w.byTails)
		w.byTails = !w.byTails
		copy(s.found.order, g.order)
		s.work += sortedAs * int64(n)
	}
	g.focus(max(w.next, 0), min(w.next+w.size, n))
	w.next += w.size / 2
	s.found.length, s.stale = g.longest(), 0
	s.work += int64(n)
	return true
}

// considerWanted goes on from a plan from elsewhere that is better than what the trajectory has found.
func (s *Search) considerWanted() {
	for _, a := range s.wanted {
		s.g.load(a)
		if a.length = s.g.longest(); a.length < s.found.length {
			s.found.set(a)
		}
	}
	if len(s.wanted) > 0 {
		s.g.load(s.found)
	}
	s.wanted = nil
}

// sort has the order be one by heads, or by tails.
func (g *graph) sort(byTails bool) {
	slices.SortStableFunc(g.order, func(u, v int32) int {
		if byTails {
			return cmp.Compare(g.nodes[v].tail, g.nodes[u].tail)
		}
		return cmp.Compare(g.nodes[u].head, g.nodes[v].head)
	})
	for i, v := range g.order {
		g.at[v] = int32(i)
	}
}

// focus has the window be some places.
func (g *graph) focus(from, to int) {
	g.from, g.to = from, to
	for _, v := range g.order[to:] {
		if x := &g.nodes[v]; g.inside(x.jp) || g.inside(x.mp) {
			g.exits = append(g.exits, v)
		}
	}
}

// unfocus has all tasks in the window, and those that were in one in the order of a solution that differs there only.
func (g *graph) unfocus(a *solution) {
	from, to := g.from, g.to
	g.relink(a.order[from:to])
	g.from, g.to, g.exits = 0, len(g.order), g.exits[:0]
	g.heads(from)
	g.tails(to - 1)
}

// relink has the tasks of the window be in another order.
func (g *graph) relink(order []int32) {
	nodes := g.nodes
	last, next := make([]int32, len(g.sh.slaves)), make([]int32, len(g.sh.slaves)) // on each machine, before and behind the window
	for _, v := range g.order[g.from:g.to] {
		x := &nodes[v]
		if !g.inside(x.mp) {
			last[x.machine] = x.mp
		}
		if !g.inside(x.ms) {
			next[x.machine] = x.ms
		}
	}
	copy(g.order[g.from:], order)
	for i, v := range order {
		x := &nodes[v]
		g.at[v] = int32(g.from + i)
		x.mp, nodes[last[x.machine]].ms = last[x.machine], v
		last[x.machine] = v
	}
	for _, v := range order {
		if k := nodes[v].machine; last[k] == v {
			nodes[v].ms, nodes[next[k]].mp = next[k], v
		}
	}
}

// inside tells tasks in the window.
func (g *graph) inside(v int32) bool {
	return g.isTask(v) && int(g.at[v]) >= g.from && int(g.at[v]) < g.to
}

// through is the longest path to an exit of the window by what is before it there, which is by, and on to the end.
func (g *graph) through(by, exit int32) int32 {
	if int(g.at[by]) >= g.to {
		return heuristics.Uncounted
	}
	return g.end(by) + g.nodes[exit].tail
}
