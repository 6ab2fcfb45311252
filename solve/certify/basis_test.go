package certify_test

import (
	"context"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Where a proof that there is no plan rests on some jobs, these alone have none by exhaustive
// search. Where ctx is done nothing is said of what a proof rests on.
func TestExplain(t *testing.T) {
	told, fewer := 0, 0
	for seed := range testkit.Sets[uint64](200, 4000) {
		js := gen.TodayTiny(seed)
		js.FIFO = false
		if seed%3 == 0 {
			js = gen.Coupled(js, seed, false)
		}
		r, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, Budget: 20_000, Proof: true, NoConflict: true, Objectives: []model.Objective{}})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if r.Status != model.Infeasible || len(c.Claims) == 0 {
			continue
		}
		c.Explain(t.Context())
		basis := c.Bases[0]
		if basis == nil {
			t.Errorf("seed %d: no basis", seed)
			continue
		}
		told++
		left := *js
		left.Jobs = slices.Clone(js.Jobs)
		for i := range left.Jobs {
			if !slices.Contains(basis.Jobs, model.JobID(i)) {
				left.Jobs[i].Kind, left.Jobs[i].Deadline, left.Jobs[i].Weight = model.BestEffort, 0, 0
				fewer++
			}
		}
		best, err := oracle.SolveFor(&left, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if best.Status != model.Infeasible {
			t.Errorf("seed %d: there is a plan of jobs %v", seed, basis.Jobs)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c.Explain(ctx); c.Bases[0] != nil {
			t.Errorf("seed %d: something is said though the caller has gone", seed)
		}
	}
	if told == 0 || fewer == 0 {
		t.Errorf("%d proofs explained, %d jobs left out", told, fewer)
	}
	t.Logf("%d proofs explained, %d jobs left out", told, fewer)
}
