package policies

import (
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/horizon"
)

// horizonEntries are what plans with a planner from elsewhere.
func (t Table) horizonEntries() []entry {
	if t.Plan == nil {
		return nil
	}
	info := Info{
		Name: "horizon", About: "plans what is known at each decision and hands out what the plan hands out now; EDF where the work is spent",
		Params: []Param{
			{"constructions", "100", "of a plan that a decision may cost"},
			{"times", "declared", "of tasks that it plans with: declared worst cases, median of their history, or its distribution"},
			{"scenarios", "8", "draws of all times that a decision with times=distribution rests on, each as dear as a decision without"},
			{"idle", "yes", "no has EDF fill slots that the plan leaves free"},
			{"placements", "20000", "of tasks that a decision may cost; EDF decides where one construction needs more"},
		},
	}
	times := map[string]horizon.Times{"declared": horizon.Declared, "median": horizon.Median, "distribution": horizon.Distribution}
	return []entry{{info, func(a *args) online.Policy {
		return horizon.New(horizon.Params{
			Plan: t.Plan, Seed: a.seed,
			Times:         times[a.word("times", "declared", "median", "distribution")],
			NoIdle:        !a.yesNo("idle"),
			Scenarios:     a.whole("scenarios", 1, 1000),
			Constructions: a.whole("constructions", 1, int(model.MaxTime)),
			Placements:    a.whole("placements", 0, int(model.MaxTime)),
		})
	}}}
}
