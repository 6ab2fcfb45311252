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

// terms are weights (> 0) and integers above bases: Σ weight·(end − base).
type terms struct {
	ends    []core.View
	bases   []int32
	weights []int64
}

// lateness keeps a sum of terms at or below a limit or, where it is a part of another sum, at or below what that has of it.
type lateness struct {
	terms
	limit  int64
	part   core.View
	isPart bool
}

// postLateness keeps a sum at or below a limit, which may be lowered between searches.
func postLateness(s *core.Solver, of terms, limit int64) *int64 {
	r := &lateness{terms: of, limit: limit}
	r.post(s)
	return &r.limit
}

// pairwise has a sum, of up to a limit, of two terms that are sums of two, and so on: what is learnt names these few in place of the ends of many jobs
// (Abío and Stuckey, 2012, Conflict directed lazy decomposition).
func pairwise(s *core.Solver, of terms, limit int32) terms {
	for n := len(of.ends); n > 2; n = len(of.ends) {
		var sums terms
		for k := 0; k < n; k += 2 {
			end := min(k+2, n)
			r := &lateness{terms: terms{of.ends[k:end], of.bases[k:end], of.weights[k:end]}, part: s.NewInt(0, limit), isPart: true}
			s.OnUpper(r.part, r.post(s), core.False)
			sums.ends, sums.bases, sums.weights = append(sums.ends, r.part), append(sums.bases, 0), append(sums.weights, 1)
		}
		of = sums
	}
	return of
}

func (r *lateness) post(s *core.Solver) core.PropagatorID {
	id := s.Add(r)
	for _, v := range r.ends {
		s.OnLower(v, id, core.False)
	}
	return id
}

// Priority is first.
func (r *lateness) Priority() int { return 0 }

// Propagate bounds each end by what the others leave, and of a part what the whole has of it.
func (r *lateness) Propagate(s *core.Solver) bool {
	if r.isPart {
		r.limit = int64(s.Upper(r.part))
	}
	total := int64(0)
	for i, v := range r.ends {
		total += r.weights[i] * int64(s.Lower(v)-r.bases[i])
	}
	if total > r.limit {
		r.explainAbove(s, -1, total-r.limit-1)
		return s.Imply(core.False)
	}
	if r.isPart && total > int64(s.Lower(r.part)) {
		s.BeginExplanation()
		r.explain(s, -1, 0)
		if !s.SetLower(r.part, int32(total)) {
			return false
		}
	}
	for i, v := range r.ends {
		rest := total - r.weights[i]*int64(s.Lower(v)-r.bases[i])
		most := (r.limit - rest) / r.weights[i]
		if int64(s.Upper(v)-r.bases[i]) > most {
			r.explainAbove(s, i, rest-1-r.limit+r.weights[i]*(most+1))
			if !s.SetUpper(v, r.bases[i]+int32(most)) {
				return false
			}
		}
	}
	return true
}

// explainAbove explains that with any more of one end, or as it is, the sum is above its limit by more than there is to spare.
func (r *lateness) explainAbove(s *core.Solver, except int, spare int64) {
	s.BeginExplanation()
	if r.isPart {
		s.ExplainUpper(r.part, int32(r.limit))
	}
	r.explain(s, except, spare)
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
