package core

import "slices"

// analysis is the scratch of learning from conflicts.
type analysis struct {
	seen   []bool // by variable; those in marked
	marked []uint32
	latest []uint32 // of those that are seen, what is to be looked at: a heap, the last one to get its value first
	// cause are true literals that together are the conflict; cause[0] is the
	// one whose negation the learnt clause asserts.
	cause []Lit
	found []Lit
	// hopeless are the variables of which minimise found that they do not follow from what is seen; vain lists them.
	hopeless []bool
	vain     []uint32
	// bounds has the strongest literals of the cause, by integer·2 + sign; bounding lists those that were put there.
	bounds   []strongest
	bounding []Lit
}

// antecedents appends the true literals that variable v's value follows from.
func (s *Solver) antecedents(v uint32, out []Lit) []Lit {
	r := s.reasons[v]
	at := uint32(r &^ kindMask)
	switch r & kindMask {
	case byClause:
		for _, q := range s.literals(at) {
			if q>>1 != v {
				out = append(out, Lit(q).Not())
			}
		}
	case byLiteral:
		out = append(out, Lit(at))
	case byPropagator:
		for _, q := range s.explained[at+1 : at+1+s.explained[at]] {
			out = append(out, Lit(q))
		}
	}
	return out
}

// learn makes a clause of s.conflict, jumps back and asserts it; false if the
// conflict holds whatever is decided.
func (s *Solver) learn() bool {
	top := int32(0)
	for _, q := range s.conflict {
		top = max(top, s.level[q.variable()])
	}
	if top == 0 {
		s.recordEnd()
		return false
	}
	// A propagator may notice only now what failed some decisions ago.
	s.backTo(int(top))
	s.explainConflict(top)
	s.minimise()
	s.recordReasons()
	s.dropImplied()
	s.unmark()
	glue := glueOf(&s.clauses, s.level, s.cause)
	s.noteGlue(glue, s.conflicts)
	s.backTo(s.secondLevel())
	s.assert(glue)
	return true
}

// explainConflict replaces literals of level top by their antecedents until one
// is left, the first unique implication point.
func (s *Solver) explainConflict(top int32) {
	s.cause = append(s.cause[:0], False)
	note := func(p Lit) {
		v := p.variable()
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		s.marked = append(s.marked, v)
		s.bump(v)
		if s.level[v] == top {
			s.noteSeen(v)
		} else {
			s.cause = append(s.cause, p)
		}
	}
	for _, q := range s.conflict {
		note(q.Not())
	}
	for {
		v := s.nextSeen()
		if len(s.latest) == 0 {
			s.cause[0] = s.trueOf(v)
			return
		}
		if r := s.reasons[v]; r&kindMask == byClause {
			s.used(uint32(r&^kindMask), s.level)
		}
		s.found = s.antecedents(v, s.found[:0])
		for _, q := range s.found {
			note(q)
		}
	}
}

// later reports whether u got its value after v.
func (s *Solver) later(u, v uint32) bool {
	if s.position[u] != s.position[v] {
		return s.position[u] > s.position[v]
	}
	return s.nameOf[u] > s.nameOf[v]
}

// noteSeen has a variable be looked at.
func (s *Solver) noteSeen(v uint32) {
	s.latest = append(s.latest, v)
	i := len(s.latest) - 1
	for ; i > 0 && s.later(v, s.latest[(i-1)/2]); i = (i - 1) / 2 {
		s.latest[i] = s.latest[(i-1)/2]
	}
	s.latest[i] = v
}

// nextSeen is the one of them that got its value last; it is taken away.
func (s *Solver) nextSeen() uint32 {
	top, last := s.latest[0], len(s.latest)-1
	v := s.latest[last]
	s.latest = s.latest[:last]
	i := 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && s.later(s.latest[child+1], s.latest[child]) {
			child++
		}
		if !s.later(s.latest[child], v) {
			break
		}
		s.latest[i] = s.latest[child]
		i = child
	}
	if last > 0 {
		s.latest[i] = v
	}
	return top
}

// trueOf is the literal of a variable that is true.
func (s *Solver) trueOf(v uint32) Lit {
	p := Lit(v << 1)
	if s.vals[p] < 0 {
		return p.Not()
	}
	return p
}

// minimise drops literals that follow from others (Sörensson and Biere 2009), or from what these imply by order.
func (s *Solver) minimise() {
	glueOf(&s.clauses, s.level, s.cause) // stamps the levels
	s.noteStrongest()
	kept := s.cause[:1]
	for _, p := range s.cause[1:] {
		of, mark := s.strongestOf(p), len(s.marked)
		own := of != nil && of.p == p
		if own {
			of.p = False // what p implies is no reason to drop it
		}
		if !(own && of.needed) && s.follows(p.variable(), 0) {
			continue
		}
		if own {
			of.p = p
		}
		for _, w := range s.marked[mark:] {
			s.seen[w] = false
		}
		s.marked = s.marked[:mark]
		kept = append(kept, p)
	}
	s.cause = kept
	for _, v := range s.vain {
		s.hopeless[v] = false
	}
	s.vain = s.vain[:0]
}

