package lcg

import "downbeat/solve/lcg/core"

// precedence keeps each of before at or below after.
type precedence struct {
	before []core.View
	after  core.View
}

// postPrecedence keeps each of before at or below after.
func postPrecedence(s *core.Solver, before []core.View, after core.View) {
	id := s.Add(&precedence{before, after})
	for _, b := range before {
		s.OnLower(b, id, core.False)
	}
	s.OnUpper(after, id, core.False)
}

// Priority is first.
func (r *precedence) Priority() int { return 0 }

// Propagate passes bounds on.
func (r *precedence) Propagate(s *core.Solver) bool {
	for _, b := range r.before {
		if at := s.Lower(b); at > s.Lower(r.after) {
			s.BeginExplanation()
			s.ExplainLower(b, at)
			if !s.SetLower(r.after, at) {
				return false
			}
		}
		if at := s.Upper(r.after); at < s.Upper(b) {
			s.BeginExplanation()
			s.ExplainUpper(r.after, at)
			if !s.SetUpper(b, at) {
				return false
			}
		}
	}
	return true
}
