package cnf

import (
	"maps"
	"slices"

	"github.com/irifrance/gini/z"
)

// Step is one value that a sum's term can reach: At holds if the term is at
// least Value.
type Step struct {
	Value int64
	At    z.Lit
}

// Sum is a weighted sum in unary: literals for "the sum is at least v".
type Sum struct {
	base  int64  // what the sum has in every case
	steps []Step // ascending values above base
}

// AtMost is a literal that, assumed or asserted, keeps the sum at or below k;
// True if the sum cannot exceed k, False if it always does.
func (s *Sum) AtMost(k int64) z.Lit {
	if k < s.base {
		return False
	}
	for _, st := range s.steps {
		if s.base+st.Value > k {
			return st.At.Not()
		}
	}
	return True
}

// NewSum adds terms to a base with a generalised totalizer (Joshi, Martins,
// Manquinho, CP 2015); values above limit count as limit+1. A term's steps are
// ascending, and each implies the ones below. Only "at least" is implied, so
// AtMost is exact while a step may be true without need. Where the base alone
// exceeds the limit the terms are left away.
func (f *Formula) NewSum(base int64, terms [][]Step, limit int64) *Sum {
	if len(terms) == 0 || base > limit {
		return &Sum{base: base}
	}
	for len(terms) > 1 {
		var merged [][]Step
		for i := 0; i+1 < len(terms); i += 2 {
			merged = append(merged, f.merge(terms[i], terms[i+1], limit-base))
		}
		if len(terms)%2 == 1 {
			merged = append(merged, terms[len(terms)-1])
		}
		terms = merged
	}
	return &Sum{base: base, steps: terms[0]}
}

// merge is the sum of two terms, clipped at limit+1.
func (f *Formula) merge(a, b []Step, limit int64) []Step {
	values := sumValues(stepValues(a), stepValues(b), limit)
	out := make([]Step, len(values))
	index := make(map[int64]z.Lit, len(values))
	for i, v := range values {
		out[i] = Step{v, f.Lit()}
		index[v] = out[i].At
		if i > 0 {
			f.Add(out[i].At.Not(), out[i-1].At)
		}
	}
	clip := func(v int64) z.Lit { return index[min(v, limit+1)] }
	for _, x := range a {
		f.Add(x.At.Not(), clip(x.Value))
		for _, y := range b {
			f.Add(x.At.Not(), y.At.Not(), clip(x.Value+y.Value))
		}
	}
	for _, y := range b {
		f.Add(y.At.Not(), clip(y.Value))
	}
	return out
}

func stepValues(steps []Step) []int64 {
	values := make([]int64, len(steps))
	for i, s := range steps {
		values[i] = s.Value
	}
	return values
}

// sumValues lists, ascending, the sums that two terms can reach together,
// clipped at limit+1. 0 is not listed.
func sumValues(a, b []int64, limit int64) []int64 {
	seen := map[int64]bool{}
	for _, x := range append([]int64{0}, a...) {
		for _, y := range append([]int64{0}, b...) {
			if v := min(x+y, limit+1); v > 0 {
				seen[v] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// SumClauses is the number of clauses that NewSum adds for terms that reach the
// given values, with a limit above its base; it stops counting above stop.
func SumClauses(terms [][]int64, limit, stop int64) int64 {
	total := int64(0)
	for len(terms) > 1 && total <= stop {
		var merged [][]int64
		for i := 0; i+1 < len(terms); i += 2 {
			a, b := int64(len(terms[i])), int64(len(terms[i+1]))
			total += a*b + a + b
			if total > stop {
				return total
			}
			values := sumValues(terms[i], terms[i+1], limit)
			total += int64(len(values))
			merged = append(merged, values)
		}
		if len(terms)%2 == 1 {
			merged = append(merged, terms[len(terms)-1])
		}
		terms = merged
	}
	return total
}

// AtMostSum asks that the needs ≥ 1 of those of lits that are true add up to at
// most k ≥ 0. Equal needs are counted; others are added up by a Sum, the size of
// which depends on the different sums that they make, not on k.
func (f *Formula) AtMostSum(lits []z.Lit, needs []int64, k int64) {
	if allEqual(needs) {
		f.AtMost(lits, int(share(needs, k)))
		return
	}
	if f.keepSums {
		f.keepSum(lits, needs, k)
		return
	}
	terms := make([][]Step, len(lits))
	for i, m := range lits {
		terms[i] = []Step{{Value: needs[i], At: m}}
	}
	f.Add(f.NewSum(0, terms, k).AtMost(k))
}

// AtMostSumClauses bounds the clauses that AtMostSum adds; it stops counting
// above stop.
func AtMostSumClauses(needs []int64, k, stop int64) int64 {
	if allEqual(needs) {
		return AtMostClauses(int64(len(needs)), share(needs, k))
	}
	terms := make([][]int64, len(needs))
	for i := range needs {
		terms[i] = needs[i : i+1]
	}
	return SumClauses(terms, k, stop) + 1
}

func allEqual(needs []int64) bool {
	return !slices.ContainsFunc(needs, func(need int64) bool { return need != needs[0] })
}

// share is how many of equal needs fit into k.
func share(needs []int64, k int64) int64 {
	if len(needs) == 0 {
		return k
	}
	return k / needs[0]
}
