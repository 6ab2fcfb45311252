package core

import (
	"testing"

	"downbeat/internal/testkit"
)

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

// Literals of cubes stay: what is found out between says what they are.
func TestCubesStay(t *testing.T) {
	for seed := range uint64(2) {
		s := newAny(seed)
		x := s.NewInt(0, 1000)
		s.searching = true // literals come and go
		p := s.Le(x, 500)
		s.suppose(p)
		s.backTo(0)
		s.bump(p.variable())
		s.searching = false
		cubes := s.Split(t.Context(), 2, nil, func(q Lit) bool { return q == p })
		if len(cubes) != 2 {
			t.Fatalf("cubes %v", cubes)
		}
		s.Hold(s.Le(x, 100))
		for _, cube := range cubes {
			want := Satisfiable
			if cube[0] == p.Not() {
				want = Unsatisfiable
			}
			s.Assume(cube...)
			if a := s.Search(t.Context(), func() bool { return false }); a != want || s.Upper(x) > 100 {
				t.Errorf("%v: answer %d, not %d, with up to %d", cube, a, want, s.Upper(x))
			}
		}
	}
}

// A split that is cut short is one all the same, of fewer cubes, and looks no further ahead.
func TestSplitHeedsTheContext(t *testing.T) {
	of := func(polls int) int {
		s := newAny(1)
		for range 40 {
			s.NewInt(0, 1000)
		}
		return len(s.Split(testkit.After(t.Context(), polls), 16, nil, func(Lit) bool { return true }))
	}
	if all, some := of(1<<20), of(100); all != 16 || some < 1 || some > 4 {
		t.Errorf("%d cubes of 16, and %d where the context ends", all, some)
	}
}
