package core

import (
	"math/rand/v2"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"
)

// TestClausesAgreeWithGini puts random 3-SAT formulas near the threshold to the
// core, without any propagators, and to gini.
func TestClausesAgreeWithGini(t *testing.T) {
	satisfiable := 0
	const formulas = 300
	for seed := range uint64(formulas) {
		rng := rand.New(rand.NewPCG(seed, 7))
		vars := 20 + rng.IntN(100)
		s, g := New(seed), gini.New()
		var clauses [][]Lit
		for range vars {
			s.NewBool()
		}
		for range int(4.2 * float64(vars)) {
			clause := make([]Lit, 3)
			for i := range clause {
				v := 1 + rng.IntN(vars)
				clause[i] = Lit(2*v + rng.IntN(2))
				m := z.Var(v).Pos()
				if clause[i].negative() {
					m = m.Not()
				}
				g.Add(m)
			}
			g.Add(z.LitNull)
			s.AddClause(clause...)
			clauses = append(clauses, clause)
		}
		got := s.Search(func() bool { return false })
		if want := g.Solve(); (got == Satisfiable) != (want == 1) {
			t.Fatalf("seed %d: answer %d, gini says %d", seed, got, want)
		}
		if got == Unsatisfiable {
			continue
		}
		satisfiable++
		for _, c := range clauses {
			if !s.IsTrue(c[0]) && !s.IsTrue(c[1]) && !s.IsTrue(c[2]) {
				t.Fatalf("seed %d: the model breaks clause %v", seed, c)
			}
		}
	}
	if satisfiable == 0 || satisfiable == formulas {
		t.Errorf("%d of %d formulas satisfiable", satisfiable, formulas)
	}
}

// TestBoundsFollowLiterals sets and takes back order literals at random: an
// integer's literals always say what its bounds say.
func TestBoundsFollowLiterals(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		s := New(seed)
		v := s.NewInt(int32(rng.IntN(5)), int32(6+rng.IntN(20)))
		for range 60 {
			at := int32(rng.IntN(30))
			p := s.Le(v, at)
			switch {
			case rng.IntN(3) == 0:
				s.backTo(rng.IntN(len(s.levels) + 1))
			case s.vals[p] != 0:
			case rng.IntN(2) == 0:
				s.decide(p)
			default:
				s.decide(p.Not())
			}
			lo, hi := s.Lower(v), s.Upper(v)
			if lo > hi {
				t.Fatalf("seed %d: bounds %d to %d", seed, lo, hi)
			}
			for at := int32(-1); at < 32; at++ {
				want := int8(0)
				switch {
				case at < lo:
					want = -1
				case at >= hi:
					want = 1
				}
				if got := s.vals[s.Le(v, at)]; got != want {
					t.Fatalf("seed %d: [v ≤ %d] is %d with bounds %d to %d", seed, at, got, lo, hi)
				}
			}
		}
	}
}
