package horizon

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// known is what is left to be done of the jobs that have arrived, as a job set.
type known struct {
	v     *online.View
	set   *model.JobSet
	wider *model.Selector
	// tasks are by TaskID of set.
	tasks []waiting
	// held are the tasks that slaves hold.
	held []stay
	// ends has by stage when the last of its tasks that slaves hold ends, at the latest where
	// times are declared ones.
	ends  map[stageOf]model.Time
	times percents
}

// waiting is a task of the known set: one of the whole, or -1 for one that stands in.
type waiting struct {
	task  model.TaskID
	group *online.Group // nil as long as its stage is not open
}

type stageOf struct {
	job   model.JobID
	stage int
}

// newKnown has a slave more than the cluster, the last one, for tasks that stand in for
// those that slaves hold.
func newKnown(v *online.View, wider *model.Selector, goal []model.Objective, times percents) *known {
	k := &known{v: v, wider: wider, ends: map[stageOf]model.Time{}, times: times}
	k.set = &model.JobSet{
		Name: "known", Heartbeat: v.Heartbeat(), Fetch: v.FetchMode(), FIFO: true,
		Named: named(v), Objectives: goal, Pools: slices.Clone(v.Pools()),
	}
	k.addSlaves()
	k.addJobs()
	k.reservePools()
	err := k.set.Assemble()
	if misfits := (*model.Misfits)(nil); errors.As(err, &misfits) {
		return nil // what slaves hold of a pool is there no more when that ends
	}
	if err != nil {
		panic(fmt.Sprintf("horizon: what is left of an assembled job set: %v", err))
	}
	k.returnFailed()
	return k
}

// reservePools notes what is held of pools.
func (k *known) reservePools() {
	for i := range k.set.Pools {
		p := &k.set.Pools[i]
		p.Reserved = nil
		for _, h := range k.held {
			needs := h.task.Needs()
			if units := needs.Pooled(i); units > 0 {
				p.Reserved = append(p.Reserved, model.SharedHold{Interval: model.Interval{End: h.run.End}, Units: units})
			}
		}
	}
}

// reserved is what tasks of a job, or of one of its stages, hold of its cap. One of each stage does not
// count: that which stands in for the stage has its place.
func (k *known) reserved(j *online.Job, stage int) (out []model.SharedHold) {
	seen := map[int32]bool{}
	for _, h := range k.held {
		if h.task.Job != j.ID() || stage >= 0 && int(h.task.Stage) != stage {
			continue
		}
		if at := (stageOf{j.ID(), int(h.task.Stage)}); h.run.End == k.ends[at] && !seen[h.task.Stage] {
			seen[h.task.Stage] = true
			continue
		}
		out = append(out, model.SharedHold{Interval: model.Interval{End: h.run.End}, Units: 1})
	}
	return out
}

// named has a name for each named resource; the planner needs to tell them apart, no more.
func named(v *online.View) (names []string) {
	for s := range v.Slaves() {
		for len(names) < len(v.Slaves()[s].Units) {
			names = append(names, fmt.Sprintf("resource %d", len(names)+1))
		}
	}
	return names
}

// addSlaves lets slaves begin now, without what they hold.
func (k *known) addSlaves() {
	v := k.v
	k.set.Slaves = append(slices.Clone(v.Slaves()), model.Slave{Name: "(held)", FirstBeat: v.Now(), Cores: 1, Slots: 1})
	for s := range v.Slaves() {
		slave := &k.set.Slaves[s]
		slave.FirstBeat = nextBeat(slave.FirstBeat, v.Heartbeat(), v.Now())
		slave.Reservations = k.reservations(model.SlaveID(s))
		past, _ := slices.BinarySearchFunc(slave.Down, v.Now(), func(d model.Interval, now model.Time) int { return cmp.Compare(d.End, now) })
		slave.Down = slave.Down[past:]
	}
}

// nextBeat is the first of the times first, first+h, … at t or later.
func nextBeat(first, h, t model.Time) model.Time {
	if t <= first {
		return first
	}
	return first + (t-first+h-1)/h*h
}

