package strategy

import (
	"downbeat/heuristics/queue"
	"downbeat/solve/portfolio"
)

// QueueAnnealing improves plans with few late jobs, or little lateness, by simulated annealing of the queues of slaves.
var QueueAnnealing = &portfolio.Strategy{
	Name: "annealing of queues", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return w.First(w.P) && queue.Treats(w.JS, w.Goal[w.P:w.P+1]) },
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &longestPath{w: w, unit: 3_000_000, task: 40, begin: func() pathSearch { return queue.New(w.JS, w.Goal[w.P], seed) }}
	},
}
