package solve

import (
	"context"
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
)

// poor is a search that stands on the first plan that comes up, nil if that one
// misses a hard deadline.
func poor(js *model.JobSet, o model.Objective) *search {
	s := newSearch(js, []model.Objective{o}, Options{Seed: 1, Workers: 1, Budget: 1}, time.Now())
	plan, _ := lns.Search(context.Background(), js, lns.Options{Seed: 1, Constructions: 1})
	s.offer(plan)
	if !s.havePlan() {
		return nil
	}
	return s
}

// Neighbourhoods only ever lead to plans that are better and no better than the
// optimum; every plan has passed the validator on its way into the search.
func TestNeighboursAgainstOptima(t *testing.T) {
	better, reached := 0, 0
	for seed := range uint64(250) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan} {
			s := poor(js, o)
			if s == nil {
				continue
			}
			before := s.values[0]
			newNeighbours(s, 0, seed).improve(context.Background(), 12)
			if s.err != nil {
				t.Fatalf("seed %d, %s: %v", seed, o, s.err)
			}
			best := mustPlan(t, js, Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}})
			if s.values[0] > before || best.Status == model.Optimal && s.values[0] < best.Objectives[0].Value {
				t.Errorf("seed %d, %s: from %d to %d, the optimum is %d", seed, o, before, s.values[0], best.Objectives[0].Value)
			}
			if s.values[0] < before {
				better++
			}
			if s.values[0] == best.Objectives[0].Value {
				reached++
			}
		}
	}
	t.Logf("%d improved, %d at the optimum", better, reached)
	if better < 50 {
		t.Errorf("only %d improved", better)
	}
}

// With hard deadlines as an objective neighbourhoods reduce how many are missed.
func TestNeighboursOfHardMisses(t *testing.T) {
	better := 0
	for seed := range uint64(40) {
		js, _, err := gen.Family("squeezed", seed)
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(js, []model.Objective{model.HardMisses}, Options{Seed: 1, Workers: 1, Budget: 1}, time.Now())
		plan, _ := lns.Search(context.Background(), js, lns.Options{Seed: 1, Constructions: 1})
		s.offer(plan)
		before := s.values[0]
		newNeighbours(s, 0, seed).improve(context.Background(), 20)
		if s.err != nil || s.values[0] > before {
			t.Fatalf("seed %d: from %d to %d, %v", seed, before, s.values[0], s.err)
		}
		if s.values[0] < before {
			better++
		}
	}
	t.Logf("%d of 40 improved", better)
	if better < 5 {
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
				lists := newSearch(js, js.Goal(), Options{Seed: 1, Workers: 2}, time.Now())
				within(func(ctx context.Context) { lists.heuristic(ctx, 1, 0) })
				both := newSearch(js, js.Goal(), Options{Seed: 1, Workers: 2}, time.Now())
				if !lists.havePlan() {
					b.Skip("no plan to improve")
				}
				both.offer(lists.best)
				b.ReportMetric(float64(lists.values[0]), "start")
				within(func(ctx context.Context) { lists.heuristic(ctx, 2, 0) })
				within(func(ctx context.Context) { newNeighbours(both, 0, 2).improve(ctx, 1<<30) })
				b.ReportMetric(float64(lists.values[0]), "lists")
				b.ReportMetric(float64(both.values[0]), "neighbours")
			}
		})
	}
}

func within(f func(context.Context)) {
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Second)
	defer stop()
	f(ctx)
}
