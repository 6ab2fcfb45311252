package ejection

import (
	"cmp"
	"math"
	"slices"

	"downbeat/model"
)

// try is an attempt at a better plan.
type try struct {
	on bool
	// job goes in from the pool, where there is one; gone are those that make way.
	job  model.JobID
	gone []model.JobID
	// steps counts those made; least is the least cost so far, of step leastAt.
	steps, leastAt int
	least          int64
}

const (
	// patience is the number of steps without progress after which a try ends; with a job
	// of the pool that never failed it is poolPatience, and grows with failures up to
	// mostPatience times that.
	patience, poolPatience, mostPatience = 2700, 1000, 9
	// coarsest and finest are the least and greatest Search.fine.
	coarsest, finest = 4, 62
	// ofSwaps in ten tries with a job that failed before another makes way.
	ofSwaps = 7
	// candidates and rivals are how many jobs are looked at to choose one.
	candidates, rivals = 4, 64
)

// begin begins a try; false if there is nothing to try.
func (s *Search) begin() bool {
	s.try.gone = s.try.gone[:0]
	switch {
	case s.pooled():
		if !s.enter() {
			return false
		}
	case len(s.late) == 0:
		return false
	}
	s.try.on, s.try.steps, s.try.leastAt, s.try.least = true, 0, 0, s.cost()
	return true
}

// enter puts a job of the pool on the board. If that failed before, another job makes
// way, more often than not.
func (s *Search) enter() bool {
	k := s.candidate()
	if k < 0 {
		return false
	}
	i := s.pool[k]
	s.try.job = i
	s.leavePool(k)
	if s.jobs[i].failures > 0 && s.rng.IntN(10) < ofSwaps {
		if rival := s.rival(i); rival >= 0 {
			s.try.gone = append(s.try.gone, rival)
			s.eject(rival)
		}
	}
	s.board.Charge = 0
	s.board.InsertJob(i)
	for t := s.js.Jobs[i].First; t < s.js.Jobs[i].End; t++ {
		s.trail.note(t, model.Placement{Slave: model.NoSlave})
		s.added(t)
	}
	return true
}

// candidate is a place in the pool, of some by chance that of the job that takes the
// least work for its price and failed least; -1 if there is none.
func (s *Search) candidate() int {
	best, least := -1, math.Inf(1)
	for range min(candidates, len(s.pool)) {
		k := s.rng.IntN(len(s.pool))
		i := s.pool[k]
		effort := float64(s.fig.Jobs[i].Work) * float64(1+s.jobs[i].failures) / float64(s.price(i))
		if !s.jobs[i].hopeless && effort < least {
			best, least = k, effort
		}
	}
	return best
}

// rival is a job that costs no more than job i and takes more work, of some by chance
// one that takes much of it while i could run; -1 if there is none.
func (s *Search) rival(i model.JobID) model.JobID {
	best, most := model.JobID(-1), 0.0
	for range rivals {
		k := model.JobID(s.rng.IntN(len(s.jobs)))
		if s.jobs[k].out || !s.counts(&s.js.Jobs[k]) || s.price(k) > s.price(i) || s.fig.Jobs[k].Work <= s.fig.Jobs[i].Work {
			continue
		}
		if shared := s.sharedWork(k, i) * (1 + s.rng.Float64()); shared > most {
			best, most = k, shared
		}
	}
	return best
}

// sharedWork is about how much work job k does while job i could run, for its price.
func (s *Search) sharedWork(k, i model.JobID) float64 {
	rival, job := &s.js.Jobs[k], &s.js.Jobs[i]
	shared := min(rival.Due(), job.Due()) - max(rival.Release, job.Release)
	return float64(s.fig.Jobs[k].Work) * float64(shared) / float64(rival.Deadline) / float64(s.price(k))
}

