package strategy_test

import (
	"testing"

	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// TestJobShops: of a job shop the value below the plan's is asked for until it is refuted; what is
// brief raises the bound, and other sets, and other objectives, are no job shops.
func TestJobShops(t *testing.T) {
	js, _, err := gen.Family("jobshop-8x6", 3)
	if err != nil {
		t.Fatal(err)
	}
	w := worktest.On(js, model.Makespan)
	if !strategy.JobShop(w) {
		t.Fatal("it is a job shop")
	}
	strategy.FirstPlan(t.Context(), w.Incumbent, 1)
	_, before := w.Gap(0)
	strategy.FromBoundBriefly.Begin(w, 1).Run(t.Context(), portfolio.Slice{Units: 1})
	if _, after := w.Gap(0); after <= before {
		t.Errorf("the bound stays at %d", before)
	}
	below := strategy.BelowPlan.Begin(w, 1)
	for units := 1; units < 100 && !w.Over(0); units *= 4 {
		if out := below.Run(t.Context(), portfolio.Slice{Units: units}); out != portfolio.Open {
			t.Fatalf("outcome %v", out)
		}
	}
	if value, bound := w.Gap(0); value != bound || w.Err() != nil {
		t.Errorf("%d over %d: %v", value, bound, w.Err())
	}

	if strategy.JobShop(worktest.On(js, model.Tardiness)) {
		t.Error("tardiness is no makespan")
	}
	for _, name := range []string{"project-12", "setups-10x3"} {
		other, _, err := gen.Family(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if strategy.JobShop(worktest.On(other, model.Makespan)) {
			t.Errorf("%s is no job shop", name)
		}
	}
}
