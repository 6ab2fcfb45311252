package certify

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/energy"
	"downbeat/solve/lagrange"
	"downbeat/solve/pooled"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// accept has the checker go through a claim.
func accept(t *testing.T, js *model.JobSet, c Claim) error {
	t.Helper()
	var text bytes.Buffer
	if err := (&Certificate{JS: js, Unit: 1, Claims: []Claim{c}}).Write(&text); err != nil {
		t.Fatal(err)
	}
	_, err := inference.CheckFile(t.Context(), js, &text)
	return err
}

// arguments finds arguments of all kinds about a set, and hands on what each claims, with
// the refutation that it makes, nil if it makes none.
func arguments(t *testing.T, js *model.JobSet, yield func(kind string, c Claim)) {
	t.Helper()
	ctx := t.Context()
	bound := func(kind string, o model.Objective, least int64, by func(q query.Question) *proof.Refutation) {
		q := query.Within(js, o == model.HardMisses, query.Limits{o: least - 1})
		yield(kind+", "+o.String(), Claim{inference.Claim{Objective: o, Least: least}, by(q)})
	}
	tree := func(b *proof.Branching) func(q query.Question) *proof.Refutation {
		return func(q query.Question) *proof.Refutation { return byBranching(ctx, js, q, b, nil) }
	}
	for _, o := range []model.Objective{model.Misses, model.HardMisses} {
		weights := strategy.LateWeights(js, o)
		most := int64(0)
		for _, w := range weights {
			most += w
		}
		if d, least := lagrange.LateWeight(ctx, js, query.AtMost(js, o, 0), weights, most, &lagrange.Extent{Steps: 300}); least > 0 {
			bound("prices", o, least, tree(&proof.Branching{Bound: d}))
		}
	}
	if d, due := lagrange.WeightedTardiness(ctx, js, 40, &lagrange.Extent{Steps: 300}); d != nil {
		if least, err := inference.WeightedTardiness(ctx, js, 39, due, d); err == nil && least > 0 {
			bound("prices", model.WeightedTardiness, least, tree(&proof.Branching{Bound: d}))
		}
	}
	alone := slices.Max(window.CriticalPaths(ctx, js))
	for _, o := range []model.Objective{model.Tardiness, model.Makespan} {
		from := model.Time(0)
		if o == model.Makespan {
			from = alone
		}
		for v := from; v < from+9; v += 3 {
			if b, _ := lagrange.NewRefutation(ctx, js, query.AtMost(js, o, v), v%2 == 1).Run(200_000, nil); b != nil {
				bound("branching", o, int64(v)+1, tree(b))
			}
		}
	}
	for _, kind := range []string{"branching", inLanes} {
		s := lagrange.NewEnds(ctx, js, 12, kind == inLanes)
		for v := int64(0); v <= 12; v += 3 {
			if b, _ := s.Run(ctx, v, 200_000, nil); b != nil {
				bound(kind, model.WeightedTardiness, v+1, tree(b))
			}
		}
	}
	if b, _ := lagrange.NewRefutation(ctx, js, query.HardDues(js), false).Run(200_000, nil); b != nil {
		yield("branching, infeasible", Claim{inference.Claim{Infeasible: true}, byBranching(ctx, js, query.Within(js, false, nil), b, nil)})
	}
	if o := energy.Infeasible(ctx, js); o != nil {
		yield("energy, infeasible", Claim{inference.Claim{Infeasible: true}, byOverload(js, query.Within(js, false, nil), o)})
	}
	if v, c := energy.Tardiness(ctx, js); v > 0 {
		bound("energy", model.Tardiness, v, func(q query.Question) *proof.Refutation { return byOverload(js, q, &c.Overloads[0]) })
	}
	if v, c := energy.Makespan(ctx, js); v > 0 {
		bound("energy", model.Makespan, v, func(q query.Question) *proof.Refutation { return byOverload(js, q, &c.Overloads[0]) })
	}
}

