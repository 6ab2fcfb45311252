package incumbent

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// given is what plans keep after objectives that are closed, which is known of them, or kept open ([Incumbent.Keep]), which is asked of them.
type given struct {
	// proof is what that rests on, why says it; none before anything is known.
	proof model.Proof
	why   string
	// kept is how many of the first objectives no plan of JS has worse values of than those at which they are closed or kept.
	kept int
}

// Narrow has soft jobs be hard from now on, which are in time in every plan with objective p, which is on late jobs, at the value at which it is closed: all that
// is known of due times then holds for those after it. by is what that rests on, and why says it. No strategy may be at work.
func (s *Incumbent) Narrow(p int, jobs []model.JobID, by model.Proof, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given.proof, s.given.why = max(s.given.proof, by), why
	s.harden(p, jobs)
}

// harden has jobs be hard that are in time in the best plan, where objective p, closed or kept open, is to stay as it is there; s.mu is held.
func (s *Incumbent) harden(p int, jobs []model.JobID) {
	js := *s.JS
	js.Jobs = slices.Clone(js.Jobs)
	for _, i := range jobs {
		js.Jobs[i].Kind = model.Hard
	}
	if finishes := js.Finishes(s.best); js.Value(model.HardMisses, finishes) > 0 || js.Value(s.Goal[p], finishes) != s.values[p] {
		s.failLocked(fmt.Errorf("%s: jobs that are to be in time at %d are late in the best plan", s.Goal[p], s.values[p]))
		return
	}
	s.JS = &js
	may, shape := int64(0), s.Goal[p].Shape()
	for i := range js.Jobs {
		if job := &js.Jobs[i]; shape.Jobs.Has(job.Kind) {
			may += shape.Weight(job)
		}
	}
	if s.given.kept == p && may <= s.values[p] {
		s.given.kept++
	}
}

// First reports whether p is an objective that has none before it of which plans of JS could have worse values than those at which they are closed or kept.
func (s *Incumbent) First(p int) bool { return p != AnyPlan && p <= s.given.kept }
