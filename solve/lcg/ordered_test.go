package lcg_test

import (
	"math/rand/v2"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// Of tasks that are ordered the first has ended in each plan before the second starts. There is a plan where one is known
// to keep to all pairs, and none where two tasks are to come before each other.
func TestOrderedTasks(t *testing.T) {
	kept, moved, refuted := 0, 0, 0
	for seed := range testkit.Tiny(t, 400, 1000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		js := drawSet(t, rng)
		if js.FIFO {
			continue
		}
		q := query.Within(js, true, query.Limits{model.Makespan: 1000})
		plan, _ := lns.Search(t.Context(), js, lns.Options{Seed: seed, Constructions: 3})
		if plan == nil {
			continue
		}
		for range len(plan) { // equal tasks may have each other's places
			a, b := rng.IntN(len(plan)), rng.IntN(len(plan))
			plan[a], plan[b] = plan[b], plan[a]
			if check.Schedule(js, plan, true).Err() != nil {
				plan[a], plan[b] = plan[b], plan[a]
			}
		}
		_, other, err := lcg.SolveBriefly(q, seed+1)
		if err != nil || other == nil {
			continue
		}
		for range 2 * len(plan) {
			a, b := model.TaskID(rng.IntN(len(plan))), model.TaskID(rng.IntN(len(plan)))
			if js.Finish(a, plan[a]) <= plan[b].Start {
				q.Ordered = append(q.Ordered, [2]model.TaskID{a, b})
			}
		}
		answer, ordered, err := lcg.SolveBriefly(q, seed+1)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case answer == lcg.Unsatisfiable:
			t.Fatalf("seed %d: no plan, but there is one", seed)
		case answer == lcg.Satisfiable:
			kept++
			if err := keeps(js, ordered, nil, true); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, of := range q.Ordered {
				if js.Finish(of[0], ordered[of[0]]) > ordered[of[1]].Start {
					t.Fatalf("seed %d: %v not in order", seed, of)
				}
				if js.Finish(of[0], other[of[0]]) > other[of[1]].Start {
					moved++
				}
			}
		}
		if len(q.Ordered) > 0 {
			of := q.Ordered[rng.IntN(len(q.Ordered))]
			q.Ordered = append(q.Ordered, [2]model.TaskID{of[1], of[0]})
			if answer, _, _ := lcg.SolveBriefly(q, seed); answer == lcg.Satisfiable {
				t.Fatalf("seed %d: %v before each other", seed, of)
			} else if answer == lcg.Unsatisfiable {
				refuted++
			}
		}
	}
	t.Logf("%d plans, %d pairs put in order, %d refuted", kept, moved, refuted)
	if kept == 0 || moved == 0 || refuted == 0 {
		t.Error("too few")
	}
}
