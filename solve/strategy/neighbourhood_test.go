package strategy_test

import (
	"context"
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// poor is a search that stands on the first plan that comes up, nil if that one
// misses a hard deadline.
func poor(js *model.JobSet, o model.Objective) *portfolio.Work {
	s := worktest.On(js, o)
	plan, _ := lns.Search(context.Background(), js, lns.Options{Seed: 1, Constructions: 1})
	s.Offer(plan)
	if s.Best() == nil {
		return nil
	}
	return s
}

// tries are the strategies that try neighbourhoods of a plan, and the objectives that they improve.
var tries = []struct {
	strategy   *portfolio.Strategy
	objectives []model.Objective
}{
	{strategy.Neighbourhoods, []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}},
	{strategy.PartialOrders, []model.Objective{model.Tardiness, model.Makespan}},
}

// Neighbourhoods only ever lead to plans that are better and no better than the
// optimum; every plan has passed the validator on its way into the search.
func TestNeighboursAgainstOptima(t *testing.T) {
	for _, of := range tries {
		better, reached := 0, 0
		for seed := uint64(0); seed < 300; seed += testkit.Sets[uint64](3, 1) {
			js := gen.Small(seed, 8)
			if seed >= 250 {
				js = gen.TodaySmall(seed, 8)
			}
			for _, o := range of.objectives {
				s := poor(js, o)
				if s == nil {
					continue
				}
				before := worktest.Value(s)
				of.strategy.Begin(s, seed).Run(t.Context(), portfolio.Slice{Units: 12})
				if s.Err() != nil {
					t.Fatalf("%s, seed %d, %s: %v", of.strategy.Name, seed, o, s.Err())
				}
				best := mustPlan(t, js, solve.Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}})
				if worktest.Value(s) > before || best.Status == model.Optimal && worktest.Value(s) < best.Objectives[0].Value {
					t.Errorf("%s, seed %d, %s: from %d to %d, the optimum is %d", of.strategy.Name, seed, o, before, worktest.Value(s), best.Objectives[0].Value)
				}
				if worktest.Value(s) < before {
					better++
				}
				if worktest.Value(s) == best.Objectives[0].Value {
					reached++
				}
			}
		}
		t.Logf("%s: %d improved, %d at the optimum", of.strategy.Name, better, reached)
		if better < testkit.Sets(8, 50) {
			t.Errorf("%s: only %d improved", of.strategy.Name, better)
		}
	}
}

// A sum falls with each plan of a part that is found, though jobs that are late have some tasks in
// it and some not.
func TestPlansOfPartsLowerSums(t *testing.T) {
	found := 0
	for seed := range testkit.Sets[uint64](4, 20) {
		js, _, err := gen.Family("weighted-tardiness-40", seed)
		if err != nil {
			t.Fatal(err)
		}
		w := poor(js, model.WeightedTardiness)
		if w == nil {
			continue
		}
		for k := range uint64(20) {
			if before, after, ok := strategy.PlanOfPart(t.Context(), w, k); ok {
				found++
				if after >= before {
					t.Errorf("seed %d, neighbourhood %d: from %d to %d", seed, k, before, after)
				}
			}
		}
	}
	t.Logf("%d plans", found)
	if found < testkit.Sets(20, 100) {
		t.Errorf("only %d plans", found)
	}
}

