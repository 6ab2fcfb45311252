package core

// integer is a value in [lo, hi] with a literal [v ≤ τ] for every lo ≤ τ < hi;
// lb and ub are its bounds as they stand.
type integer struct {
	first            uint32
	lo, hi           int32
	lb, ub           int32
	onLower, onUpper []waker
}

// waker names a propagator that is woken by a change of bounds, unless that
// literal is true: then the propagator does not care.
type waker struct {
	propagator PropagatorID
	unless     Lit
}

func (x *integer) atMost(at int32) Lit { return Lit((x.first + uint32(at-x.lo)) << 1) }

func (x *integer) timeOf(p Lit) int32 { return x.lo + int32(p.variable()-x.first) }

// bounds are what an integer had before a literal of it became true.
type bounds struct{ x, lb, ub int32 }

// View is an integer plus a constant.
type View struct{ x, shift int32 }

// Plus is the view of v + d.
func (v View) Plus(d int32) View { return View{v.x, v.shift + d} }

// SameInteger reports whether v and w differ by a constant.
func (v View) SameInteger(w View) bool { return v.x == w.x }