// inLanes are arguments that are written only as far as no tasks run in lanes in them.
const inLanes = "branching in lanes"

// TestArgumentsAreAccepted: what multipliers, splits and overloads prove, the checker
// accepts in the form that they take here, if they take one.
func TestArgumentsAreAccepted(t *testing.T) {
	testkit.OneGoroutine(t)
	accepted, said := map[string]int{}, map[string]int{}
	for seed := range testkit.Sets[uint64](5, 120) {
		js := gen.Small(seed, 8+int(seed%9))
		if seed%2 == 1 {
			js = gen.TodaySmall(seed, 8+int(seed%9))
		}
		arguments(t, js, func(kind string, c Claim) {
			said[kind]++
			if c.By == nil {
				return
			}
			if err := accept(t, js, c); err != nil {
				t.Errorf("seed %d: %s of %d: %v\n%s", seed, kind, c.Least, err, c.By.Steps)
				return
			}
			accepted[kind]++
		})
	}
	for kind, n := range said {
		t.Logf("%s: %d of %d", kind, accepted[kind], n)
		if accepted[kind] == 0 && !strings.HasPrefix(kind, inLanes) {
			t.Errorf("%s: none of %d", kind, n)
		}
	}
}

// TestLatenessIsPaidInFull: prices of lateness are accepted for all that separate code makes
// of them, of jobs whose last stages have several tasks too.
func TestLatenessIsPaidInFull(t *testing.T) {
	for seed := range testkit.Sets[uint64](1, 10) {
		js, plan, err := gen.Family("misses-40", seed)
		if err != nil {
			t.Fatal(err)
		}
		value := js.Value(model.WeightedTardiness, js.Finishes(plan))
		d, due := lagrange.WeightedTardiness(t.Context(), js, value, &lagrange.Extent{Steps: 100})
		least, err := inference.WeightedTardiness(t.Context(), js, value-1, due, d)
		if err != nil || least <= 0 {
			t.Fatalf("seed %d: a bound of %d (%v)", seed, least, err)
		}
		q := query.Within(js, false, query.Limits{model.WeightedTardiness: least - 1})
		c := Claim{inference.Claim{Objective: model.WeightedTardiness, Least: least}, byBranching(t.Context(), js, q, &proof.Branching{Bound: d}, nil)}
		if err := accept(t, js, c); err != nil {
			t.Errorf("seed %d: %d: %v", seed, least, err)
		}
	}
}

// TestPoolsAreAccepted: what prices of pools prove, the checker accepts as prices of slaves.
func TestPoolsAreAccepted(t *testing.T) {
	testkit.OneGoroutine(t)
	kinds := map[model.Objective]int{}
	for seed := range testkit.Sets[uint64](3, 60) {
		js := gen.Small(seed, 8+int(seed%30))
		if seed%2 == 1 {
			js = gen.TodaySmall(seed, 8+int(seed%30))
		}
		for _, o := range []model.Objective{model.Misses, model.HardMisses, model.WeightedTardiness, model.Tardiness, model.Makespan} {
			costs, limit := poolCosts(js, o)
			target := int64(1)
			if limit == 0 {
				target = 20
			}
			var b *proof.PoolBound
			least := int64(0)
			for search := pooled.NewSearch(js); least <= 0 && !search.Done(); {
				b, least, _ = search.Next(t.Context(), costs, target)
			}
			if least <= 0 {
				continue
			}
			if limit == 0 {
				limit = least
			}
			c := Claim{Claim: inference.Claim{Objective: o, Least: limit}}
			c.By = byPools(t.Context(), js, query.Within(js, o == model.HardMisses, query.Limits{o: limit - 1}), b)
			if c.By == nil {
				t.Fatalf("seed %d: %s of %d is not said", seed, o, least)
			}
			if err := accept(t, js, c); err != nil {
				t.Errorf("seed %d: %s of %d: %v\n%s", seed, o, limit, err, c.By.Steps)
			}
			kinds[o]++
		}
	}
	t.Log(kinds)
	if len(kinds) == 0 {
		t.Error("there are none")
	}
}

