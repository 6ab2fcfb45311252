package inference

import (
	"errors"
	"slices"

	"downbeat/model"
)

// wait stands for a tick without any job.
const wait = -1

// follows reports whether a piece, or a tick without any, may come right after another at a time.
func (s *sequencing) follows(m *machine, before, k int32, at model.Time) bool {
	switch {
	case k == wait:
		return true
	case before == wait:
		return !s.tight || at == m.options[k].starts[0].first
	case before == k:
		return false
	case !s.tight:
		return true
	}
	i, j := &m.options[before], &m.options[k]
	from := at - i.length
	if from < j.starts[0].first || from+j.length > i.starts[0].last {
		return true
	}
	is := s.pays(before, from+i.run) + s.pays(k, at+j.run)
	other := s.pays(k, from+j.run) + s.pays(before, from+j.length+i.run)
	if is != other || s.only || i.length == j.length {
		return is < other || is == other && before < k
	}
	return i.length < j.length
}

// network has all walks of a pass on a machine that are left by those before.
type network struct {
	*sequencing
	m      *machine
	p      *pass
	before *network // nil for the first pass
	mask   uint64   // of those that were counted before
	all    uint64   // of those that are counted now
	needed uint64   // of those of them that have to run
	points []point
	nodes  []node
	at     map[instant]int32
	byTime [][]int32
	// stepsLeft counts points and the steps that are left from them.
	stepsLeft int
}

// instant is a time at which nothing runs, with which of the counted jobs are done.
type instant struct {
	time model.Time
	done uint64
}

// point is an instant: the nodes that end in it, and that begin there.
type point struct {
	instant
	under      int32 // the point of the pass before
	ends, next []int32
	left       []int32 // pieces that begin here on walks that cost no more than what is allowed
}

// node is a piece, or a tick, from one point to another: the least cost up to its end, and of the rest.
type node struct {
	piece, to  int32
	cost, rest int64
}

// walk works out all walks of a pass.
func (s *sequencing) walk(m *machine, p *pass, before *network) (*network, error) {
	w := &network{sequencing: s, m: m, p: p, before: before, at: map[instant]int32{}, byTime: make([][]int32, m.most-m.from+1)}
	for k, b := range s.bits {
		if w.all |= b; s.must[k] {
			w.needed |= b
		}
	}
	if before != nil {
		w.mask = before.all
		before.before = nil
	}
	w.nodes = []node{{piece: wait, to: w.point(instant{time: m.from})}}
	w.points[0].ends = []int32{0}
	for _, here := range w.byTime {
		for _, at := range here {
			if w.onward(at); s.walked+len(w.nodes) > mostWalked {
				return nil, errors.New("there are too many walks")
			}
		}
		if s.stopped() {
			return w, nil
		}
	}
	s.walked += len(w.nodes)
	w.backward()
	return w, nil
}

// point is the one of an instant.
func (w *network) point(at instant) int32 {
	k, ok := w.at[at]
	if !ok {
		k = int32(len(w.points))
		of := point{instant: at}
		if w.before != nil {
			of.under = w.before.at[instant{at.time, at.done & w.mask}]
		}
		w.points, w.at[at] = append(w.points, of), k
		w.byTime[at.time-w.m.from] = append(w.byTime[at.time-w.m.from], k)
	}
	return k
}

// onward adds all nodes that begin at a point.
func (w *network) onward(at int32) {
	time := w.points[at].time
	if w.before != nil {
		for _, k := range w.before.points[w.points[at].under].left {
			w.add(at, k)
		}
		return
	}
	for k := range w.m.options {
		if o := &w.m.options[k]; o.may(time) && time+o.length <= w.m.most {
			w.add(at, int32(k))
		}
	}
	if time < w.m.most && (!w.tight || time < w.m.lastRelease) {
		w.add(at, wait)
	}
}

// add adds a node, if it may follow any that ends where it begins.
func (w *network) add(at, k int32) {
	p, least := &w.points[at], int64(unreached)
	end := instant{p.time + 1, p.done}
	if k != wait {
		if w.bits[k]&p.done != 0 || p.time < w.left.from[k] || p.time > w.left.to[k] {
			return
		}
		end = instant{p.time + w.m.options[k].length, p.done | w.bits[k]}
	}
	w.stoppedAfter(len(p.ends))
	for _, n := range p.ends {
		if before := &w.nodes[n]; before.cost < least && w.follows(w.m, before.piece, k, p.time) {
			least = before.cost
		}
	}
	if least == unreached {
		return
	}
	to, n := w.point(end), int32(len(w.nodes))
	w.nodes = append(w.nodes, node{piece: k, to: to, cost: least + w.cost(k, p.time)})
	w.points[at].next = append(w.points[at].next, n)
	w.points[to].ends = append(w.points[to].ends, n)
}

// cost is that of a piece that starts at a time, less its reward.
func (w *network) cost(k int32, start model.Time) int64 {
	if k == wait {
		return 0
	}
	return w.pays(k, start+w.m.options[k].run) - w.p.reward[w.jobs[w.pieces[k].job].job]
}

// backward works out what the rest of a walk costs after each node.
func (w *network) backward() {
	for _, here := range slices.Backward(w.byTime) {
		for _, at := range here {
			p := &w.points[at]
			end := int64(unreached)
			if p.time >= w.m.least && (!w.only || p.done&w.needed == w.needed) {
				end = 0
			}
			w.stoppedAfter(len(p.ends) * len(p.next))
			for _, u := range p.ends {
				w.nodes[u].rest = end
			}
			for _, v := range p.next {
				next := &w.nodes[v]
				if next.rest == unreached {
					continue
				}
				rest := next.rest + w.cost(next.piece, p.time)
				for _, u := range p.ends {
					if n := &w.nodes[u]; rest < n.rest && w.follows(w.m, n.piece, next.piece, p.time) {
						n.rest = rest
					}
				}
			}
		}
	}
}

// least is the least cost of a walk.
func (w *network) least() int64 { return w.nodes[0].rest }

// leave leaves the nodes that are on a walk which costs at most so much.
func (w *network) leave(most int64) {
	for at := range w.points {
		p := &w.points[at]
		for _, v := range p.next {
			if n := &w.nodes[v]; n.rest < unreached && n.cost+n.rest <= most {
				p.left = append(p.left, n.piece)
			}
		}
		p.ends, p.next = nil, nil
		w.stepsLeft += 1 + len(p.left)
	}
	w.nodes = []node{w.nodes[0]} // the others are let go
	w.byTime = nil
}
