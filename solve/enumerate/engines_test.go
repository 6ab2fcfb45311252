package enumerate_test

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
)

// The oracle walks over events as enumeration does, and may share its mistakes; the
// engines go by constraints. Of the best value by enumeration they say that there is
// such a plan, and none of a better one: package lcg, or gini on a formula, which
// knows fifo too.
func TestAgainstEngines(t *testing.T) {
	asked, refuted, withoutPlan := map[bool]int{}, 0, 0
	for seed := range testkit.Sets[uint64](100, 1000) {
		js := gen.Small(seed, 4+int(seed%3))
		if seed%4 == 3 {
			js = gen.TodaySmall(seed, 5)
		}
		if seed/2%3 == 0 {
			js = gen.Coupled(js, seed, false)
		}
		o := []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}[seed/4%4]
		byLCG := seed%2 == 0 && !js.FIFO
		asked[byLCG]++
		best := bestOf(t, js, o)
		if best == nil {
			withoutPlan++
			ask(t, seed, query.Within(js, false, nil), byLCG, false)
			continue
		}
		value := js.Value(o, js.Finishes(best))
		ask(t, seed, query.Within(js, false, query.Limits{o: value}), byLCG, true)
		if value > 0 {
			refuted++
			ask(t, seed, query.Within(js, false, query.Limits{o: value - 1}), byLCG, false)
		}
	}
	if asked[true] < 20 || asked[false] < 20 || refuted < 16 || withoutPlan == 0 {
		t.Errorf("lcg was asked %d times, gini %d; %d values refuted, %d sets without a plan", asked[true], asked[false], refuted, withoutPlan)
	}
}

// ask puts a question to an engine, whose answer must be the expected one.
func ask(t *testing.T, seed uint64, q query.Question, byLCG, planned bool) {
	t.Helper()
	opt := exact.Options{}
	var answer lcg.Answer
	if byLCG {
		s, err := exact.New(t.Context(), q, &opt, seed, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		answer, _ = s.Run(t.Context(), nil)
	} else {
		formula, err := exact.Formula(t.Context(), q, &opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		answer = exact.NewSolver(formula, 0).Solve(t.Context(), func() bool { return false })
	}
	if want := map[bool]lcg.Answer{true: lcg.Satisfiable, false: lcg.Unsatisfiable}[planned]; answer != want {
		t.Errorf("seed %d, by lcg %t: answer %d, not %d", seed, byLCG, answer, want)
	}
}
