package energy

import (
	"context"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// TestClimbSpares: subsets without an overload at a lower value have none at greater ones.
func TestClimbSpares(t *testing.T) {
	spared := 0
	for seed := range testkit.Sets[uint64](200, 5000) {
		js := gen.Small(seed, 12)
		if seed%2 == 0 {
			js, _, _ = gen.Family("jobshop-8x6", seed)
		}
		p := newProver(t.Context(), js)
		for _, o := range []model.Objective{model.Makespan, model.Tardiness} {
			test := func(v model.Time) *proof.Overload {
				spared += len(p.spared)
				return p.refute(query.AtMost(js, o, v))
			}
			want, _ := climb(1, test)
			if v, _ := p.climb(1, test); v != want {
				t.Errorf("seed %d, %s: %d is the greatest value that is refuted, not %d", seed, o, v, want)
			}
		}
	}
	if spared == 0 {
		t.Error("nothing was spared")
	}
}

// TestLargeBoundIsRecheckedAtTheEnd: a bound that was found when the time was up counts, of 10,000 tasks as well.
func TestLargeBoundIsRecheckedAtTheEnd(t *testing.T) {
	js, _, err := gen.Family("jobshop-100x100", 1)
	if err != nil {
		t.Fatal(err)
	}
	v, c := Makespan(t.Context(), js)
	ended, end := context.WithCancel(t.Context())
	end()
	if again, _, err := Recheck(ended, js, c); v < 6000 || again != v || err != nil {
		t.Errorf("a bound of %d is one of %d when the time is up: %v", v, again, err)
	}
}
