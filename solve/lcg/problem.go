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
	// completions are, by StageID, the times by which stages have finished that others
	// wait for.
	completions []core.View
	*record
}

// taskLate is a task of a job that is late alone which has no place in time.
func (p *problem) taskLate(i model.JobID) model.TaskID {
	t := p.JS.Jobs[i].First
	for p.Windows.Tasks[t].FirstFinish <= p.Cap[i] {
		t++
	}
	return t
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

// lastFinishes lists F of the tasks of a job's last stages; C7 puts the others before.
func (p *problem) lastFinishes(job *model.Job) []core.View {
	var out []core.View
	for _, st := range job.Ends() {
		stage, _ := p.JS.Stage(st)
		out = append(out, p.finishes(stage)...)
	}
	return out
}

// stayNear makes the values to try first those of a plan.
func (p *problem) stayNear(plan model.Schedule) {
	for t := range p.tasks {
		tk, at := &p.tasks[t], plan[t]
		for k := range tk.Places {
			place := &tk.Places[k]
			here := place.X.Not()
			if at.Slave == model.SlaveID(place.Slave) {
				here = place.X
				p.TryValue(tk.Start, int32(at.Start))
				p.TryValue(tk.Fetch, int32(at.Fetch))
				p.TryValue(tk.Finish, int32(at.Start)+place.WCET)
			}
			if place.X != tk.On {
				p.TryFirst(here)
			}
		}
	}
	finishes := p.JS.Finishes(plan)
	for i, on := range p.on {
		if p.Role[i] == query.May && finishes[i] > p.Cap[i] {
			p.TryFirst(on.Not())
		}
	}
}

// decode reads the schedule from values of all literals.
func (p *problem) decode() model.Schedule {
	out := model.NewSchedule(len(p.JS.Tasks))
	for t := range p.tasks {
		tk := &p.tasks[t]
		for k := range tk.Places {
			place := &tk.Places[k]
			if p.IsTrue(place.X) {
				at := model.Placement{
					Slave: model.SlaveID(place.Slave),
					Fetch: model.Time(p.Lower(tk.Fetch)), Start: model.Time(p.Lower(tk.Start)),
				}
				at.Beat, _ = p.JS.BeatAtOrBefore(at.Slave, at.Fetch)
				out[t] = at
			}
		}
	}
	return out
}
