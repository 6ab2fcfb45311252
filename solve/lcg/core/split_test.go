package core

import "testing"

// A literal of a cube that is named no more, and follows from the literals before it, is true already: to decide it would
// have the bound move back.
func TestSupposesWhatBoundsSay(t *testing.T) {
	s := newAny(1)
	x := s.NewInt(0, 1000)
	s.searching = true // literals come and go
	p := s.Le(x, 500)
	s.suppose(p)
	s.backTo(0)
	for _, q := range []Lit{p, p.Not()} {
		if !s.suppose(s.Le(x, 100)) || s.suppose(q) != (q == p) || s.Upper(x) != 100 {
			t.Errorf("%d: up to %d, not 100, after %d decisions", q, s.Upper(x), s.Level())
		}
		s.backTo(0)
	}
}
