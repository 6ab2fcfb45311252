package night

import (
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
)

// rest is what is left of a job set after its past, as a job set.
type rest struct {
	whole *model.JobSet
	past  *Past
	set   *model.JobSet
	// task is, by TaskID of set, the task of whole; one that stands in has that of its stage
	// which finishes last.
	task []model.TaskID
	// passed counts, by slave, the heartbeats of whole before the first of set.
	passed []model.Time
	// ends has, by stage of whole, when the tasks of the past finish, 0 if there are none.
	ends []model.Time
	// standIns are places of those that stand in for the past, by stage of whole.
	standIns map[model.StageID]model.Placement
	// caps has the pool of set that each cap of whole with a past has become.
	caps map[capped]int
	// nowhere has, by stage of whole, the stages with tasks for which the past has left no place, on
	// the slave none.
	nowhere map[model.StageID]bool
	none    model.SlaveID
	// short is a stage whose tasks take of more pools than can be told apart, -1 for none.
	short model.StageID
}

// newRest makes the rest of a set whose past has been checked.
func newRest(past *Past) (*rest, error) {
	nowhere := crowdedOut(past)
	for {
		r := makeRest(past, nowhere)
		if r.short >= 0 {
			stage, job := past.Set.Stage(r.short)
			return nil, fmt.Errorf("tasks of %s/%s take of more than %d pools and caps", past.Set.Jobs[job].Name, stage.Name, model.MaxTakes)
		}
		err := r.set.Assemble()
		var misfits *model.Misfits
		switch {
		case errors.As(err, &misfits) && r.strand(misfits):
			continue
		case err != nil:
			return nil, fmt.Errorf("what is left is no job set: %w", err)
		}
		for t, id := range r.task {
			r.set.Tasks[t].Number = past.Set.Tasks[id].Number
		}
		return r, nil
	}
}

// makeRest makes the rest, not assembled yet, in which tasks of some stages have no place.
func makeRest(past *Past, nowhere map[model.StageID]bool) *rest {
	whole := past.Set
	set := *whole
	set.Tasks = nil
	r := &rest{
		whole: whole, past: past, set: &set,
		passed: make([]model.Time, len(whole.Slaves)), ends: make([]model.Time, whole.Stages()),
		standIns: map[model.StageID]model.Placement{}, caps: map[capped]int{}, nowhere: nowhere, none: model.NoSlave, short: -1,
	}
	r.addSlaves()
	r.addPools()
	stages := r.standIn()
	r.addJobs(stages)
	return r
}

// addSlaves puts first heartbeats off, and notes reservations.
func (r *rest) addSlaves() {
	r.set.Slaves = slices.Clone(r.whole.Slaves)
	on := make([][]model.TaskID, len(r.set.Slaves))
	for t, at := range r.past.Place {
		if id := model.TaskID(t); r.past.Of(id) && r.whole.Finish(id, at) > r.past.Now {
			on[at.Slave] = append(on[at.Slave], id)
		}
	}
	for s := range r.set.Slaves {
		id, slave := model.SlaveID(s), &r.set.Slaves[s]
		r.passed[s], slave.FirstBeat = r.whole.BeatAtOrAfter(id, r.firstFree(id, on[s]))
		slave.Reservations = append(slices.Clip(slave.Reservations), r.reservations(id, on[s])...)
	}
}

// firstFree is the first time, Now or later, at which a slave has a slot to give away; Now where it has
// none at all.
func (r *rest) firstFree(s model.SlaveID, running []model.TaskID) model.Time {
	slave := &r.whole.Slaves[s]
	first := model.Never
	if slave.TotalSlots() == 0 {
		return r.past.Now
	}
	for pool := range slave.Pools() {
		var ends []model.Time
		for _, t := range running {
			if slave.Pool(r.whole.Tasks[t].Slot) == pool {
				ends = append(ends, r.whole.Finish(t, r.past.Place[t]))
			}
		}
		slices.Sort(ends)
		switch slots := slave.PoolSize(pool); {
		case slots == 0:
		case len(ends) < slots:
			return r.past.Now
		default:
			first = min(first, ends[len(ends)-slots])
		}
	}
	return max(first, r.past.Now)
}

