package solve

import (
	"fmt"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/exact"
)

// Each engine alone, and gini guided in each order, comes to what exhaustive
// search says; lcg says nothing of job sets with fifo.
func TestEachEngineAlone(t *testing.T) {
	for _, opt := range []exact.Options{
		{Engine: exact.LCG}, {Engine: exact.Gini},
		{Engine: exact.Gini, Order: []string{"edf"}}, {Engine: exact.Gini, Order: []string{"llf"}}, {Engine: exact.Gini, Order: []string{}},
	} {
		t.Run(fmt.Sprint(exact.EngineNames()[opt.Engine], opt.Order), func(t *testing.T) {
			t.Parallel()
			searched := 0
			for seed := range testkit.Seeds(t, tinySets(t)/10) {
				js := gen.Tiny(seed / 2)
				if seed%2 == 1 {
					js = gen.TodayTiny(seed)
				}
				if js.FIFO && !opt.Allows(exact.Gini) {
					continue
				}
				want, err := oracle.Solve(js)
				if err != nil {
					t.Fatal(err)
				}
				got := mustPlan(t, js, Options{Seed: seed, Workers: 1 + int(seed/2%2), Exact: opt})
				if err := agree(js, got, want); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if got.Proof >= model.LCGProof {
					searched++
				}
			}
			if searched == 0 && tinySets(t) >= 1000 {
				t.Error("no answer was settled by search")
			}
		})
	}
}

// The small families, by either engine alone.
func TestEachEngineOnSmallFamilies(t *testing.T) {
	testkit.OneGoroutine(t)
	budget, settled := testkit.Sets(int64(1000), 4000), 0
	for _, family := range []string{"tight", "tardiness", "infeasible", "misses"}[:testkit.Sets(2, 4)] {
		for seed := range testkit.Sets[uint64](1, 2) {
			js, _, err := gen.Family(family, seed)
			if err != nil {
				t.Fatal(err)
			}
			both := mustPlan(t, js, Options{Seed: 1, Workers: 1, Budget: budget, NoConflict: true})
			for _, engine := range []exact.Engine{exact.LCG, exact.Gini} {
				r := mustPlan(t, js, Options{Seed: 1, Workers: 1, Budget: budget, NoConflict: true, Exact: exact.Options{Engine: engine}})
				if r.Status != model.Unknown && both.Status != model.Unknown && (r.Status == model.Infeasible) != (both.Status == model.Infeasible) {
					t.Errorf("%s: %s by %s alone, %s by both", js.Name, r.Status, exact.EngineNames()[engine], both.Status)
				}
				if r.Status == model.Optimal && both.Status == model.Optimal && len(r.Objectives) > 0 && r.Objectives[0].Value != both.Objectives[0].Value {
					t.Errorf("%s: %v by %s alone, %v by both", js.Name, r.Objectives[0], exact.EngineNames()[engine], both.Objectives[0])
				}
				if r.Status != model.Unknown && both.Status != model.Unknown {
					settled++
				}
			}
		}
	}
	if settled == 0 {
		t.Error("nothing to compare")
	}
}
