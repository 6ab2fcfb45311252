package core

// Hold has p hold from now on, whatever is decided: what is asked for was narrowed to solutions in which it
// does. What was learnt stays, for it holds in all of these. In a record p needs no reason, as what integers have
// from the beginning needs none.
func (s *Solver) Hold(p Lit) {
	s.backTo(0)
	switch {
	case s.refuted || s.IsTrue(p):
	case s.IsFalse(p):
		s.refuted = true
		s.recordDenied(p)
	default:
		s.enqueue(p, byDecision)
	}
}

// WakeAll has all propagators run once more, as what they keep to was narrowed.
func (s *Solver) WakeAll() {
	s.backTo(0)
	for id := range s.propagators {
		s.queue.wake(PropagatorID(id))
	}
}

// recordDenied writes the empty clause: p is to hold, and does not.
func (s *Solver) recordDenied(p Lit) {
	if r := s.rec; r != nil {
		r.finish(r.add(0, nil, nil, nil, s.appendUnit(r.units[:0], p)))
	}
}
