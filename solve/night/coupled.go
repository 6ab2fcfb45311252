package night

import (
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// What tasks on different slaves have in common, in the rest of a night: what those of the past hold of
// pools and caps is reserved, the others of a gang start when they do, and tasks that are apart from
// them are barred from their slaves. A cap becomes a pool where it has a past, of which tasks that
// stand in take nothing.

// addPools reserves what the past holds of pools, and makes pools of caps.
func (r *rest) addPools() {
	r.set.Pools = slices.Clone(r.whole.Pools)
	shared := r.whole.Shared()
	for i := range shared {
		sh, id := &shared[i], model.SharedID(i)
		switch holds, any := r.holds(sh, id); {
		case sh.Pool >= 0:
			p := &r.set.Pools[sh.Pool]
			p.Reserved = append(slices.Clip(p.Reserved), holds...)
		case any:
			r.caps[capped{sh.Job, sh.Stage}] = len(r.set.Pools)
			r.set.Pools = append(r.set.Pools, model.Pool{Name: r.whole.SharedName(id), Levels: sh.Levels, Reserved: holds})
		}
	}
}

// holds lists what tasks of the past still hold of a limit; any tells whether some task that takes of it
// is of the past.
func (r *rest) holds(sh *model.Shared, id model.SharedID) (holds []model.SharedHold, any bool) {
	for _, t := range sh.Tasks {
		if !r.past.Of(t) {
			continue
		}
		any = true
		if end := r.whole.Finish(t, r.past.Place[t]); end > r.past.Now {
			holds = append(holds, model.SharedHold{Interval: model.Interval{End: end}, Units: r.whole.Taken(t, id)})
		}
	}
	return holds, any
}

// capped is what a cap is on: a stage of a job, or the job with a stage of -1.
type capped struct {
	job   model.JobID
	stage int32
}

// sharedInWhole is the limit of the whole that one of the rest stands for.
func (r *rest) sharedInWhole(id model.SharedID) model.SharedID {
	sh := &r.set.Shared()[id]
	if sh.Pool >= 0 && int(sh.Pool) < len(r.whole.Pools) {
		return id
	}
	of := capped{sh.Job, sh.Stage}
	for is, pool := range r.caps {
		if int32(pool) == sh.Pool {
			of = is
		}
	}
	return model.SharedID(slices.IndexFunc(r.whole.Shared(), func(sh model.Shared) bool { return sh.Pool < 0 && capped{sh.Job, sh.Stage} == of }))
}

// startAt is when the tasks of a stage start of which others were handed out before (C12); 0 if there
// are none, or they may start at any time.
func (r *rest) startAt(id model.StageID) model.Time {
	stage, _ := r.whole.Stage(id)
	if start, left := r.past.begun(stage); left && !r.nowhere[id] {
		return start
	}
	return 0
}

// begun is when the tasks of the past of a gang start, 0 if there are none; left tells whether others of it
// are still to be handed out.
func (p *Past) begun(stage *model.Stage) (start model.Time, left bool) {
	if !stage.Gang {
		return 0, false
	}
	for t := stage.First; t < stage.End; t++ {
		if p.Of(t) {
			start = p.Place[t].Start
		} else {
			left = true
		}
	}
	return start, left
}

// fit is the profile of tasks that are left of a stage: they take of the pools that caps have become, and
// are barred from slaves of tasks from which they are apart.
func (r *rest) fit(p *model.Profile, id model.StageID, limits []int) *model.Profile {
	if r.nowhere[id] {
		zero := model.ConstRow(len(r.set.Slaves), 0)
		return model.NewProfile(zero.With([]model.SlaveID{r.none}, 1), zero)
	}
	needs := p.Needs()
	for _, pool := range limits {
		if !needs.TakePool(pool, 1) {
			r.short = id
		}
	}
	p = p.Needing(needs)
	stage, _ := r.whole.Stage(id)
	for _, s := range r.past.slavesOf(stage) {
		p = p.Taking(s, 0)
	}
	return p
}

// slavesOf lists the slaves of tasks of the past from which others of a stage are apart (C12).
func (p *Past) slavesOf(stage *model.Stage) (slaves []model.SlaveID) {
	for t := stage.First; t < stage.End && stage.Apart; t++ {
		if p.Of(t) {
			slaves = append(slaves, p.Place[t].Slave)
		}
	}
	return slaves
}

// tie says what ties the tasks of a stage of the rest to each other.
func (r *rest) tie(stage *model.Stage, id model.StageID) {
	tasks := 0
	for g := range stage.Groups {
		tasks += stage.Groups[g].Count
	}
	_, past := r.standIns[id]
	if stage.StartAt = r.startAt(id); r.nowhere[id] || past && tasks == 1 {
		stage.Gang, stage.Apart = false, false
	}
}

// crowdedOut marks the stages with a task for which no slave is left that none is on from which it is
// apart.
func crowdedOut(past *Past) map[model.StageID]bool {
	js, out := past.Set, map[model.StageID]bool{}
	if !js.Gangs() {
		return out
	}
	for id := range model.StageID(js.Stages()) {
		stage, _ := js.Stage(id)
		used := past.slavesOf(stage)
		for t := stage.First; t < stage.End && len(used) > 0; t++ {
			p := js.Tasks[t].Profile
			for _, s := range used {
				p = p.Taking(s, 0)
			}
			if !past.Of(t) && !anywhere(js, p) {
				out[id] = true
			}
		}
	}
	return out
}

func anywhere(js *model.JobSet, p *model.Profile) bool {
	for s := range model.SlaveID(len(js.Slaves)) {
		if p.Eligible(s) {
			return true
		}
	}
	return false
}

// strand lets tasks that do not fit beside their past have no place, and reports whether there are some
// that had one. A set may have such jobs where slaves go for good.
func (r *rest) strand(misfits *model.Misfits) bool {
	more := false
	for _, m := range misfits.List {
		id := r.whole.Jobs[m.Job].FirstStage + model.StageID(m.Stage)
		more = more || !r.nowhere[id]
		r.nowhere[id] = true
	}
	return more
}

// nothing is the slave on which tasks are that have no place: it is never there.
func (r *rest) nothing() model.Slave {
	return model.Slave{
		Name: "(nowhere)", Cores: len(r.whole.Tasks), Slots: len(r.whole.Tasks),
		Down: []model.Interval{{End: model.Never}},
	}
}

// loseGangs has gangs lost as a whole of which a task is lost, or has started without another.
func (p *Past) loseGangs() {
	p.eachGang(func(stage *model.Stage) {
		start, left := p.begun(stage)
		if anyOf(stage, p.Lost) || anyOf(stage, p.Doomed) || left && start > 0 && start < p.Now {
			p.part(stage)
		}
	})
}

// loseRoomless has gangs lost for whose other tasks there is no room at their start.
func (p *Past) loseRoomless() {
	for stage := p.roomless(); stage != nil; stage = p.roomless() {
		p.part(stage)
	}
}

// eachGang calls yield for each gang.
func (p *Past) eachGang(yield func(*model.Stage)) {
	for id := range model.StageID(p.Set.Stages()) {
		if stage, _ := p.Set.Stage(id); stage.IsGang() {
			yield(stage)
		}
	}
}

// partial reports whether a gang is partly of the past.
func (p *Past) partial() (found bool) {
	p.eachGang(func(stage *model.Stage) {
		start, left := p.begun(stage)
		found = found || start > 0 && left
	})
	return found
}

// roomless is a gang for whose other tasks there is no room at its start; nil if there is none, or the
// past is at fault.
func (p *Past) roomless() *model.Stage {
	if !p.partial() || p.Check() != nil {
		return nil
	}
	r, err := newRest(p)
	if err != nil {
		return nil // Plan will say so
	}
	ref, found := heuristics.NewFigures(r.set).Unpinned()
	if !found {
		return nil
	}
	return &p.Set.Jobs[ref.Job].Stages[ref.Stage]
}

// part takes the tasks of a gang out of the past.
func (p *Past) part(stage *model.Stage) {
	for t := stage.First; t < stage.End; t++ {
		if p.Of(t) {
			p.Place[t].Slave = model.NoSlave
			p.Parted = append(p.Parted, t)
		}
	}
	slices.Sort(p.Parted)
}

// anyOf reports whether a list has a task of a stage.
func anyOf(stage *model.Stage, list []model.TaskID) bool {
	return slices.ContainsFunc(list, func(t model.TaskID) bool { return stage.First <= t && t < stage.End })
}
