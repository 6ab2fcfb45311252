package lcg

import (
	"cmp"
	"slices"
)

// Clauses of three and more literals lie in one arena: number of literals,
// flags, literals. The first two are watched.
const (
	header   = 2
	learnt   = 1 << 31
	usedOnce = 1 << 29 // a counter of two bits: how lately it was of use
	usedMask = 3 << 29
	glueMask = usedOnce - 1
)

type watch struct {
	clause  uint32
	blocker lit // of the clause; if it is true there is nothing to do
}

type clauses struct {
	arena   []uint32
	given   []uint32
	learned []uint32
	watches [][]watch // by literal: clauses that watch its negation
}

func (s *clauses) literals(c uint32) []uint32 { return s.arena[c+header : c+header+s.arena[c]] }

// addClause adds a clause before the search.
func (s *solver) addClause(ps ...lit) {
	ps = slices.Sorted(slices.Values(ps))
	var out []lit
	for i, p := range ps {
		switch {
		case s.isTrue(p), i > 0 && ps[i-1] == p.not():
			return
		case s.isFalse(p), i > 0 && ps[i-1] == p:
		default:
			out = append(out, p)
		}
	}
	switch len(out) {
	case 0:
		s.broken = true
	case 1:
		s.enqueue(out[0], byDecision)
	case 2:
		s.addPair(out[0], out[1])
	default:
		s.given = append(s.given, s.store(out, 0))
	}
}

func (s *solver) addPair(p, q lit) {
	s.pairs[p.not()] = append(s.pairs[p.not()], q)
	s.pairs[q.not()] = append(s.pairs[q.not()], p)
}

func (s *clauses) store(ps []lit, flags uint32) uint32 {
	c := uint32(len(s.arena))
	s.arena = append(s.arena, uint32(len(ps)), flags)
	for _, p := range ps {
		s.arena = append(s.arena, uint32(p))
	}
	s.watch(c)
	return c
}

func (s *clauses) watch(c uint32) {
	p, q := lit(s.arena[c+header]), lit(s.arena[c+header+1])
	s.watches[p.not()] = append(s.watches[p.not()], watch{c, q})
	s.watches[q.not()] = append(s.watches[q.not()], watch{c, p})
}

// follow propagates clauses over p, which became true.
func (s *solver) follow(p lit) bool {
	for _, q := range s.pairs[p] {
		switch s.vals[q] {
		case 0:
			s.enqueue(q, byLiteral|reason(p))
		case -1:
			s.conflict = append(s.conflict[:0], q, p.not())
			return false
		}
	}
	ws, kept := s.watches[p], 0
	for i, w := range ws {
		if s.isTrue(w.blocker) {
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
			s.watches[p] = ws[:kept]
			s.conflict = s.conflict[:0]
			for _, q := range s.literals(w.clause) {
				s.conflict = append(s.conflict, lit(q))
			}
			s.used(w.clause)
			return false
		}
	}
	s.watches[p] = ws[:kept]
	return true
}

// rewatch looks for another literal to watch now that p is true. first is the
// other literal watched; if there is none to take p's place and first is not
// true, it follows.
func (s *solver) rewatch(c uint32, p lit) (first lit, moved bool) {
	ls, lost := s.literals(c), uint32(p.not())
	if ls[0] == lost {
		ls[0], ls[1] = ls[1], lost
	}
	first = lit(ls[0])
	if s.isTrue(first) {
		return first, false
	}
	for k := 2; k < len(ls); k++ {
		if q := lit(ls[k]); s.vals[q] >= 0 {
			ls[1], ls[k] = ls[k], lost
			s.watches[q.not()] = append(s.watches[q.not()], watch{c, first})
			return first, true
		}
	}
	return first, false
}

// used notes that a clause took part in a conflict.
func (s *solver) used(c uint32) {
	flags := s.arena[c+1]
	if flags&learnt == 0 {
		return
	}
	glue := flags & glueMask
	if glue > 2 {
		glue = min(glue, glueOf(s, s.literals(c)))
	}
	s.arena[c+1] = learnt | 2*usedOnce | glue
}

// Learnt clauses of glue up to keptGlue stay for ever, of up to usefulGlue
// while they are used.
const keptGlue, usefulGlue = 2, 6

// reduce drops learnt clauses that are satisfied, and the worse half of those
// with high glue that were not used lately. It is called without decisions.
func (s *solver) reduce() {
	var kept, weak []uint32
	for _, c := range s.learned {
		flags := s.arena[c+1]
		glue, used := flags&glueMask, flags&usedMask
		if used > 0 {
			s.arena[c+1] -= usedOnce
		}
		switch {
		case slices.ContainsFunc(s.literals(c), func(q uint32) bool { return s.isTrue(lit(q)) }):
		case glue <= keptGlue, glue <= usefulGlue && used > 0, used > usedOnce:
			kept = append(kept, c)
		default:
			weak = append(weak, c)
		}
	}
	slices.SortFunc(weak, func(a, b uint32) int {
		return cmp.Or(
			cmp.Compare(s.arena[a+1]&glueMask, s.arena[b+1]&glueMask),
			cmp.Compare(s.arena[a], s.arena[b]),
			cmp.Compare(b, a))
	})
	s.learned = append(kept, weak[:len(weak)/2]...)
	slices.Sort(s.learned)
	s.compact()
}

// compact moves the clauses together. Reasons of literals that hold for ever
// are never looked at, so they need not follow.
func (s *clauses) compact() {
	old := s.arena
	s.arena = make([]uint32, 0, len(old))
	for p := range s.watches {
		s.watches[p] = s.watches[p][:0]
	}
	for _, list := range [][]uint32{s.given, s.learned} {
		for i, c := range list {
			list[i] = uint32(len(s.arena))
			s.arena = append(s.arena, old[c:c+header+old[c]]...)
			s.watch(list[i])
		}
	}
}
