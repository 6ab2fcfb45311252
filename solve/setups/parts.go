package setups

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"downbeat/model"
)

// part is a depth-first search of some subtrees of a search, which one worker at a time is at.
type part struct {
	*Search
	// order has the jobs that are placed, at the states before each and after the last.
	order []int
	at    []state
	// nodes are those from the first to the one at hand.
	nodes []node
	// tried counts nodes, all of them; counted are those that the search knows of.
	tried, counted int
	// asks are those of listedAfter.
	asks [MostSearched]ask
	// found are sets that are not listed yet, border what was seen at the end of shares.
	found  []set
	border border
}

// workers are what those share that are at a search. A worker goes on with a part that is left; where there is none those that have one
// divide theirs. When no part is left the search goes on to the next one, with shares of their own. What is listed, and which states lead nowhere, all of them learn.
type workers struct {
	mu sync.Mutex
	// changed is told when a part is left or given away, a worker leaves, or there is an answer.
	changed *sync.Cond
	// begun: a time is asked about. answer is what has come of it, order the order that was found.
	begun  bool
	answer Answer
	order  []int
	// parts are those that nobody is at, done are at their end, to be used again; running counts the workers at others.
	parts, done []*part
	running     int
	// waiting counts workers without a part. stop has all leave.
	waiting atomic.Int32
	stop    atomic.Bool
	// counted are nodes of the search at hand.
	counted atomic.Int64
}

// nodesBetween are those of a part between looks at what others need: 0.4 ms.
const nodesBetween = 1 << 10

// foundAtOnce are the sets that a part hands in together.
const foundAtOnce = 1 << 8

