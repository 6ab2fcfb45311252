package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
	"downbeat/solve/lcg/propagate"
)

// problem is a question inside a solver.
type problem struct {
	*query.Layout
	*core.Solver
	on    []core.Lit       // per job: it is placed
	tasks []propagate.Task // by TaskID; no places if left out
}

// finishes lists F of the tasks of a stage.
func (p *problem) finishes(stage *model.Stage) []core.View {
	var out []core.View
	for t := stage.First; t < stage.End; t++ {
		if len(p.tasks[t].Places) > 0 {
			out = append(out, p.tasks[t].Finish)
		}
	}
	return out
}

// lastFinishes lists F of the tasks of a job's last stage; C7 puts the others before.
func (p *problem) lastFinishes(job *model.Job) []core.View {
	return p.finishes(&job.Stages[len(job.Stages)-1])
}