// judge ends a try that has come to an end.
func (s *Search) judge() {
	s.try.steps++
	cost := s.cost()
	if s.sums && s.broken == 0 && s.delay < s.value {
		s.advance()
	}
	if cost < s.try.least {
		s.try.least, s.try.leastAt = cost, s.try.steps
	}
	stuck := s.try.steps-s.try.leastAt > s.patience()
	switch {
	case s.pooled() && s.broken == 0:
		s.settle()
	case s.pooled() && stuck:
		s.fail()
	case s.broken == 0 && !s.sums:
		s.tighten()
	case stuck:
		s.ease()
	}
}

// patience is the number of steps without progress after which a try ends.
func (s *Search) patience() int {
	if s.pooled() {
		return poolPatience * min(mostPatience, 1+s.jobs[s.try.job].failures)
	}
	return patience
}

// settle makes what is on the board the base, after a try with a job of the pool.
func (s *Search) settle() {
	s.trail.forget()
	s.try.on = false
	s.value = s.poolPrice
	s.reportIfWorth()
}

// fail ends a try with a job of the pool that did not come to be in time beside all
// others: the late jobs are ejected if they cost no more than it, else all goes back.
func (s *Search) fail() {
	s.jobs[s.try.job].failures++
	price := int64(0)
	for _, i := range s.try.gone {
		price += s.price(i)
	}
	for _, i := range s.late {
		if !s.counts(&s.js.Jobs[i]) {
			s.abandon()
			return
		}
		price += s.price(i)
	}
	if price > s.price(s.try.job) {
		s.abandon()
		return
	}
	for len(s.late) > 0 {
		s.eject(s.late[0])
	}
	s.settle()
}

// abandon goes back to the base.
func (s *Search) abandon() {
	s.back(&s.trail)
	if s.try.on && s.pooled() {
		s.enterPool(s.try.job)
		for _, i := range s.try.gone {
			s.leavePool(slices.Index(s.pool, i))
		}
	}
	s.try.on = false
}

// advance takes a plan of less weighted tardiness as the base, within a try.
func (s *Search) advance() {
	s.value = s.delay
	s.trail.forget()
	s.reportIfWorth()
	if len(s.goal) > 1 { // what the objectives before have gained is kept
		s.limit(s.finishes())
	}
}

// tighten takes a plan that keeps within all caps as the base, and asks for a better one.
func (s *Search) tighten() {
	s.trail.forget()
	s.try.on = false
	finishes := s.finishes()
	s.value = s.valueOf(finishes)
	s.reportIfWorth()
	s.fine = max(coarsest, s.fine-1)
	s.limit(finishes)
}

// ease goes back to the base after a try to keep within caps that failed, and asks for
// less if less can be asked for.
func (s *Search) ease() {
	s.abandon()
	if !s.sums && s.value>>s.fine > 1 {
		s.fine = min(finest, s.fine+1)
		s.limit(s.finishes())
	}
}

// enterPool lists a job, whose tasks are off the board, in the pool.
func (s *Search) enterPool(i model.JobID) {
	s.jobs[i].out = true
	s.pool = append(s.pool, i)
	s.poolPrice += s.price(i)
}

// leavePool takes out the job that is at a place of the pool.
func (s *Search) leavePool(k int) {
	i := s.pool[k]
	s.pool = slices.Delete(s.pool, k, k+1)
	s.poolPrice -= s.price(i)
	s.jobs[i].out = false
}

// eject takes a job off the board, into the pool.
func (s *Search) eject(i model.JobID) {
	for t := s.js.Jobs[i].First; t < s.js.Jobs[i].End; t++ {
		s.trail.note(t, s.board.Place[t])
		s.remove(t)
	}
	for st := s.fig.Base[i]; st < s.fig.Base[i+1]; st++ {
		s.board.Finish[st] = 0
	}
	s.enterPool(i)
}

// outside lists the jobs that are off the board, earliest deadline first.
func (s *Search) outside() []model.JobID {
	outside := slices.Concat(s.pool, s.waiting)
	slices.SortFunc(outside, func(a, b model.JobID) int {
		return cmp.Or(cmp.Compare(s.js.Jobs[a].Due(), s.js.Jobs[b].Due()), cmp.Compare(a, b))
	})
	return outside
}
