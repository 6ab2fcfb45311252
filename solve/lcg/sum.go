package lcg

// sumRule keeps the sum of weights of true literals at or below a limit.
type sumRule struct {
	lits    []lit
	weights []int64
	limit   int64
}

func (r *sumRule) priority() int { return 0 }

func (r *sumRule) run(s *solver) bool {
	total, largest := int64(0), int64(0)
	for i, p := range r.lits {
		if s.isTrue(p) {
			total += r.weights[i]
		} else if !s.isFalse(p) {
			largest = max(largest, r.weights[i])
		}
	}
	if total <= r.limit && total+largest <= r.limit {
		return true
	}
	s.because = s.because[:0]
	for _, p := range r.lits {
		if s.isTrue(p) {
			s.why(p)
		}
	}
	if total > r.limit {
		return s.imply(no)
	}
	for i, p := range r.lits {
		if s.vals[p] == 0 && total+r.weights[i] > r.limit {
			if !s.imply(p.not()) {
				return false
			}
		}
	}
	return true
}

// delayRule keeps Σ weight·(v − base) at or below a limit.
type delayRule struct {
	ends    []num
	bases   []int32
	weights []int64
	limit   int64
}

func (r *delayRule) priority() int { return 0 }

func (r *delayRule) run(s *solver) bool {
	total := int64(0)
	for i, v := range r.ends {
		total += r.weights[i] * int64(s.lower(v)-r.bases[i])
	}
	if total > r.limit {
		s.because = s.because[:0]
		r.why(s, -1)
		return s.imply(no)
	}
	for i, v := range r.ends {
		rest := total - r.weights[i]*int64(s.lower(v)-r.bases[i])
		most := (r.limit - rest) / r.weights[i]
		if int64(s.upper(v)-r.bases[i]) > most {
			s.because = s.because[:0]
			r.why(s, i)
			if !s.cut(v, r.bases[i]+int32(most)) {
				return false
			}
		}
	}
	return true
}

func (r *delayRule) why(s *solver, except int) {
	for i, v := range r.ends {
		if i != except {
			s.whyLower(v, s.lower(v))
		}
	}
}