// deepest bounds how many antecedents behind each other minimise goes through.
const deepest = 1000

// follows reports whether v's value follows from literals that are seen. What it meets on the way and follows from the
// same is then seen as well.
func (s *Solver) follows(v uint32, depth int) bool {
	r := s.reasons[v]
	at := uint32(r &^ kindMask)
	var from []uint32
	switch r & kindMask {
	case byClause:
		from = s.literals(at)
	case byLiteral:
		return s.covered(at>>1, depth)
	case byPropagator:
		from = s.explained[at+1 : at+1+s.explained[at]]
	default:
		return false
	}
	for _, q := range from {
		if u := q >> 1; u != v && !s.covered(u, depth) {
			return false
		}
	}
	return true
}

// covered reports whether u's value is seen, implied by order by a literal of the cause, which then has to stay, or follows
// from such. What was found not to is not gone through again.
func (s *Solver) covered(u uint32, depth int) bool {
	if s.seen[u] || s.level[u] == 0 {
		return true
	}
	if p := s.trueOf(u); s.kindOf[u] >= 0 {
		if of := s.strongestOf(p); of.p != False && s.stronger(of.p, p) {
			of.needed = true
			return true
		}
	}
	switch {
	case s.hopeless[u] || s.stamps[s.level[u]] != s.stamp || depth == deepest:
		return false
	case !s.follows(u, depth+1):
		s.hopeless[u] = true
		s.vain = append(s.vain, u)
		return false
	}
	s.seen[u] = true
	s.marked = append(s.marked, u)
	return true
}

// strongest is, of the literals of a cause that bound an integer on one side, the one that implies the others, False for none.
type strongest struct {
	p Lit
	// needed: some literal was dropped, or might have been, as it follows from what this one implies. This one stays then: of
	// two, either might be dropped for the sake of the other.
	needed bool
}

// strongestOf is that of the integer that p bounds, on the same side; nil for a Boolean.
func (s *Solver) strongestOf(p Lit) *strongest {
	if x := s.kindOf[p.variable()]; x >= 0 {
		return &s.bounds[2*uint32(x)+uint32(p&1)]
	}
	return nil
}

// stronger reports whether p implies q, which bounds the same integer on the same side.
func (s *Solver) stronger(p, q Lit) bool {
	// Of [v ≤ τ] the lower is stronger, of [v > τ] the higher.
	return p == q || (s.nameOf[p.variable()] < s.nameOf[q.variable()]) != p.negative()
}

// noteStrongest finds those of the cause, in place of those of the last time.
func (s *Solver) noteStrongest() {
	for len(s.bounds) < 2*len(s.ints) {
		s.bounds = append(s.bounds, strongest{p: False})
	}
	for _, p := range s.bounding {
		*s.strongestOf(p) = strongest{p: False}
	}
	s.bounding = s.bounding[:0]
	for _, p := range s.cause {
		if of := s.strongestOf(p); of != nil && (of.p == False || s.stronger(p, of.p)) {
			of.p = p
			s.bounding = append(s.bounding, p)
		}
	}
}

// dropImplied keeps of the order literals of an integer the strongest on
// either side. The asserting one is never implied: it was open when the others
// held.
func (s *Solver) dropImplied() {
	s.noteStrongest()
	s.cause = slices.DeleteFunc(s.cause, func(p Lit) bool {
		of := s.strongestOf(p)
		return of != nil && of.p != p
	})
}

// secondLevel puts a literal of the second highest level at 1, to be watched,
// and returns that level.
func (s *Solver) secondLevel() int {
	if len(s.cause) == 1 {
		return 0
	}
	for i := range s.cause[2:] {
		if s.level[s.cause[i+2].variable()] > s.level[s.cause[1].variable()] {
			s.cause[1], s.cause[i+2] = s.cause[i+2], s.cause[1]
		}
	}
	return int(s.level[s.cause[1].variable()])
}

// assert adds the clause "not all of cause", which makes its first literal true.
func (s *Solver) assert(glue uint32) {
	for i := range s.cause {
		s.cause[i] = s.cause[i].Not()
	}
	first, from := s.cause[0], s.recordLearnt(s.cause)
	s.makeSure(first) // it was dropped when its value was taken back
	s.export(s.cause, glue, from)
	switch len(s.cause) {
	case 1:
		s.enqueue(first, byDecision)
	case 2:
		s.addPair(first, s.cause[1])
		s.enqueue(first, byLiteral|reason(s.cause[1].Not()))
	default:
		c := s.store(s.cause, learnt|2*usedOnce|glue, from)
		s.learned = append(s.learned, c)
		s.enqueue(first, byClause|reason(c))
	}
}
