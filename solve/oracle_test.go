package solve

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// tinySets is how many random tiny job sets are held against exhaustive search: what
// DOWNBEAT_TINY asks for, and fewer for the race detector, which sees the same goroutines in each.
// Their seeds begin with DOWNBEAT_SEED.
func tinySets(t *testing.T) uint64 {
	t.Helper()
	if testkit.Race() {
		return testkit.Tiny(t, 100, 1500)
	}
	return testkit.Tiny(t, 400, 1500)
}

// TestPlanAgreesWithExhaustiveSearch compares status and optimum on random
// tiny job sets with every feature of the model.
func TestPlanAgreesWithExhaustiveSearch(t *testing.T) {
	statuses := map[model.Status]int{}
	proofs := map[model.Proof]int{}
	for seed := range testkit.Seeds(t, 2*tinySets(t)) {
		workers := 1 + int(seed/2%2)
		if testkit.Race() && workers == 1 {
			continue
		}
		js := gen.Tiny(seed / 2)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed / 2)
		}
		want, err := oracle.Solve(js)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := Plan(context.Background(), js, Options{Seed: seed, Workers: workers})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agree(js, got, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		statuses[got.Status]++
		proofs[got.Proof]++
	}
	t.Logf("statuses %v, proofs %v", statuses, proofs)
	for _, s := range []model.Status{model.Optimal, model.Feasible, model.Infeasible} {
		if statuses[s] == 0 {
			t.Errorf("no job set was %s", s)
		}
	}
}

func agree(js *model.JobSet, got *Result, want oracle.Answer) error {
	if got.Status != want.Status {
		return fmt.Errorf("status %s, exhaustive search says %s", got.Status, want.Status)
	}
	if got.Status == model.Infeasible {
		if got.Conflict == nil || !got.Conflict.Irreducible {
			return fmt.Errorf("conflict %+v is not irreducible", got.Conflict)
		}
		return nil
	}
	for p, o := range got.Objectives {
		if o.Value != want.Values[p] || o.Bound == nil || *o.Bound != o.Value {
			return fmt.Errorf("%s: value %d, exhaustive search says %d", o.Name, o.Value, want.Values[p])
		}
	}
	return check.Schedule(js, got.Schedule, false).Err()
}

// TestFormulasAgreeWithExhaustiveSearch asks the SAT solver alone, without
// list schedules or counting bounds: a formula must be satisfiable at the
// optimum, by a valid plan of that value, and refuted one below.
func TestFormulasAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	goals := [][]model.Objective{
		nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan},
		{model.Misses, model.Tardiness}, {model.Tardiness, model.Misses}, {model.Misses, model.Makespan},
		{model.Makespan, model.WeightedTardiness}, {model.WeightedTardiness, model.Misses, model.Makespan},
		{model.HardMisses}, {model.HardMisses, model.Misses, model.Tardiness}, {model.HardMisses, model.Makespan},
	}
	refuted := 0
	for seed := range testkit.Seeds(t, 2*tinySets(t)) {
		js := gen.Tiny(1_000_000 + seed/2)
		if seed%2 == 1 {
			js = gen.TodayTiny(1_000_000 + seed/2)
		}
		goal := goals[seed/2%uint64(len(goals))]
		relaxed := len(goal) > 0 && goal[0] == model.HardMisses
		want, err := oracle.SolveFor(js, goal, relaxed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		n, err := formulasAgree(js, goal, want)
		if err != nil {
			t.Errorf("seed %d, goal %v: %v", seed, goal, err)
		}
		refuted += n
	}
	t.Logf("%d formulas refuted", refuted)
	if refuted == 0 {
		t.Error("no formula was refuted")
	}
}

func formulasAgree(js *model.JobSet, goal []model.Objective, want oracle.Answer) (refuted int, err error) {
	relaxed := slices.Contains(goal, model.HardMisses)
	ask := func(lim query.Limits) (lcg.Answer, error) {
		enc, err := exact.Formula(context.Background(), query.Within(js, relaxed, lim), &exact.Options{})
		if err != nil {
			return lcg.Unknown, err
		}
		e := exact.NewSolver(enc, 0)
		a := e.Solve(context.Background(), nil)
		if a == lcg.Satisfiable {
			plan := heuristics.Complete(js, e.Plan())
			finishes := js.Finishes(plan)
			for o, v := range lim {
				if got := js.Value(o, finishes); got > v {
					return a, fmt.Errorf("a plan for %s ≤ %d has %d", o, v, got)
				}
			}
			return a, check.Schedule(js, plan, relaxed).Err()
		}
		return a, nil
	}
	lim := query.Limits{}
	a, err := ask(lim)
	if err != nil {
		return 0, err
	}
	if (a == lcg.Unsatisfiable) != (want.Status == model.Infeasible) {
		return 0, fmt.Errorf("answer %d, exhaustive search says %s", a, want.Status)
	}
	if a == lcg.Unsatisfiable {
		return 1, nil
	}
	for p, o := range goal {
		for _, below := range []int64{1, 0} {
			lim[o] = want.Values[p] - below
			if lim[o] < 0 {
				continue
			}
			a, err := ask(lim)
			if err != nil {
				return refuted, err
			}
			if wantSat := below == 0; wantSat != (a == lcg.Satisfiable) {
				return refuted, fmt.Errorf("%s ≤ %d: answer %d, the optimum is %d", o, lim[o], a, want.Values[p])
			}
			refuted += int(below)
		}
	}
	return refuted, nil
}
