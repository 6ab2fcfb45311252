package cnf

import (
	"slices"
	"testing"

	"github.com/irifrance/gini/z"
)

// TestAtMost tries every assignment of up to seven literals, with and without
// constants between them.
func TestAtMost(t *testing.T) {
	for n := range 8 {
		for k := range n + 1 {
			for _, constants := range [][]z.Lit{nil, {True}, {False}, {False, True}, {True, True, False}} {
				checkAtMost(t, n, k, constants)
			}
		}
	}
}

func checkAtMost(t *testing.T, n, k int, constants []z.Lit) {
	t.Helper()
	f := New()
	inputs := make([]z.Lit, n)
	for i := range inputs {
		inputs[i] = f.Lit()
	}
	// The constants stand in the middle.
	lits := slices.Concat(inputs[:n/2], constants, inputs[n/2:])
	before := f.Clauses()
	f.AtMost(lits, k)
	if got, most := f.Clauses()-before, AtMostClauses(int64(len(lits)), int64(k)); got > most {
		t.Errorf("n=%d k=%d constants %v: %d clauses, predicted at most %d", n, k, constants, got, most)
	}
	always := 0
	for _, m := range constants {
		if m == True {
			always++
		}
	}
	s := &solver{f: f}
	for mask := range 1 << n {
		assume := make([]z.Lit, n)
		count := always
		for i, m := range inputs {
			assume[i] = m.Not()
			if mask>>i&1 == 1 {
				assume[i] = m
				count++
			}
		}
		if got, want := s.ask(t, assume...), count <= k; got != want {
			t.Fatalf("n=%d k=%d constants %v, inputs %0*b: satisfiable %v, want %v", n, k, constants, n, mask, got, want)
		}
	}
}

// TestAtMostKeepsItsArgument: callers use one slice for many points in time.
func TestAtMostKeepsItsArgument(t *testing.T) {
	for k := range 4 {
		f := New()
		lits := []z.Lit{f.Lit(), f.Lit(), True, f.Lit(), f.Lit()}
		kept := slices.Clone(lits)
		f.AtMost(lits, k)
		if !slices.Equal(lits, kept) {
			t.Errorf("k=%d: literals %v became %v", k, kept, lits)
		}
	}
}
