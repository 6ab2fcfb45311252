package sequence

import "downbeat/model"

// wait stands for a tick without any job, unreached for a cost that no walk has.
const (
	wait      = -1
	unreached = 1 << 62
)

// instant is a time at which nothing runs, with which of the counted jobs are done.
type instant struct {
	time model.Time
	done uint64
}

// graph has the walks that are left: points, of which the first is where they begin.
type graph []point

// point is an instant with the steps that lead on.
type point struct {
	instant
	steps []step
}

// step is a job, or a tick without any, and the point that it leads to.
type step struct{ job, to int32 }

// firstGraph has a point for each time, and all starts of jobs.
func (l *line) firstGraph() graph {
	g := make(graph, l.most-l.first+1)
	for k := range l.at {
		at := &l.at[k]
		for t := at.first; at.length > 0 && t <= l.lastStart(k); t++ {
			n := t - l.first
			g[n].steps = append(g[n].steps, step{int32(k), int32(n + at.length)})
		}
	}
	for n := range g {
		g[n].time = l.first + model.Time(n)
		if t := g[n].time; t < l.most && (!l.tight || t < l.latest) {
			g[n].steps = append(g[n].steps, step{wait, int32(n) + 1})
		}
	}
	return g
}

// ends reports whether a walk may end at an instant, where some jobs are counted.
func (l *line) ends(at instant, counted uint64) bool {
	return len(l.lines) > 1 || l.count > 1 || at.time >= l.least && at.done == counted
}

// follows reports whether a job, or a tick without any, may come right after another at a time. Where an order is to be found:
// of two neighbours that may change places the better order, else the lesser, and after a tick without any job one
// that was not there before.
func (l *line) follows(before, job int32, at model.Time) bool {
	switch {
	case job == wait:
		return true
	case before == wait:
		return !l.tight || at == l.at[job].first
	case before == job:
		return false
	case !l.tight:
		return true
	}
	i, j := &l.at[before], &l.at[job]
	from := at - i.length
	swapped := from + j.length
	if from < j.first || swapped > i.last {
		return true
	}
	is, other := l.cost(before, from)+l.cost(job, at), l.cost(job, from)+l.cost(before, swapped)
	return is < other || is == other && before < job
}

// walks is a graph in which each step is a node by itself, so that a walk knows the job before.
type walks struct {
	*line
	counted uint64
	points  []instant
	nodes   []node
	// before has the nodes that a node may come right after: those of n from nodes[n].before to that of the next.
	before []int32
	// last are the nodes with which a walk may end.
	last []int32
	// costs and rests are the least of a walk up to the end of each node, and after it.
	costs, rests []int64
}

// node is a step from one point to another; price is what the job pays, without its reward.
type node struct {
	job, from, to, before int32
	price                 int64
}

// walksOf has the walks of a graph in which some jobs are counted, each by a bit; nil if there are more
// than so many nodes, or links between them. unit is the price of a unit of the weighted lateness.
func (l *line) walksOf(g graph, bits []uint64, unit int64, most int) *walks {
	w := &walks{line: l}
	for _, b := range bits {
		w.counted |= b
	}
	m := mapping{at: map[instant]int32{}, byTime: make([][]int32, l.most-l.first+1)}
	w.nodes = []node{{job: wait, to: m.point(w, g[0].instant, 0)}}
	m.ends[0] = []int32{0}
	for _, here := range m.byTime { // each has all of its points when its turn comes
		for _, from := range here {
			at := w.points[from]
			for _, s := range g[m.over[from]].steps {
				end := instant{at.time + 1, at.done}
				price := int64(0)
				if s.job != wait {
					if bits[s.job]&at.done != 0 {
						continue
					}
					end = instant{at.time + l.at[s.job].length, at.done | bits[s.job]}
					price = unit * l.cost(s.job, at.time)
				}
				n := node{job: s.job, from: from, before: int32(len(w.before)), price: price}
				for _, u := range m.ends[from] {
					if l.follows(w.nodes[u].job, s.job, at.time) {
						w.before = append(w.before, u)
					}
				}
				if int(n.before) == len(w.before) {
					continue
				}
				n.to = m.point(w, end, s.to)
				m.ends[n.to] = append(m.ends[n.to], int32(len(w.nodes)))
				w.nodes = append(w.nodes, n)
			}
		}
		if len(w.nodes) > most || len(w.before) > linksOfNode*most {
			return nil
		}
	}
	for k, at := range w.points {
		if l.ends(at, w.counted) {
			w.last = append(w.last, m.ends[k]...)
		}
	}
	w.costs, w.rests = make([]int64, len(w.nodes)), make([]int64, len(w.nodes))
	w.nodes = append(w.nodes, node{before: int32(len(w.before))}) // where those of the last one end
	return w
}

