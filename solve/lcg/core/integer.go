package core

import "slices"

// integer is a value in [lo, hi] with a literal [v ≤ τ] for every lo ≤ τ < hi; lb and ub are its bounds as they stand.
//
// Literals are made when they are first named, by a clause, an explanation or a decision (lazy literal generation; Feydy
// and Stuckey 2009): bounds move by many ticks at a time, and hardly any of the literals between is ever named. One that
// no clause has is dropped when its value is taken back.
type integer struct {
	first            uint32   // name of [v ≤ lo]
	whole            uint32   // the variable that stands for the integer among what is to be decided; it has no value itself
	blocks           []uint32 // the first variables of blocks of order literals, 0 where none was named
	lo, hi           int32
	lb, ub           int32
	onLower, onUpper []waker

	// raised and lowered are the latest changes of lb and of ub, into changes, or -1; what they are without
	// decisions is by rootLower and rootUpper.
	raised, lowered      int32
	rootLower, rootUpper Lit
	// value is to be tried first, as far as bounds allow: that of the last time. bestLo and bestHi are the bounds when
	// most was settled without a conflict.
	value, bestLo, bestHi int32
}

// blockSize is of how many order literals in a row variables are next to each other: those that are named together often are.
const blockSize = 16

// waker names a propagator that is woken by a change of bounds, unless that
// literal is true: then the propagator does not care.
type waker struct {
	propagator PropagatorID
	unless     Lit
}

// timeOf is τ of order literal [v ≤ τ] of an integer.
func (s *Solver) timeOf(x *integer, p Lit) int32 { return x.lo + int32(s.nameOf[p.variable()]-x.first) }

// near is the value of a range that is nearest to the one to try first.
func (x *integer) near(lo, hi int32) int32 { return min(max(x.value, lo), hi) }

// change is what the bounds of an integer were before literal by made one of them tighter; before is the change of the
// same bound before it.
type change struct {
	x, lb, ub, before int32
	by                Lit
}

// View is an integer plus a constant.
type View struct{ x, shift int32 }

// Plus is the view of v + d.
func (v View) Plus(d int32) View { return View{v.x, v.shift + d} }

// SameInteger reports whether v and w differ by a constant.
func (v View) SameInteger(w View) bool { return v.x == w.x }

// literal is [v ≤ at] of integer i, lo ≤ at < hi. Those that are named between searches stay.
func (s *Solver) literal(i, at int32) Lit {
	p := s.named(i, at)
	if !s.searching {
		s.keepForGood(p)
	}
	return p
}

// named is [v ≤ at] of integer i, which is made if it is not there.
func (s *Solver) named(i, at int32) Lit {
	x := &s.ints[i]
	k := uint32(at - x.lo)
	first := x.blocks[k/blockSize]
	if first == 0 {
		first = s.block(i, x.first+k/blockSize*blockSize)
		x.blocks[k/blockSize] = first
	}
	p := Lit((first + k%blockSize) << 1)
	s.makeSure(p)
	return p
}

// block is the first of the variables of a block, the first of which has a name: those of one that is free, if there is one.
func (s *Solver) block(i int32, name uint32) (first uint32) {
	if len(s.free) > 0 {
		first = s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		for k := range uint32(blockSize) {
			s.kindOf[first+k], s.nameOf[first+k], s.best[first+k] = i, name+k, 0
		}
		return first
	}
	first = s.newVar(i, name)
	for k := range uint32(blockSize - 1) {
		s.newVar(i, name+1+k)
	}
	return first
}

// makeSure makes the literal of p's variable if it is one of an integer and is not there yet.
func (s *Solver) makeSure(p Lit) {
	v := p.variable()
	i := s.kindOf[v]
	if i < 0 || s.made.has(v) {
		return
	}
	s.made.add(v)
	x := &s.ints[i]
	at := s.timeOf(x, p)
	s.phase[v] = 1
	if at < x.value {
		s.phase[v] = -1
	}
	switch {
	case at < x.lb:
		s.setBehind(Lit(v<<1).Not(), s.raisedAbove(x, at))
	case at >= x.ub:
		s.setBehind(Lit(v<<1), s.loweredTo(x, at))
	}
}

// isWhole reports whether a variable stands for integer i among what is to be decided.
func (s *Solver) isWhole(v uint32, i int32) bool { return s.ints[i].whole == v }

