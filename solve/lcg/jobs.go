package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
	"downbeat/solve/lcg/propagate"
)

// addJob makes the variables of a job, and ties those of each task.
func (p *problem) addJob(i model.JobID) {
	job := &p.JS.Jobs[i]
	p.on[i] = core.True
	if p.Role[i] == query.May {
		p.on[i] = p.NewBool()
		p.called(p.on[i], atom{'e', int32(i), int32(p.Cap[i])})
		p.TryFirst(p.on[i])
	}
	for _, k := range job.Order() {
		st := job.FirstStage + model.StageID(k)
		stage := &job.Stages[k]
		var after []core.View
		for _, before := range p.Before(st) {
			after = append(after, p.completions[before])
		}
		for t := stage.First; t < stage.End; t++ {
			p.addTask(t, p.on[i])
			p.tasks[t].Completions = after
		}
		for t := stage.First; t < stage.End; t++ {
			if len(p.tasks[t].Places) > 0 {
				p.because("task", int(t))
				propagate.PostTask(p.Solver, &p.tasks[t])
				p.addAbsences(&p.tasks[t])
			}
		}
		if len(p.Next(st)) > 0 {
			p.completions[st] = p.completion(st, stage)
		}
	}
}

// completion is the time by which all tasks of a stage have finished. If the job
// is not placed it can be anything that its tasks' finishes leave.
func (p *problem) completion(st model.StageID, stage *model.Stage) core.View {
	finishes := p.finishes(stage)
	if len(finishes) == 1 {
		return finishes[0]
	}
	lo, hi := int32(0), int32(0)
	for _, f := range finishes {
		lo, hi = max(lo, p.Lower(f)), max(hi, p.Upper(f))
	}
	completion := p.NewInt(lo, hi)
	p.calledInt(completion, 'g', int(st))
	p.because("stage", int(st))
	propagate.PostPrecedence(p.Solver, finishes, completion)
	return completion
}

// addTask makes the variables of a task.
func (p *problem) addTask(t model.TaskID, on core.Lit) {
	tk := &p.tasks[t]
	tk.On = on
	tk.Places = p.places(t)
	p.because("task", int(t))
	if len(tk.Places) == 0 {
		p.AddClause(on.Not())
		return
	}
	p.chooseOne(t, tk.Places, on)
	first := &tk.Places[0]
	starts, fetches, finishes := propagate.Nowhere, propagate.Nowhere, propagate.Nowhere
	equalWCET, movesAlong := true, true
	for k := range tk.Places {
		at := &tk.Places[k]
		starts.Join(at.Starts())
		fetches.Join(at.Fetches())
		finishes.Join(at.Finishes())
		equalWCET = equalWCET && at.WCET == first.WCET
		movesAlong = movesAlong && at.Tied && at.Transfer == first.Transfer
	}
	tk.Start = p.NewInt(starts.Lo, starts.Hi)
	p.calledInt(tk.Start, 's', int(t))
	tk.Fetch = tk.Start.Plus(-first.Transfer)
	if !movesAlong {
		tk.Fetch = p.NewInt(fetches.Lo, fetches.Hi)
		p.calledInt(tk.Fetch, 'r', int(t))
	}
	tk.Finish = tk.Start.Plus(first.WCET)
	if !equalWCET {
		tk.Finish = p.NewInt(finishes.Lo, finishes.Hi)
		p.calledInt(tk.Finish, 'f', int(t))
	}
}

// places are those of the layout, for the propagators.
func (p *problem) places(t model.TaskID) []propagate.Place {
	out := make([]propagate.Place, len(p.Places[t]))
	for k := range out {
		at := &p.Places[t][k]
		out[k] = propagate.Place{
			Slave: int32(at.Slave), WCET: int32(at.WCET), Transfer: int32(at.Transfer),
			FirstFetch: int32(at.FirstFetch), LastStart: int32(at.LastStart), Tied: at.Tied,
			FirstBeat: int32(p.JS.Slaves[at.Slave].FirstBeat), Beat: int32(p.JS.Heartbeat),
		}
	}
	return out
}

// chooseOne makes the choice of a slave: one if on, none if not. To be tried
// first: where the task can finish first.
func (p *problem) chooseOne(t model.TaskID, places []propagate.Place, on core.Lit) {
	if len(places) == 1 {
		places[0].X = on
		return
	}
	best := slices.MinFunc(places, func(a, b propagate.Place) int {
		return cmp.Compare(a.Finishes().Lo, b.Finishes().Lo)
	})
	some := []core.Lit{on.Not()}
	for k := range places {
		x := p.NewBool()
		p.called(x, atom{'x', int32(t), places[k].Slave})
		places[k].X = x
		p.TryFirst(x.Not())
		if places[k].Slave == best.Slave {
			p.TryFirst(x)
		}
		p.AddClause(x.Not(), on)
		for _, other := range some[1:] {
			p.AddClause(x.Not(), other.Not())
		}
		some = append(some, x)
	}
	p.AddClause(some...)
}

// addAbsences: handed out before an absence means finished by then.
func (p *problem) addAbsences(tk *propagate.Task) {
	for k := range tk.Places {
		at := &tk.Places[k]
		s := model.SlaveID(at.Slave)
		for _, down := range p.JS.Slaves[s].Down {
			if model.Time(at.FirstFetch) >= down.End || model.Time(at.LastStart+at.WCET) <= down.Start {
				continue
			}
			_, back := p.JS.BeatAtOrAfter(s, down.End)
			p.AddClause(at.X.Not(), p.Ge(tk.Fetch, int32(back)), p.Le(tk.Start, int32(down.Start)-at.WCET))
		}
	}
}
