package tabu

import (
	"slices"
	"sort"

	"downbeat/heuristics"
)

const (
	// reach is over how many tasks of its machine a task moves at most: blocks of published sets are shorter.
	reach = 64
	// mostMoves is how many are looked at at most before a task of the path is the last one that goes to others.
	mostMoves = 4096
)

// move takes a task to behind another on a machine.
type move struct {
	v, machine, behind int32
	// estimate is nearly the length of the longest path through the tasks that it moves, with the price of the work that it adds;
	// where that is above what is enough (see Search.enough) it may be a lower bound of it which is above that, too.
	estimate int32
	// forbidden: an arc that it reverses, or its machine, was given up a short time ago.
	forbidden bool
}

// hashed names an arc.
func hashed(u, v int32) uint64 {
	h := (uint64(uint32(u))<<32 | uint64(uint32(v)) + 1) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// apart reports that no path leads from what waits for u by stages and jobs to v: an argument by times, which holds only
// where they tell.
func (g *graph) apart(u, v int32) bool {
	if !g.sh.Chain {
		for _, w := range g.sh.After[u] {
			if !g.unconnected(w, v) {
				return false
			}
		}
		return true
	}
	return g.unconnected(g.nodes[u].js, v)
}

// apartBefore reports that no path leads from u to what v waits for by stages and jobs.
func (g *graph) apartBefore(u, v int32) bool {
	if !g.sh.Chain {
		for _, w := range g.sh.Before[v] {
			if !g.unconnected(u, w) {
				return false
			}
		}
		return true
	}
	return g.unconnected(u, g.nodes[v].jp)
}

// unconnected reports that no path leads from u to v, or one of them is no task.
func (g *graph) unconnected(u, v int32) bool {
	if !g.isTask(u) || !g.isTask(v) {
		return true
	}
	if u == v {
		return false
	}
	x, y := &g.nodes[u], &g.nodes[v]
	return g.at[u] > g.at[v] || x.head+x.length > y.head || x.tail < x.length+y.tail
}

// forward estimates taking u to behind v, which is after it in a critical block (Balas and Vazacopoulos, 1998).
func (s *Search) forward(u, v int32) move {
	if s.g.sh.sum != nil {
		return s.shifted(u, v, false)
	}
	g, nodes := s.g, s.g.nodes
	x := &nodes[u]
	end, tail := g.end(x.mp), max(x.out, x.length+max(g.rest(u), nodes[nodes[v].ms].tail))
	m := move{v: u, machine: x.machine, behind: v}
	// In a block tasks follow each other at once: with the first of them the others move at most as far.
	if m.estimate = max(max(end, g.ready(x.ms))+g.end(v)-g.end(u), g.ready(u)) + tail; m.estimate > s.least {
		return m
	}
	heads := s.heads[:0]
	banned := s.banned[u] > s.made
	for w := x.ms; ; w = nodes[w].ms {
		h := max(end, g.ready(w))
		heads = append(heads, h)
		end = h + nodes[w].length
		m.forbidden = m.forbidden || banned && s.isForbidden(hashed(w, u))
		if w == v {
			break
		}
	}
	s.heads = heads
	enough := s.enough(m.forbidden)
	m.estimate = max(end, g.ready(u)) + tail
	for i, w := len(heads)-1, v; i >= 0 && m.estimate <= enough; i, w = i-1, nodes[w].mp {
		tail = max(nodes[w].out, nodes[w].length+max(g.rest(w), tail))
		m.estimate = max(m.estimate, heads[i]+tail)
	}
	return m
}

// backward estimates taking v to in front of u, which is before it in a critical block.
func (s *Search) backward(u, v int32) move {
	if s.g.sh.sum != nil {
		return s.shifted(u, v, true)
	}
	g, nodes := s.g, s.g.nodes
	x, front := &nodes[v], nodes[u].mp
	head, tail := max(g.ready(v), g.end(front)), nodes[x.ms].tail
	end := head + x.length
	m := move{v: v, machine: x.machine, behind: front}
	own := head + max(x.out, x.length+g.rest(v))
	// The others follow it as they followed each other, or later.
	if m.estimate = max(own, end+x.head-nodes[u].head+max(tail, g.rest(x.mp))); m.estimate > s.least {
		return m
	}
	heads := s.heads[:0]
	banned := s.banned[v] > s.made
	for w := u; w != v; w = nodes[w].ms {
		h := max(end, g.ready(w))
		heads = append(heads, h)
		end = h + nodes[w].length
		m.forbidden = m.forbidden || banned && s.isForbidden(hashed(v, w))
	}
	s.heads = heads
	enough := s.enough(m.forbidden)
	m.estimate = own
	for i, w := len(heads)-1, x.mp; i >= 0 && m.estimate <= enough; i, w = i-1, nodes[w].mp {
		tail = max(nodes[w].out, nodes[w].length+max(g.rest(w), tail))
		m.estimate = max(m.estimate, heads[i]+tail)
	}
	m.estimate = max(m.estimate, head+x.length+tail)
	return m
}

// enough is what an estimate need not be worked out above: the least of a move so far, or, of one that is forbidden, what
// leads to no better solution than the trajectory has had.
func (s *Search) enough(forbidden bool) int32 {
	if forbidden {
		return min(s.least, s.found.length-1)
	}
	return s.least
}

// add lists a move, unless another one is better that may be made.
func (s *Search) add(m move) {
	s.seen++
	switch {
	case m.estimate <= s.enough(m.forbidden):
		s.least = m.estimate
	case s.least < never:
		return
	}
	s.moves = append(s.moves, m)
}

// elsewhere names a task on a machine.
func elsewhere(v, machine int32) uint64 { return hashed(-1-v, machine) }

// collect lists the moves on a critical path, of sums on one to the end of a job that costs something: of one for which there are any, as those
// that nothing has end sooner may cost the most.
func (s *Search) collect() {
	s.moves, s.seen, s.least = s.moves[:0], 0, never
	g := s.g
	if g.sh.sum == nil {
		s.onPath(g.ends, g.longest())
		return
	}
	costs := g.sh.sum.costs
	for j := range costs {
		s.now[j] = g.endOf(&costs[j])
		s.pays[j] = costs[j].at(s.now[j])
	}
	for len(s.moves) == 0 {
		j := s.late()
		if j < 0 {
			return
		}
		s.onPath(costs[j].ends, s.now[j])
		s.pays[j] = 0 // if there is no move for it, another one is drawn
	}
}

// onPath lists the moves on a longest path to one of some tasks, of such a length.
func (s *Search) onPath(ends []int32, length int32) {
	s.path = s.g.critical(s.path[:0], ends, length, s.rng)
	for i := 0; i < len(s.path); {
		j := i + 1
		for j < len(s.path) && s.g.nodes[s.path[j]].machine == s.g.nodes[s.path[i]].machine && s.g.nodes[s.path[j]].mp == s.path[j-1] {
			j++
		}
		s.inBlock(s.path[i:j])
		i = j
	}
	if s.flexible && len(s.path) > 0 {
		first := s.rng.IntN(len(s.path))
		for i := 0; i < len(s.path) && s.seen < mostMoves; i++ {
			s.toOthers(s.path[(first+i)%len(s.path)])
		}
	}
}

// inBlock lists the moves N7 of a critical block, as far as they reach. Those over few tasks come first: of
// moves that come to more than the least so far little is worked out, and it is mostly such that do not.
func (s *Search) inBlock(block []int32) {
	g, last := s.g, len(block)-1
	near, far := min(last, reach), max(0, last-reach)
	if last == 0 {
		return
	}
	front, back := block[0], block[last]
	// Of what starts at the very beginning none is better in front, of what the end follows none behind.
	if g.nodes[front].head > s.begin {
		for _, v := range block[1 : near+1] {
			if g.apartBefore(front, v) {
				s.add(s.backward(front, v))
			}
		}
	}
	if s.uneven || g.nodes[back].tail > g.nodes[back].out {
		for _, u := range slices.Backward(block[far:last]) {
			if (u != front || last > 1 || g.nodes[front].head <= s.begin) && g.apart(u, back) {
				s.add(s.forward(u, back))
			}
		}
	}
	for _, v := range block[1:max(1, min(near+1, last))] {
		if g.apart(front, v) {
			s.add(s.forward(front, v))
		}
	}
	for _, u := range slices.Backward(block[max(1, far):max(1, last)]) {
		if g.apartBefore(u, back) {
			s.add(s.backward(u, back))
		}
	}
}

// toOthers lists moves of a task to other machines. Of the places on a machine those between what ends later than the
// task is ready and what has more behind it than the task has are enough (Mastrolilli and Gambardella, 2000): in front of them
// nothing waits for less, behind them for no more, and none of them closes a cycle.
func (s *Search) toOthers(v int32) {
	g := s.g
	x := &g.nodes[v]
	ready, rest := g.ready(v), g.rest(v)
	// What follows it on its machine is as late without it as what else that waits for.
	without := int32(heuristics.Uncounted)
	if g.isTask(x.ms) {
		without = max(g.ready(x.ms), g.end(x.mp)) + g.nodes[x.ms].tail
	}
	for _, o := range g.sh.options[v] {
		if o.machine == x.machine {
			continue
		}
		out := int32(heuristics.Uncounted)
		if d := g.sh.Delivery[v]; d > heuristics.Uncounted {
			out = o.run + d
		}
		added := s.price * (o.length - x.length)
		if g.sh.sum == nil && max(without, ready+max(out, o.length+rest))+added > s.least {
			continue
		}
		forbidden := s.isForbidden(elsewhere(v, o.machine))
		y := g.lastBy(o.machine, ready)
		for {
			end, next := g.end(y), g.nodes[y].ms
			estimate := max(without, max(ready, end)+max(out, o.length+max(rest, g.nodes[next].tail)))
			if g.sh.sum != nil {
				estimate = s.elsewhereSum(v, o, y)
			}
			m := move{v: v, machine: o.machine, behind: y, estimate: estimate + added, forbidden: forbidden}
			if forbidden && estimate >= s.found.length {
				m.estimate = max(m.estimate, s.found.length) // less work is no reason to make it
			}
			s.add(m)
			if y = next; !g.isTask(y) || g.nodes[y].tail <= rest {
				break
			}
		}
	}
}

// lastBy is the last task of a machine that ends by a time, or the machine itself if there is none.
func (g *graph) lastBy(machine, by int32) int32 {
	queue := g.queues[machine]
	n := sort.Search(len(queue), func(i int) bool { return g.end(queue[i]) > by })
	if n == 0 {
		return g.first(machine)
	}
	return queue[n-1]
}
