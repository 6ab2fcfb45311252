package strategy

import (
	"downbeat/heuristics/tabu"
	"downbeat/model"
	"downbeat/solve/portfolio"
)

// JobShop reports whether the makespan of a job shop is sought: tabu search finds good plans, and each task has one
// slave, which does one at a time. Multipliers, by tick, bound it no better than what its tasks have to
// do, at more expense than questions that do.
func JobShop(w *portfolio.Work) bool {
	js := w.JS
	if w.P != 0 || w.Goal[0] != model.Makespan || !tabu.Treats(js, w.Goal[0]) {
		return false
	}
	for s := range js.Slaves {
		if js.Slaves[s].Cores > 1 {
			return false
		}
	}
	for t := range js.Tasks {
		places := 0
		for s := range js.Slaves {
			if js.Tasks[t].Eligible(model.SlaveID(s)) {
				places++
			}
		}
		if places != 1 {
			return false
		}
	}
	return true
}
