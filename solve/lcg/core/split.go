package core

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// splitCandidates is of how many variables, and of how many integers, a split looks ahead: those
// that were most active. By judgement.
const splitCandidates = 32

// cube is a part of the space of solutions: those in which some literals hold.
type cube struct {
	lits []Lit
	size float64 // what is open in it
	// whole: it is not to be split.
	whole bool
}

// Split proposes up to n lists of literals to assume (cubes), such that every solution that satisfies
// some literals, with which they begin, satisfies exactly one: the largest is split in two until there are enough, by the variable that leaves least
// open on both sides, as propagation tells (look-ahead; Heule, Kullmann, Wieringa and Biere 2011). Literals are those
// that by, asked about the positive one, accepts. One list that has no more than these literals
// stands for all that there is, none for a solver that is refuted. It is for a solver
// that has searched for a while, so that activities tell what matters. Where ctx ends there are fewer.
func (s *Solver) Split(ctx context.Context, n int, from []Lit, by func(p Lit) bool) [][]Lit {
	s.backTo(0)
	if !s.Settle(ctx) {
		return nil
	}
	phases, ints := slices.Clone(s.phase), slices.Clone(s.ints) // looking ahead is no search
	cubes := []cube{{lits: from, size: math.Inf(1)}}
	candidates := s.mostActive(by)
	for len(cubes) < n && ctx.Err() == nil {
		largest := -1
		for i := range cubes {
			if !cubes[i].whole && (largest < 0 || cubes[i].size > cubes[largest].size) {
				largest = i
			}
		}
		if largest < 0 {
			break
		}
		a, b, ok := s.halve(ctx, &cubes[largest], candidates)
		if cubes[largest].whole = !ok; ok {
			cubes[largest] = a
			cubes = append(cubes, b)
		}
	}
	copy(s.phase, phases)
	s.ints = ints
	out := make([][]Lit, len(cubes))
	for i := range cubes {
		out[i] = cubes[i].lits
		for _, p := range out[i] {
			s.makeSure(p)
			s.keepForGood(p)
		}
	}
	return out
}

// candidates are what a split looks ahead at: variables, and the middles of integers.
type candidates struct {
	vars []uint32
	ints []int32
}

func (s *Solver) mostActive(by func(p Lit) bool) (c candidates) {
	byInt := make([]float64, len(s.ints))
	for v, a := range s.activity {
		if x := s.kindOf[v]; x >= 0 {
			byInt[x] = max(byInt[x], a)
		}
		if p := Lit(v << 1); a > 0 && s.isOpen(p) && by(p) {
			c.vars = append(c.vars, uint32(v))
		}
	}
	for x := range s.ints {
		if of := &s.ints[x]; of.lb < of.ub && by(s.literal(int32(x), of.lb)) {
			c.ints = append(c.ints, int32(x))
		}
	}
	slices.SortStableFunc(c.vars, func(u, v uint32) int { return cmp.Compare(s.activity[v], s.activity[u]) })
	slices.SortStableFunc(c.ints, func(x, y int32) int { return cmp.Compare(byInt[y], byInt[x]) })
	c.vars = c.vars[:min(splitCandidates, len(c.vars))]
	c.ints = c.ints[:min(splitCandidates, len(c.ints))]
	return c
}

// isOpen reports whether the literal of a variable can be decided.
func (s *Solver) isOpen(p Lit) bool {
	i, v := s.kindOf[p.variable()], p.variable()
	if i >= 0 && s.isWhole(v, i) {
		return false
	}
	s.makeSure(p)
	return s.vals[p] == 0
}

// halve splits a cube by the candidate of which both sides are least; not ok if there is none that
// leaves anything on both, or none was looked at before ctx ended.
func (s *Solver) halve(ctx context.Context, c *cube, by candidates) (a, b cube, ok bool) {
	defer s.backTo(0)
	for _, p := range c.lits {
		if !s.suppose(p) {
			return a, b, false
		}
	}
	size := s.open()
	best := 0.0
	try := func(p Lit) {
		if ctx.Err() != nil || !s.isOpen(p) {
			return
		}
		yes, ok := s.lookAhead(p)
		if !ok {
			return
		}
		no, ok := s.lookAhead(p.Not())
		// The product is greatest where much goes on both sides.
		if score := (size - yes) * (size - no); ok && score > best {
			best = score
			a = cube{lits: append(c.lits[:len(c.lits):len(c.lits)], p), size: yes}
			b = cube{lits: append(c.lits[:len(c.lits):len(c.lits)], p.Not()), size: no}
		}
	}
	for _, v := range by.vars {
		try(Lit(v << 1))
	}
	for _, i := range by.ints {
		if x := &s.ints[i]; x.lb < x.ub {
			try(s.literal(i, (x.lb+x.ub)>>1))
		}
	}
	return a, b, best > 0
}

// lookAhead is what is open once p is supposed; not ok if that is refuted.
func (s *Solver) lookAhead(p Lit) (size float64, ok bool) {
	level := len(s.levels)
	defer s.backTo(level)
	if !s.suppose(p) {
		return 0, false
	}
	return s.open(), true
}

// suppose decides p, unless it is true, and propagates; false if that is refuted.
func (s *Solver) suppose(p Lit) bool {
	s.makeSure(p)
	if s.vals[p] == 0 {
		s.decide(p)
	}
	return s.IsTrue(p) && s.propagate()
}

// open is how many bits there are left to find out: a Boolean is one, an integer the logarithm of
// its values.
func (s *Solver) open() (bits float64) {
	for i := range s.ints {
		if x := &s.ints[i]; x.lb < x.ub {
			bits += math.Log2(float64(x.ub-x.lb) + 1)
		}
	}
	for v, kind := range s.kindOf {
		if kind < 0 && s.vals[v<<1] == 0 {
			bits++
		}
	}
	return bits
}
