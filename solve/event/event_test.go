package event

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is counted under a context counts for those that it is a part of, by whomever.
func TestCount(t *testing.T) {
	Count(t.Context(), Counts{Calls: 1}) // nobody counts
	whole, all := Counting(t.Context())
	part, some := Counting(whole)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { Count(part, Counts{Calls: 1, Conflicts: 2, Restarts: 3, Steps: 4, Constructions: 5}) })
		wg.Go(func() { Count(whole, Counts{Steps: 1}) })
	}
	wg.Wait()
	if diff := cmp.Diff(Counts{50, 100, 150, 200, 250}, some.Counts()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counts{50, 100, 150, 250, 250}, all.Counts()); diff != "" {
		t.Error(diff)
	}
	if of(context.Background()) != nil {
		t.Error("a context without a counter has one")
	}
}

func TestStats(t *testing.T) {
	var s Stats
	for _, e := range []Event{
		{Kind: Start}, {Kind: Phase}, {Kind: Plan, Elapsed: 2}, {Kind: Bound, Elapsed: 3},
		{Kind: Strategy, Slice: &Slice{Strategy: "lists", Row: 3, Took: 5, Counts: Counts{Constructions: 7}, Memory: 90}},
		{Kind: Plan, Elapsed: 4},
		{Kind: Strategy, Slice: &Slice{Strategy: "prices", Took: 1, Counts: Counts{Steps: 1000}, Memory: 80}},
		{Kind: Strategy, Slice: &Slice{Strategy: "lists", Row: 3, Took: 6, Counts: Counts{Constructions: 1}, Memory: 70}},
		{Kind: Strategy, Slice: &Slice{Strategy: "lists", Row: 4, Took: 2}},
		{Kind: End, Ended: &Ended{Reason: TimeLimit, Counts: Counts{Steps: 1000, Constructions: 9}, Memory: 60}},
	} {
		s.Take(e)
	}
	want := Stats{
		Reason: TimeLimit, Counts: Counts{Steps: 1000, Constructions: 9}, Plans: 2, Bounds: 1, FirstPlan: 2, LastPlan: 4, LastBound: 3, Memory: 90,
		Strategies: []StrategyStats{
			{"lists", 3, 2, 11 * time.Nanosecond, Counts{Constructions: 8}}, {"prices", 0, 1, 1, Counts{Steps: 1000}}, {"lists", 4, 1, 2, Counts{}},
		},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	for i, name := range Kinds() {
		if Kind(i).String() != name {
			t.Errorf("kind %d is %s", i, Kind(i))
		}
	}
}
