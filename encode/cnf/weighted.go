package cnf

import "github.com/irifrance/gini/z"

// AtMostSum asks that the needs ≥ 1 of those of lits that are true add up to at
// most k ≥ 0. Equal needs are counted; others are added up by a Sum, the size of
// which depends on the different sums that they make, not on k.
func (f *Formula) AtMostSum(lits []z.Lit, needs []int64, k int64) {
	if allEqual(needs) {
		f.AtMost(lits, int(share(needs, k)))
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
	for _, need := range needs {
		if need != needs[0] {
			return false
		}
	}
	return true
}

// share is how many of equal needs fit into k.
func share(needs []int64, k int64) int64 {
	if len(needs) == 0 {
		return k
	}
	return k / needs[0]
}
