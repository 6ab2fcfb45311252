package lcg_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// TestWhatPropagationRefutesHasNoPlan: a search answers the same afterwards, and propagates no further once its context is done.
func TestWhatPropagationRefutesHasNoPlan(t *testing.T) {
	answers, refuted := map[lcg.Answer]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 29))
		js := gen.TodayTiny(9_000_000 + seed)
		js.FIFO = false
		q := query.Within(js, false, drawLimits(js, rng))
		want, _, err := lcg.Solve(t.Context(), q, lcg.Options{Seed: seed})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s, err := lcg.New(t.Context(), q, lcg.Options{Seed: seed}.Named())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if a := s.Propagate(ended); a != lcg.Unknown {
			t.Errorf("seed %d: answer %d in no time", seed, a)
		}
		answers[want]++
		switch s.Propagate(t.Context()) {
		case lcg.Unsatisfiable:
			refuted++
			if want != lcg.Unsatisfiable {
				t.Errorf("seed %d: propagation refutes what has answer %d", seed, want)
			}
		case lcg.Satisfiable:
			t.Errorf("seed %d: a plan without a decision", seed)
		}
		if a, _ := s.Run(t.Context(), nil); a != want {
			t.Errorf("seed %d: answer %d after propagation, %d without", seed, a, want)
		}
	}
	t.Logf("answers %v, %d refuted by propagation", answers, refuted)
	if refuted < 10 || answers[lcg.Unsatisfiable] == refuted || answers[lcg.Satisfiable] < 10 {
		t.Error("the sets are one-sided")
	}
}
