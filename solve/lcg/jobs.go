package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
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
		together := p.together(stage, p.on[i])
		for t := stage.First; t < stage.End; t++ {
			p.addTask(t, p.on[i], together)
			p.tasks[t].completions = after
		}
		p.addApart(st, stage)
		for t := stage.First; t < stage.End; t++ {
			if len(p.tasks[t].places) > 0 {
				p.because("task", int(t))
				postTask(p.Solver, &p.tasks[t])
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
	postPrecedence(p.Solver, finishes, completion)
	return completion
}

// together is the start of all tasks of a gang (C12), nil for others, and where a task has no place:
// a gang that is placed has one start, where all of them can.
func (p *problem) together(stage *model.Stage, on core.Lit) *core.View {
	if !stage.IsGang() {
		return nil
	}
	common := span{0, far}
	if stage.StartAt > 0 {
		at := int32(min(stage.StartAt, model.Time(far)))
		common = span{at, at}
	}
	for t := stage.First; t < stage.End; t++ {
		starts := nowhere
		for _, at := range p.tasks[t].places {
			starts.join(at.starts())
		}
		if starts == nowhere {
			return nil
		}
		common.lo, common.hi = max(common.lo, starts.lo), min(common.hi, starts.hi)
	}
	if common.lo > common.hi {
		p.because("task", int(stage.First))
		p.AddClause(on.Not())
		return nil
	}
	start := p.NewInt(common.lo, common.hi)
	p.calledInt(start, 's', int(stage.First))
	return &start
}

// addApart has no two tasks of a stage on a slave where they are apart (C12).
func (p *problem) addApart(st model.StageID, stage *model.Stage) {
	if !stage.IsApart() {
		return
	}
	p.because("apart", int(st))
	on := map[int32][]core.Lit{}
	for t := stage.First; t < stage.End; t++ {
		for _, at := range p.tasks[t].places {
			for _, other := range on[at.slave] {
				p.AddClause(at.x.Not(), other.Not())
			}
			on[at.slave] = append(on[at.slave], at.x)
		}
	}
}

// addTask makes the variables of a task, but for its start where that is together with others.
func (p *problem) addTask(t model.TaskID, on core.Lit, together *core.View) {
	tk := &p.tasks[t]
	tk.on = on
	p.because("task", int(t))
	if len(tk.places) == 0 {
		p.AddClause(on.Not())
		return
	}
	p.chooseOne(t, tk.places, on)
	start, fetch, finish := ranges(tk.places)
	if together != nil {
		tk.start = *together
	} else {
		tk.start = p.NewInt(start.lo, start.hi)
		p.calledInt(tk.start, 's', int(t))
	}
	tk.fetch = tk.start.Plus(-tk.places[0].transfer)
	if fetch != nowhere {
		tk.fetch = p.NewInt(fetch.lo, fetch.hi)
		p.calledInt(tk.fetch, 'r', int(t))
	}
	tk.finish = tk.start.Plus(tk.places[0].wcet)
	if finish != nowhere {
		tk.finish = p.NewInt(finish.lo, finish.hi)
		p.calledInt(tk.finish, 'f', int(t))
	}
}

// ranges are those of the integers of a task: fetch and finish are nowhere if they are the start plus a constant, on all places
// the same.
func ranges(places []place) (start, fetch, finish span) {
	start, fetch, finish = nowhere, nowhere, nowhere
	equalWCET, movesAlong := true, true
	for k := range places {
		at := &places[k]
		start.join(at.starts())
		fetch.join(at.fetches())
		finish.join(at.finishes())
		equalWCET = equalWCET && at.wcet == places[0].wcet
		movesAlong = movesAlong && at.tied && at.transfer == places[0].transfer
	}
	if movesAlong {
		fetch = nowhere
	}
	if equalWCET {
		finish = nowhere
	}
	return start, fetch, finish
}

// places are those of the layout, for the propagators.
func (p *problem) places(t model.TaskID) []place {
	out := make([]place, len(p.Places[t]))
	for k := range out {
		at := &p.Places[t][k]
		out[k] = place{
			slave: int32(at.Slave), wcet: int32(at.WCET), transfer: int32(at.Transfer),
			firstFetch: int32(at.FirstFetch), lastStart: int32(at.LastStart), tied: at.Tied,
			firstBeat: int32(p.JS.Slaves[at.Slave].FirstBeat), beat: int32(p.JS.Heartbeat),
		}
	}
	return out
}

// chooseOne makes the choice of a slave: one if on, none if not. To be tried
// first: where the task can finish first.
func (p *problem) chooseOne(t model.TaskID, places []place, on core.Lit) {
	if len(places) == 1 {
		places[0].x = on
		return
	}
	best := slices.MinFunc(places, func(a, b place) int {
		return cmp.Compare(a.finishes().lo, b.finishes().lo)
	})
	some := []core.Lit{on.Not()}
	for k := range places {
		x := p.NewBool()
		p.called(x, atom{'x', int32(t), places[k].slave})
		places[k].x = x
		p.TryFirst(x.Not())
		if places[k].slave == best.slave {
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
func (p *problem) addAbsences(tk *taskVars) {
	for k := range tk.places {
		at := &tk.places[k]
		s := model.SlaveID(at.slave)
		for _, down := range p.JS.Slaves[s].Down {
			if model.Time(at.firstFetch) >= down.End || model.Time(at.lastStart+at.wcet) <= down.Start {
				continue
			}
			_, back := p.JS.BeatAtOrAfter(s, down.End)
			p.AddClause(at.x.Not(), p.Ge(tk.fetch, int32(back)), p.Le(tk.start, int32(down.Start)-at.wcet))
		}
	}
}
