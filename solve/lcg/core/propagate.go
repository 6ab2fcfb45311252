package core

import (
	"math"
	"slices"
)

// enqueue makes an open literal true, and with an order literal all those that
// it implies, so that the literals of an integer never contradict each other.
func (s *Solver) enqueue(p Lit, by reason) {
	s.set(p, by)
	if s.rec != nil {
		s.recordRoot(p, by)
	}
	kind := s.kindOf[p.variable()]
	if kind < 0 {
		for _, r := range s.wakers[uint32(^kind)<<1|uint32(p&1)] {
			s.queue.wake(r)
		}
		s.settled++
		return
	}
	s.tighten(kind, p)
}

// BeginExplanation starts an explanation: the literals that a propagator
// deduces from.
func (s *Solver) BeginExplanation() {
	s.explanation = s.explanation[:0]
	if s.rec != nil {
		s.rec.noted, s.rec.roots = s.rec.noted[:0], s.rec.roots[:0]
	}
}

// Explain adds a true literal to the explanation in hand.
func (s *Solver) Explain(p Lit) {
	if s.level[p.variable()] > 0 {
		s.explanation = append(s.explanation, p)
	} else if s.rec != nil {
		s.rec.roots = append(s.rec.roots, p)
	}
	if s.Check && !s.IsTrue(p) {
		panic("an explanation names a literal that is not true")
	}
}

// Imply makes p follow from the explanation in hand, which it leaves as it is;
// false is a conflict: p is false, and the propagator has to return.
func (s *Solver) Imply(p Lit) bool {
	if s.Mislead != nil {
		p, s.explanation = s.Mislead(s.rec.labels[s.running], p, s.explanation)
	}
	switch {
	case s.IsTrue(p):
		return true
	case s.IsFalse(p):
		s.conflict = append(s.conflict[:0], p)
		for _, q := range s.explanation {
			s.conflict = append(s.conflict, q.Not())
		}
		s.failed = byPropagator
		return false
	}
	at := len(s.explained)
	s.explained = append(s.explained, uint32(len(s.explanation)))
	for _, q := range s.explanation {
		s.explained = append(s.explained, uint32(q))
	}
	if s.rec != nil {
		s.noteAntecedents()
	}
	s.enqueue(p, byPropagator|reason(at))
	return true
}

// propagate runs clauses and propagators until nothing follows any more; false
// with the conflict set.
func (s *Solver) propagate() bool {
	ok, _ := s.propagateFor(math.MaxInt)
	return ok
}

// propagateFor is propagate that runs so many propagators at most; ended tells that nothing follows any more.
func (s *Solver) propagateFor(most int) (ok, ended bool) {
	for ; ; most-- {
		for s.head < len(s.assigned) {
			p := s.assigned[s.head]
			s.head++
			if at := s.listOf[p]; at > 0 && !s.follow(p, at) {
				s.dropWaiting()
				return false, false
			}
		}
		if most == 0 {
			return true, false
		}
		r, waiting := s.queue.next()
		if !waiting {
			return true, true
		}
		s.running = r
		if !s.propagators[r].Propagate(s) {
			s.dropWaiting()
			return false, false
		}
	}
}

// dropWaiting drops what waits to be propagated: after a conflict it is undone.
func (s *Solver) dropWaiting() {
	s.head = len(s.assigned)
	s.queue.clear()
}

// follow propagates clauses over p, which became true and has a list.
func (s *Solver) follow(p Lit, at uint32) bool {
	for _, q := range s.lists[at].implied {
		switch s.vals[q] {
		case 0:
			s.enqueue(q, byLiteral|reason(p))
		case -1:
			s.conflict = append(s.conflict[:0], q, p.Not())
			s.failed = byLiteral
			return false
		}
	}
	ws, kept := s.lists[at].watches, 0
	for i, w := range ws {
		if s.IsTrue(w.blocker) {
			ws[kept] = w
			kept++
			continue
		}
		first, moved := s.rewatch(w.clause, p)
		if moved {
			continue
		}
		ws[kept] = watch{w.clause, first}
		kept++
		switch s.vals[first] {
		case 0:
			s.enqueue(first, byClause|reason(w.clause))
		case -1:
			kept += copy(ws[kept:], ws[i+1:])
			s.lists[at].watches = ws[:kept]
			s.conflict = s.conflict[:0]
			for _, q := range s.literals(w.clause) {
				s.conflict = append(s.conflict, Lit(q))
			}
			s.failed = byClause | reason(w.clause)
			s.used(w.clause, s.level)
			return false
		}
	}
	s.lists[at].watches = ws[:kept]
	return true
}

// rewatch looks for another literal to watch now that p is true. first is the
// other literal watched; if there is none to take p's place and first is not
// true, it follows.
func (s *Solver) rewatch(c uint32, p Lit) (first Lit, moved bool) {
	ls, lost := s.literals(c), uint32(p.Not())
	if ls[0] == lost {
		ls[0], ls[1] = ls[1], lost
	}
	first = Lit(ls[0])
	if s.IsTrue(first) {
		return first, false
	}
	for k := 2; k < len(ls); k++ {
		if q := Lit(ls[k]); s.vals[q] >= 0 {
			ls[1], ls[k] = ls[k], lost
			s.watchFor(q.Not(), watch{c, first})
			return first, true
		}
	}
	return first, false
}

func (s *Solver) decide(p Lit) {
	s.levels = append(s.levels, int32(len(s.assigned)))
	s.marks = append(s.marks, mark{int32(len(s.explained)), int32(len(s.changes))})
	for len(s.behind) <= len(s.levels) {
		s.behind = append(s.behind, nil)
	}
	s.enqueue(p, byDecision)
}

// backTo undoes all decisions above a level.
func (s *Solver) backTo(level int) {
	if len(s.levels) <= level {
		return
	}
	from := int(s.levels[level])
	for _, p := range slices.Backward(s.assigned[from:]) {
		s.unset(p)
	}
	for l := level + 1; l <= len(s.levels); l++ {
		for _, p := range s.behind[l] {
			s.unset(p)
		}
		s.behind[l] = s.behind[l][:0]
	}
	to := s.marks[level]
	s.takeBack(to.changes)
	s.explained = s.explained[:to.explained]
	s.assigned = s.assigned[:from]
	s.levels = s.levels[:level]
	s.marks = s.marks[:level]
	s.head = from
}

// unset takes the value of p back.
func (s *Solver) unset(p Lit) {
	v := p.variable()
	s.vals[p], s.vals[p.Not()] = 0, 0
	s.phase[v] = p.sign()
	switch {
	case s.kindOf[v] < 0:
		s.settled--
	case !s.kept.has(v):
		s.made.remove(v)
		if s.activity[v] == 0 {
			return // to decide its integer is enough
		}
	}
	if s.place[v] < 0 {
		s.push(v)
	}
}
