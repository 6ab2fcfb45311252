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

// run is a job on a walk, and when it begins.
type run struct {
	job   int32
	start model.Time
}

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

// ends reports whether a walk may end at an instant, where some jobs are counted that have to run.
func (l *line) ends(at instant, needed uint64) bool {
	return at.time >= l.least && (!l.only() || at.done&needed == needed)
}

// follows reports whether a job, or a tick without any, may come right after another at a time. Where an order is to be found:
// of two neighbours that may change places the better order, else the one of lesser ends, where there are more lines than one, else
// the lesser; and after a tick without any job one that was not there before.
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
	if from < j.first || swapped > i.last || l.cost(before, swapped) > l.allowed {
		return true
	}
	is, other := l.cost(before, from)+l.cost(job, at), l.cost(job, from)+l.cost(before, swapped)
	if is != other || l.only() || i.length == j.length {
		return is < other || is == other && before < job
	}
	return i.length < j.length
}

// walks is a graph in which each step is a node by itself, so that a walk knows the job before.
type walks struct {
	*line
	points []instant
	nodes  []node
	// stops are the points in the order of time; at each ends are the nodes that end there.
	stops []stop
	ends  []int32
	// may tells after which of these a node may come: a bit for each, from words on.
	may []uint64
	// last are the nodes with which a walk may end.
	last []int32
	// costs and rests are the least of a walk up to the end of each node, and after it.
	costs, rests []int64
}

// stop is a point, with what ends there and what begins, both up to those of the next stop.
type stop struct{ point, ends, nodes int32 }

// node is a step from one point to another; price is what the job pays, without its reward.
type node struct {
	job, from, to, words int32
	price                int64
}

// walksOf has the walks of a graph in which some jobs are counted, each by a bit, of which some have to run; nil if there are more
// than so many nodes, or words of bits. unit is the price of a unit of the objective.
func (l *line) walksOf(g graph, bits []uint64, needed uint64, unit int64, most int) *walks {
	w := &walks{line: l}
	m := mapping{at: map[instant]int32{}, byTime: make([][]int32, l.most-l.first+1)}
	w.nodes = []node{{job: wait, to: m.point(w, g[0].instant, 0)}}
	m.ends[0] = []int32{0}
	for _, here := range m.byTime { // each has all of its points when its turn comes
		for _, from := range here {
			at, ends := w.points[from], m.ends[from]
			w.stops = append(w.stops, stop{from, int32(len(w.ends)), int32(len(w.nodes))})
			w.ends = append(w.ends, ends...)
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
				if n := (node{job: s.job, from: from, words: int32(len(w.may)), price: price}); w.comes(ends, s.job, at.time) {
					n.to = m.point(w, end, s.to)
					m.ends[n.to] = append(m.ends[n.to], int32(len(w.nodes)))
					w.nodes = append(w.nodes, n)
				}
			}
		}
		if len(w.nodes) > most || len(w.may) > wordsOfNode*most {
			return nil
		}
	}
	for k, at := range w.points {
		if l.ends(at, needed) {
			w.last = append(w.last, m.ends[k]...)
		}
	}
	w.costs, w.rests = make([]int64, len(w.nodes)), make([]int64, len(w.nodes))
	w.stops = append(w.stops, stop{-1, int32(len(w.ends)), int32(len(w.nodes))}) // where those of the last one end
	return w
}

// wordsOfNode is how many words of bits there may be for each node that there may be.
const wordsOfNode = 8

// comes adds words that tell after which of some nodes a job, or a tick without any, may come; none, and it is false, if it may not.
func (w *walks) comes(ends []int32, job int32, at model.Time) bool {
	n, any := len(w.may), false
	w.may = append(w.may, make([]uint64, (len(ends)+63)/64)...)
	for k, u := range ends {
		if w.follows(w.nodes[u].job, job, at) {
			w.may[n+k/64] |= 1 << (k % 64)
			any = true
		}
	}
	if !any {
		w.may = w.may[:n]
	}
	return any
}

// after reports whether a node may come after the one that is so manieth of those that end where it begins.
func (w *walks) after(n *node, k int) bool { return w.may[int(n.words)+k/64]>>(k%64)&1 > 0 }

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
func (w *walks) size() int { return linksOfNode * len(w.nodes) }

// linksOfNode is about what a node takes, in links of walks.
const linksOfNode = 4

// cheapest is how many of the cheapest walks to a stop are tried before all are.
const cheapest = 4

// forward works out the cheapest walk at rewards: what it costs, and its jobs from the last to the first.
func (w *walks) forward(rewards []int64) (least int64, runs []run) {
	for k := range len(w.stops) - 1 {
		at, next := &w.stops[k], &w.stops[k+1]
		ends := w.ends[at.ends:next.ends]
		var first [cheapest]int
		some := w.cheapest(ends, &first)
		for n := at.nodes; n < next.nodes; n++ {
			w.costs[n] = w.before(&w.nodes[n], ends, first[:some]) + w.own(int(n), rewards)
		}
	}
	least, at := int64(unreached), int32(-1)
	for _, n := range w.last {
		if w.costs[n] < least {
			least, at = w.costs[n], n
		}
	}
	if at < 0 {
		return least, nil
	}
	for k := len(w.stops) - 2; at > 0; k-- {
		if w.stops[k].point != w.nodes[at].from {
			continue
		}
		of := &w.nodes[at]
		if of.job != wait {
			runs = append(runs, run{of.job, w.points[of.from].time})
		}
		cost := w.costs[at] - w.own(int(at), rewards)
		for n, u := range w.ends[w.stops[k].ends:w.stops[k+1].ends] {
			if w.costs[u] == cost && w.after(of, n) {
				at = u
				break
			}
		}
	}
	return least, runs
}

// cheapest finds the nodes with the cheapest walks of those that end at a stop, in order, and tells how many there are.
func (w *walks) cheapest(ends []int32, first *[cheapest]int) (some int) {
	for k, u := range ends {
		n := some
		if some < cheapest {
			some++
		} else if n--; w.costs[u] >= w.costs[ends[first[n]]] {
			continue
		}
		for ; n > 0 && w.costs[u] < w.costs[ends[first[n-1]]]; n-- {
			first[n] = first[n-1]
		}
		first[n] = k
	}
	return some
}

// before is what the cheapest walk costs that a node may come after, of those that end where it begins, of which some are known to be first.
func (w *walks) before(n *node, ends []int32, first []int) int64 {
	for _, k := range first {
		if w.after(n, k) {
			return w.costs[ends[k]]
		}
	}
	cost := int64(unreached)
	for k, u := range ends {
		if w.costs[u] < cost && w.after(n, k) {
			cost = w.costs[u]
		}
	}
	return cost
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
	for k := len(w.stops) - 2; k >= 0; k-- {
		ends := w.ends[w.stops[k].ends:w.stops[k+1].ends]
		for n := w.stops[k+1].nodes - 1; n >= w.stops[k].nodes; n-- {
			of := &w.nodes[n]
			if w.rests[n] == unreached {
				continue
			}
			rest := w.rests[n] + w.own(int(n), rewards)
			for e, u := range ends {
				if rest < w.rests[u] && w.after(of, e) {
					w.rests[u] = rest
				}
			}
			if w.costs[n]+w.rests[n] <= most {
				g[of.from].steps = append(g[of.from].steps, step{of.job, of.to})
			}
		}
	}
	return g
}
