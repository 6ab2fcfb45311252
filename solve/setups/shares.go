package setups

import "math"

// shares are how what stands idle is shared out between the first jobs of an order and the last ones, so that no search is made with all of it.
//
// Of an order that ends by some time, all that stands idle until then adds up to the same, whatever the order. Wherever it is cut, the first jobs,
// set up as early as they can be, leave so much idle before what is left can begin, and the last ones, moved to the end as far
// as they go, so much after they do; together that is no more than the total. From one cut to the next the former only grows. So where the first jobs come to leave more than
// their share idle, those that are left can come last with less than what that leaves of the total. A search backward in time, in which each
// job runs first, and then holds server and machine for its set-up, lists the sets of jobs that can; the search for an order, once it has used up
// its share, goes on to jobs only that leave one of these sets (meet in the middle; Horowitz and Sahni, 1974).
type shares struct {
	// total is what stands idle until a time, in each order.
	total int
	// first is the share of the first jobs of an order, and last that of the last ones, for which sets are listed.
	first, last share
	// listedOnly: searches for an order no longer go on freely.
	listedOnly bool
}

// share is for how many ticks server and machines may stand idle, all together, by how much that grows, and the nodes of the last search with it, and with less.
type share struct{ idle, more, nodes, before int }

// grow has a share grow, by no more than what is left: by more each time while searches with it do not come to twice as many nodes, by less where they come to eight times
// as many.
func (s *share) grow(left int) {
	switch {
	case s.nodes < 2*s.before:
		s.more *= 2
	case s.nodes > 8*s.before:
		s.more = max(1, s.more/2)
	}
	s.idle += min(left, s.more)
	s.before = s.nodes
}

// shareSteps are those in which all that stands idle is shared out, at the least: shares are little at first, and that grows with which a search comes to fewer
// nodes, until they are all.
const shareSteps = 64

// listedMore is for how many times as many sets as nodes of the last list there is to be room.
const listedMore = 4

// split shares out what stands idle until the time at hand. It is false where more has to be idle than may be. All of it is the first jobs' where
// walks bound what is left.
func (s *Search) split() bool {
	p, n := s.p, len(s.p.jobs)
	var r remaining
	r.of(p, firstJobs(n))
	all, start := r.all(p), p.start
	start.useful(false, &all, p.machines)
	first := p.idle(&start, r.setups, r.work).sum()
	last := int(p.jobs[n-1].run) // the server has nothing to do while the last job runs
	total := (p.machines+1)*int(s.by) - r.work - r.setups
	s.backward, s.listedOnly = false, false
	more := max(1, (total-first-last)/shareSteps)
	s.total, s.first, s.last = total, share{idle: first, more: more}, share{idle: last - 1, more: more}
	s.listed.begin(0, s.last.idle)
	s.listed.add(0, s.last.idle) // no jobs, which leave all of it: no others can come last with so little
	if p.walks != nil {
		s.shares = shares{first: share{idle: math.MaxInt}}
	}
	return total >= first+last
}

// turn goes on from a search that is done to the next. It is false where that was the last: with all that stands idle shared out, and all sets listed. After the last list
// the search for an order has to be made again, which it has not with more for the first jobs.
func (s *Search) turn() bool {
	left, last := s.total-1-s.first.idle-s.last.idle, s.last.nodes
	if left <= s.first.more {
		last *= 2
	}
	switch {
	case s.tooFree(): // once more, with sets that are listed alone
		s.listedOnly = true
	case s.backward && s.listed.crowded(): // sets were more than was thought: once more
		s.listed.begin(s.last.nodes, s.last.idle)
	case left > 0 && last < s.first.nodes:
		s.last.grow(left)
		s.backward = true
		s.listed.begin(listedMore*s.last.nodes, s.last.idle)
	case left > 0:
		s.first.grow(left)
		s.backward = false
	case s.backward:
		s.backward = false
	default:
		return false
	}
	s.share().nodes = 0
	s.root()
	return true
}

// share is that of the search at hand.
func (s *Search) share() *share {
	if s.backward {
		return &s.last
	}
	return &s.first
}
