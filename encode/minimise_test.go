package encode

import (
	"math"
	"testing"

	"downbeat/encode/cnf"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/minizinc"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// TestCosts: what the cheapest model of a formula costs, above its base, is what the best
// schedule comes to that a formula without costs allows, asked value by value.
func TestCosts(t *testing.T) {
	counted := map[model.Objective]int{}
	for seed := range testkit.Sets[uint64](28, 400) {
		js := gen.Tiny(seed)
		if seed%4 == 0 {
			js = gen.TodayTiny(seed)
		}
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}[seed%4 : seed%4+1] {
			lim := limitsFor(js, o)
			e, err := BuildForm(t.Context(), query.Within(js, false, lim), Form{Minimize: []model.Objective{o}}, math.MaxInt32)
			if err != nil {
				t.Fatal(err)
			}
			best, ok := cheapest(t, e)
			if !ok {
				continue
			}
			counted[o]++
			if asked(t, js, o, lim, best-1) || !asked(t, js, o, lim, best) {
				t.Errorf("seed %d: the cheapest solution has %s %d, which is not the best", seed, o, best)
			}
		}
	}
	for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
		if counted[o] < 2 {
			t.Errorf("only %d sets by %s", counted[o], o)
		}
	}
}

// limitsFor are limits that keep an optimum of an objective.
func limitsFor(js *model.JobSet, o model.Objective) query.Limits {
	horizon := int64(minizinc.Horizon(js))
	switch o {
	case model.Misses:
		return query.Limits{o: 1 << 20}
	case model.WeightedTardiness:
		return query.Limits{model.Tardiness: horizon, o: 1 << 20}
	default:
		return query.Limits{o: horizon}
	}
}

// cheapest is the least total cost of a model, its base included; false if there is no model.
func cheapest(t *testing.T, e *Encoding) (int64, bool) {
	t.Helper()
	cost := e.Costs()[0]
	var terms [][]cnf.Step
	for _, l := range cost.Literals {
		terms = append(terms, []cnf.Step{{Value: l.Weight, At: l.Lit}})
	}
	sum := e.NewSum(cost.Base, terms, math.MaxInt32)
	s := &solver{f: e.Formula}
	if !s.ask(t) {
		return 0, false
	}
	for v := cost.Base; ; v++ {
		if s.ask(t, sum.AtMost(v)) {
			return v, true
		}
	}
}

// asked tells whether a schedule has an objective of at most v.
func asked(t *testing.T, js *model.JobSet, o model.Objective, lim query.Limits, v int64) bool {
	t.Helper()
	if v < 0 {
		return false
	}
	bounded := query.Limits{}
	for name, limit := range lim {
		bounded[name] = limit
	}
	bounded[o] = v
	e, err := Build(t.Context(), query.Within(js, false, bounded), math.MaxInt32)
	if err != nil {
		t.Fatal(err)
	}
	return (&solver{f: e.Formula}).ask(t)
}

// A unit of an objective outweighs all later ones, and sums that do not fit are told.
func TestTotal(t *testing.T) {
	lit := cnf.New().Lit()
	costs := []Cost{
		{model.Misses, 1, []cnf.Cost{{Weight: 2, Lit: lit}}},
		{model.Tardiness, 0, []cnf.Cost{{Weight: 1, Lit: lit}, {Weight: 1, Lit: lit.Not()}}},
		{model.Makespan, 7, []cnf.Cost{{Weight: 4, Lit: lit}}},
	}
	sum, factors, ok := Total(costs)
	if !ok || factors[0] != 15 || factors[1] != 5 || factors[2] != 1 || len(sum) != 4 || sum[3].Weight != 30 {
		t.Errorf("factors %v, sum %v, %t", factors, sum, ok)
	}
	costs[2].Literals[0].Weight = math.MaxInt64 / 8
	if _, _, ok := Total(costs); ok {
		t.Error("a sum that does not fit was made")
	}
	if sum, factors, ok := Total(nil); len(sum)+len(factors) > 0 || !ok {
		t.Error("no objectives have a sum")
	}
}
