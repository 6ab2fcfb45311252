package cnf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/internal/testkit"
)

// sumCase is a random sum: terms of a few ascending steps above a base.
type sumCase struct {
	f     *Formula
	terms [][]Step
	sum   *Sum
	limit int64
}

func randomSum(rng *rand.Rand) sumCase {
	c := sumCase{f: New(), limit: rng.Int64N(25)}
	for range rng.IntN(6) {
		var term []Step
		value := int64(0)
		for range 1 + rng.IntN(3) {
			value += 1 + rng.Int64N(9)
			at := c.f.Lit()
			if len(term) > 0 {
				c.f.Add(at.Not(), term[len(term)-1].At)
			}
			term = append(term, Step{value, at})
		}
		c.terms = append(c.terms, term)
	}
	return c
}

// eachAssignment yields every choice of levels: the literals that fix them, and
// what the terms come to.
func eachAssignment(terms [][]Step, yield func(fixed []z.Lit, total int64)) {
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
					next, value = append(next, st.At), st.Value
				} else {
					next = append(next, st.At.Not())
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
	cases := testkit.Sets(50, 150)
	clipped := 0
	for seed := range uint64(cases) {
		rng := newRand(seed)
		c := randomSum(rng)
		before, base := c.f.Clauses(), rng.Int64N(3)
		c.sum = c.f.NewSum(base, c.terms, c.limit+base)
		values := make([][]int64, len(c.terms))
		for i, term := range c.terms {
			values[i] = stepValues(term)
		}
		if got, most := c.f.Clauses()-before, SumClauses(values, c.limit, math.MaxInt64); got > most {
			t.Errorf("seed %d: %d clauses, predicted at most %d", seed, got, most)
		}
		s := &solver{f: c.f}
		eachAssignment(c.terms, func(fixed []z.Lit, total int64) {
			if total > c.limit {
				clipped++
			}
			total += base
			for _, k := range []int64{total - 1, total, rng.Int64N(30) - 1} {
				got := s.ask(t, append(fixed[:len(fixed):len(fixed)], c.sum.AtMost(k))...)
				if total <= k && !got || total > k && got && k <= c.limit+base {
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
	sum := New().NewSum(0, nil, 3)
	if sum.AtMost(0) != True || sum.AtMost(-1) != False {
		t.Errorf("the empty sum is %+v", sum)
	}
}

// TestSumAboveItsLimit: a base above the limit leaves nothing to be said of terms.
func TestSumAboveItsLimit(t *testing.T) {
	f := New()
	sum := f.NewSum(5, [][]Step{{{Value: 1, At: f.Lit()}}, {{Value: 2, At: f.Lit()}}}, 4)
	if sum.AtMost(4) != False || f.Clauses() != 1 {
		t.Errorf("%+v, %d clauses", sum, f.Clauses())
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
	if got := SumClauses(terms, 1<<40, 1000); got <= 1000 {
		t.Errorf("%d clauses for 10 terms of 100,000 steps", got)
	}
}
