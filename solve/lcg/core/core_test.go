package core

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/internal/testkit"
)

// TestClausesAgreeWithGini puts random 3-SAT formulas near the threshold to the
// core, without any propagators, and to gini.
func TestClausesAgreeWithGini(t *testing.T) {
	satisfiable := 0
	formulas := testkit.Sets(100, 300)
	for seed := range uint64(formulas) {
		rng := rand.New(rand.NewPCG(seed, 7))
		vars := 20 + rng.IntN(100)
		s, g := newAny(seed), gini.New()
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
		got := s.Search(context.Background(), func() bool { return false })
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

// newAny makes a solver: one of odd seed makes all order literals when they are named.
func newAny(seed uint64) *Solver {
	s := New(seed)
	if seed%2 == 1 {
		s.MostAtOnce = 0
	}
	return s
}

// TestBoundsFollowLiterals sets and takes back order literals at random: an
// integer's literals always say what its bounds say.
func TestBoundsFollowLiterals(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		s := newAny(seed)
		v := s.NewInt(int32(rng.IntN(5)), int32(6+rng.IntN(20)))
		s.searching = rng.IntN(2) == 0 // literals come and go
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

// pigeonholes asks for more pigeons than holes, which is refuted after some
// thousand conflicts.
func pigeonholes(holes int) *Solver {
	s := New(1)
	s.Check = true
	in := make([][]Lit, holes+1)
	for i := range in {
		for range holes {
			in[i] = append(in[i], s.NewBool())
		}
		s.AddClause(in[i]...)
	}
	for j := range holes {
		for i := range in {
			for k := range i {
				s.AddClause(in[i][j].Not(), in[k][j].Not())
			}
		}
	}
	return s
}

// TestSearchGoesOn stops a search whenever it polls: it goes on to the same answer.
func TestSearchGoesOn(t *testing.T) {
	s, runs := pigeonholes(7), 0
	for s.Search(context.Background(), func() bool { return true }) == Unknown {
		runs++
	}
	if answer := s.Search(context.Background(), nil); answer != Unsatisfiable || runs < 5 {
		t.Errorf("answer %d after %d runs and %d conflicts", answer, runs, s.Conflicts())
	}
	if whole := pigeonholes(7); whole.Search(context.Background(), func() bool { return false }) != Unsatisfiable {
		t.Error("eight pigeons are in seven holes")
	}
}

// TestSearchHeedsContext: a search whose context is done ends, though nothing asks it to
// stop, and goes on with another.
func TestSearchHeedsContext(t *testing.T) {
	s := pigeonholes(7)
	ended, end := context.WithCancel(context.Background())
	end()
	never := func() bool { return false }
	if answer := s.Search(ended, never); answer != Unknown || s.Conflicts() > pollContext {
		t.Errorf("answer %d after %d conflicts", answer, s.Conflicts())
	}
	if answer := s.Search(context.Background(), never); answer != Unsatisfiable {
		t.Errorf("answer %d with another context", answer)
	}
}

// TestTrivialClauses: a clause that holds always says nothing, one without
// literals left refutes, one literal is settled.
func TestTrivialClauses(t *testing.T) {
	s := New(0)
	p, q := s.NewBool(), s.NewBool()
	s.AddClause(p, p.Not())
	s.AddClause(q, False, q)
	if s.Value(p) != 0 || !s.IsTrue(q) {
		t.Errorf("values %d and %d", s.Value(p), s.Value(q))
	}
	s.AddClause(p, True)
	s.AddClause(q.Not(), False)
	if answer := s.Search(context.Background(), nil); answer != Unsatisfiable {
		t.Errorf("answer %d to the empty clause", answer)
	}
	r := New(0)
	r.Refute()
	if answer := r.Search(context.Background(), nil); answer != Unsatisfiable {
		t.Errorf("answer %d to what is refuted", answer)
	}
}
