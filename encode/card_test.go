package encode

import (
	"math/rand/v2"
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
	f := NewFormula()
	inputs := make([]z.Lit, n)
	for i := range inputs {
		inputs[i] = f.Lit()
	}
	// The constants stand in the middle.
	lits := slices.Concat(inputs[:n/2], constants, inputs[n/2:])
	before := f.Clauses()
	f.atMost(lits, k)
	if got, most := f.Clauses()-before, atMostClauses(int64(len(lits)), int64(k)); got > most {
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
		f := NewFormula()
		lits := []z.Lit{f.Lit(), f.Lit(), True, f.Lit(), f.Lit()}
		kept := slices.Clone(lits)
		f.atMost(lits, k)
		if !slices.Equal(lits, kept) {
			t.Errorf("k=%d: literals %v became %v", k, kept, lits)
		}
	}
}

// sumCase is a random sum: terms of a few ascending steps above a base.
type sumCase struct {
	f     *Formula
	terms [][]step
	sum   *Sum
	limit int64
}

func randomSum(rng *rand.Rand) sumCase {
	c := sumCase{f: NewFormula(), limit: rng.Int64N(25)}
	for range rng.IntN(6) {
		var term []step
		value := int64(0)
		for range 1 + rng.IntN(3) {
			value += 1 + rng.Int64N(9)
			at := c.f.Lit()
			if len(term) > 0 {
				c.f.Add(at.Not(), term[len(term)-1].at)
			}
			term = append(term, step{value, at})
		}
		c.terms = append(c.terms, term)
	}
	return c
}

// eachAssignment yields every choice of levels: the literals that fix them, and
// what the terms come to.
func eachAssignment(terms [][]step, yield func(fixed []z.Lit, total int64)) {
	var walk func(i int, fixed []z.Lit, total int64)
	walk = func(i int, fixed []z.Lit, total int64) {
		if i == len(terms) {
			yield(fixed, total)
			return
		}
		for level := 0; level <= len(terms[i]); level++ {
			next, value := fixed[:len(fixed):len(fixed)], int64(0)
			for j, st := range terms[i] {
				if j < level {
					next, value = append(next, st.at), st.value
				} else {
					next = append(next, st.at.Not())
				}
			}
			walk(i+1, next, total+value)
		}
	}
	walk(0, nil, 0)
}

// TestSum: under every assignment, AtMost(k) can hold iff the sum is at most k.
// Above the limit AtMost need not forbid anything, but may not forbid too much.
func TestSum(t *testing.T) {
	const cases = 150
	clipped := 0
	for seed := range uint64(cases) {
		rng := newRand(seed)
		c := randomSum(rng)
		before := c.f.Clauses()
		c.sum = c.f.newSum(c.terms, c.limit)
		values := make([][]int64, len(c.terms))
		for i, term := range c.terms {
			values[i] = stepValues(term)
		}
		if got, most := c.f.Clauses()-before, sumClauses(values, c.limit, huge); got > most {
			t.Errorf("seed %d: %d clauses, predicted at most %d", seed, got, most)
		}
		c.sum.base = rng.Int64N(3)
		s := &solver{f: c.f}
		eachAssignment(c.terms, func(fixed []z.Lit, total int64) {
			if total > c.limit {
				clipped++
			}
			total += c.sum.Base()
			for _, k := range []int64{total - 1, total, rng.Int64N(30) - 1} {
				got := s.ask(t, append(fixed[:len(fixed):len(fixed)], c.sum.AtMost(k))...)
				if total <= k && !got || total > k && got && k <= c.limit+c.sum.Base() {
					t.Fatalf("seed %d: a sum of %d, limit %d: at most %d satisfiable: %v", seed, total, c.limit, k, got)
				}
			}
		})
	}
	if clipped == 0 {
		t.Error("no sum exceeded its limit")
	}
}

func TestSumOfNothing(t *testing.T) {
	sum := NewFormula().newSum(nil, 3)
	if sum.AtMost(0) != True || sum.AtMost(-1) != False || sum.Base() != 0 {
		t.Errorf("the empty sum is %+v", sum)
	}
}

// TestSumStopsCounting: the prediction for a sum too large to list comes back
// at once.
func TestSumStopsCounting(t *testing.T) {
	long := make([]int64, 100_000)
	for i := range long {
		long[i] = int64(i + 1)
	}
	terms := slices.Repeat([][]int64{long}, 10)
	if got := sumClauses(terms, 1<<40, 1000); got <= 1000 {
		t.Errorf("%d clauses for 10 terms of 100,000 steps", got)
	}
}
