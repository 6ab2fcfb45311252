package setups

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
)

// MostSearched bounds the jobs of a search.
const MostSearched = 64

// Answer is what a search has come to.
type Answer uint8

const (
	// Unknown: it was cut short.
	Unknown Answer = iota
	// Found: there is an order.
	Found
	// None: there is no order.
	None
)

// Search is a depth-first search over orders of up to MostSearched jobs, by halves (see half). A node is a beginning of an order; it is
// left where the server or the machines have too little time for what is left, where another order of its last jobs
// leaves more, or where a state that leaves no less with the same jobs is known to lead nowhere.
//
// That another order leaves more cannot go around in a circle: in a circle of beginnings each of which is given up for
// the next, the longest change would leave more each time that it is made, and no other less after it. A refuted state
// is one that was reached, so that what is given up for it is so for good.
type Search struct {
	p        *Problem
	by       ticks
	machines int
	// half is the one at hand; there is none where a search has come to its end.
	half  half
	ended bool
	shares
	// last are those with which orders may end, where walks do not bound what is left.
	last endings
	// order has the jobs that are placed, at the states before each and after the last.
	order []int
	at    []state
	// nodes are those from the first to the one at hand.
	nodes   []node
	refuted *kept
}

// node is a beginning of an order, with the jobs that may come next, some of which have been tried.
type node struct {
	left     uint64
	branches []branch
	next     int
	remaining
	// last are the endings of which all jobs are left.
	last []ending
}

// branch is a job that may come next, and the state after it.
type branch struct {
	job int
	at  state
	// apart is for how long the server or the machine waits for the other, or what the cheapest walk comes to.
	apart int64
}

// NewSearch begins.
func NewSearch(p *Problem) *Search {
	return &Search{p: p, machines: p.machines, ended: true, refuted: newKept(p.machines)}
}

// Run looks for an order that ends by a time, at so many nodes at most, and goes on with what was left open if that was
// asked about last. It tells the number of nodes.
func (s *Search) Run(ctx context.Context, by model.Time, nodes int) (order []int, a Answer, spent int) {
	if end := s.p.until(by); end != s.by || s.ended {
		s.by, s.ended, s.last = end, false, endings{}
		shown := false
		if s.p.walks != nil {
			shown, spent = s.p.walks.raise(ctx, &s.p.start, end)
		} else if s.last = s.p.endings(end); s.last.jobs > 0 {
			shown = len(s.last.sets) == 0
		}
		if shown || !s.split() || !s.root() {
			s.ended = true
			return nil, None, spent + 1
		}
	}
	for {
		for len(s.nodes) > 0 {
			if spent >= nodes || spent&1023 == 1023 && ctx.Err() != nil {
				return nil, Unknown, spent
			}
			spent++
			s.direction().nodes++
			if s.step() {
				order = slices.Clone(s.order)
				if s.half.backward {
					slices.Reverse(order)
				}
				s.ended = true
				return order, Found, spent
			}
		}
		if s.turn(); s.ended {
			return nil, None, spent
		}
	}
}

// turn goes on from a half that is done to the next.
func (s *Search) turn() {
	s.direction().searched = s.half.idle
	if s.ended = s.total == 0 || !s.share(); !s.ended {
		s.direction().nodes = 0
		s.root()
	}
}

// root begins a half. It is false where there is too little time.
func (s *Search) root() bool {
	var r remaining
	left := firstJobs(len(s.p.jobs))
	r.of(s.p, left)
	all, at := r.without(s.p, -1), s.p.start
	if !s.half.backward {
		at = at.useful(false, &all, s.machines)
	}
	s.order, s.at, s.nodes = s.order[:0], append(s.at[:0], at), s.nodes[:0]
	if s.by < s.p.floor || s.hopeless(&at, &all) {
		return false
	}
	s.refuted.forget()
	s.extend(left)
	return true
}

// step takes the next branch of the node at hand, or leaves it. It reports whether an order is found.
func (s *Search) step() bool {
	here := &s.nodes[len(s.nodes)-1]
	if here.next == len(here.branches) {
		s.refuted.add(here.left, &s.at[len(s.order)])
		s.nodes = s.nodes[:len(s.nodes)-1]
		s.back()
		return false
	}
	b := &here.branches[here.next]
	here.next++
	s.order, s.at = append(s.order, b.job), append(s.at, b.at)
	left := here.left &^ (1 << b.job)
	if left == 0 {
		return true
	}
	if !s.extend(left) {
		s.back()
	}
	return false
}

// extend makes a node of the order at hand, with jobs that are left, unless it is known to lead nowhere.
func (s *Search) extend(left uint64) bool {
	if s.refuted.covers(left, &s.at[len(s.order)]) {
		return false
	}
	if n := len(s.nodes); n < cap(s.nodes) {
		s.nodes = s.nodes[:n+1] // with the buffers of the node that was here before
	} else {
		s.nodes = append(s.nodes, node{})
	}
	n := &s.nodes[len(s.nodes)-1]
	n.left, n.next = left, 0
	n.remaining.of(s.p, left)
	last := s.last.sets
	if len(s.nodes) > 1 {
		last = s.nodes[len(s.nodes)-2].last
	}
	n.last = among(n.last[:0], last, left)
	s.branch(n)
	return true
}

// back takes the last job away.
func (s *Search) back() {
	if n := len(s.order); n > 0 {
		s.order, s.at = s.order[:n-1], s.at[:n]
	}
}

// branch lists the jobs that may come next, those first for which server and machine wait the least for each other, or walks come
// to the least, and leaves out those after which there is too little time, or another order leaves more.
func (s *Search) branch(n *node) {
	n.branches = n.branches[:0]
	half, depth := &s.half, len(s.order)+1
	pay := int64(0)
	if s.p.walks != nil {
		pay = s.p.walks.left(n.left)
	}
	s.p.next(half.backward, &s.at[len(s.order)], &n.remaining, s.may(n), func(job int, at state, apart ticks, rest *rest) {
		switch {
		case !half.backward && at.free[s.machines-1] > s.by:
			return
		case !half.backward || depth > half.jobs:
			at = at.useful(half.backward, rest, s.machines)
		}
		order := int64(apart)
		if s.p.walks != nil {
			least := s.p.walks.least(&at, len(n.jobs)-1, job, pay-s.p.walks.rewards[job])
			if least > partsOfTick*int64(s.by) {
				return
			}
			order = least
		}
		if s.hopeless(&at, rest) || s.used(n, job, &at, rest) || depth <= half.jobs && s.p.idle(&at, rest.setups, rest.work).sum() > half.idle || s.dominated(job, &at, rest) {
			return
		}
		n.branches = append(n.branches, branch{job, at, order})
	})
	slices.SortFunc(n.branches, func(a, b branch) int { return cmp.Compare(a.apart, b.apart) })
}

// used reports whether no order can end with what is left after a job, at a node: forward, while as many jobs are left as endings have.
func (s *Search) used(n *node, job int, at *state, rest *rest) bool {
	if s.half.backward || s.last.jobs == 0 || len(n.jobs) <= s.last.jobs {
		return false
	}
	return !ends(n.last, job, at.spare(false, s.by, rest.setups, rest.work, s.machines))
}

// may is what is spare at a node: of the half's share, too, while that is searched.
func (s *Search) may(n *node) spare {
	at := &s.at[len(s.order)]
	may := at.spare(s.half.backward, s.by, n.setups, n.work, s.machines)
	if len(s.order) < s.half.jobs {
		left := s.half.idle - s.p.idle(at, n.setups, n.work).sum()
		may = spare{min(may.machines, left), min(may.server, left)}
	}
	return may
}
