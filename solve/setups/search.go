package setups

import (
	"cmp"
	"math/bits"
	"slices"
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

// Search is a depth-first search over orders of up to MostSearched jobs, with what stands idle shared out (see shares). A node is a beginning of an
// order, or an end where sets of jobs are listed; it is left where the server or the machines have too little time for what is left, where another order of its last jobs
// leaves more, or where a state that leaves no less with the same jobs is known to lead nowhere.
//
// That another order leaves more cannot go around in a circle: in a circle of beginnings each of which is given up for
// the next, the longest change would leave more each time that it is made, and no other less after it. A refuted state
// is one that was reached, so that what is given up for it is so for good, be it that other workers are still at parts of what comes after it.
type Search struct {
	// SeeksOnly has it seek an order where most are found, and leave open whether there is none. It is set where no worker is at the search.
	SeeksOnly bool

	p        *Problem
	by       ticks
	machines int
	// backward: it lists sets of jobs that can come last.
	backward bool
	shares
	weights
	// freelyNodes are mostFree, betweenNodes nodesBetween, fewer in tests.
	freelyNodes, betweenNodes int
	listed                    listed
	// endings are those with which orders may end, where walks do not bound what is left.
	endings endings
	refuted *kept
	workers
}

// ask is whether a set is listed that is left after a job, with its key and the first slot where it may be.
type ask struct {
	job   int
	key   uint64
	first uint16
}

// node is a beginning of an order, with the jobs that may come next, some of which have been tried.
type node struct {
	// may is for how long server and machines may wait before the next job, open are the jobs before which they do not for longer, and those that
	// leave a set that is listed.
	may  spare
	open uint64
	// weighed is what the jobs that are placed weigh.
	weighed  int
	branches []branch
	next     int
	// since are the nodes of the part before it.
	since int
	remaining
	// last are the endings of which all jobs are left.
	last []ending
}

// branch is a job that may come next, and the state after it.
type branch struct {
	job int
	at  state
	// setups and work are what is left of the server, and of machines.
	setups, work int
	// apart is for how long the server or the machine waits for the other, or what the cheapest walk comes to.
	apart int64
}

// root begins a search, which has no parts where there is too little time.
func (s *Search) root() {
	s.done, s.parts = append(s.done, s.parts...), s.parts[:0]
	s.counted.Store(0)
	var r remaining
	left := firstJobs(len(s.p.jobs))
	r.of(s.p, left)
	all, at := r.all(s.p), state{}
	if !s.backward {
		at = s.p.start
		at.useful(false, &all, s.machines)
	}
	t := s.part()
	t.at = append(t.at, at)
	if t.hopeless(&at, left, &all) {
		s.done = append(s.done, t)
		return
	}
	s.refuted.forget()
	t.extend(left, r.short, r.setups, r.work, 0)
	s.parts = append(s.parts, t)
}

// step takes the next branch of the node at hand, or leaves it. It reports whether an order is found.
func (s *part) step() bool {
	here := &s.nodes[len(s.nodes)-1]
	if here.next == len(here.branches) {
		if s.tried-here.since >= leastKept {
			s.refuted.add(here.left, &s.at[len(s.order)])
		}
		s.nodes = s.nodes[:len(s.nodes)-1]
		s.back()
		return false
	}
	b := &here.branches[here.next]
	here.next++
	s.order, s.at = append(s.order, b.job), append(s.at, b.at)
	left := here.left &^ (1 << b.job)
	if left == 0 && !s.backward {
		return true
	}
	if left == 0 || !s.extend(left, here.short&^(1<<s.p.places[b.job]), b.setups, b.work, here.weighed+s.weigh[b.job]) {
		s.back()
	}
	return false
}

// extend makes a node of the order at hand, whose jobs weigh so much, with jobs that are left, unless it is known to lead nowhere, or none of them may come next.
func (s *part) extend(left, short uint64, setups, work, weighed int) bool {
	at := &s.at[len(s.order)]
	if s.backward {
		s.list(s.p.leftOver(firstJobs(len(s.p.jobs))&^left), s.last.idle-weighed-partsOfIdle*s.p.idle(at, setups, work).sum())
	}
	jobs, may := s.open(left, short, setups, work, weighed)
	if jobs == 0 || s.refuted.covers(left, at) {
		return false
	}
	n := s.push()
	n.left, n.short, n.setups, n.work = left, short, setups, work
	n.next, n.may, n.open, n.weighed, n.since = 0, may, jobs, weighed, s.tried
	last := s.endings.sets
	if len(s.nodes) > 1 {
		last = s.nodes[len(s.nodes)-2].last
	}
	n.last = among(n.last[:0], last, left)
	s.branch(n)
	return true
}

// open are the jobs left before which server and machines wait for no longer than they may, which is told, and those that leave a set that is listed, where those that are placed weigh so much.
func (s *part) open(left, short uint64, setups, work, weighed int) (jobs uint64, may spare) {
	here := &s.at[len(s.order)]
	all := here.spare(s.backward, s.by, setups, work, s.machines)
	idle := weighed + partsOfIdle*s.p.idle(here, setups, work).sum()
	share := wholeTicks(s.share().idle - idle)
	may = spare{min(all.machines, share), min(all.server, share)}
	if s.freely(len(s.order)) {
		may = all
	}
	if s.backward {
		jobs = s.p.within(true, here, left, may)
		if s.samples() {
			s.border.add(firstJobs(len(s.p.jobs))&^left, s.p.within(true, here, left, all)&^jobs)
		}
		return jobs, may
	}
	next := s.p.inTime(here, left, short, all, s.by)
	jobs = next & s.p.within(false, here, left, may)
	if s.p.walks != nil {
		return jobs, may
	}
	beyond := next & s.p.within(false, here, left, all) &^ jobs
	if s.samples() {
		s.border.add(firstJobs(len(s.p.jobs))&^left, beyond)
	}
	return jobs | s.listedAfter(here, left, beyond, idle), may
}

// listedAfter are those of some jobs that leave a set that is listed, in a state after so much that stands idle. What is to be had from memory for each of them is asked for first: it
// comes for all at a time, for those after which no more stands idle than some set of as many jobs leaves to spare.
func (s *part) listedAfter(here *state, left, jobs uint64, idle int) (after uint64) {
	may := wholeTicks(s.listed.most[bits.OnesCount64(left)-1] - s.last.idle + s.total - idle)
	jobs &= s.p.within(false, here, left, spare{may, may})
	key, n := s.listed.key(left), 0
	for ; jobs != 0; jobs &= jobs - 1 {
		k := bits.TrailingZeros64(jobs)
		s.asks[n].job, s.asks[n].key = k, key^s.listed.keys[k]
		n++
	}
	s.listed.first(s.asks[:n])
	for i := range s.asks[:n] {
		ask := &s.asks[i]
		if ask.first == 0 {
			continue
		}
		more := ticks(0)
		if left&(left-1) != 0 {
			more = here.wait(&s.p.jobs[ask.job], s.machines)
		}
		if s.canEnd(ask.key, idle+s.weigh[ask.job]+partsOfIdle*int(max(more, -more))) {
			after |= 1 << ask.job
		}
	}
	return after
}

// mostFree are the nodes of a search for an order after which the next ones go on to sets that are listed alone: of setups-40x5-3 the order is found after 7 s
// of processor time, with half as many after 82 s; 30x7-2 is done after 13 s in place of 6.
const mostFree = 1 << 15

// mostFreely are those of a search that goes on freely, after which it begins once more, with sets that are listed alone: of setups-40x5-1 within 451 it takes 0.8 million
// nodes then in place of 8.6, of 40x6-2 within 447 fewer than 0.3 million beside 37 and no end. With half as many, 4 seconds of processor time, the order of 50x5-1 within 644 is not
// found in 20 s of all, which is so in 8 s.
//
// mostFreelyAgain are those of one after a search that did not, and was short: 30x7-2 took 8.4 of 13.4 million nodes for that.
const mostFreely, mostFreelyAgain = 1 << 23, 1 << 20

// freely reports whether so many first jobs may be followed by any, whatever stands idle: half of all, where a search goes on freely.
func (s *Search) freely(jobs int) bool { return 2*jobs >= len(s.p.jobs) && s.free() }

// free reports whether the search at hand goes on freely: one for an order, as long as not all that stands idle is shared out, and searches
// are short. Most orders that there are have little of it in their first half.
func (s *Search) free() bool {
	return !s.backward && !s.listedOnly && s.first.before < s.freelyNodes && s.first.idle+s.last.idle < s.total-1
}

// tooFree reports whether the search at hand has gone on freely for too long, after so many nodes.
func (s *Search) tooFree(nodes int) bool {
	return s.free() && (nodes >= mostFreely || s.told > 0 && nodes >= mostFreelyAgain)
}

// canEnd reports whether a set with a key is listed that can come last after so much that stands idle.
func (s *Search) canEnd(key uint64, idle int) bool {
	return s.listed.has(key, s.last.idle-(s.total-idle))
}

// back takes the last job away.
func (s *part) back() {
	if n := len(s.order); n > 0 {
		s.order, s.at = s.order[:n-1], s.at[:n]
	}
}

// branch lists the jobs that may come next, those first for which server and machine wait the least for each other, or walks come
// to the least, and leaves out those after which there is too little time, or another order leaves more.
func (s *part) branch(n *node) {
	n.branches = n.branches[:0]
	pay := s.p.walks.left(n.left)
	s.p.next(s.backward, &s.at[len(s.order)], &n.remaining, n.open, n.may, func(job int, at *state, apart ticks, rest *rest) {
		if !s.backward {
			if at.free[s.machines-1] > s.by {
				return
			}
			at.useful(false, rest, s.machines)
		}
		order := int64(apart)
		if s.p.walks != nil {
			least := s.p.walks.least(at, bits.OnesCount64(n.left)-1, job, pay-s.p.walks.rewards[job])
			if least > partsOfTick*int64(s.by) {
				return
			}
			order = least
		}
		if !s.shared(n, job, at, rest) || s.hopeless(at, n.left&^(1<<job), rest) || s.used(n, job, at, rest) || s.dominated(job, at, rest) {
			return
		}
		n.branches = append(n.branches, branch{job, *at, rest.setups, rest.work, order})
	})
	slices.SortFunc(n.branches, func(a, b branch) int { return cmp.Compare(a.apart, b.apart) })
}

// shared reports whether a state after a job leaves no more idle than the share of the search at hand, or a set that is listed.
func (s *part) shared(n *node, job int, at *state, rest *rest) bool {
	idle := n.weighed + s.weigh[job] + partsOfIdle*s.p.idle(at, rest.setups, rest.work).sum()
	if idle <= s.share().idle || s.freely(len(s.order)+1) {
		return true
	}
	if s.samples() {
		s.border.add(firstJobs(len(s.p.jobs))&^n.left, 1<<job)
	}
	return !s.backward && s.canEnd(s.listed.key(n.left&^(1<<job)), idle)
}

// used reports whether no order can end with what is left after a job, at a node: forward, while as many jobs are left as endings have.
func (s *part) used(n *node, job int, at *state, rest *rest) bool {
	if s.backward || s.endings.jobs == 0 || bits.OnesCount64(n.left) <= s.endings.jobs {
		return false
	}
	return !ends(n.last, job, at.spare(false, s.by, rest.setups, rest.work, s.machines))
}

// hopeless reports whether the server, or the machines, have too little time for jobs that are left. Forward, the server has to be done
// with each job its run before the end, and a machine cannot go on before those that do so sooner have been set up: that is in
// a state at once. Backward, a job has run before the server comes to it, and the machines end one set-up after the other.
func (s *Search) hopeless(at *state, left uint64, rest *rest) bool {
	if s.backward && int(at.server)+rest.setups > int(s.by) {
		return true
	}
	slack := -rest.work
	for k := range s.machines {
		if slack += max(0, int(s.by-at.free[k])); s.backward {
			slack -= int(rest.sooner[k])
		}
	}
	return slack < 0 || int(at.free[0])+rest.setups+int(rest.longest) > int(s.by) && at.free[0]+s.p.ends(left, rest.setups) > s.by
}

// exchanged is how far back a job is tried in other places.
const exchanged = 2

// dominated reports whether the order at hand with job k at its end leaves less than with k, or with k and one of the last
// jobs, in another place.
func (s *part) dominated(k int, end *state, rest *rest) bool {
	n := len(s.order)
	for from := n - 1; from >= max(0, n-exchanged); from-- {
		other := s.at[from]
		s.set(&other, k)
		inserted := other
		s.set(&inserted, s.order[from])
		for _, j := range s.order[from+1:] {
			s.set(&other, j)
			s.set(&inserted, j)
		}
		s.set(&other, s.order[from])
		if s.leavesMore(other, end, rest) || from < n-1 && s.leavesMore(inserted, end, rest) {
			return true
		}
	}
	return false
}

// set places a job in the direction of the search.
func (s *part) set(at *state, k int) {
	j := &s.p.jobs[k]
	if !s.backward {
		at.set(j, s.machines)
		return
	}
	*at = at.before(j, at.waits(j, s.machines), s.machines)
}

func (s *part) leavesMore(other state, than *state, rest *rest) bool {
	if other.server > than.server {
		return false // as most
	}
	if !s.backward {
		other.useful(false, rest, s.machines)
	}
	return other.noLater(than, s.machines) && other != *than
}
