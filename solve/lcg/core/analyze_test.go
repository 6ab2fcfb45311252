package core

import (
	"slices"
	"testing"
)

// TestOrderMinimises: what follows from a bound that a literal of the learnt clause implies by order is left out of it, but
// that literal itself stays, though it follows from such a bound, too.
func TestOrderMinimises(t *testing.T) {
	for _, raised := range []bool{false, true} {
		s := New(1)
		v, d, e, p := s.NewInt(0, 9), s.NewBool(), s.NewBool(), s.NewBool()
		weak, strong := s.Ge(v, 3), s.Ge(v, 7)
		if s.AddClause(weak.Not(), p); raised {
			s.AddClause(weak.Not(), p.Not(), strong) // it has an antecedent that it implies itself
		}
		s.AddClause(p.Not(), strong.Not(), d.Not(), e)
		s.AddClause(p.Not(), strong.Not(), d.Not(), e.Not())
		for _, q := range []Lit{weak, strong, d} {
			if !s.IsTrue(q) {
				s.decide(q)
			}
			if s.propagate() == (q == d) {
				t.Fatalf("raised %v: no conflict at d, or one before", raised)
			}
		}
		s.learn()
		if learnt := slices.Sorted(slices.Values(s.cause)); !slices.Equal(learnt, slices.Sorted(slices.Values([]Lit{strong.Not(), d.Not()}))) {
			t.Errorf("raised %v: learnt %v, not that v is less than 7 or d does not hold", raised, learnt)
		}
	}
}
