package lcg

// integer is a value in [lo, hi] with a literal [v ≤ τ] for every lo ≤ τ < hi;
// lb and ub are its bounds as they stand.
type integer struct {
	first            uint32
	lo, hi           int32
	lb, ub           int32
	onLower, onUpper []waker
}

// waker names a rule that is woken by a change of bounds, unless that literal
// is true: then the rule does not care.
type waker struct {
	rule   int32
	unless lit
}

func (x *integer) atMost(at int32) lit { return lit((x.first + uint32(at-x.lo)) << 1) }

func (x *integer) timeOf(p lit) int32 { return x.lo + int32(p.index()-x.first) }

// release takes back what literal p did to the bounds. Literals are taken back
// in the opposite order, so the last one to go has the bound from before.
func (x *integer) release(p lit) {
	if at := x.timeOf(p); p.negative() {
		x.lb = min(x.lb, at)
	} else {
		x.ub = max(x.ub, at+1)
	}
}

// num is an integer plus a constant.
type num struct{ x, shift int32 }

func (v num) plus(d int32) num { return num{v.x, v.shift + d} }

func (s *solver) newInt(lo, hi int32) num {
	i := int32(len(s.ints))
	s.ints = append(s.ints, integer{first: uint32(len(s.level)), lo: lo, hi: hi, lb: lo, ub: hi})
	for range hi - lo {
		s.phase[s.newVar(i)] = 1
	}
	return num{i, 0}
}

func (s *solver) lower(v num) int32 { return s.ints[v.x].lb + v.shift }
func (s *solver) upper(v num) int32 { return s.ints[v.x].ub + v.shift }

// le is the literal [v ≤ at].
func (s *solver) le(v num, at int32) lit {
	x := &s.ints[v.x]
	at -= v.shift
	switch {
	case at >= x.hi:
		return yes
	case at < x.lo:
		return no
	}
	return x.atMost(at)
}

// ge is the literal [v ≥ at].
func (s *solver) ge(v num, at int32) lit { return s.le(v, at-1).not() }

// whyLower and whyUpper add to the explanation in hand that v ≥ at, v ≤ at.
func (s *solver) whyLower(v num, at int32) { s.why(s.ge(v, at)) }
func (s *solver) whyUpper(v num, at int32) { s.why(s.le(v, at)) }

// raise and cut tighten a bound because of s.because.
func (s *solver) raise(v num, at int32) bool { return s.imply(s.ge(v, at)) }
func (s *solver) cut(v num, at int32) bool   { return s.imply(s.le(v, at)) }

func (s *solver) onLower(v num, rule int32, unless lit) {
	x := &s.ints[v.x]
	x.onLower = append(x.onLower, waker{rule, unless})
}

func (s *solver) onUpper(v num, rule int32, unless lit) {
	x := &s.ints[v.x]
	x.onUpper = append(x.onUpper, waker{rule, unless})
}

func (s *solver) onChange(v num, rule int32, unless lit) {
	s.onLower(v, rule, unless)
	s.onUpper(v, rule, unless)
}
