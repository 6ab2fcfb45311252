package cnf

import (
	"testing"

	"github.com/irifrance/gini/z"
)

// TestAtMostSum tries every assignment of up to six literals with needs of 1 to 4,
// some of them constants, some with equal needs.
func TestAtMostSum(t *testing.T) {
	unequal := 0
	for seed := range uint64(150) {
		rng, f := newRand(seed), New()
		lits, needs := make([]z.Lit, rng.IntN(7)), []int64(nil)
		most, always := 1+rng.Int64N(4), int64(0)
		for i := range lits {
			lits[i] = f.Lit()
			needs = append(needs, 1+rng.Int64N(most))
			switch rng.IntN(8) {
			case 0:
				lits[i] = False
			case 1:
				lits[i] = True
				always += needs[i]
			}
		}
		if !allEqual(needs) {
			unequal++
		}
		k := rng.Int64N(10)
		before := f.Clauses()
		f.AtMostSum(lits, needs, k)
		if got, bound := f.Clauses()-before, AtMostSumClauses(needs, k, 1<<40); got > bound {
			t.Errorf("seed %d: %d clauses, predicted at most %d", seed, got, bound)
		}
		s := &solver{f: f}
		eachChoice(lits, needs, func(fixed []z.Lit, total int64) {
			if got, want := s.ask(t, fixed...), always+total <= k; got != want {
				t.Fatalf("seed %d: %v of needs %v with %d always, at most %d: satisfiable %v", seed, fixed, needs, always, k, got)
			}
		})
	}
	if unequal < 50 {
		t.Errorf("only %d sums of unequal needs", unequal)
	}
}

// eachChoice yields every choice among the literals that are not constant, and
// what the chosen ones need.
func eachChoice(lits []z.Lit, needs []int64, yield func(fixed []z.Lit, total int64)) {
	var terms [][]Step
	for i, m := range lits {
		if m != True && m != False {
			terms = append(terms, []Step{{needs[i], m}})
		}
	}
	eachAssignment(terms, yield)
}
