package core

// assumptions are what searches suppose.
type assumptions struct {
	assumed []Lit
	// nogood says which of them do not hold together.
	nogood []Lit
}

// Assume has searches decide some literals first, in this order, so that they answer about
// solutions in which all of them hold; the assumptions from before are dropped. No two of them
// may contradict each other by themselves, as [v ≤ 3] and [v ≥ 5] do. What is learnt holds
// without them.
func (s *Solver) Assume(ps ...Lit) {
	s.backTo(0)
	s.assumed, s.nogood = append(s.assumed[:0], ps...), s.nogood[:0]
	if s.rec != nil && !s.refuted {
		s.rec.end = 0
	}
}

// Failed is, after a search was Unsatisfiable, a clause of negated assumptions that follows
// (a nogood): empty if there is no solution whatever is assumed. It is overwritten by the next
// search.
func (s *Solver) Failed() []Lit {
	if s.refuted {
		return nil
	}
	return s.nogood
}

// next is the literal to decide: the first assumption that is not true, be it false, before all
// others; not open if everything is set.
func (s *Solver) next() (p Lit, open bool) {
	for _, p := range s.assumed {
		if s.vals[p] <= 0 {
			return p, true
		}
	}
	return s.pick()
}

// refuteAssumed finds the assumptions from which it follows that another one, p, is false, the latest first. All
// decisions are assumptions then: what else is decided comes behind them.
func (s *Solver) refuteAssumed(p Lit) {
	s.nogood = append(s.nogood[:0], p.Not())
	s.mark(p)
	for len(s.latest) > 0 {
		v := s.nextSeen()
		if s.reasons[v]&kindMask == byDecision {
			s.nogood = append(s.nogood, s.trueOf(v).Not())
			s.seen[v] = false // nothing is behind it
			continue
		}
		s.found = s.antecedents(v, s.found[:0])
		for _, q := range s.found {
			s.mark(q)
		}
	}
	s.recordFailed()
	s.unmark()
}

// mark has the variable of p be seen, unless it is settled without decisions.
func (s *Solver) mark(p Lit) {
	if v := p.variable(); !s.seen[v] && s.level[v] > 0 {
		s.seen[v] = true
		s.marked = append(s.marked, v)
		s.noteSeen(v)
	}
}

// unmark takes all marks back.
func (s *Solver) unmark() {
	for _, v := range s.marked {
		s.seen[v] = false
	}
	s.marked = s.marked[:0]
}