// reservations lists what a slave's tasks hold from now on, at the times of the set. None that is handed
// out starts before those that the slave has: until then it has no core.
func (k *known) reservations(s model.SlaveID) (out []model.Reservation) {
	held := k.v.Held(s)
	if len(held) == 0 {
		return nil
	}
	supplies, now := k.set.Supplies(s), k.v.Now()
	stays := k.stays(s, held)
	k.held = append(k.held, stays...)
	last := stays[len(stays)-1].run.Start
	for _, supply := range supplies {
		first := model.Time(0)
		if supply.Hold == model.HoldRun && last > now {
			first = last
			out = append(out, model.Reservation{Resource: supply.Resource, Interval: model.Interval{End: first}, Units: supply.Units})
		}
		for i := range held {
			iv := stays[i].holds(supply.Hold)
			if iv.Start <= now {
				iv.Start = 0
			}
			iv.Start = max(iv.Start, first)
			if units := k.set.Need(stays[i].task, s, supply.Resource); units > 0 && iv.Start < iv.End && iv.End > now {
				out = append(out, model.Reservation{Resource: supply.Resource, Interval: iv, Units: units})
			}
		}
	}
	return out
}

// stay is a task that a slave holds, with when it fetches and runs at the latest.
type stay struct {
	task       *model.Task
	fetch, run model.Interval
}

// holds is when it holds what is held in the way of h; whole stays have begun.
func (st *stay) holds(h model.Hold) model.Interval {
	switch h {
	case model.HoldRun:
		return st.run
	case model.HoldFetch:
		return st.fetch
	default:
		return model.Interval{End: st.run.End}
	}
}

// stays works out what a slave will do with its tasks at the times of the set: each starts once
// it is fetched, cores are free and the one before it has started. One that has overrun is
// taken to end at the next tick.
func (k *known) stays(s model.SlaveID, held []online.Held) []stay {
	out := make([]stay, len(held))
	cores := make([]model.Time, k.v.Slaves()[s].Cores) // when each is free, ascending
	last := model.Time(0)
	for i, h := range held {
		task := k.v.Task(h.Task)
		n := int(task.Cores())
		start := h.Started
		if start == model.Never {
			start = max(h.Fetched, h.By, last, cores[max(n, 1)-1], k.v.Now())
		}
		end := max(start+k.length(h.Task, task.WCET(s), max(0, k.v.Now()-start)), k.v.Now()+1)
		out[i] = stay{task, model.Interval{Start: h.Fetched - task.Transfer(s), End: h.Fetched}, model.Interval{Start: start, End: end}}
		last = start
		for c := range n {
			cores[c] = end
		}
		slices.Sort(cores)
		at := stageOf{task.Job, int(task.Stage)}
		k.ends[at] = max(k.ends[at], end)
	}
	return out
}

// addJobs adds what is left of each job.
func (k *known) addJobs() {
	number := map[model.JobID]model.JobID{}
	jobs := toDo(k.v)
	for i, j := range jobs {
		number[j.ID()] = model.JobID(i)
	}
	for _, j := range jobs {
		spec := *j.Spec()
		spec.After = nil
		for _, b := range k.v.Before(j) {
			spec.After = append(spec.After, number[b.ID()])
		}
		slices.Sort(spec.After)
		spec.Stages = k.stagesOf(j)
		if spec.AtMost > 0 {
			spec.Reserved = k.reserved(j, -1)
		}
		k.set.Jobs = append(k.set.Jobs, spec)
	}
}

