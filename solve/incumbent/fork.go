package incumbent

import (
	"cmp"
	"slices"

	"downbeat/solve/event"
)

// Fork is an incumbent that begins with what this one has come to, for a worker that is to
// learn what others do at times of its own ([Incumbent.Join]). It tells of slices only.
func (s *Incumbent) Fork() *Incumbent {
	f := &Incumbent{
		JS: s.JS, Goal: s.Goal, MayMissHard: s.MayMissHard, Validated: s.Validated, Proofs: s.Proofs, KeepsLate: s.KeepsLate,
		start: s.start, started: s.started, given: s.given,
	}
	if s.tell != nil {
		f.tell = func(e event.Event) {
			if e.Kind == event.Strategy {
				s.Had(e.Slice)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.state = s.state.clone()
	return f
}

// Join takes into account what forks have come to, in their order, and has each go on from all of it.
// None may be in use meanwhile.
func (s *Incumbent) Join(forks []*Incumbent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make([]int, len(s.Goal))
	for p := range known {
		known[p] = len(s.proved[p])
	}
	for _, f := range forks {
		s.join(&f.state, known)
	}
	for p := range s.proved {
		slices.SortStableFunc(s.proved[p], func(a, b Proved) int { return cmp.Compare(a.Least, b.Least) })
	}
	for _, f := range forks {
		f.goOn(&s.state)
	}
}

// goOn has a fork go on from another state. Questions of its that have just ended are being forgotten.
func (s *Incumbent) goOn(from *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = from.clone()
	s.settle()
}

// join takes one fork into account, which began with so many known proofs by objective; s.mu is held.
func (s *Incumbent) join(f *state, known []int) {
	if f.err != nil {
		s.failLocked(f.err)
	}
	if f.best != nil && (s.best == nil || slices.Compare(f.values, s.values) < 0) {
		s.adopt(f.best, f.values)
	}
	if f.waiting != nil {
		s.adopt(f.waiting, f.waitingValues)
	}
	if f.late != nil && (s.late == nil || f.misses < s.misses) {
		s.late, s.misses = f.late, f.misses
	}
	for p := range s.Goal {
		s.raiseLocked(p, f.bounds[p], f.proofs[p], f.reasons[p])
		s.proved[p] = append(s.proved[p], f.proved[p][known[p]:]...)
	}
	if f.refuted != nil {
		s.refuteLocked(f.refuted)
	}
	if len(s.notes) == 0 {
		s.notes = f.notes
	}
}

// clone shares nothing that changes.
func (s *state) clone() state {
	c := *s
	c.values, c.bounds, c.proofs = slices.Clone(s.values), slices.Clone(s.bounds), slices.Clone(s.proofs)
	c.reasons, c.proved = slices.Clone(s.reasons), slices.Clone(s.proved)
	for p := range c.proved {
		c.proved[p] = slices.Clone(c.proved[p])
	}
	return c
}
