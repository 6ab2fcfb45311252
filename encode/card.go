package encode

import "github.com/irifrance/gini/z"

// atMost asks that at most k ≥ 0 of lits are true. A literal that is True
// takes one of the k.
func (f *Formula) atMost(lits []z.Lit, k int) {
	free := lits[:0:0]
	for _, m := range lits {
		switch m {
		case True:
			k--
		case False:
		default:
			free = append(free, m)
		}
	}
	switch n := len(free); {
	case k < 0:
		f.Add()
	case n <= k:
	case k == 0:
		for _, m := range free {
			f.Add(m.Not())
		}
	case n == k+1:
		for i, m := range free {
			free[i] = m.Not()
		}
		f.Add(free...)
	default:
		f.sequentialCounter(free, k)
	}
}

// sequentialCounter is Sinz's encoding of "at most k of lits", 0 < k < n−1:
// count[c] after literal i means "at least c+1 of the first i are true".
func (f *Formula) sequentialCounter(lits []z.Lit, k int) {
	var count []z.Lit
	for i, m := range lits {
		if len(count) == k {
			f.Add(m.Not(), count[k-1].Not())
		}
		if i == len(lits)-1 {
			break
		}
		width := min(i+1, k)
		next := make([]z.Lit, width)
		for c := range next {
			next[c] = f.Lit()
			if c < len(count) {
				f.Add(count[c].Not(), next[c])
			}
			if c == 0 {
				f.Add(m.Not(), next[0])
			} else {
				f.Add(m.Not(), count[c-1].Not(), next[c])
			}
		}
		count = next
	}
}

// atMostClauses bounds the clauses that atMost adds for n literals.
func atMostClauses(n, k int64) int64 {
	switch {
	case n <= k:
		return 0
	case k <= 0:
		return n + 1
	case n == k+1:
		return 1
	default:
		return n + 2*n*k
	}
}

// step is one value that a sum's term can reach: at holds if the term is at
// least value.
type step struct {
	value int64
	at    z.Lit
}

// Sum is a weighted sum in unary: literals for "the sum is at least v".
type Sum struct {
	base  int64  // what the sum has in every case
	steps []step // ascending values above base
}

// Base is what the sum comes to at least.
func (s *Sum) Base() int64 { return s.base }

// AtMost is a literal that, assumed or asserted, keeps the sum at or below k;
// True if the sum cannot exceed k, False if it always does.
func (s *Sum) AtMost(k int64) z.Lit {
	if k < s.base {
		return False
	}
	for _, st := range s.steps {
		if s.base+st.value > k {
			return st.at.Not()
		}
	}
	return True
}

// newSum adds up terms with a generalised totalizer (Joshi, Martins, Manquinho,
// CP 2015), values clipped at limit+1. A term's steps are ascending, and each
// implies the ones below. Only "at least" is implied, so AtMost is exact while
// a step may be true without need.
func (f *Formula) newSum(terms [][]step, limit int64) *Sum {
	for len(terms) > 1 {
		var merged [][]step
		for i := 0; i+1 < len(terms); i += 2 {
			merged = append(merged, f.merge(terms[i], terms[i+1], limit))
		}
		if len(terms)%2 == 1 {
			merged = append(merged, terms[len(terms)-1])
		}
		terms = merged
	}
	if len(terms) == 0 {
		return &Sum{}
	}
	return &Sum{steps: terms[0]}
}

func (f *Formula) merge(a, b []step, limit int64) []step {
	values := sumValues(stepValues(a), stepValues(b), limit)
	out := make([]step, len(values))
	index := make(map[int64]z.Lit, len(values))
	for i, v := range values {
		out[i] = step{v, f.Lit()}
		index[v] = out[i].at
		if i > 0 {
			f.Add(out[i].at.Not(), out[i-1].at)
		}
	}
	clip := func(v int64) z.Lit { return index[min(v, limit+1)] }
	for _, x := range a {
		f.Add(x.at.Not(), clip(x.value))
		for _, y := range b {
			f.Add(x.at.Not(), y.at.Not(), clip(x.value+y.value))
		}
	}
	for _, y := range b {
		f.Add(y.at.Not(), clip(y.value))
	}
	return out
}

func stepValues(steps []step) []int64 {
	values := make([]int64, len(steps))
	for i, s := range steps {
		values[i] = s.value
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
	return sortedKeys(seen)
}

// sumClauses is the number of clauses that newSum adds for terms that reach the
// given values; it stops counting above stop.
func sumClauses(terms [][]int64, limit, stop int64) int64 {
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
