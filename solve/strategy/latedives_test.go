package strategy_test

import (
	"context"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// divesFor is the strategy for a set, with a plan by lists, and cuts by so many units of
// multipliers.
func divesFor(t *testing.T, js *model.JobSet, units int) (*portfolio.Work, portfolio.Runner) {
	t.Helper()
	s := worktest.On(js, model.Misses)
	plan, _ := lns.Search(t.Context(), js, lns.Options{Objectives: js.Goal(), Seed: 1, Constructions: 20})
	s.Offer(plan)
	if s.Best() == nil {
		t.Fatal("no plan to begin with")
	}
	if units > 0 {
		strategy.Multipliers.Begin(s, 1).Run(t.Context(), portfolio.Slice{Units: units})
	}
	return s, strategy.LateDives.Begin(s, 1)
}

// Of more tasks than candidates are asked about a dive for one finds a plan that is much
// better than lists do, and finds it again.
func TestLateDives(t *testing.T) {
	js, _, err := gen.Family("misses-410", 1)
	if err != nil {
		t.Fatal(err)
	}
	values := map[int64]bool{}
	for range testkit.Sets(1, 2) {
		s, dives := divesFor(t, js, 1)
		before := worktest.Value(s)
		if out := dives.Run(t.Context(), portfolio.Slice{Units: 1}); out != portfolio.Open || s.Err() != nil {
			t.Fatalf("%s, %v", out, s.Err())
		}
		if err := check.Schedule(js, s.Best(), true).Err(); err != nil {
			t.Fatal(err)
		}
		value, bound := s.Gap(s.P)
		t.Logf("misses %d, before %d, bound %d", value, before, bound)
		if value > before-5 || value < bound {
			t.Errorf("misses %d, before %d, bound %d", value, before, bound)
		}
		values[value] = true
	}
	if len(values) > 1 {
		t.Errorf("one time and another: %v", values)
	}
}

// They leave it where tasks start in a given order and where a step takes too long, and end
// with their context.
func TestLateDivesElsewhere(t *testing.T) {
	many, _, err := gen.Family("misses-410", 1)
	if err != nil {
		t.Fatal(err)
	}
	inOrder := *many
	inOrder.FIFO = true
	if strategy.LateDives.AppliesTo(worktest.On(&inOrder, model.Misses)) {
		t.Error("they take a set with fifo")
	}
	s, dives := divesFor(t, gen.Scale(5000, 1), 0)
	before := worktest.Value(s)
	if out := dives.Run(t.Context(), portfolio.Slice{Units: 2}); out != portfolio.Done || s.Err() != nil || worktest.Value(s) != before {
		t.Errorf("of a large set: %s with %d after %d, %v", out, worktest.Value(s), before, s.Err())
	}
	s, dives = divesFor(t, many, 0)
	before = worktest.Value(s)
	ended, end := context.WithCancel(t.Context())
	end()
	if out := dives.Run(ended, portfolio.Slice{Units: 1}); out != portfolio.Open || worktest.Value(s) != before {
		t.Errorf("after the end: %s with %d after %d", out, worktest.Value(s), before)
	}
}
