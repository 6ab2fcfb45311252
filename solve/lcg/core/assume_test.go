package core

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/internal/testkit"
)

// TestAssumptionsAgreeWithGini puts random formulas to a solver under one list of assumptions
// after the other: the answers are those of gini, the assumptions that are told to fail do, and
// the steps that are recorded end in them. At last nothing is assumed.
func TestAssumptionsAgreeWithGini(t *testing.T) {
	answers, short := map[Answer]int{}, 0
	for seed := range uint64(testkit.Sets(60, 200)) {
		rng := rand.New(rand.NewPCG(seed, 19))
		vars := 10 + rng.IntN(60)
		clauses := formula(rng, vars, 3.5+float64(seed%2), seed%3 > 0)
		s := newAny(seed)
		s.Check = true
		s.Record(1 << 20)
		s.SetLabel(1)
		given := addFormula(s, vars, clauses)
		for round := range 8 {
			var assumed []Lit
			for range (7 - round) * 2 {
				if p := Lit(2*(1+rng.IntN(vars)) + rng.IntN(2)); !slices.Contains(assumed, p.Not()) {
					assumed = append(assumed, p)
				}
			}
			s.Assume(assumed...)
			a := Unknown
			for a == Unknown {
				a = s.Search(context.Background(), func() bool { return rng.IntN(2) == 0 })
			}
			answers[a]++
			for _, p := range assumed {
				if a == Satisfiable && !s.IsTrue(p) {
					t.Fatalf("seed %d: %d was assumed, and is not true", seed, p)
				}
			}
			if hold(clauses, assumed) != (a == Satisfiable) {
				t.Fatalf("seed %d, assumptions %v: answer %d, but not by gini", seed, assumed, a)
			}
			if a == Satisfiable {
				continue
			}
			failed := s.Failed()
			for _, p := range failed {
				if !slices.Contains(assumed, p.Not()) {
					t.Fatalf("seed %d: %d was not assumed", seed, p.Not())
				}
			}
			if hold(clauses, negated(failed)) {
				t.Fatalf("seed %d: %v do hold together", seed, failed)
			}
			if 0 < len(failed) && len(failed) < len(assumed) {
				short++
			}
			follow(t, seed, s, given, failed)
		}
	}
	if answers[Satisfiable] == 0 || answers[Unsatisfiable] == 0 || short == 0 {
		t.Errorf("answers %v, %d of which some assumptions were enough", answers, short)
	}
}

// hold reports whether gini finds values for which all clauses hold, and some literals.
func hold(clauses [][]Lit, all []Lit) bool {
	g := gini.New()
	add := func(clause ...Lit) {
		for _, p := range clause {
			m := z.Var(p.variable()).Pos()
			if p.negative() {
				m = m.Not()
			}
			g.Add(m)
		}
		g.Add(z.LitNull)
	}
	for _, clause := range clauses {
		add(clause...)
	}
	for _, p := range all {
		add(p)
	}
	return g.Solve() == 1
}

func negated(ps []Lit) (out []Lit) {
	for _, p := range ps {
		out = append(out, p.Not())
	}
	return out
}