// So they do where tasks that stay hold of pools and caps, and gangs move as a whole: the validator
// finds nothing wrong with any plan, and none is better than the optimum.
func TestNeighboursOfCoupled(t *testing.T) {
	for _, of := range tries {
		better, tried := 0, 0
		for seed := range testkit.Tiny(t, 60, 100) {
			js := gen.Small(seed, 10)
			if seed%2 == 1 {
				js = gen.TodaySmall(seed, 10)
			}
			js = gen.Coupled(js, seed, false)
			if js.FIFO || !js.Coupled() {
				continue
			}
			for _, o := range of.objectives {
				s := poor(js, o)
				if s == nil {
					continue
				}
				tried++
				before := worktest.Value(s)
				of.strategy.Begin(s, seed).Run(t.Context(), portfolio.Slice{Units: 12})
				if s.Err() != nil {
					t.Fatalf("%s, seed %d, %s: %v", of.strategy.Name, seed, o, s.Err())
				}
				if worktest.Value(s) == before {
					continue
				}
				better++
				best := mustPlan(t, js, solve.Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}})
				if worktest.Value(s) > before || best.Objectives[0].Bound != nil && worktest.Value(s) < *best.Objectives[0].Bound {
					t.Errorf("%s, seed %d, %s: from %d to %d, the optimum is %d", of.strategy.Name, seed, o, before, worktest.Value(s), best.Objectives[0].Value)
				}
			}
		}
		t.Logf("%s: %d of %d improved", of.strategy.Name, better, tried)
		if better == 0 {
			t.Errorf("%s: none improved", of.strategy.Name)
		}
	}
}

// With hard deadlines as an objective neighbourhoods reduce how many are missed.
func TestNeighboursOfHardMisses(t *testing.T) {
	better := 0
	for seed := range testkit.Sets[uint64](15, 40) {
		js, _, err := gen.Family("squeezed", seed)
		if err != nil {
			t.Fatal(err)
		}
		s := worktest.On(js, model.HardMisses)
		plan, _ := lns.Search(context.Background(), js, lns.Options{Seed: 1, Constructions: 1})
		s.Offer(plan)
		before := worktest.Value(s)
		strategy.Neighbourhoods.Begin(s, seed).Run(t.Context(), portfolio.Slice{Units: 20})
		if s.Err() != nil || worktest.Value(s) > before {
			t.Fatalf("seed %d: from %d to %d, %v", seed, before, worktest.Value(s), s.Err())
		}
		if worktest.Value(s) < before {
			better++
		}
	}
	t.Logf("%d improved", better)
	if better < testkit.Sets(2, 5) {
		t.Errorf("only %d improved", better)
	}
}

// BenchmarkNeighbours reports what four seconds of neighbourhoods make of the plan
// that four seconds of list scheduling end with, beside four more of those.
func BenchmarkNeighbours(b *testing.B) {
	for _, name := range []string{"misses-medium", "misses-150", "large"} {
		js, _, err := gen.Family(name, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				lists := worktest.On(js, js.Goal()[0])
				within(func(ctx context.Context) { strategy.Construct(ctx, lists.Incumbent, 1, 0) })
				both := worktest.On(js, js.Goal()[0])
				if lists.Best() == nil {
					b.Skip("no plan to improve")
				}
				both.Offer(lists.Best())
				b.ReportMetric(float64(worktest.Value(lists)), "start")
				within(func(ctx context.Context) { strategy.Construct(ctx, lists.Incumbent, 2, 0) })
				within(func(ctx context.Context) {
					strategy.Neighbourhoods.Begin(both, 2).Run(ctx, portfolio.Slice{Units: 1 << 30})
				})
				b.ReportMetric(float64(worktest.Value(lists)), "lists")
				b.ReportMetric(float64(worktest.Value(both)), "neighbours")
			}
		})
	}
}

func within(f func(context.Context)) {
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Second)
	defer stop()
	f(ctx)
}

// In the first round workers count together how many neighbourhoods in a row bring nothing.
func TestNeighboursAreBarrenTogether(t *testing.T) {
	js, _, err := gen.Family("weighted-tardiness-22", 1)
	if err != nil {
		t.Fatal(err)
	}
	s := poor(js, model.WeightedTardiness)
	if s == nil {
		t.Fatal("no plan")
	}
	if n := strategy.BarrenNeighbours(t.Context(), s); n != 15 {
		t.Errorf("%d in a row bring nothing", n)
	}
}
