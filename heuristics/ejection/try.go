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

// enter puts a job of the pool on the board, and what it comes after. If that failed before, another job makes
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
	entering := s.ask(i)
	s.capBefore(i)
	for _, i := range entering {
		s.board.InsertJob(i)
		for t := s.js.Jobs[i].First; t < s.js.Jobs[i].End; t++ {
			s.trail.note(t, model.Placement{Slave: model.NoSlave})
			s.added(t)
		}
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
		effort := float64(s.missing(i)) * float64(1+s.jobs[i].failures) / float64(s.price(i))
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
	missing := s.missing(i)
	for range rivals {
		k := model.JobID(s.rng.IntN(len(s.jobs)))
		if k == i || s.jobs[k].pooled || !s.counts(&s.js.Jobs[k]) || s.price(k) > s.price(i) {
			continue
		}
		freed := s.freed(k)
		if freed <= missing {
			continue
		}
		if shared := s.sharedWork(k, i, freed) * (1 + s.rng.Float64()); shared > most {
			best, most = k, shared
		}
	}
	return best
}

// sharedWork is about how much of the work that goes with job k is done while job i could run, for its price.
func (s *Search) sharedWork(k, i model.JobID, work model.Time) float64 {
	rival, job := &s.js.Jobs[k], &s.js.Jobs[i]
	shared := min(rival.Due(), job.Due()) - max(rival.Release, job.Release)
	return float64(work) * float64(shared) / float64(rival.Deadline) / float64(s.price(k))
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
	left := s.price(s.try.job)
	for _, i := range s.try.gone {
		left -= s.price(i)
	}
	if s.priceOf(s.culprits()) > left {
		s.abandon()
		return
	}
	for len(s.late) > 0 {
		i := s.culprit(s.late[0])
		if left -= s.priceOf([]model.JobID{i}); left < 0 { // what a job is before may have others that it is too late for
			s.abandon()
			return
		}
		s.try.gone = append(s.try.gone, i)
		s.eject(i)
	}
	s.settle()
}

// priceOf is what some jobs add to the value in the pool, more than any where one may not be there.
func (s *Search) priceOf(jobs []model.JobID) (price int64) {
	for _, i := range jobs {
		if !s.counts(&s.js.Jobs[i]) {
			return math.MaxInt64
		}
		price += s.price(i)
	}
	return price
}

// abandon goes back to the base.
func (s *Search) abandon() {
	s.back(&s.trail)
	if s.try.on && s.pooled() {
		if i := s.try.job; !s.jobs[i].pooled {
			s.enterPool(i)
			s.drop(i)
			s.capBefore(i)
		}
		for _, i := range s.try.gone {
			if i != s.try.job {
				s.leavePool(slices.Index(s.pool, i))
				s.ask(i)
				s.capBefore(i)
			}
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

// enterPool lists a job in the pool.
func (s *Search) enterPool(i model.JobID) {
	s.jobs[i].pooled = true
	s.pool = append(s.pool, i)
	s.poolPrice += s.price(i)
}

// leavePool takes out the job that is at a place of the pool.
func (s *Search) leavePool(k int) {
	i := s.pool[k]
	s.pool = slices.Delete(s.pool, k, k+1)
	s.poolPrice -= s.price(i)
	s.jobs[i].pooled = false
}

// eject takes a job into the pool and off the board, with what no other is there for.
func (s *Search) eject(i model.JobID) {
	for _, k := range s.drop(i) {
		for t := s.js.Jobs[k].First; t < s.js.Jobs[k].End; t++ {
			s.trail.note(t, s.board.Place[t])
			s.remove(t)
		}
		for st := s.fig.Base[k]; st < s.fig.Base[k+1]; st++ {
			s.board.Finish[st] = 0
		}
	}
	s.enterPool(i)
	s.capBefore(i)
}

// outside lists the jobs that are off the board, earliest deadline first, each behind those that it comes after.
func (s *Search) outside() []model.JobID {
	var outside []model.JobID
	for i := range s.jobs {
		if s.out(model.JobID(i)) {
			outside = append(outside, model.JobID(i))
		}
	}
	slices.SortFunc(outside, func(a, b model.JobID) int {
		return cmp.Or(cmp.Compare(s.js.Jobs[a].Due(), s.js.Jobs[b].Due()), cmp.Compare(a, b))
	})
	if !s.linked {
		return outside
	}
	var ordered []model.JobID
	for _, i := range outside { // those before it that are listed are no more asked for
		ordered = append(ordered, s.ask(i)...)
	}
	for _, i := range outside {
		s.drop(i)
	}
	return ordered
}