// poolCosts are what a bound on an objective is about, and the bound if it is a time that is
// refuted; else 0.
func poolCosts(js *model.JobSet, o model.Objective) (*proof.LateCosts, int64) {
	q := &proof.LateCosts{Weight: make([]int64, len(js.Jobs)), Due: query.AtMost(js, model.Tardiness, 0)}
	switch o {
	case model.Misses, model.HardMisses:
		q.Weight = strategy.LateWeights(js, o)
		return q, 0
	case model.WeightedTardiness:
		const grace = 20
		q.Due, q.Weight = query.AtMost(js, model.Tardiness, grace), strategy.LateWeights(js, o)
		q.PerTick = make([]int64, len(js.Jobs))
		for i := range js.Jobs {
			if js.Jobs[i].Kind == model.Soft {
				q.PerTick[i] = js.Jobs[i].Weight
			}
			q.Weight[i] *= grace + 1
		}
		return q, 0
	}
	v := int64(2)
	if o == model.Makespan {
		v = int64(slices.Max(window.CriticalPaths(context.Background(), js))) + 2
	}
	q.Due = query.AtMost(js, o, model.Time(v))
	for i, due := range q.Due {
		if due < model.Never {
			q.Weight[i] = 1
		}
	}
	return q, v + 1
}

// TestCutsAreAccepted: bounds of the master problem, which rest on cuts of all kinds, are
// said as refutations that the checker accepts.
func TestCutsAreAccepted(t *testing.T) {
	testkit.OneGoroutine(t)
	ctx := t.Context()
	said, accepted, kinds := 0, 0, map[string]int{}
	for seed := range testkit.Sets[uint64](60, 300) {
		js := gen.Small(seed, 10+int(seed%8))
		if seed%3 == 1 {
			js = gen.TodaySmall(seed, 10+int(seed%8))
		}
		for _, o := range []model.Objective{model.Misses, model.HardMisses} {
			w := worktest.On(js, o)
			w.Proofs, w.Exact.Record = true, true
			plan, _ := lns.Search(ctx, js, lns.Options{Seed: 1, Constructions: 1})
			if w.Offer(plan); w.Best() == nil {
				continue
			}
			strategy.EnergyBound(ctx, w)
			if seed%2 == 0 {
				strategy.Multipliers.Begin(w, 1).Run(ctx, portfolio.Slice{Units: 1})
			}
			strategy.Master.Begin(w, 1).Run(ctx, portfolio.Slice{})
			if w.Err() != nil {
				t.Fatalf("seed %d: %v", seed, w.Err())
			}
			for _, p := range w.Proved(0) {
				if p.By.Cuts == nil {
					continue
				}
				said++
				q := query.Within(js, o == model.HardMisses, query.Limits{o: p.Least - 1})
				by := byCuts(ctx, js, q, p.By.Cuts, nil)
				if by == nil {
					t.Logf("seed %d: %s of %d is not said by %d cuts", seed, o, p.Least, len(p.By.Cuts))
					continue
				}
				if err := accept(t, js, Claim{inference.Claim{Objective: o, Least: p.Least}, by}); err != nil {
					t.Errorf("seed %d: %s of %d: %v\n%s", seed, o, p.Least, err, by.Steps)
					continue
				}
				accepted++
				for _, kind := range []string{" cut @", "n ", "prices", "misses :"} {
					if bytes.Contains(by.Steps, []byte(kind)) {
						kinds[kind]++
					}
				}
			}
		}
	}
	t.Logf("%d of %d, with %v", accepted, said, kinds)
	if accepted < said*9/10 || accepted == 0 {
		t.Errorf("%d of %d", accepted, said)
	}
}
