package core

// NewInt makes an integer in [lo, hi], not to be called during a search. It is
// first tried as small as it can be.
func (s *Solver) NewInt(lo, hi int32) View {
	i := int32(len(s.ints))
	name := s.nextName(uint32(len(s.level)), uint32(hi-lo))
	s.ints = append(s.ints, integer{
		first: name + 1, whole: s.newVar(i, name), blocks: make([]uint32, (hi-lo+blockSize-1)/blockSize),
		lo: lo, hi: hi, lb: lo, ub: hi, raised: -1, lowered: -1, value: lo, bestLo: lo, bestHi: hi,
	})
	if hi-lo <= s.MostAtOnce {
		for at := lo; at < hi; at++ {
			s.keepForGood(s.named(i, at))
		}
	}
	return View{i, 0}
}

// mostAtOnce is up to how many literals an integer has all of them from the beginning: to make and drop them costs more
// than to give a value to the few that nobody names. By judgement: without it sets of spans of about 100 ticks had 3 to
// 7 % fewer conflicts a second.
const mostAtOnce = 128

// Lower bound of v as things stand.
func (s *Solver) Lower(v View) int32 { return s.ints[v.x].lb + v.shift }

// Upper bound of v as things stand.
func (s *Solver) Upper(v View) int32 { return s.ints[v.x].ub + v.shift }

// Bounds are both as things stand.
func (s *Solver) Bounds(v View) (lo, hi int32) {
	x := &s.ints[v.x]
	return x.lb + v.shift, x.ub + v.shift
}

// Le is the literal [v ≤ at].
func (s *Solver) Le(v View, at int32) Lit {
	x := &s.ints[v.x]
	at -= v.shift
	switch {
	case at >= x.hi:
		return True
	case at < x.lo:
		return False
	}
	return s.literal(v.x, at)
}

// Order is what an order literal says: [v ≤ at], or if it is negated that v is more; not ok
// for Booleans.
func (s *Solver) Order(p Lit) (v View, at int32, ok bool) {
	i := s.kindOf[p.variable()]
	if i < 0 {
		return View{}, 0, false
	}
	return View{x: i}, s.timeOf(&s.ints[i], p), true
}

// Ge is the literal [v ≥ at].
func (s *Solver) Ge(v View, at int32) Lit { return s.Le(v, at-1).Not() }

// ExplainLower adds [v ≥ at], which holds, to the explanation in hand.
func (s *Solver) ExplainLower(v View, at int32) { s.Explain(s.Ge(v, at)) }

// ExplainUpper adds [v ≤ at], which holds, to the explanation in hand.
func (s *Solver) ExplainUpper(v View, at int32) { s.Explain(s.Le(v, at)) }

// SetLower makes v ≥ at follow from the explanation in hand; false is a conflict.
func (s *Solver) SetLower(v View, at int32) bool {
	return s.Lower(v) >= at || s.Imply(s.Ge(v, at))
}

// SetUpper makes v ≤ at follow from the explanation in hand; false is a conflict.
func (s *Solver) SetUpper(v View, at int32) bool {
	return s.Upper(v) <= at || s.Imply(s.Le(v, at))
}

// OnLower wakes a propagator when the lower bound of v rises, unless a literal
// is true then: False for always.
func (s *Solver) OnLower(v View, r PropagatorID, unless Lit) {
	x := &s.ints[v.x]
	x.onLower = append(x.onLower, waker{r, unless})
}

// OnUpper wakes a propagator when the upper bound of v falls, unless a literal
// is true then.
func (s *Solver) OnUpper(v View, r PropagatorID, unless Lit) {
	x := &s.ints[v.x]
	x.onUpper = append(x.onUpper, waker{r, unless})
}

// OnChange is OnLower and OnUpper.
func (s *Solver) OnChange(v View, r PropagatorID, unless Lit) {
	s.OnLower(v, r, unless)
	s.OnUpper(v, r, unless)
}

// TryValue makes a value of v the first to be tried.
func (s *Solver) TryValue(v View, value int32) {
	x := &s.ints[v.x]
	x.value = value - v.shift
	for _, first := range x.blocks {
		for v := first; first > 0 && v < first+blockSize; v++ {
			p := Lit(v << 1)
			if s.timeOf(x, p) < x.value {
				p = p.Not()
			}
			s.TryFirst(p)
		}
	}
}
