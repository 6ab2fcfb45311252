package core

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
)

// TestHeldLiteralsAgreeWithGini has one literal after the other hold of random formulas, until there is no solution:
// the answers are those of gini.
func TestHeldLiteralsAgreeWithGini(t *testing.T) {
	narrowed := 0
	for seed := range uint64(testkit.Sets(60, 400)) {
		rng := rand.New(rand.NewPCG(seed, 23))
		vars := 10 + rng.IntN(60)
		clauses := formula(rng, vars, 3+float64(seed%2), seed%3 > 0)
		s := newAny(seed)
		s.Check = true
		s.Record(1 << 20)
		s.SetLabel(1)
		addFormula(s, vars, clauses)
		var held []Lit
		for a := Satisfiable; a == Satisfiable; narrowed++ {
			a = s.Search(context.Background(), func() bool { return false })
			if hold(clauses, held) != (a == Satisfiable) {
				t.Fatalf("seed %d, held %v: answer %d, but not by gini", seed, held, a)
			}
			for range 3 {
				p := Lit(2*(1+rng.IntN(vars)) + rng.IntN(2))
				s.Hold(p)
				held = append(held, p)
			}
			s.WakeAll()
		}
		if s.rec.end == 0 {
			t.Fatalf("seed %d: no step is the empty clause", seed)
		}
	}
	if narrowed < 100 {
		t.Errorf("narrowed %d times", narrowed)
	}
}
