package core

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
)

// TestRecordsAreRefutations records refutations of random formulas and follows the steps:
// given clauses were given, the others follow from their hints alone, nothing is used after
// it is done with, no two say the same, and the last step is empty. Every other formula has parts that are
// settled before it is complete; searches are interrupted now and then.
func TestRecordsAreRefutations(t *testing.T) {
	refuted, learnt := 0, 0
	for seed := range uint64(testkit.Sets(60, 400)) {
		rng := rand.New(rand.NewPCG(seed, 17))
		s := newAny(seed)
		s.Record(1 << 20)
		s.SetLabel(1)
		vars := 15 + rng.IntN(60)
		clauses := formula(rng, vars, 4.8, seed%2 == 1)
		given := addFormula(s, vars, clauses)
		a := Unknown
		for a == Unknown {
			a = s.Search(context.Background(), func() bool { return true })
		}
		if a == Satisfiable {
			for range s.Refutation {
				t.Fatalf("seed %d: a refutation of what is satisfiable", seed)
			}
			continue
		}
		refuted++
		learnt += follow(t, seed, s, given, nil)
	}
	if refuted == 0 || learnt == 0 {
		t.Errorf("%d refuted, with %d clauses learnt", refuted, learnt)
	}
}

// formula draws so many clauses a variable, of three literals or, if they are mixed, also fewer.
func formula(rng *rand.Rand, vars int, density float64, mixed bool) (clauses [][]Lit) {
	for range int(density * float64(vars)) {
		clause := make([]Lit, 3)
		if mixed && rng.IntN(10) == 0 {
			clause = clause[:1+rng.IntN(2)]
		}
		for i := range clause {
			clause[i] = Lit(2*(1+rng.IntN(vars)) + rng.IntN(2))
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// addFormula gives a solver clauses, and returns their names.
func addFormula(s *Solver, vars int, clauses [][]Lit) map[string]bool {
	for range vars {
		s.NewBool()
	}
	given := map[string]bool{}
	for _, clause := range clauses {
		given[name(clause)] = true
		s.AddClause(clause...)
	}
	return given
}

// name is the same for clauses that differ in order.
func name[L ~uint32](clause []L) string {
	var out []rune
	for _, p := range slices.Compact(slices.Sorted(slices.Values(clause))) {
		out = append(out, rune(p))
	}
	return string(out)
}

// follow checks the steps of a refutation, up to a last clause, and counts those that are learnt.
func follow(t *testing.T, seed uint64, s *Solver, given map[string]bool, last []Lit) (learnt int) {
	t.Helper()
	live, units, said := map[uint32][]Name{}, map[Name]bool{}, map[string]bool{}
	ended := false
	for step := range s.Refutation {
		if ended {
			t.Fatalf("seed %d: step %d comes after the last clause", seed, step.ID)
		}
		if step.Label == 0 {
			learnt++
			if !follows(step, live, units, s.rec.all != nil) {
				t.Fatalf("seed %d: step %d, %v, does not follow from %v", seed, step.ID, step.Lits, step.Hints)
			}
		} else if !given[name(step.Lits)] && !shortened(step.Lits, given, units) {
			t.Fatalf("seed %d: step %d, %v, was not given", seed, step.ID, step.Lits)
		}
		if said[name(step.Lits)] {
			t.Fatalf("seed %d: step %d, %v, is said twice", seed, step.ID, step.Lits)
		}
		said[name(step.Lits)] = true
		live[step.ID] = slices.Clone(step.Lits)
		if ended = name(step.Lits) == name(last); len(step.Lits) == 1 {
			units[step.Lits[0]] = true
		}
		for _, id := range step.Done {
			delete(live, id)
		}
	}
	if !ended {
		t.Fatalf("seed %d: no step says %v", seed, last)
	}
	return learnt
}

// shortened reports whether a clause is a given one without some of what units deny.
func shortened(clause []Name, given map[string]bool, units map[Name]bool) bool {
	for g := range given {
		if slices.ContainsFunc(clause, func(p Name) bool { return !strings.ContainsRune(g, rune(p)) }) {
			continue
		}
		if !strings.ContainsFunc(g, func(p rune) bool { return !slices.Contains(clause, Name(p)) && !units[Name(p)^1] }) {
			return true
		}
	}
	return false
}

// follows takes the hints of a step one after the other.
func follows(step *Step, live map[uint32][]Name, units map[Name]bool, several bool) bool {
	denied := map[Name]bool{}
	for _, p := range step.Lits {
		denied[p] = true
	}
	for p := range units {
		if several && units[p^1] {
			return true // by what holds always, of one record each
		}
	}
	for i, h := range step.Hints {
		var left []Name
		for _, p := range live[h] {
			if !denied[p] && !units[p^1] {
				left = append(left, p)
			}
		}
		if _, ok := live[h]; !ok || len(left) > 1 {
			return false
		}
		if len(left) == 0 {
			// In the record of one it takes all hints. Literals that hold always may be known
			// earlier in one that is made of several.
			return several || i == len(step.Hints)-1
		}
		denied[left[0]^1] = true
	}
	return false
}

// TestLongRecordsAreGivenUp: the search goes on without, and is the same.
func TestLongRecordsAreGivenUp(t *testing.T) {
	var conflicts []int64
	for _, most := range []int64{0, 2000, 1 << 20} {
		s := New(3)
		if most > 0 {
			s.Record(most)
			s.SetLabel(1)
		}
		rng := rand.New(rand.NewPCG(3, 18))
		for range 60 {
			s.NewBool()
		}
		for range 330 {
			s.AddClause(Lit(2+rng.IntN(120)), Lit(2+rng.IntN(120)), Lit(2+rng.IntN(120)))
		}
		if a := s.Search(context.Background(), func() bool { return false }); a != Unsatisfiable {
			t.Fatal(a)
		}
		steps := 0
		for range s.Refutation {
			steps++
		}
		if (steps > 0) != (most == 1<<20) {
			t.Errorf("%d steps where up to %d bytes may be kept", steps, most)
		}
		conflicts = append(conflicts, s.Conflicts())
	}
	if conflicts[0] != conflicts[1] || conflicts[0] != conflicts[2] {
		t.Errorf("the searches took %v conflicts", conflicts)
	}
}