// dropLiterals drops order literals without a value that no clause has any more, and frees blocks of which no conflict had any.
func (s *Solver) dropLiterals() {
	copy(s.kept, s.forGood)
	for _, at := range slices.Concat(s.given, s.learned) {
		for _, q := range s.literals(at) {
			s.kept.add(q >> 1)
		}
	}
	for i := range s.ints {
		blocks := s.ints[i].blocks
		for k, first := range blocks {
			if first > 0 && s.dropBlock(first) {
				blocks[k] = 0
				s.free = append(s.free, first)
			}
		}
	}
}

// dropBlock is dropLiterals of a block; it reports whether that is free then.
func (s *Solver) dropBlock(first uint32) (free bool) {
	free = true
	for v := first; v < first+blockSize; v++ {
		if s.kept.has(v) || s.vals[v<<1] != 0 {
			free = false
			continue
		}
		s.made.remove(v)
		free = free && s.activity[v] == 0
	}
	for v := first; free && v < first+blockSize; v++ {
		if s.place[v] >= 0 {
			s.remove(v)
		}
	}
	return free
}

// raisedAbove is the literal that brought the lower bound above a time.
func (s *Solver) raisedAbove(x *integer, at int32) Lit {
	for k := x.raised; k >= 0; k = s.changes[k].before {
		if s.changes[k].lb <= at {
			return s.changes[k].by
		}
	}
	return x.rootLower
}

// loweredTo is the literal that brought the upper bound to a time or below.
func (s *Solver) loweredTo(x *integer, at int32) Lit {
	for k := x.lowered; k >= 0; k = s.changes[k].before {
		if s.changes[k].ub > at {
			return s.changes[k].by
		}
	}
	return x.rootUpper
}

// setBehind makes an order literal true that has followed from by since that one is true: in the order of the trail it
// comes right after it.
func (s *Solver) setBehind(p, by Lit) {
	u, v := by.variable(), p.variable()
	s.vals[p], s.vals[p.Not()] = 1, -1
	s.level[v], s.position[v] = s.level[u], s.position[u]+1
	s.reasons[v] = byLiteral | reason(by)
	if l := s.level[u]; l > 0 {
		s.behind[l] = append(s.behind[l], p)
	}
}

// tighten moves the bound of integer i that p, which became true, is about.
func (s *Solver) tighten(i int32, p Lit) {
	x := &s.ints[i]
	at, latest, root := s.timeOf(x, p), &x.lowered, &x.rootUpper
	if p.negative() {
		latest, root = &x.raised, &x.rootLower
	}
	if len(s.levels) > 0 {
		s.changes = append(s.changes, change{i, x.lb, x.ub, *latest, p})
		*latest = int32(len(s.changes) - 1)
	} else {
		*root = p
	}
	woken := &x.onUpper
	if p.negative() {
		s.setBetween(x, x.lb, at, p)
		s.settled += int(at + 1 - x.lb)
		x.lb = at + 1
		woken = &x.onLower
	} else {
		s.setBetween(x, at+1, x.ub, p)
		s.settled += int(x.ub - at)
		x.ub = at
	}
	for _, w := range *woken {
		if s.vals[w.unless] <= 0 {
			s.queue.wake(w.propagator)
		}
	}
}

// setBetween has p, which became true, imply the literals of its integer from a time on and before another one, so that
// they never contradict each other.
func (s *Solver) setBetween(x *integer, from, to int32, p Lit) {
	for k, end := uint32(from-x.lo), uint32(to-x.lo); k < end; {
		behind := min(end, k/blockSize*blockSize+blockSize)
		if first := x.blocks[k/blockSize]; first > 0 {
			last := first + (behind-1)%blockSize + 1
			for v := s.made.next(first+k%blockSize, last); v < last; v = s.made.next(v+1, last) {
				s.set(Lit(v<<1)|p&1, byLiteral|reason(p))
			}
		}
		k = behind
	}
}

// takeBack undoes the changes of bounds from one on, the last one first.
func (s *Solver) takeBack(from int32) {
	for k := len(s.changes) - 1; k >= int(from); k-- {
		c := &s.changes[k]
		x := &s.ints[c.x]
		x.value = x.near(x.lb, x.ub)
		s.settled -= int(x.lb - c.lb + c.ub - x.ub)
		x.lb, x.ub = c.lb, c.ub
		if c.by.negative() {
			x.raised = c.before
		} else {
			x.lowered = c.before
		}
		if s.place[x.whole] < 0 {
			s.push(x.whole)
		}
	}
	s.changes = s.changes[:from]
}

// choose is what to decide of integer i, which has several values left: it brings it towards the one to try first.
func (s *Solver) choose(i int32) Lit {
	x := &s.ints[i]
	if v := x.near(x.lb, x.ub); v > x.lb {
		return s.literal(i, v-1).Not()
	}
	return s.literal(i, x.lb)
}
