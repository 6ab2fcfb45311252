package setups

import "math"

// half is a search in one direction of time among orders of which the first jobs, so many, leave server and machines idle
// for so many ticks at most, all together.
//
// Of an order that ends by some time, all that stands idle until then adds up to the same, whatever the order. So of two halves
// of it one has no more than its share. Forward, machines take jobs one after the other, and so much is idle before what is left can
// begin. Backward, each job runs first, and then holds server and machine for its set-up; moved to the end as far as they go,
// the last jobs have no more idle after them than they had. In each direction the search is narrow for as long as
// most orders are to be had, and wide when few jobs are left.
type half struct {
	backward bool
	jobs     int
	idle     int
}

// leastHalved is the least number of jobs for which there are two halves.
const leastHalved = 6

// shares are how idle time is shared out between the two directions, little at first: the one that has come to fewer nodes with its share is
// searched again with more. An order that there is has rarely as much of it in one half as in the other.
type shares struct {
	// total is what stands idle until a time, in each order, more by how much a share grows.
	total, more int
	directions  [2]share
}

// share is that of a direction: with how much it was searched, and at how many nodes.
type share struct{ searched, nodes int }

// shareSteps are those in which all of it is shared out, at the least. Ten draws of 20 and 30 jobs take 8.7, 8.4, 13.0 and 12.5 s with 16, 8, 4 and 2.
const shareSteps = 8

// split begins to search until the time at hand. It is false where more has to be idle than may be. It is one search, forward, where walks bound what is left.
func (s *Search) split() bool {
	p, n := s.p, len(s.p.jobs)
	if n < leastHalved || p.start != (state{}) || p.walks != nil {
		s.half, s.shares = half{idle: math.MaxInt}, shares{}
		return true
	}
	var r remaining
	r.of(p, firstJobs(n))
	all, first := r.without(p, -1), 0
	for k := range p.machines {
		first += int(all.sooner[k])
	}
	last := int(p.jobs[n-1].run) // the server has nothing to do while the last job runs
	total := (p.machines+1)*int(s.by) - all.setups - all.work
	s.shares = shares{total, max(1, (total-first-last)/shareSteps), [2]share{{first - 1, 0}, {last - 1, 0}}}
	return s.share()
}

// share takes the next half to be searched. It is false where of all orders one half was.
func (s *Search) share() bool {
	both, n := &s.directions, len(s.p.jobs)
	left := s.total - both[0].searched - both[1].searched - 1
	if left <= 0 {
		return false
	}
	s.half = half{both[1].nodes < both[0].nodes, n / 2, 0}
	if s.half.backward {
		s.half.jobs = n - n/2
	}
	of := s.direction()
	s.half.idle = of.searched + min(left, s.more)
	return true
}

// direction is that of the half at hand.
func (s *Search) direction() *share {
	if s.half.backward {
		return &s.directions[1]
	}
	return &s.directions[0]
}

// hopeless reports whether the server, or the machines, have too little time for jobs that are left. Forward, the server has to be done
// with each job its run before the end, and a machine cannot go on before those that do so sooner have been set up: that is in
// a state at once. Backward, a job has run before the server comes to it, and the machines end one set-up after the other.
func (s *Search) hopeless(at *state, rest *rest) bool {
	backward := s.half.backward
	if at.free[0]+rest.ends > s.by || backward && int(at.server)+rest.setups > int(s.by) {
		return true
	}
	slack := -rest.work
	for k := range s.machines {
		if slack += max(0, int(s.by-at.free[k])); backward {
			slack -= int(rest.sooner[k])
		}
	}
	return slack < 0
}

// exchanged is how far back a job is tried in other places.
const exchanged = 2

// dominated reports whether the order at hand with job k at its end leaves less than with k, or with k and one of the last
// jobs, in another place: one that does not reach over from the first jobs of the half, as they would leave more idle.
func (s *Search) dominated(k int, end *state, rest *rest) bool {
	n, least := len(s.order), max(0, len(s.order)-exchanged)
	if half := s.half.jobs; n >= half {
		least = max(least, half)
	}
	for from := n - 1; from >= least; from-- {
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

// set places a job in the direction of the half.
func (s *Search) set(at *state, k int) {
	j := &s.p.jobs[k]
	if !s.half.backward {
		at.set(j, s.machines)
		return
	}
	*at = at.before(j, at.waits(j, s.machines), s.machines)
}

func (s *Search) leavesMore(other state, than *state, rest *rest) bool {
	if half := &s.half; !half.backward || len(s.order) >= half.jobs {
		other = other.useful(half.backward, rest, s.machines)
	}
	return other != *than && other.noLater(than, s.machines)
}
