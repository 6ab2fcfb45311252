package strategy

import (
	"slices"
	"testing"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// Of a sum of lateness with thousands of values plans are asked for that are better by a part of what is open, and tasks of those that come are moved to where they end
// first; of any other by a tick, and plans stay as they are.
func TestStride(t *testing.T) {
	js, _, err := gen.Family("tardiness-40", 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range js.Jobs {
		js.Jobs[i].Kind, js.Jobs[i].Weight, js.Jobs[i].Deadline = model.Soft, 1000, 0
	}
	for _, goal := range []model.Objective{model.WeightedTardiness, model.Tardiness, model.Misses} {
		w := &portfolio.Work{Incumbent: incumbent.New(js, []model.Objective{goal}, nil, nil, time.Time{})}
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		last := 0
		for k := range plan {
			if plan[k].Start > plan[last].Start {
				last = k
			}
		}
		plan[last].Start += 100 * js.Heartbeat
		if w.Offer(plan); w.Best() == nil {
			t.Fatal(w.Err())
		}
		value, _ := w.Gap(0)
		many := goal == model.WeightedTardiness
		if got := stride(w); many && got != value/fineValues || !many && got != 1 {
			t.Errorf("%s: a stride of %d, value %d", goal, got, value)
		}
		if out := tidied(t.Context(), w, plan); many == slices.Equal(out, plan) {
			t.Errorf("%s: tidied: %t", goal, !many)
		}
	}
}
