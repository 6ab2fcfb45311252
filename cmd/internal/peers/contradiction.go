package peers

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// Contradictions names pairs of runs on one set that cannot both be right: one
// proved that there is no plan, or none so good, and the other has one.
func Contradictions(runs []*Run) []string {
	var found []string
	for _, a := range runs {
		for _, b := range runs {
			if a.Set == b.Set && b.Planned && a.refutes(b) {
				found = append(found, fmt.Sprintf("%s: %s says %s, %s has a plan with %v",
					a.Set.Name, a.Peer, a.proof(), b.Peer, b.Values))
			}
		}
	}
	return slices.Compact(found)
}

// refutes reports whether what a proved rules b's plan out. A bound speaks of
// plans in which all objectives before it are at their bounds.
func (a *Run) refutes(b *Run) bool {
	return a.Status == model.Infeasible ||
		slices.Compare(b.Values[:min(len(b.Values), len(a.Bounds))], a.Bounds) < 0
}

// proof is what the run proved, in words.
func (a *Run) proof() string {
	if a.Status == model.Infeasible {
		return "infeasible"
	}
	return fmt.Sprintf("at least %v", a.Bounds)
}
