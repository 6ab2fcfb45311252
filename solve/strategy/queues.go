package strategy

import (
	"downbeat/heuristics"
	"downbeat/heuristics/queue"
	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// QueueAnnealing improves plans with few late jobs, or little lateness, by simulated annealing of the queues of slaves. Where any plan will do, late are hard
// jobs, of a plan by lists.
var QueueAnnealing = &portfolio.Strategy{
	Name: "annealing of queues", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool {
		return sole(w) && queue.Treats(w.JS, []model.Objective{onQueues(w)})
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		brief := 0 // of few tasks the master problem closes most sets with such a plan as there is
		if onQueues(w).Shape().Counts() && len(w.JS.Tasks) < BesideLists {
			brief = 1
		}
		return &longestPath{w: w, unit: 3_000_000, task: 40, brief: brief, waits: 1, begin: func() pathSearch {
			s := queue.New(w.JS, onQueues(w), seed)
			if w.P == incumbent.AnyPlan {
				s.Consider(heuristics.Complete(w.JS, model.NewSchedule(len(w.JS.Tasks))))
			}
			return s
		}}
	},
}

// onQueues is what it works on: for any plan, how many hard jobs are late.
func onQueues(w *portfolio.Work) model.Objective {
	if w.P == incumbent.AnyPlan {
		return model.HardMisses
	}
	return w.Goal[w.P]
}
