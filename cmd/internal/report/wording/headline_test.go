package wording

import (
	"testing"
	"time"

	"downbeat/model"
	"downbeat/solve"
)

// What a plan is worth is told in the same words for every kind of answer.
func TestHeadline(t *testing.T) {
	one, two, half := int64(1), int64(2), int64(30)
	misses := func(bound *int64) []model.ObjectiveValue {
		return []model.ObjectiveValue{{Name: "misses", Value: 2, Bound: bound}}
	}
	js := &model.JobSet{TimeUnit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}
	conflict := &solve.Conflict{Proof: model.EnergyProof}
	for want, res := range map[string]*solve.Result{
		UnknownLine: {},
		"optimal (misses 2 = bound 2, proved by SAT)": {Status: model.Optimal, Objectives: misses(&two), Proof: model.SATProof},
		"feasible (misses 2 > bound 1)":               {Status: model.Feasible, Objectives: misses(&one), Proof: model.SATProof},
		"feasible (tardiness 1h30m > bound 30m, makespan +1d 00:30)": {Status: model.Feasible, Objectives: []model.ObjectiveValue{
			{Name: "tardiness", Value: 90, Bound: &half}, {Name: "makespan", Value: 150}}},
		"feasible (misses 2)":                                                                {Status: model.Feasible, Objectives: misses(nil)},
		"feasible (every hard deadline is met)":                                              {Status: model.Feasible},
		"infeasible (proved by energy)":                                                      {Status: model.Infeasible, Conflict: conflict},
		"infeasible (proved by energy); relaxed (misses 2 > bound 1)":                        {Status: model.Infeasible, Conflict: conflict, Relaxed: true, Objectives: misses(&one)},
		"relaxed (no plan meets every hard deadline as far as is known; misses 2 > bound 1)": {Relaxed: true, Objectives: misses(&one)},
	} {
		if got := Headline(js, res); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
