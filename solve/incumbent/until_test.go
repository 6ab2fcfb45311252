package incumbent_test

import (
	"testing"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
)

// A question is under way until a plan or a bound settles it, also one of a fork, and one that is settled
// already ends at once.
func TestUntil(t *testing.T) {
	js, _, err := gen.Family("tardiness", 1)
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := lns.Search(t.Context(), js, lns.Options{Objectives: []model.Objective{model.Tardiness}, Constructions: 20})
	value := js.Value(model.Tardiness, js.Finishes(plan))
	if value < 3 {
		t.Fatalf("a tardiness of %d", value)
	}
	w := incumbent.New(js, []model.Objective{model.Tardiness}, nil, nil, time.Now())
	f := w.Fork()
	low, end := w.Until(t.Context(), 0, 1)
	defer end()
	forked, end := f.Until(t.Context(), 0, 1)
	defer end()
	high, end := w.Until(t.Context(), 0, value)
	defer end()
	if low.Err() != nil || high.Err() != nil || forked.Err() != nil {
		t.Error("settled before anything is known")
	}
	w.Raise(0, 2, model.DualProof)
	if low.Err() == nil || high.Err() != nil || forked.Err() != nil {
		t.Error("a bound of 2 settles 1, and nothing else")
	}
	w.Join([]*incumbent.Incumbent{f})
	if forked.Err() == nil {
		t.Error("the fork has not learnt of the bound")
	}
	w.Offer(plan)
	if w.Err() != nil || high.Err() == nil {
		t.Error("a plan settles its value")
	}
	again, end := w.Until(t.Context(), 0, 1)
	defer end()
	if again.Err() == nil {
		t.Error("1 was settled before")
	}
	between, end := w.Until(t.Context(), 0, 2)
	if between.Err() != nil {
		t.Error("2 is open")
	}
	end()
	any, end := w.Until(t.Context(), incumbent.AnyPlan, 0)
	defer end()
	if any.Err() != nil {
		t.Error("any plan has no value")
	}
}
