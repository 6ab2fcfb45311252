package strategy

import (
	"slices"

	"downbeat/heuristics/tabu"
	"downbeat/model"
	"downbeat/solve/portfolio"
)

// mostChosen is between how many slaves a task of a flexible job shop has a choice, on average, where questions do more than
// they do of sets with more choice.
const mostChosen = 2

// JobShop reports whether a time, or a sum of them, of a job shop is sought: tabu search finds good plans, and each task has one
// slave, which does one at a time. Multipliers, by tick, bound it no better than what its tasks have to
// do, at more expense than questions that do. Jobs of a task each are sequences where lateness is what counts, for which there is
// more than that.
func JobShop(w *portfolio.Work) bool {
	js := w.JS
	return isShop(w) && places(js) == len(js.Tasks) && (w.Goal[0] == model.Makespan || len(js.Tasks) >= 2*len(js.Jobs))
}

// FlexibleJobShop reports whether the makespan of a job shop is sought of which tasks have some choice of slaves.
func FlexibleJobShop(w *portfolio.Work) bool {
	js := w.JS
	return isShop(w) && w.Goal[0] == model.Makespan && len(js.Tasks) > 2*len(js.Jobs) && places(js) <= mostChosen*len(js.Tasks)
}

// isShop reports whether tabu search treats the objective, and slaves do one task at a time.
func isShop(w *portfolio.Work) bool {
	return w.P == 0 && tabu.Treats(w.JS, w.Goal[0]) && !slices.ContainsFunc(w.JS.Slaves, func(s model.Slave) bool { return s.Cores > 1 })
}

// places counts the slaves that tasks may go to, all together.
func places(js *model.JobSet) (n int) {
	for t := range js.Tasks {
		for s := range js.Slaves {
			if js.Tasks[t].Eligible(model.SlaveID(s)) {
				n++
			}
		}
	}
	return n
}
