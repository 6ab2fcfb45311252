package solve

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// Where no engine takes the questions, two workers prove by dual prices what one
// does: for a while they turned to list scheduling at once.
func TestBoundsWithoutQuestions(t *testing.T) {
	js, _, err := gen.Family("misses", 1)
	if err != nil {
		t.Fatal(err)
	}
	for workers := 1; workers <= 2; workers++ {
		if testkit.Race() && workers == 1 {
			continue
		}
		r := mustPlan(t, js, Options{Seed: 1, Workers: workers, Budget: 100_000, Exact: exact.Options{MaxClauses: 1}})
		if r.Status != model.Optimal {
			t.Errorf("%d workers: %s, %v", workers, r.Status, r.Objectives)
		}
	}
}

// A question about an objective that was closed since its value was chosen is not
// asked: "at most -1" would mean no limit.
func TestClosedObjectiveIsNotAsked(t *testing.T) {
	js := load(t, allFit)
	for _, o := range []model.Objective{model.Misses, model.Tardiness} {
		s, _ := begun(js, Options{Exact: exact.Options{Engine: exact.Gini}})
		s.goal = []model.Objective{o}
		w := s.work(incumbent.New(js, s.goal, nil, nil, s.started), 0)
		strategy.Construct(t.Context(), w.Incumbent, 1, 10) // value 0, bound 0
		strategy.FromBound.Begin(w, 1).Run(t.Context(), portfolio.Slice{Units: 1})
		if err := w.Err(); err != nil {
			t.Errorf("%s: %v", o, err)
		}
	}
}
