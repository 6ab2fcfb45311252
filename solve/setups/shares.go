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
	// total is what stands idle until a time, in each order, in parts of a tick as all of this, and what all jobs weigh.
	total int
	// first is the share of the first jobs of an order, and last that of the last ones, for which sets are listed.
	first, last share
	// listedOnly: searches for an order no longer go on freely, but to sets that are listed alone.
	listedOnly bool
	// told are the last searches for an order, as many as went on to listed sets alone.
	told int
	// all: what the next search for an order has is all that is left.
	all bool
	// soughtTo is how much is shared out at the most where an order is sought alone.
	soughtTo int
}

// soughtTenths are the tenths of what is to be shared out up to which an order is sought alone: of one that there is some stands idle, wherever it is cut, between the first jobs, as early
// as they can be, and the last ones, as late, which is in no share. Of setups-40x5-1 within 453, with 16 jobs left, 29 of 44 orders are found in the first 10.6 of 43 million nodes,
// of -40x6-2 within 448, with 13 and 14, 69 of 72 in 87 of 90.
const soughtTenths = 6

// soughtAll reports whether the search has gone on for as long as it is to where an order is sought alone.
func (s *Search) soughtAll() bool {
	return s.SeeksOnly && s.p.walks == nil && s.first.idle+s.last.idle > s.soughtTo
}

// share is for how many ticks server and machines may stand idle, all together, by how much that grows, and the nodes of the last search with it, and with less.
type share struct{ idle, more, nodes, before int }

// grow has a share grow, by no more than what is left: by more each time while searches with it do not come to twice as many nodes, by less where they come to eight times
// as many. A tick is the least: with a part of one more hardly any search has more nodes, which tells nothing of how they grow.
func (s *share) grow(left int) {
	switch {
	case s.nodes < 2*s.before:
		s.more *= 2
	case s.nodes > 8*s.before:
		s.more = max(partsOfIdle, s.more/2)
	}
	s.idle += min(left, s.more)
	s.before = s.nodes
}

// shrink takes back half of that by which a share has grown last.
func (s *share) shrink() {
	s.idle -= s.more / 2
	s.more -= s.more / 2
}

// after is to how many nodes a search with so much more comes, if they grow by the tick as they did last.
func (s *share) after(more int) float64 {
	return float64(s.nodes) * math.Pow(float64(s.nodes)/float64(max(1, s.before)), float64(more)/float64(s.more))
}

// sharesTried are about as many ways to share out what is left as are tried at the most: ticks may be fine, a billion of them idle, and nodes do not grow by
// much from one way to the next.
const sharesTried = 1 << 12

// mostToEnd is to how many times the nodes of the last two searches the last two of all may come: with 4, 8 and 64 the nodes of setups-20x7-2 and -30x7-2 are within 4 %.
const mostToEnd = 48

// end shares out all that is left between the last list and the last search for an order, such that they come to the fewest nodes, where they can be told to come to an end soon, and sets are
// not more than there is room for: what is shared out little by little is searched again each time. Two searches for an order that went on to listed sets
// alone tell how nodes grow.
func (s *Search) end(left int) bool {
	if s.told < 2 || s.first.nodes < s.freelyNodes || s.last.nodes == 0 {
		return false
	}
	fewest, more := mostToEnd*float64(s.first.nodes+s.last.nodes), 0
	for last := 1; last <= left; last += 1 + left/sharesTried {
		sets := s.last.after(last)
		if nodes := sets + s.first.after(left-last); nodes < fewest && sets <= mostLines*setsPerLine {
			fewest, more = nodes, last
		}
	}
	if s.all = more > 0; s.all {
		sets := int(s.last.after(more))
		s.last.take(more)
		s.backward = true
		s.listed.begin(2*sets, s.last.idle)
	}
	return s.all
}

// take has a share grow by so much.
func (s *share) take(more int) { s.idle, s.more, s.before = s.idle+more, more, s.nodes }

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
	first := partsOfIdle * p.idle(&start, r.setups, r.work).sum()
	last := partsOfIdle * int(p.jobs[n-1].run) // the server has nothing to do while the last job runs
	total := partsOfIdle*((p.machines+1)*int(s.by)-r.work-r.setups) + s.weighed(firstJobs(n))
	s.backward, s.listedOnly, s.told, s.all, s.learnt, s.again = false, false, 0, false, 0, false
	more := max(partsOfIdle, (total-first-last)/shareSteps)
	s.total, s.first, s.last = total, share{idle: first, more: more}, share{idle: last - 1, more: more}
	s.soughtTo = first + last - 1 + (total-first-last)*soughtTenths/10
	s.listed.begin(0, s.last.idle)
	s.listed.add(set{spare: s.last.idle}) // no jobs, which leave all of it: no others can come last with so little
	if p.walks != nil {
		s.shares = shares{first: share{idle: math.MaxInt}}
	}
	return total >= first+last
}

// turn goes on from a search that is done to the next. It is false where that was the last: with all that stands idle shared out, and all sets listed. After the last list
// the search for an order has to be made again, which it has not with more for the first jobs.
func (s *Search) turn() bool {
	tooFree := s.tooFree(s.first.nodes)
	switch {
	case s.free():
		s.told = 0
	case !s.backward:
		s.told++
	}
	left, last := s.total-1-s.first.idle-s.last.idle, s.last.nodes
	if left <= s.first.more {
		last *= 2
	}
	switch {
	case tooFree: // once more, with sets that are listed alone, and a smaller share, which is soon searched and tells how nodes grow
		s.listedOnly = true
		s.first.shrink()
	case s.backward && s.listed.crowded(): // sets were more than was thought: once more
		s.listed.begin(s.last.nodes, s.last.idle)
	case left > 0 && s.all:
		s.first.take(left)
		s.backward = false
	case left > 0 && s.learns(mostLearnt, math.MaxInt) && s.learnt == 0 && !s.again:
		s.split()
		s.listedOnly, s.again = true, true
	case left > 0 && s.learns(leastLearnt, mostLearntAgain):
		s.listedOnly = true
		if s.backward = !s.backward; s.backward {
			s.reweigh(left)
			s.learnt++
			s.listed.begin(listedMore*s.last.nodes, s.last.idle)
		}
	case left > 0 && s.end(left):
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
