package solve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// What is said of an infeasible set is the same from run to run with two workers too, whichever
// of them is the first to refute it.
func TestNoRepeats(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, name := range []string{"infeasible", "squeezed"} {
		for seed := range testkit.Sets(uint64(1), 2) {
			js, _, err := gen.Family(name, 2+seed)
			if err != nil {
				t.Fatal(err)
			}
			var first *Verdict
			for range testkit.Sets(2, 3) {
				v, err := Check(t.Context(), js, Options{Seed: 1, Workers: 2})
				if err != nil || v.Status != model.Infeasible {
					t.Fatalf("%s %d: %s, %v", name, 2+seed, v.Status, err)
				}
				if first == nil {
					first = v
				}
				if diff := cmp.Diff(first.Conflict.Jobs, v.Conflict.Jobs); diff != "" || first.Conflict.Proof != v.Conflict.Proof {
					t.Errorf("%s %d: another clash, by %v and %v (-first +now):\n%s", name, 2+seed, first.Conflict.Proof, v.Conflict.Proof, diff)
				}
				if diff := cmp.Diff(first.Repairs, v.Repairs); diff != "" {
					t.Errorf("%s %d: other repairs (-first +now):\n%s", name, 2+seed, diff)
				}
			}
		}
	}
}
