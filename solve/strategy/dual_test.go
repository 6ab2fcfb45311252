package strategy_test

import (
	"context"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// optimumOf is the answer for one objective, nil if there is none.
func optimumOf(t *testing.T, js *model.JobSet, o model.Objective) *solve.Result {
	t.Helper()
	opt := solve.Options{Seed: 1, Workers: 1, Objectives: []model.Objective{o}, NoConflict: true}
	if o == model.HardMisses {
		opt.Objectives, opt.Relax = []model.Objective{}, true
	}
	r := mustPlan(t, js, opt)
	if len(r.Objectives) == 0 || r.Objectives[0].Name != o.String() {
		return nil
	}
	return r
}

// Bounds by multipliers agree with exhaustive and with SAT search: none exceeds a
// proved optimum, and none refutes what has a plan.
func TestDualBoundsAgainstOptima(t *testing.T) {
	helped := map[model.Objective]int{}
	for seed := range testkit.Sets[uint64](40, 400) {
		js := gen.Small(seed, 8)
		for _, o := range []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan, model.HardMisses} {
			r := optimumOf(t, js, o)
			if r == nil {
				continue
			}
			s := worktest.On(js, o)
			s.Offer(r.Schedule)
			strategy.Multipliers.Begin(s, 1).Run(context.Background(), portfolio.Slice{Units: 1})
			if s.Err() != nil {
				t.Fatalf("seed %d, %s: %v", seed, o, s.Err())
			}
			switch branched := seed%3 == 0; {
			case branched && o == model.Tardiness:
				inTurns(s, strategy.Branching)
			case branched && o == model.WeightedTardiness:
				inTurns(s, strategy.BranchingOnEnds)
			}
			if value, bound := s.Gap(0); s.Err() != nil || bound > r.Objectives[0].Value {
				t.Errorf("seed %d, %s: a bound of %d, the optimum is %d, %v", seed, o, bound, value, s.Err())
			} else if bound > 0 {
				helped[o]++
			}
		}
	}
	t.Log(helped)
	if len(helped) < 5 {
		t.Errorf("bounds above 0 only for %v", helped)
	}
}

// inTurns has a strategy take two slices after each other, the second with four units.
func inTurns(w *portfolio.Work, s *portfolio.Strategy) {
	at := s.Begin(w, 1)
	for number, units := range []int{1, 4} {
		at.Run(context.Background(), portfolio.Slice{Number: number, Units: units})
	}
}

func BenchmarkDual(b *testing.B) {
	for _, name := range []string{"tardiness-40", "tardiness-80", "misses-40", "misses-medium"} {
		js, _, err := gen.Family(name, 1)
		if err != nil {
			b.Fatal(err)
		}
		goal := js.Goal()
		r, err := solve.Plan(context.Background(), js, solve.Options{Objectives: goal, TimeLimit: 2 * time.Second, Seed: 1})
		if err != nil || r.Schedule == nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				s := worktest.On(js, goal[0])
				s.Offer(r.Schedule)
				strategy.EnergyBound(context.Background(), s)
				_, before := s.Gap(0)
				strategy.Multipliers.Begin(s, 1).Run(context.Background(), portfolio.Slice{Units: 1})
				value, bound := s.Gap(0)
				b.ReportMetric(float64(before), "energy")
				b.ReportMetric(float64(bound), "multipliers")
				b.ReportMetric(float64(value), "value")
			}
		})
	}
}

// In ticks as fine as milliseconds, of which multipliers look at coarse ones, no bound exceeds the optimum of exhaustive search either, from one slice to the next.
func TestBoundsInFineTicks(t *testing.T) {
	helped := 0
	for seed := range testkit.Dear[uint64](6, 400) {
		k := gen.TinyKnobs()
		k.Tasks, k.Heartbeat = gen.Range{Lo: 3, Hi: 5}, gen.Range{Lo: 1000, Hi: 3000}
		if seed%3 == 0 {
			k.Heartbeat = gen.Range{Lo: 1, Hi: 1}
		}
		for _, r := range []*gen.Range{&k.WCET, &k.Transfer, &k.Release} {
			if r.Lo *= 1000; r.Lo > 0 {
				r.Lo -= int(seed % 97)
			}
			r.Hi = max(r.Lo, r.Hi*1000-int(seed%89))
		}
		js, _ := gen.Random(k, seed)
		for _, o := range []model.Objective{model.Tardiness, model.Misses, model.Makespan} {
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil || want.Schedule == nil {
				continue
			}
			s := worktest.On(js, o)
			s.Offer(want.Schedule)
			inTurns(s, strategy.Multipliers)
			if o != model.Misses {
				inTurns(s, strategy.Branching)
			}
			if value, bound := s.Gap(0); s.Err() != nil || bound > value {
				t.Errorf("seed %d, %s: a bound of %d, the optimum is %d, %v", seed, o, bound, value, s.Err())
			} else if bound > 0 {
				helped++
			}
		}
	}
	if helped == 0 {
		t.Error("no bound above 0")
	}
}
