package strategy_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/strategy"
)

// planned is a set with due times that some plan keeps.
func planned(seed uint64) (*model.JobSet, query.Question, []model.Time) {
	k := gen.TinyKnobs()
	k.Tasks = gen.Range{Lo: 8, Hi: 16}
	k.Hard, k.BestEffort, k.FIFO, k.Witness = 0, 0, 0, 0
	js, _ := gen.Random(k, seed)
	plan, _ := lns.Search(context.Background(), js, lns.Options{
		Objectives: []model.Objective{model.Tardiness, model.Makespan}, Seed: seed, Constructions: 30,
	})
	due := js.Finishes(plan)
	q := query.Question{
		JS: js, Role: make([]query.Role, len(due)), Cap: due,
	}
	for i := range q.Role {
		q.Role[i] = query.Must
	}
	return js, q, due
}

// Dives find plans that keep to the due times; little work for shaving is no less sound, and
// one whose context has ended finds none.
func TestDives(t *testing.T) {
	found, sets := 0, 0
	for seed := range testkit.Sets[uint64](3, 60) {
		js, q, due := planned(seed)
		for _, work := range []int{0, math.MaxInt} {
			s := strategy.NewDiveSearch(t.Context(), js, due, work, rand.New(rand.NewPCG(seed, 1)))
			sets++
			for range 3 {
				answer, plan := s.Run(t.Context(), q, &exact.Options{}, seed, nil)
				if answer != lcg.Satisfiable {
					continue
				}
				found++
				if err := check.Schedule(js, plan, true).Err(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for i, at := range js.Finishes(plan) {
					if at > due[i] {
						t.Fatalf("seed %d: job %d ends at %d, due at %d", seed, i, at, due[i])
					}
				}
				if s.Steps() == 0 {
					t.Errorf("seed %d: a dive without steps", seed)
				}
				break
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if answer, _ := strategy.NewDiveSearch(ended, js, due, math.MaxInt, nil).Run(ended, q, &exact.Options{}, seed, nil); answer != lcg.Unknown {
			t.Errorf("seed %d: an answer after the end", seed)
		}
	}
	if found < sets/4 {
		t.Errorf("%d of %d found: too few to mean much", found, sets)
	}
}
