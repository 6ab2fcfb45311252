package cnf

import "github.com/irifrance/gini/z"

// Linear asks that the coefficients, all ≥ 1, of those of Lits that are true add up to at
// most Most.
type Linear struct {
	Lits         []z.Lit
	Coefficients []int64
	Most         int64
}

// KeepSums makes constraints of their own of what is added from now on and would be counted
// by clauses, for solvers that add up themselves. Clauses alone do not say all then.
func (f *Formula) KeepSums() { f.keepSums = true }

// Sums are the constraints that were kept.
func (f *Formula) Sums() []Linear { return f.sums }

// addLinear keeps a constraint on literals that are no constants; of a nil list all
// coefficients are 1.
func (f *Formula) addLinear(lits []z.Lit, coefficients []int64, most int64) {
	if f.stopped {
		return
	}
	l := Linear{Lits: append([]z.Lit(nil), lits...), Coefficients: append([]int64(nil), coefficients...), Most: most}
	if coefficients == nil {
		for range lits {
			l.Coefficients = append(l.Coefficients, 1)
		}
	}
	f.sums = append(f.sums, l)
}

// keepSum is addLinear where literals may be constants, and the sum may be no constraint.
func (f *Formula) keepSum(lits []z.Lit, coefficients []int64, most int64) {
	var free []z.Lit
	var of []int64
	total := int64(0)
	for i, m := range lits {
		switch m {
		case True:
			most -= coefficients[i]
		case False:
		default:
			free, of, total = append(free, m), append(of, coefficients[i]), total+coefficients[i]
		}
	}
	switch {
	case most < 0:
		f.Add()
	case total > most:
		f.addLinear(free, of, most)
	}
}

// Bound adds terms to a base, as NewSum does, and asks for at most limit. What it answers can
// bound the sum further, but not where sums are kept.
func (f *Formula) Bound(base int64, terms [][]Step, limit int64) *Sum {
	if !f.keepSums {
		sum := f.NewSum(base, terms, limit)
		f.Add(sum.AtMost(limit))
		return sum
	}
	costs := Costs(terms)
	lits, weights := make([]z.Lit, len(costs)), make([]int64, len(costs))
	for i, c := range costs {
		lits[i], weights[i] = c.Lit, c.Weight
	}
	f.keepSum(lits, weights, limit-base)
	return &Sum{base: base}
}

// Cost is what it costs that a literal is true.
type Cost struct {
	Weight int64
	Lit    z.Lit
}

// Costs are what terms add up to as costs of single literals: a step costs what it has more
// than the one before.
func Costs(terms [][]Step) []Cost {
	var out []Cost
	for _, steps := range terms {
		below := int64(0)
		for _, st := range steps {
			out = append(out, Cost{st.Value - below, st.At})
			below = st.Value
		}
	}
	return out
}
