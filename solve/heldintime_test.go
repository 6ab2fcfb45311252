package solve

import (
	"context"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
)

// TestAfterMissesAgreesWithExhaustiveSearch: objectives after the weight of late jobs, for which jobs that can only be in time are hard, have the
// values that exhaustive search finds, and certificates know of no such jobs.
func TestAfterMissesAgreesWithExhaustiveSearch(t *testing.T) {
	goals := [][]model.Objective{
		{model.Misses, model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness}, {model.Misses, model.Makespan, model.WeightedTardiness},
		{model.Tardiness, model.Misses, model.WeightedTardiness},
	}
	held, proofs := 0, map[model.Proof]int{}
	for seed := range testkit.Seeds(t, tinySets(t)) {
		k := gen.TinyKnobs()
		k.Hard, k.BestEffort, k.Weight = 0.2, 0.1, gen.Range{Lo: 1, Hi: 4}
		k.Witness, k.Tightness = 0, gen.Range{Lo: 60, Hi: 180}
		js, _ := gen.Random(k, seed)
		goal := goals[seed%uint64(len(goals))]
		want, err := oracle.SolveFor(js, goal, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1 + int(seed/4%2), Objectives: goal, Proof: seed%16 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agree(js, got, want); err != nil {
			t.Errorf("seed %d, %v: %v", seed, goal, err)
		}
		for _, why := range got.Why {
			if !slices.ContainsFunc(why.Sentences, func(s string) bool { return strings.Contains(s, "in time in every plan") }) {
				continue
			}
			if held++; got.Certificate != nil {
				t.Errorf("seed %d: a certificate rests on what is not in it", seed)
			}
		}
		proofs[got.Proof]++
	}
	if t.Logf("%d bounds where jobs are in time in every plan, proofs %v", held, proofs); held == 0 {
		t.Error("no bound rests on jobs that are in time in every plan")
	}
}
