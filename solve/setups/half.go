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

// halves are those that together have all orders which end by a time: one, forward, where walks bound what is left of that.
// Else half of what is idle besides what has to be is for each, but for a shift from the forward half to the other.
func (p *Problem) halves(by ticks, shift int) []half {
	n := len(p.jobs)
	if n < leastHalved || p.start != (state{}) || p.walks != nil {
		return []half{{false, 0, math.MaxInt}}
	}
	var r remaining
	r.of(p, ^uint64(0)>>(64-n))
	all := r.without(p, -1)
	total, first := (p.machines+1)*int(by)-all.setups-all.work, 0
	for k := range p.machines {
		first += int(all.sooner[k])
	}
	last := int(p.jobs[n-1].run) // the server has nothing to do while the last job runs
	slack := total - first - last
	most := first + min(max(slack/2-shift, 0), slack)
	return []half{{false, n / 2, most}, {true, n - n/2, total - most - 1}}
}

// idle is for how long server and machines stand idle at a state, together, besides what is left.
func (s *Search) idle(at *state, rest *rest) int {
	sum := int(at.server)
	for k := range s.machines {
		sum += int(at.free[k])
	}
	return sum - (s.p.setups - rest.setups) - (s.p.work - rest.work)
}

// hopeless reports whether the server, or the machines, have too little time for jobs that are left. Forward, the server has to be done
// with each job its run before the end, and a machine cannot go on before those that do so sooner have been set up: that is in
// a state at once. Backward, a job has run before the server comes to it, and the machines end one set-up after the other.
func (s *Search) hopeless(at *state, rest *rest) bool {
	backward := s.halves[0].backward
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
	if half := s.halves[0].jobs; n >= half {
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
	if !s.halves[0].backward {
		at.set(j, s.machines)
		return
	}
	*at = at.before(j, at.waits(j, s.machines), s.machines)
}

func (s *Search) leavesMore(other state, than *state, rest *rest) bool {
	if half := &s.halves[0]; !half.backward || len(s.order) >= half.jobs {
		other = other.useful(half.backward, rest, s.machines)
	}
	return other != *than && other.noLater(than, s.machines)
}
