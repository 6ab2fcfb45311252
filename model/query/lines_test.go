package query_test

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// TestLines: a job that is in for the ones after it alone is later than the others, unless
// somebody gives it a time of its own; a job that is out has no line.
func TestLines(t *testing.T) {
	best := job(model.BestEffort, 0, 3, 0, 1)
	js := twoSlaves(t, nil, best, after(job(model.Soft, 9, 3, 0, 1), 0), job(model.Hard, 20, 3, 0, 1), best)
	q := query.Within(js, false, query.Limits{model.Misses: 1})
	want := []string{"later 0 23", "may 1 9", "must 2 20", "misses 1"}
	if got := q.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	q.Cap[0] = 12
	q.Limits = append(q.Limits, query.Limit{Objective: model.HardMisses}, query.Limit{Objective: model.WeightedTardiness, Most: 7})
	want = []string{"must 0 12", "may 1 9", "must 2 20", "misses 1", "hard-misses 0", "weighted 7"}
	if got := q.Lines(); !slices.Equal(got, want) {
		t.Errorf("with a time of its own: %q, not %q", got, want)
	}
}
