package model_test

import (
	"testing"

	"downbeat/model"
)

// TestObjectiveNames: each name is that of one objective, and read where it may stand.
func TestObjectiveNames(t *testing.T) {
	goal, seen := 0, map[string]bool{}
	for o := model.Misses; o <= model.Moves; o++ {
		name := o.String()
		if name == "" || seen[name] {
			t.Errorf("objective %d is named %q", o, name)
		}
		seen[name] = true
		got, err := model.ParseReported(name)
		if err != nil || got != o {
			t.Errorf("%s is read as %v: %v", name, got, err)
		}
		_, named := model.ParseObjective(name)
		_, limited := model.ParseLimited(name)
		if limited == nil {
			goal++
		}
		if limited == nil == o.Reported() || named == nil && limited != nil {
			t.Errorf("%s: %v, %v", name, named, limited)
		}
		shape := o.Shape()
		if limited == nil && named != nil && !shape.OfHard() {
			t.Errorf("%s leads lists of objectives, and is not of hard jobs", name)
		}
	}
	if goal != model.MaxGoal {
		t.Errorf("%d objectives may be minimised, not %d", goal, model.MaxGoal)
	}
	if _, err := model.ParseObjective(model.HardMisses.String()); err == nil {
		t.Error("a job set may name hard-misses")
	}
	for _, name := range model.ObjectiveNames() {
		if _, err := model.ParseObjective(name); err != nil {
			t.Error(err)
		}
	}
}

// TestValues: what each objective makes of jobs that are late, in time and left out.
func TestValues(t *testing.T) {
	js := &model.JobSet{Jobs: []model.Job{
		{Kind: model.Soft, Deadline: 10, Weight: 3}, {Kind: model.Soft, Release: 5, Deadline: 10, Weight: 2},
		{Kind: model.Soft, Deadline: 9, Weight: 4}, {Kind: model.Hard, Deadline: 8, Weight: 5},
		{Kind: model.Hard, Deadline: 6, Weight: 1}, {Kind: model.Hard, Deadline: 6, Weight: 1}, {Kind: model.BestEffort, Weight: 1},
	}}
	for o, want := range map[model.Objective][2]int64{
		model.Misses: {5, 9}, model.HardMisses: {2, 3}, model.Tardiness: {4, 4}, model.WeightedTardiness: {3*4 + 2, 3*4 + 2},
		model.Makespan: {30, 16}, model.HardTardiness: {3, 2}, model.HardTotalTardiness: {5, 2}, model.LeftOutWeight: {0, 4},
		model.LeftOut: {0, 3}, model.Moves: {0, 0},
	} {
		finishes := []model.Time{14, 16, 9, 10, 9, 6, 30}
		if got := js.Value(o, finishes); got != want[0] {
			t.Errorf("%s is %d, not %d", o, got, want[0])
		}
		finishes[2], finishes[4], finishes[6] = model.Never, model.Never, model.Never
		if o == model.HardMisses {
			finishes[5] = 7
		}
		if got := js.Value(o, finishes); got != want[1] {
			t.Errorf("%s is %d where jobs are left out, not %d", o, got, want[1])
		}
	}
}
