package strategy

import (
	"slices"

	"downbeat/heuristics/project"
	"downbeat/heuristics/tabu"
	"downbeat/model"
	"downbeat/solve/portfolio"
)

// mostChosen is the most cores to choose from that a task of a flexible job shop has on average: with three and more multipliers
// come to bounds in the first seconds that questions do not (mk06 54 after 7 s, not 46; mk10 188, not 181).
const mostChosen = 2.7

// JobShop reports whether a time, or a sum of them, of a job shop is sought: tabu search finds good plans, and each task has one
// slave, which does one at a time. Multipliers, by tick, bound it no better than what its tasks have to
// do, at more expense than questions that do. Where lateness counts, jobs of a task each are none: they are sequences, of which
// walks through time do more.
func JobShop(w *portfolio.Work) bool {
	return isShop(w) && !w.Goal[w.P].Shape().Counts() && InTurn(w.JS) && (w.Goal[w.P] == model.Makespan || len(w.JS.Tasks) >= 2*len(w.JS.Jobs))
}

// lateOfJobShop reports whether the weight of the late jobs of a job shop is sought: tabu search finds good plans where there are many tasks, and clause
// learning is better than candidates of the master problem at what is left.
func lateOfJobShop(w *portfolio.Work) bool {
	return isShop(w) && w.Goal[w.P].Shape().Counts() && InTurn(w.JS) && len(w.JS.Tasks) >= 2*len(w.JS.Jobs)
}

// InTurn reports whether each task has one slave.
func InTurn(js *model.JobSet) bool { return options(js) == int64(len(js.Tasks)) }

// FlexibleJobShop reports whether the makespan of a job shop is sought of which tasks have some choice of slaves, or of cores of one that stands
// for several that are alike. Hybrid flow shops are none.
func FlexibleJobShop(w *portfolio.Work) bool {
	js := w.JS
	return isTreated(w) && w.Goal[w.P] == model.Makespan && len(js.Tasks) > 2*len(js.Jobs) && float64(cores(js)) <= mostChosen*float64(len(js.Tasks)) && !HybridFlowShop(w)
}

// cores counts among how many cores each task has a choice, all together.
func cores(js *model.JobSet) (n int64) {
	before := make([]int64, len(js.Slaves)+1) // those of the slaves before each
	for k, s := range js.Slaves {
		before[k+1] = before[k] + int64(min(s.Cores, s.Slots))
	}
	for t := range js.Tasks {
		first := model.SlaveID(0)
		js.Tasks[t].EachRun(func(wcet, _ model.Time, slaves model.SlaveID) {
			if wcet > 0 {
				n += before[first+slaves] - before[first]
			}
			first += slaves
		})
	}
	return n
}

// isShop reports whether tabu search treats the objective, and slaves do one task at a time.
func isShop(w *portfolio.Work) bool {
	return isTreated(w) && !slices.ContainsFunc(w.JS.Slaves, func(s model.Slave) bool { return s.Cores > 1 })
}

// isTreated reports whether tabu search treats the objective.
func isTreated(w *portfolio.Work) bool { return w.First(w.P) && tabu.Treats(w.JS, w.Goal[w.P]) }

// HybridFlowShop reports whether jobs go through stages, and most tasks run on a slave that does several at once, each on but one: a list
// of tasks says less of such a plan than the orders of all cores, and what these say more hardly matters.
func HybridFlowShop(w *portfolio.Work) bool {
	js := w.JS
	if !sole(w) || aimOf(w).Shape().Counts() || len(js.Tasks) < 2*len(js.Jobs) || !project.Treats(js, model.Makespan) || !tabu.Treats(js, aimOf(w)) {
		return false
	}
	beside := 0
	for i := range js.Slaves {
		if s := &js.Slaves[i]; min(s.Cores, s.Slots) == 1 {
			continue
		}
		for t := range js.Tasks {
			if js.Tasks[t].Eligible(model.SlaveID(i)) {
				beside++
			}
		}
	}
	return 2*beside > len(js.Tasks)
}