// NewSearch begins.
func NewSearch(p *Problem) *Search {
	s := &Search{p: p, machines: p.machines, freelyNodes: mostFree, betweenNodes: nodesBetween, refuted: newKept(p.machines), listed: newListed()}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Reset begins with another problem of as many machines, where no worker is at the search.
func (s *Search) Reset(p *Problem) { s.p, s.begun, s.weights = p, false, weights{} }

// Run looks for an order that ends by a time, at so many nodes at most, and goes on with what was left open if that was
// asked about last. It tells the number of nodes. One that seeks only may leave it open after fewer. Workers that ask about the same time divide the work among them; those that are at another one leave, with no answer.
func (s *Search) Run(ctx context.Context, by model.Time, nodes int) (order []int, a Answer, spent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer context.AfterFunc(ctx, s.wake)()
	end := s.p.until(by)
	for (!s.begun || s.by != end) && s.running > 0 {
		s.stop.Store(true)
		s.changed.Wait()
	}
	if !s.begun || s.by != end {
		spent = s.begin(ctx, end)
	}
	for s.by == end && s.answer == Unknown && !s.stop.Load() && !s.soughtAll() && spent < nodes && ctx.Err() == nil {
		t := s.next()
		if t == nil {
			continue
		}
		s.running++
		s.mu.Unlock()
		tried, found := t.run(ctx, nodes-spent)
		s.mu.Lock()
		s.running--
		spent += tried
		s.leave(t, found)
	}
	if s.by != end {
		return nil, Unknown, max(spent, 1)
	}
	return slices.Clone(s.order), s.answer, max(spent, 1)
}

// wake has workers that wait look again.
func (s *Search) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// begin begins with another time, with so many nodes; s.mu is held.
func (s *Search) begin(ctx context.Context, end ticks) (spent int) {
	s.by, s.begun, s.answer, s.order, s.endings = end, true, Unknown, nil, endings{}
	s.stop.Store(false)
	shown := false
	if s.p.walks != nil {
		shown, spent = s.p.walks.raise(ctx, &s.p.start, end)
	} else if s.endings = s.p.endings(end); s.endings.jobs > 0 {
		shown = len(s.endings.sets) == 0
	}
	if shown || s.by < s.p.floor || !s.split() {
		s.answer = None
		return spent + 1
	}
	s.root()
	if len(s.parts) == 0 {
		s.answer = None
		spent++
	}
	return spent
}

// next is a part to go on with, nil where there was none and things have changed since; s.mu is held.
func (s *Search) next() *part {
	tooFree := s.tooFree(int(s.counted.Load()))
	if n := len(s.parts); n > 0 && !tooFree {
		t := s.parts[n-1]
		s.parts = s.parts[:n-1]
		return t
	}
	if s.running == 0 {
		s.share().nodes = int(s.counted.Load())
		if !s.turn() {
			s.answer = None
		}
		s.changed.Broadcast()
		return nil
	}
	s.waiting.Add(1)
	s.changed.Wait()
	s.waiting.Add(-1)
	return nil
}

// leave takes back a part that a worker was at; s.mu is held.
func (s *Search) leave(t *part, found bool) {
	s.handIn(t)
	switch {
	case found && s.answer == Unknown:
		s.answer, s.order = Found, slices.Clone(t.order)
		s.stop.Store(true)
		fallthrough
	case len(t.nodes) == 0 || s.answer != Unknown:
		s.done = append(s.done, t)
	default:
		s.parts = append(s.parts, t)
	}
	s.changed.Broadcast()
}

// handIn tells the search what a part has found; s.mu is held.
func (s *Search) handIn(t *part) {
	for _, f := range t.found {
		s.listed.add(f)
	}
	t.found = t.found[:0]
	s.seen(&t.border)
}

// count tells the search of nodes.
func (s *part) count() {
	s.Search.counted.Add(int64(s.tried - s.counted))
	s.counted = s.tried
}

// part is an empty one.
func (s *Search) part() *part {
	n := len(s.done)
	if n == 0 {
		return &part{Search: s}
	}
	t := s.done[n-1]
	s.done = s.done[:n-1]
	t.order, t.at, t.nodes, t.found, t.tried, t.counted = t.order[:0], t.at[:0], t.nodes[:0], t.found[:0], 0, 0
	return t
}

// run goes on with a part, and reports whether an order is found.
func (s *part) run(ctx context.Context, nodes int) (spent int, found bool) {
	defer s.count()
	for len(s.nodes) > 0 && spent < nodes {
		if s.tried%s.betweenNodes == 0 && s.leaves(ctx) {
			return spent, false
		}
		spent++
		s.tried++
		if s.step() {
			return spent, true
		}
	}
	return spent, false
}

// leaves looks at what others need, and reports whether the worker is to leave the part.
func (s *part) leaves(ctx context.Context) bool {
	s.count()
	if ctx.Err() != nil || s.stop.Load() || s.tooFree(int(s.Search.counted.Load())) {
		return true
	}
	if s.waiting.Load() > 0 {
		s.divide()
	}
	return false
}

// divide gives away every other of the branches that are left to try at the first node that has any, which others are waiting for.
func (s *part) divide() {
	depth := len(s.order) - len(s.nodes) + 1
	for k := range s.nodes {
		from := &s.nodes[k]
		left := from.branches[from.next:]
		if len(left) == 0 {
			depth++
			continue
		}
		if len(left) == 1 && k == len(s.nodes)-1 {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		t := s.Search.part()
		t.order, t.at = append(t.order, s.order[:depth]...), append(t.at, s.at[:depth+1]...)
		n := t.push()
		n.left, n.short, n.setups, n.work, n.weighed, n.since = from.left, from.short, from.setups, from.work, from.weighed, 0
		n.last = append(n.last[:0], from.last...)
		n.next, n.branches = 0, n.branches[:0]
		kept := left[:0]
		for i, b := range left {
			if (len(left)-i)%2 == 0 {
				kept = append(kept, b) // the first one of an even number
			} else {
				n.branches = append(n.branches, b)
			}
		}
		from.branches = from.branches[:from.next+len(kept)]
		s.parts = append(s.parts, t)
		s.changed.Signal()
		return
	}
}

// list has a set of jobs listed that leaves so much to spare.
func (s *part) list(jobs uint64, spare int) {
	s.found = append(s.found, set{s.listed.key(jobs), bits.OnesCount64(jobs), spare})
	if len(s.found) == foundAtOnce {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handIn(s)
	}
}

// push adds a node to the part, with the buffers of one that was there before.
func (s *part) push() *node {
	if n := len(s.nodes); n < cap(s.nodes) {
		s.nodes = s.nodes[:n+1]
	} else {
		s.nodes = append(s.nodes, node{})
	}
	return &s.nodes[len(s.nodes)-1]
}