// reservations lists what tasks that run on a slave still hold. With fifo no task starts before
// those that were handed out earlier: until then all cores are reserved.
func (r *rest) reservations(s model.SlaveID, running []model.TaskID) (out []model.Reservation) {
	lastStart := model.Time(0)
	for _, t := range running {
		if r.whole.FIFO && r.past.Place[t].Start > r.past.Now {
			lastStart = max(lastStart, r.past.Place[t].Start)
		}
	}
	for _, supply := range r.whole.Supplies(s) {
		first := model.Time(0)
		if supply.Hold == model.HoldRun && lastStart > 0 {
			first = lastStart
			out = append(out, model.Reservation{Resource: supply.Resource, Interval: model.Interval{End: first}, Units: supply.Units})
		}
		for _, t := range running {
			task := &r.whole.Tasks[t]
			held := r.whole.Held(task, r.past.Place[t], supply.Hold)
			if held.Start <= r.past.Now {
				held.Start = 0
			}
			held.Start = max(held.Start, first)
			if units := r.whole.Need(task, s, supply.Resource); units > 0 && held.Start < held.End && held.End > r.past.Now {
				out = append(out, model.Reservation{Resource: supply.Resource, Interval: held, Units: units})
			}
		}
	}
	return out
}

// standIn adds the slaves on which tasks stand in for the past, one for all that have their
// heartbeats at the same times, and gives the profiles of these tasks, by stage.
func (r *rest) standIn() map[model.StageID]*model.Profile {
	last := r.lastOfStages()
	bySlave := map[model.Time]model.SlaveID{} // by the first heartbeat after 0
	var added []model.StageID
	for _, stage := range r.whole.StageOrder() {
		task, any := last[stage]
		if !any {
			continue
		}
		r.ends[stage] = r.whole.Finish(task, r.past.Place[task])
		_, job := r.whole.Stage(stage)
		ready := r.whole.Jobs[job].Release
		for _, before := range r.whole.Before(stage) {
			ready = max(ready, r.ends[before])
		}
		phase := r.whole.Slaves[r.past.Place[task].Slave].FirstBeat % r.whole.Heartbeat
		s, known := bySlave[phase]
		if !known {
			s = model.SlaveID(len(r.set.Slaves))
			bySlave[phase] = s
			r.set.Slaves = append(r.set.Slaves, model.Slave{Name: pastName(len(bySlave)), FirstBeat: phase})
		}
		slave := &r.set.Slaves[s]
		slave.Cores, slave.Slots = slave.Cores+1, slave.Slots+1
		beat, at := r.set.BeatAtOrAfter(s, ready)
		start := at
		if r.startAt(stage) > 0 { // as late as it goes: with fifo others may be handed out before
			start = r.startAt(stage)
			beat, at = r.set.BeatAtOrBefore(s, start)
		}
		r.standIns[stage] = model.Placement{Slave: s, Beat: beat, Fetch: at, Start: start}
		added = append(added, stage)
	}
	if len(r.nowhere) > 0 {
		r.none = model.SlaveID(len(r.set.Slaves))
		r.set.Slaves = append(r.set.Slaves, r.nothing())
	}
	zero := model.ConstRow(len(r.set.Slaves), 0)
	profiles := make(map[model.StageID]*model.Profile, len(added))
	for _, stage := range added {
		at := r.standIns[stage]
		profiles[stage] = model.NewProfile(zero.With([]model.SlaveID{at.Slave}, r.ends[stage]-at.Start), zero)
	}
	return profiles
}

// pastName is the name of a slave of the past. People hardly see it: nothing is short on it.
func pastName(n int) string { return fmt.Sprintf("(past %d)", n) }

