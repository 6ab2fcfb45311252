package setups

import (
	"cmp"
	"context"
	"math/bits"
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
	// halves are those to be searched, the one at hand first: none where a search has come to its end.
	halves []half
	// tried counts the nodes of the half at hand, forward had those of the forward one before it. shift is how many idle ticks of the
	// forward half's share are the other's, as the forward half has come to more nodes so far.
	tried, forward, shift int
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
	return &Search{p: p, machines: p.machines, refuted: newKept(p.machines)}
}

// Run looks for an order that ends by a time, at so many nodes at most, and goes on with what was left open if that was
// asked about last. It tells the number of nodes.
func (s *Search) Run(ctx context.Context, by model.Time, nodes int) (order []int, a Answer, spent int) {
	if end := s.p.until(by); end != s.by || len(s.halves) == 0 {
		s.by, s.halves, s.tried = end, s.p.halves(end, s.shift), 0
		shown := false
		if s.p.walks != nil {
			shown, spent = s.p.walks.raise(ctx, &s.p.start, end)
		}
		if shown || !s.root() {
			s.halves = nil
			return nil, None, spent + 1
		}
	}
	for {
		for len(s.nodes) > 0 {
			if spent >= nodes || spent&1023 == 1023 && ctx.Err() != nil {
				return nil, Unknown, spent
			}
			spent++
			s.tried++
			if s.step() {
				order = slices.Clone(s.order)
				if s.halves[0].backward {
					slices.Reverse(order)
				}
				s.halves = nil
				return order, Found, spent
			}
		}
		if s.turn(); len(s.halves) == 0 {
			return nil, None, spent
		}
	}
}

// turn goes on from a half that is done to the next.
func (s *Search) turn() {
	if s.halves[0].backward {
		s.shift += (bits.Len(uint(s.forward)) - bits.Len(uint(s.tried))) / 2
	}
	s.forward, s.tried = s.tried, 0
	if s.halves = s.halves[1:]; len(s.halves) > 0 {
		s.root()
	}
}

// root begins a half. It is false where there is too little time.
func (s *Search) root() bool {
	var r remaining
	left := ^uint64(0) >> (64 - len(s.p.jobs))
	r.of(s.p, left)
	all, at := r.without(s.p, -1), s.p.start
	if !s.halves[0].backward {
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
	half, depth := &s.halves[0], len(s.order)+1
	pay := int64(0)
	if s.p.walks != nil {
		pay = s.p.walks.left(n.left)
	}
	s.p.next(half.backward, &s.at[len(s.order)], &n.remaining, func(job int, at state, apart ticks, rest *rest) {
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
		if s.hopeless(&at, rest) || depth <= half.jobs && s.idle(&at, rest) > half.idle || s.dominated(job, &at, rest) {
			return
		}
		n.branches = append(n.branches, branch{job, at, order})
	})
	slices.SortFunc(n.branches, func(a, b branch) int { return cmp.Compare(a.apart, b.apart) })
}