// linksOfNode is how many links there may be for each node that there may be.
const linksOfNode = 16

// mapping is what points of walks come from, while these are made.
type mapping struct {
	at     map[instant]int32
	byTime [][]int32
	over   []int32   // the point of the graph
	ends   [][]int32 // the nodes that end there
}

// point is that of an instant, which is over one of the graph.
func (m *mapping) point(w *walks, at instant, over int32) int32 {
	k, ok := m.at[at]
	if !ok {
		k = int32(len(w.points))
		m.at[at], w.points = k, append(w.points, at)
		m.over, m.ends = append(m.over, over), append(m.ends, nil)
		m.byTime[at.time-w.first] = append(m.byTime[at.time-w.first], k)
	}
	return k
}

// size is what it takes to go through all walks, in links.
func (w *walks) size() int { return len(w.before) + len(w.nodes) }

// forward works out the cheapest walk at rewards: what it costs, and how often each job runs on it; the jobs in
// their order.
func (w *walks) forward(rewards []int64) (least int64, jobs []int32) {
	for n := 1; n < len(w.costs); n++ {
		cost := int64(unreached)
		for _, u := range w.before[w.nodes[n].before:w.nodes[n+1].before] {
			cost = min(cost, w.costs[u])
		}
		w.costs[n] = cost + w.own(n, rewards)
	}
	least, at := int64(unreached), int32(-1)
	for _, n := range w.last {
		if w.costs[n] < least {
			least, at = w.costs[n], n
		}
	}
	for at > 0 {
		if w.nodes[at].job != wait {
			jobs = append(jobs, w.nodes[at].job)
		}
		cost := w.costs[at] - w.own(int(at), rewards)
		for _, u := range w.before[w.nodes[at].before:w.nodes[at+1].before] {
			if w.costs[u] == cost {
				at = u
				break
			}
		}
	}
	return least, jobs
}

// own is what a node costs by itself.
func (w *walks) own(n int, rewards []int64) int64 {
	if w.nodes[n].job == wait {
		return 0
	}
	return w.nodes[n].price - rewards[w.nodes[n].job]
}

// left is the graph of the nodes that are on a walk which costs at most so much.
func (w *walks) left(rewards []int64, most int64) graph {
	w.forward(rewards)
	for n := range w.rests {
		w.rests[n] = unreached
	}
	for _, n := range w.last {
		w.rests[n] = 0
	}
	g := make(graph, len(w.points))
	for k, at := range w.points {
		g[k].instant = at
	}
	for n := len(w.rests) - 1; n > 0; n-- {
		if w.rests[n] == unreached {
			continue
		}
		rest := w.rests[n] + w.own(n, rewards)
		for _, u := range w.before[w.nodes[n].before:w.nodes[n+1].before] {
			w.rests[u] = min(w.rests[u], rest)
		}
		if of := &w.nodes[n]; w.costs[n]+w.rests[n] <= most {
			g[of.from].steps = append(g[of.from].steps, step{of.job, of.to})
		}
	}
	return g
}