// lastOfStages finds, by stage, the task of the past that finishes last.
func (r *rest) lastOfStages() map[model.StageID]model.TaskID {
	last := map[model.StageID]model.TaskID{}
	for t, at := range r.past.Place {
		id := model.TaskID(t)
		if !r.past.Of(id) {
			continue
		}
		stage := r.whole.StageOf(&r.whole.Tasks[t])
		if before, any := last[stage]; !any || r.whole.Finish(id, at) > r.whole.Finish(before, r.past.Place[before]) {
			last[stage] = id
		}
	}
	return last
}

// addJobs adds all jobs, each stage with the task that stands in, if there is one, and those
// that are left.
func (r *rest) addJobs(standIns map[model.StageID]*model.Profile) {
	from := make([]model.SlaveID, len(r.set.Slaves))
	for s := range from {
		from[s] = model.SlaveID(s)
		if s >= len(r.whole.Slaves) {
			from[s] = model.NoSlave
		}
	}
	wider := model.NewSelector(from)
	last := r.lastOfStages()
	r.set.Jobs = slices.Clone(r.whole.Jobs)
	for i := range r.set.Jobs {
		job := &r.set.Jobs[i]
		job.Stages = slices.Clone(job.Stages)
		ofJob, any := r.caps[capped{model.JobID(i), -1}]
		if any {
			job.AtMost = 0
		}
		for k := range job.Stages {
			stage, id := &job.Stages[k], job.FirstStage+model.StageID(k)
			var limits []int
			if any {
				limits = append(limits, ofJob)
			}
			if pool, any := r.caps[capped{model.JobID(i), int32(k)}]; any {
				stage.AtMost = 0
				limits = append(limits, pool)
			}
			groups := stage.Groups
			stage.Groups = nil
			if p := standIns[id]; p != nil {
				stage.Groups = append(stage.Groups, model.Group{Count: 1, Profile: p})
				r.task = append(r.task, last[id])
			}
			t := stage.First
			for g := range groups {
				left := r.left(t, groups[g].Count)
				if r.task = append(r.task, left...); len(left) > 0 {
					profile := r.fit(wider.Profile(groups[g].Declared()), id, limits)
					stage.Groups = append(stage.Groups, model.Group{Count: len(left), Profile: profile})
				}
				t += model.TaskID(groups[g].Count)
			}
			r.tie(stage, id)
		}
	}
}

// left are those of n tasks from t on that are not of the past.
func (r *rest) left(t model.TaskID, n int) []model.TaskID {
	var out []model.TaskID
	for end := t + model.TaskID(n); t < end; t++ {
		if !r.past.Of(t) {
			out = append(out, t)
		}
	}
	return out
}

// start is what a plan of the whole, which may be partial, says of the rest.
func (r *rest) start(plan model.Schedule) model.Schedule {
	out := model.NewSchedule(len(r.task))
	for t, id := range r.task {
		at := plan[id]
		switch {
		case r.past.Of(id):
			at = r.standIns[r.whole.StageOf(&r.whole.Tasks[id])]
		case at.Slave == model.NoSlave:
			continue
		case int(at.Slave) >= len(r.whole.Slaves): // one that is not in the cluster
			at.Slave = model.SlaveID(len(r.set.Slaves))
		default:
			at.Beat -= r.passed[at.Slave]
		}
		out[t] = at
	}
	return out
}

// plan is the plan of the whole that one of the rest stands for.
func (r *rest) plan(of model.Schedule) model.Schedule {
	out := slices.Clone(r.past.Place)
	for t, id := range r.task {
		switch {
		case r.past.Of(id):
		case of[t].Slave == model.NoSlave: // its job is left out
			out[id].Slave = model.NoSlave
		default:
			out[id] = of[t]
			out[id].Beat += r.passed[of[t].Slave]
		}
	}
	return out
}
