package lcg

import "downbeat/solve/lcg/core"

// sum keeps the sum of weights of true literals at or below a limit.
type sum struct {
	lits    []core.Lit
	weights []int64
	limit   int64
}

// postSum keeps the sum of the weights (> 0) of those literals that are true at
// or below a limit, which may be lowered between searches.
func postSum(s *core.Solver, lits []core.Lit, weights []int64, limit int64) *int64 {
	r := &sum{lits, weights, limit}
	id := s.Add(r)
	for _, p := range lits {
		s.OnTrue(p, id)
	}
	return &r.limit
}

// Priority is first.
func (r *sum) Priority() int { return 0 }

// Propagate rules out literals that weigh more than is left.
func (r *sum) Propagate(s *core.Solver) bool {
	total, largest := int64(0), int64(0)
	for i, p := range r.lits {
		if s.IsTrue(p) {
			total += r.weights[i]
		} else if !s.IsFalse(p) {
			largest = max(largest, r.weights[i])
		}
	}
	if total <= r.limit && total+largest <= r.limit {
		return true
	}
	s.BeginExplanation()
	for _, p := range r.lits {
		if s.IsTrue(p) {
			s.Explain(p)
		}
	}
	if total > r.limit {
		return s.Imply(core.False)
	}
	for i, p := range r.lits {
		if s.Value(p) == 0 && total+r.weights[i] > r.limit {
			if !s.Imply(p.Not()) {
				return false
			}
		}
	}
	return true
}

// lateness keeps Σ weight·(v − base) at or below a limit.
type lateness struct {
	ends    []core.View
	bases   []int32
	weights []int64
	limit   int64
}

// postLateness keeps Σ weight·(end − base), with weights > 0, at or below a limit, which may be lowered
// between searches.
func postLateness(s *core.Solver, ends []core.View, bases []int32, weights []int64, limit int64) *int64 {
	r := &lateness{ends, bases, weights, limit}
	id := s.Add(r)
	for _, v := range ends {
		s.OnLower(v, id, core.False)
	}
	return &r.limit
}

// Priority is first.
func (r *lateness) Priority() int { return 0 }

// Propagate bounds each end by what the others leave.
func (r *lateness) Propagate(s *core.Solver) bool {
	total := int64(0)
	for i, v := range r.ends {
		total += r.weights[i] * int64(s.Lower(v)-r.bases[i])
	}
	if total > r.limit {
		s.BeginExplanation()
		r.explain(s, -1, total-r.limit-1)
		return s.Imply(core.False)
	}
	for i, v := range r.ends {
		rest := total - r.weights[i]*int64(s.Lower(v)-r.bases[i])
		most := (r.limit - rest) / r.weights[i]
		if int64(s.Upper(v)-r.bases[i]) > most {
			s.BeginExplanation()
			r.explain(s, i, rest-1-r.limit+r.weights[i]*(most+1))
			if !s.SetUpper(v, r.bases[i]+int32(most)) {
				return false
			}
		}
	}
	return true
}

// explain names lower bounds of all ends but one, which their sum may fall short of by
// as much as there is to spare.
func (r *lateness) explain(s *core.Solver, except int, spare int64) {
	for i, v := range r.ends {
		if i == except {
			continue
		}
		at := s.Lower(v)
		less := min(spare/r.weights[i], int64(at-r.bases[i]))
		spare -= less * r.weights[i]
		if at -= int32(less); at > r.bases[i] {
			s.ExplainLower(v, at)
		}
	}
}
