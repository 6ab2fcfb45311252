package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// problem is a question inside a solver.
type problem struct {
	*query.Layout
	*core.Solver
	on    []core.Lit // per job: it is placed
	tasks []taskVars // by TaskID; no places if left out
	// completions are, by StageID, the times by which stages have finished that others
	// wait for.
	completions []core.View
	// held are what tasks hold on slaves, limited what keeps to the limits of the question, in their order.
	held    []held
	limited []limited
	// orders are literals that one task comes before another, by the starts, or fetches, of both.
	orders map[[2]core.View]core.Lit
	// turns are the pairs of each task that has such literals, by its start, or fetch, and how long it holds something from then on.
	turns map[holding]*turns
	*names
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
		if len(p.tasks[t].places) > 0 {
			out = append(out, p.tasks[t].finish)
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
		for k := range tk.places {
			place := &tk.places[k]
			here := place.x.Not()
			if at.Slave == model.SlaveID(place.slave) {
				here = place.x
				p.TryValue(tk.start, int32(at.Start))
				p.TryValue(tk.fetch, int32(at.Fetch))
				p.TryValue(tk.finish, int32(at.Start)+place.wcet)
			}
			if place.x != tk.on {
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
		for k := range tk.places {
			place := &tk.places[k]
			if p.IsTrue(place.x) {
				at := model.Placement{
					Slave: model.SlaveID(place.slave),
					Fetch: model.Time(p.Lower(tk.fetch)), Start: model.Time(p.Lower(tk.start)),
				}
				at.Beat, _ = p.JS.BeatAtOrBefore(at.Slave, at.Fetch)
				out[t] = at
			}
		}
	}
	return out
}