// toDo lists the active jobs of which tasks are to be handed out yet, now or later. What slaves hold of
// others is reserved, and no more than that.
func toDo(v *online.View) (jobs []*online.Job) {
	for _, j := range v.Active() {
		if !j.GivenUp() {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// stagesOf are the stages of a job that have not ended.
func (k *known) stagesOf(j *online.Job) []model.Stage {
	spec := j.Spec()
	number := make([]int32, len(spec.Stages))
	var out []model.Stage
	for i := range spec.Stages {
		number[i] = int32(len(out))
		if j.Left(i) == 0 {
			continue
		}
		of := &spec.Stages[i]
		st := model.Stage{Name: of.Name, Slot: of.Slot, After: []int32{}, AtMost: of.AtMost, Gang: of.Gang, Apart: of.Apart}
		if st.AtMost > 0 {
			st.Reserved = k.reserved(j, i)
		}
		if end, any := k.ends[stageOf{j.ID(), i}]; any {
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: k.standIn(end)})
			k.tasks = append(k.tasks, waiting{task: -1})
		}
		if j.Open(i) {
			k.addOpen(j, i, &st)
		} else {
			k.addClosed(of, &st)
		}
		out = append(out, st)
	}
	for i := range spec.Stages {
		for _, before := range spec.Stages[i].After {
			if j.Left(i) > 0 && j.Left(int(before)) > 0 {
				st := &out[number[i]]
				st.After = append(st.After, number[before])
			}
		}
	}
	return out
}

// standIn is the profile of a task that runs from now until end.
func (k *known) standIn(end model.Time) *model.Profile {
	own := len(k.set.Slaves) - 1
	k.set.Slaves[own].Cores++
	k.set.Slaves[own].Slots++
	zero := model.ConstRow(len(k.set.Slaves), 0)
	return model.NewProfile(zero.With([]model.SlaveID{model.SlaveID(own)}, end-k.v.Now()), zero)
}

// addOpen adds the tasks of an open stage that wait.
func (k *known) addOpen(j *online.Job, stage int, st *model.Stage) {
	for _, g := range j.Groups() {
		if g.Stage() != stage || g.Len() == 0 {
			continue
		}
		k.addTasks(st, k.free(g), g.Tasks())
		for _, t := range g.Tasks() {
			k.tasks = append(k.tasks, waiting{t, g})
		}
	}
}

// addTasks adds tasks of a profile to a stage: together where all take the same time.
func (k *known) addTasks(st *model.Stage, p *model.Profile, tasks []model.TaskID) {
	if k.times == nil {
		st.Groups = append(st.Groups, model.Group{Count: len(tasks), Profile: p})
		return
	}
	for _, t := range tasks {
		length := func(wcet model.Time) model.Time { return k.length(t, wcet, 0) }
		same := func(transfer model.Time) model.Time { return transfer }
		st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewMapper(length, same).Profile(p)})
	}
}

// free is the profile of a group, barred from slaves that have had another task of its stage if these
// are apart.
func (k *known) free(g *online.Group) *model.Profile {
	p := k.wider.Profile(g.Profile())
	for s := range model.SlaveID(len(k.v.Slaves())) {
		if k.v.Apart(s, g) {
			p = p.Taking(s, 0)
		}
	}
	return p
}

// addClosed adds all tasks of a stage that is still to come.
func (k *known) addClosed(of, st *model.Stage) {
	first := of.First
	for _, g := range of.Groups {
		var tasks []model.TaskID
		for t := range model.TaskID(g.Count) {
			tasks = append(tasks, first+t)
			k.tasks = append(k.tasks, waiting{task: first + t})
		}
		k.addTasks(st, k.wider.Profile(g.Profile), tasks)
		first += model.TaskID(g.Count)
	}
}

// returnFailed puts off the first heartbeats of slaves that have failed until all could be
// done without them, one task after the other.
func (k *known) returnFailed() {
	back := model.Time(0)
	for s := range k.v.Slaves() {
		if !k.v.Failed(model.SlaveID(s)) {
			continue
		}
		if back == 0 {
			back = k.v.Now() + k.longest()
		}
		slave := &k.set.Slaves[s]
		slave.FirstBeat = nextBeat(slave.FirstBeat, k.v.Heartbeat(), back)
	}
}

// longest is the sum of the longest times of all tasks, and a heartbeat for each.
func (k *known) longest() model.Time {
	sum := model.Time(0)
	for t := range k.set.Tasks {
		most := model.Time(0)
		k.set.Tasks[t].EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { most = max(most, wcet+transfer) })
		sum += most + k.set.Heartbeat
	}
	return min(sum, model.MaxTime)
}

// start is what an earlier plan says of what is known.
func (k *known) start(earlier map[model.TaskID]planned) model.Schedule {
	out := model.NewSchedule(len(k.tasks))
	own := model.SlaveID(len(k.set.Slaves) - 1)
	for t := range k.tasks {
		if k.tasks[t].task < 0 {
			out[t] = model.Placement{Slave: own, Fetch: k.v.Now(), Start: k.v.Now()}
			continue
		}
		at, known := earlier[k.tasks[t].task]
		if !known {
			continue
		}
		beat := (at.assigned - k.set.Slaves[at.slave].FirstBeat) / k.set.Heartbeat
		out[t] = model.Placement{Slave: at.slave, Beat: beat, Fetch: at.fetch, Start: at.start}
	}
	return out
}
