package solve

import (
	"context"
	"slices"
	"testing"

	"downbeat/model/check"
	"downbeat/model/gen"
)

// Under a ceiling that no method fits below there is a plan all the same, a note says
// what was left out, and the answer repeats; where the program itself has come to the
// ceiling the search ends.
func TestMemory(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 3)
	if err != nil {
		t.Fatal(err)
	}
	small := Options{Seed: 1, Budget: 1000, Memory: 1000}
	r := mustPlan(t, js, small)
	want := "left out for want of memory: dual prices (the ceiling is 1 kB)"
	if r.Schedule == nil || !slices.Contains(r.Notes, want) {
		t.Fatalf("status %s %v, notes %q", r.Status, r.Objectives, r.Notes)
	}
	if err := check.Schedule(js, r.Schedule, false).Err(); err != nil {
		t.Error(err)
	}
	if again := mustPlan(t, js, small); !slices.Equal(again.Notes, r.Notes) || !slices.Equal(again.Schedule, r.Schedule) {
		t.Errorf("another answer the second time, notes %q", again.Notes)
	}
	if free := mustPlan(t, js, Options{Seed: 1, Budget: 1000}); slices.Contains(free.Notes, want) {
		t.Errorf("without a ceiling: notes %q", free.Notes)
	}
	large, _, err := gen.Family("misses-medium", 3)
	if err != nil {
		t.Fatal(err)
	}
	r, err = Plan(context.Background(), large, Options{Seed: 1, Memory: 1000})
	if err != nil || r.Schedule == nil || !r.Interrupted || !slices.Contains(r.Notes, "the memory ceiling of 1 kB was reached, which ended the search") {
		t.Errorf("%v, notes %q", err, r.Notes)
	}
}
