package strategy_test

import (
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestBounds: of sets with a known plan no bound exceeds the plan's value, and each
// objective has one above 0 that stages raise.
func TestBounds(t *testing.T) {
	for o, stages := range map[model.Objective]int{
		model.Misses: 1, model.Tardiness: 1, model.Makespan: 1, model.WeightedTardiness: 1,
	} {
		raised := 0
		for seed := range testkit.Sets[uint64](1, 20) {
			js, witness, err := gen.Family("misses-400", seed)
			if err != nil {
				t.Fatal(err)
			}
			w := incumbent.New(js, []model.Objective{o}, nil, nil, time.Now())
			w.Offer(witness)
			w.Begin(0)
			value, before := w.Gap(0)
			p := strategy.PoolMultipliers.Begin(&portfolio.Work{Incumbent: w, P: 0, Seed: 1}, 1)
			p.Run(t.Context(), portfolio.Slice{Units: stages})
			now, bound := w.Gap(0)
			if err := w.Err(); err != nil || bound > now || now > value {
				t.Fatalf("%s, seed %d: %d, a bound of %d (%v)", o, seed, now, bound, err)
			}
			if bound > before {
				raised++
			}
		}
		if raised == 0 {
			t.Errorf("no bound on %s was raised", o)
		}
	}
}
