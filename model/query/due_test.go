package query_test

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/query"
)

// TestDues: a hard job due at 10, a soft one at 6, one that is never due.
func TestDues(t *testing.T) {
	const never = model.Never
	js := twoSlaves(t, nil, job(model.Hard, 10, 1, 0, 1), job(model.Soft, 6, 1, 0, 1), job(model.BestEffort, 0, 1, 0, 1))
	for _, c := range []struct {
		name string
		got  []model.Time
		want []model.Time
	}{
		{"of some jobs", query.DuesOf(js, []model.JobID{1, 2}), []model.Time{never, 6, never}},
		{"hard", query.HardDues(js), []model.Time{10, never, never}},
		{"no misses", query.AtMost(js, model.Misses, 0), []model.Time{10, 6, never}},
		{"tardiness 4", query.AtMost(js, model.Tardiness, 4), []model.Time{10, 10, never}},
		{"makespan 12", query.AtMost(js, model.Makespan, 12), []model.Time{10, 12, 12}},
		{"makespan 8", query.AtMost(js, model.Makespan, 8), []model.Time{8, 8, 8}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: due by %v, not %v", c.name, c.got, c.want)
		}
	}
}

// TestWithin: what limits ask of a hard job due at 10, a soft one (weight 3) due
// at 6, and one that is never due.
func TestWithin(t *testing.T) {
	js := twoSlaves(t, nil, job(model.Hard, 10, 1, 0, 1), job(model.Soft, 6, 1, 0, 1), job(model.BestEffort, 0, 1, 0, 1))
	must, may, out := query.Must, query.May, query.Out
	const never = model.Never
	for _, c := range []struct {
		name        string
		mayMissHard bool
		lim         query.Limits
		role        []query.Role
		by          []model.Time
	}{
		{"hard deadlines", false, nil, []query.Role{must, out, out}, []model.Time{10, never, never}},
		{"misses", false, query.Limits{model.Misses: 0}, []query.Role{must, may, out}, []model.Time{10, 6, never}},
		{"hard ones as well", true, query.Limits{model.Misses: 0}, []query.Role{may, may, out}, []model.Time{10, 6, never}},
		{"tardiness", false, query.Limits{model.Tardiness: 5}, []query.Role{must, must, out}, []model.Time{10, 11, never}},
		{"the tighter lateness", false, query.Limits{model.Tardiness: 5, model.WeightedTardiness: 7}, []query.Role{must, must, out}, []model.Time{10, 8, never}},
		{"makespan", false, query.Limits{model.Makespan: 9}, []query.Role{must, must, must}, []model.Time{9, 9, 9}},
		{"makespan and tardiness", true, query.Limits{model.Makespan: 9, model.Tardiness: 1}, []query.Role{must, must, must}, []model.Time{9, 7, 9}},
	} {
		q := query.Within(js, c.mayMissHard, c.lim)
		if !slices.Equal(q.Role, c.role) || !slices.Equal(q.Cap, c.by) {
			t.Errorf("%s: roles %v by %v, not %v by %v", c.name, q.Role, q.Cap, c.role, c.by)
		}
		if due := q.Due(); !slices.Equal(due, c.by) {
			t.Errorf("%s: due by %v", c.name, due)
		}
	}
}
