package cnf

import "github.com/irifrance/gini/z"

// AtMost asks that at most k ≥ 0 of lits are true. A literal that is True
// takes one of the k.
func (f *Formula) AtMost(lits []z.Lit, k int) {
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
	case f.keepSums:
		f.addLinear(free, nil, int64(k))
	default:
		f.sequentialCounter(free, k)
	}
}

// sequentialCounter is the encoding of "at most k of lits", 0 < k < n−1, of Sinz
// (CP 2005):
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

// AtMostClauses bounds the clauses that AtMost adds for n literals.
func AtMostClauses(n, k int64) int64 {
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
