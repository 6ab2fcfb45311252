package model_test

import (
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
)

// TestPlans: a plan is the same as itself, and each kind of change is told as what it is.
func TestPlans(t *testing.T) {
	for seed := range uint64(40) {
		js := gen.TodayTiny(seed)
		before := planOf(js)
		if d := model.ComparePlans(js, before, planOf(js)); len(d.Tasks)+len(d.Jobs) > 0 || d.Counts[model.DiffSame] != len(js.Tasks) {
			t.Fatalf("seed %d: a plan differs from itself: %+v", seed, d)
		}
		for kind, change := range map[model.DiffKind]func(p *model.Plan){
			model.DiffMoved:   func(p *model.Plan) { p.Tasks[0].Slave = "another" },
			model.DiffLater:   func(p *model.Plan) { p.Tasks[0].Finish++ },
			model.DiffEarlier: func(p *model.Plan) { p.Tasks[0].Assigned-- },
			model.DiffRemoved: func(p *model.Plan) { p.Tasks = p.Tasks[1:] },
		} {
			after := planOf(js)
			change(after)
			d := model.ComparePlans(js, before, after)
			if len(d.Tasks) != 1 || d.Tasks[0].ID != 0 || d.Tasks[0].Kind != kind || d.Counts[kind] != 1 || len(d.Jobs) != 1 || d.Jobs[0].ID != js.Tasks[0].Job {
				t.Errorf("seed %d: %s is told as %+v", seed, kind, d)
			}
			if kind != model.DiffRemoved {
				continue
			}
			if d := model.ComparePlans(js, after, before); len(d.Tasks) != 1 || d.Tasks[0].Kind != model.DiffAdded {
				t.Errorf("seed %d: a task more is told as %+v", seed, d)
			}
		}
	}
}

func planOf(js *model.JobSet) *model.Plan {
	p := model.NewPlan(js)
	p.FillTasks(js, heuristics.Repair(js, model.NewSchedule(len(js.Tasks))))
	return p
}
