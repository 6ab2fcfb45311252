package incumbent

import (
	"slices"

	"downbeat/model"
)

// keeping is what is kept of objectives that are open while those after them are bettered.
type keeping struct {
	// kept is how many of the first objectives keep their values, 0 where all before the present one are closed.
	kept int
	// waiting is the best plan found meanwhile in which one of them is better, nil for none.
	waiting       model.Schedule
	waitingValues []int64
}

// Keep has the value of objective p, which is open, kept while those after it are bettered: what is proved of these is forgotten with
// [Incumbent.Release], and a plan in which it is better waits for that. Where it is on late jobs, those in time in the best plan
// are to be so. No strategy may be at work.
func (s *Incumbent) Keep(p int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == 0 {
		s.whole, s.wholeGiven = s.JS, s.given
	}
	s.kept = p + 1
	shape := s.Goal[p].Shape()
	if !shape.Counts() || s.MayMissHard {
		return
	}
	var jobs []model.JobID
	for i, finish := range s.JS.Finishes(s.best) {
		if job := &s.JS.Jobs[i]; shape.Jobs.Has(job.Kind) && job.Late(finish) == 0 {
			jobs = append(jobs, model.JobID(i))
		}
	}
	s.harden(p, jobs)
}

// AfterOpen reports whether the value of an objective is kept, so that there is no bound on those after it, only plans to be bettered.
func (s *Incumbent) AfterOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept > 0
}

// Release keeps no values any more: a plan that was found meanwhile in which one of them is better becomes the best. No strategy may be at work.
func (s *Incumbent) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == 0 {
		return
	}
	waiting, values := s.waiting, s.waitingValues
	s.JS, s.given, s.whole, s.keeping = s.whole, s.wholeGiven, nil, keeping{}
	for p := range s.Goal {
		if p > 0 && !slices.Equal(s.values[:p], s.bounds[:p]) {
			s.bounds[p], s.proofs[p], s.reasons[p], s.proved[p] = 0, model.NoProof, Reason{}, nil
		}
	}
	if waiting != nil {
		s.adopt(waiting, values)
	}
}

// waits reports whether a plan has a better value of one that is kept: the best of those waits. s.mu is held.
func (s *Incumbent) waits(plan model.Schedule, values []int64) bool {
	if s.best == nil || slices.Compare(values[:s.kept], s.values[:s.kept]) >= 0 {
		return false
	}
	if s.waiting == nil || slices.Compare(values, s.waitingValues) < 0 {
		s.waiting, s.waitingValues = plan, values
	}
	return true
}
