package setups

import (
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

// Search is a depth-first search over orders of up to MostSearched jobs. A node is a beginning of an order; it is
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
	// order has the jobs that are set up, at the states before each and after the last.
	order []int
	at    []state
	// nodes are those from the first to the one at hand: none where a search has come to its end.
	nodes []node
	// refuted are states, by the jobs that are left, from which there is no order.
	refuted []refuted
}

// node is a beginning of an order, with the jobs that may be set up next, some of which have been tried.
type node struct {
	left     uint64
	work     ticks
	here     state
	branches []branch
	next     int
}

// refuted are some states with the same jobs left, for one time.
type refuted struct {
	left   uint64
	by     ticks
	states [refutedStates]state
	n      int
}

// Refuted states are looked up among so many sets of jobs, of so many states each.
const (
	refutedSets   = 1 << 16
	refutedStates = 4
)

// NewSearch begins.
func NewSearch(p *Problem) *Search {
	return &Search{p: p, machines: p.machines, refuted: make([]refuted, refutedSets)}
}

// Run looks for an order that ends by a time, at so many nodes at most, and goes on with what was left open if that was
// asked about last. It tells the number of nodes.
func (s *Search) Run(ctx context.Context, by model.Time, nodes int) (order []int, a Answer, spent int) {
	if end := s.p.until(by); end != s.by || len(s.nodes) == 0 {
		s.by, s.order, s.at, s.nodes = end, nil, make([]state, 1), nil
		left, work := uint64(0), ticks(0)
		for k := range s.p.jobs {
			left |= 1 << k
			work += s.p.jobs[k].setup + s.p.jobs[k].run
		}
		if s.hopeless(&s.at[0], left, work) {
			return nil, None, 1
		}
		s.extend(left, work)
	}
	for len(s.nodes) > 0 {
		if spent >= nodes || spent&1023 == 1023 && ctx.Err() != nil {
			return nil, Unknown, spent
		}
		here := &s.nodes[len(s.nodes)-1]
		if here.next == len(here.branches) {
			s.refute(here.left, &here.here)
			s.nodes = s.nodes[:len(s.nodes)-1]
			s.back()
			continue
		}
		spent++
		b := &here.branches[here.next]
		here.next++
		s.order, s.at = append(s.order, b.job), append(s.at, b.at)
		j := &s.p.jobs[b.job]
		if left := here.left &^ (1 << b.job); left == 0 {
			s.nodes = s.nodes[:0]
			return s.order, Found, spent
		} else if !s.extend(left, here.work-j.setup-j.run) {
			s.back()
		}
	}
	return nil, None, spent
}

// extend makes a node of the order at hand, with jobs that are left, which take so much of machines, unless it is
// known to lead nowhere.
func (s *Search) extend(left uint64, work ticks) bool {
	here := s.at[len(s.order)].atOnce(s.machines)
	if s.isRefuted(left, &here) {
		return false
	}
	var buffer []branch // of the node that was here before
	if n := len(s.nodes); n < cap(s.nodes) {
		buffer = s.nodes[:n+1][n].branches[:0]
	}
	s.nodes = append(s.nodes, node{left: left, work: work, here: here, branches: s.branches(buffer, left, work)})
	return true
}

// back takes the last job away.
func (s *Search) back() {
	if n := len(s.order); n > 0 {
		s.order, s.at = s.order[:n-1], s.at[:n]
	}
}

// branch is a job that may be set up next.
type branch struct {
	job int
	at  state
	// apart is by how much the server is free sooner than a machine, or later.
	apart ticks
}

// branches lists jobs that may be set up next, those first that leave server and machine free together.
func (s *Search) branches(out []branch, left uint64, work ticks) []branch {
	here := &s.at[len(s.order)]
	for rest := left; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		j := &s.p.jobs[k]
		if k > 0 && left>>(k-1)&1 == 1 && s.p.jobs[k-1].setup == j.setup && s.p.jobs[k-1].run == j.run {
			continue // as the job before
		}
		at := here.then(j, s.machines)
		if at.free[s.machines-1] > s.by || s.hopeless(&at, left&^(1<<k), work-j.setup-j.run) || s.dominated(k, &at) {
			continue
		}
		out = append(out, branch{k, at, max(at.server-at.free[0], at.free[0]-at.server)})
	}
	slices.SortFunc(out, func(a, b branch) int { return int(a.apart - b.apart) })
	return out
}

// hopeless reports whether the server, or the machines, have too little time for jobs that are left and take so much of
// machines. The server has to be done with each job its run before the end; a machine cannot go on
// before those that do so sooner have been set up.
func (s *Search) hopeless(at *state, left uint64, work ticks) bool {
	begin := max(at.server, at.free[0])
	server := begin
	for rest := left; rest != 0; rest &= rest - 1 { // the longest first
		j := &s.p.jobs[bits.TrailingZeros64(rest)]
		if server += j.setup; server+j.run > s.by {
			return true
		}
	}
	machine, next := begin, 0
	for k := 0; k < s.machines && work > 0; k++ {
		work -= max(0, s.by-max(at.free[k], machine))
		for next < len(s.p.shortest) && left>>s.p.shortest[next]&1 == 0 {
			next++
		}
		if next == len(s.p.shortest) {
			break
		}
		machine += s.p.jobs[s.p.shortest[next]].setup
		next++
	}
	return work > 0
}

// exchanged is how far back a job is tried in other places.
const exchanged = 2

// dominated reports whether the order at hand with job k at its end leaves less than with k, or with k and one of the last
// jobs, in another place.
func (s *Search) dominated(k int, at *state) bool {
	n := len(s.order)
	end := at.atOnce(s.machines)
	for from := n - 1; from >= max(0, n-exchanged); from-- {
		other := s.at[from].then(&s.p.jobs[k], s.machines)
		inserted := other.then(&s.p.jobs[s.order[from]], s.machines)
		for _, j := range s.order[from+1:] {
			other.set(&s.p.jobs[j], s.machines)
			inserted.set(&s.p.jobs[j], s.machines)
		}
		other.set(&s.p.jobs[s.order[from]], s.machines)
		if s.leavesMore(other, &end) || from < n-1 && s.leavesMore(inserted, &end) {
			return true
		}
	}
	return false
}

func (s *Search) leavesMore(other state, than *state) bool {
	other = other.atOnce(s.machines)
	return other != *than && other.noLater(than, s.machines)
}

// isRefuted reports whether a state that leaves no less is known to lead nowhere.
func (s *Search) isRefuted(left uint64, here *state) bool {
	r := s.known(left)
	if r.left != left || r.by != s.by {
		return false
	}
	for k := range min(r.n, refutedStates) {
		if r.states[k].noLater(here, s.machines) {
			return true
		}
	}
	return false
}

// refute keeps that a state leads nowhere, in place of the oldest one.
func (s *Search) refute(left uint64, here *state) {
	r := s.known(left)
	if r.left != left || r.by != s.by {
		r.left, r.by, r.n = left, s.by, 0
	}
	r.states[r.n%refutedStates] = *here
	r.n++
}

// known is where states with some jobs left are kept.
func (s *Search) known(left uint64) *refuted {
	return &s.refuted[left*0x9E3779B97F4A7C15>>40%refutedSets]
}
