package lcg

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/solve/lcg/core"
)

// TestSums finds the least limit that a few literals and ends can keep if some of
// the literals have to hold and the ends have lower bounds: the sum of these.
func TestSums(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 14))
		var weights []int64
		var holds []bool
		var lows []int32
		least, late := int64(0), int64(0)
		for range 2 + rng.IntN(6) {
			weights = append(weights, 1+rng.Int64N(5))
			holds = append(holds, rng.IntN(2) == 0)
			lows = append(lows, rng.Int32N(5))
			if holds[len(holds)-1] {
				least += weights[len(weights)-1]
			}
			late += weights[len(weights)-1] * int64(lows[len(lows)-1])
		}
		for limit := range 2 * (least + 1) {
			if got := sumWithin(seed, holds, weights, limit); got != (limit >= least) {
				t.Errorf("seed %d: a sum of %d is within %d: %v", seed, least, limit, got)
			}
		}
		for limit := range 2 * (late + 1) {
			for _, inPairs := range []bool{false, true} {
				if got := lateWithin(seed, lows, weights, limit, inPairs); got != (limit >= late) {
					t.Errorf("seed %d: a lateness of %d is within %d: %v", seed, late, limit, got)
				}
			}
		}
	}
}

// sumWithin chooses literals, of which some have to hold, so that their weights
// are within a limit.
func sumWithin(seed uint64, holds []bool, weights []int64, limit int64) bool {
	s := core.New(seed)
	s.Check = true
	var lits []core.Lit
	for _, must := range holds {
		p, also := s.NewBool(), s.NewBool()
		s.TryFirst(p)
		if must { // which only a decision shows
			s.AddClause(p, also)
			s.AddClause(p, also.Not())
		}
		lits = append(lits, p)
	}
	postSum(s, lits, weights, limit)
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false
	}
	total := int64(0)
	for i, p := range lits {
		if s.IsTrue(p) {
			total += weights[i]
		}
	}
	return total <= limit
}

// lateWithin chooses ends of 10 and more, as late as they are, so that the
// weighted lateness is within a limit, by one sum or by sums of two.
func lateWithin(seed uint64, lows []int32, weights []int64, limit int64, inPairs bool) bool {
	s := core.New(seed)
	s.Check = true
	var ends []core.View
	bases := make([]int32, len(lows))
	for i, low := range lows {
		end := s.NewInt(10, 30)
		s.TryValue(end, 30)
		postPrecedence(s, []core.View{s.NewInt(10+low, 30)}, end)
		ends, bases[i] = append(ends, end), 10
	}
	of := terms{ends, bases, weights}
	if inPairs {
		of = pairwise(s, of, int32(limit))
	}
	postLateness(s, of, limit)
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false
	}
	total := int64(0)
	for i, end := range ends {
		total += weights[i] * int64(s.Lower(end)-bases[i])
	}
	return total <= limit
}
