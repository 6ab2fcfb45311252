package project

import (
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// maxTasks is where a schedule takes about a tenth of a second; maxArcs, per task, bounds memory.
	maxTasks, maxArcs = 2000, 32
)

// project is a job set as tasks of fixed length that share resources of which there is always as much.
type project struct {
	*heuristics.Paths
	js *model.JobSet
	// slaves has the only slave of each task, length how long it takes there; on lists the tasks of each slave.
	slaves []model.SlaveID
	length []int32
	on     [][]model.TaskID
	// capacity of each resource that may be short, those of a slave together, as of each pool and cap; holds of each task of these, one after the other.
	capacity [][]int64
	holds    [][]hold
}

// hold is what a task needs of resources that are together.
type hold struct {
	of    int
	needs []need
}

// need is an amount > 0 of a resource, by its place among those that are together.
type need struct {
	resource int
	units    int64
}

// Treats reports whether an objective can be searched for: the greatest finish or lateness, over a
// set that is a project.
func Treats(js *model.JobSet, o model.Objective) bool {
	return newProject(js, o) != nil
}

// newProject is a job set as a project, nil if it is none.
func newProject(js *model.JobSet, o model.Objective) *project {
	if len(js.Tasks) > maxTasks || js.FIFO || js.Gangs() || js.Heartbeat > 1 || !steady(js) {
		return nil
	}
	p := &project{Paths: heuristics.NewPaths(js, o, maxArcs), js: js}
	if p.Paths == nil || !p.addSlaves() {
		return nil
	}
	p.holds = make([][]hold, len(js.Tasks))
	for i := range js.Slaves {
		p.capacity = append(p.capacity, nil)
		eachResource(js, &js.Slaves[i], func(capacity int64, units func(*model.Task) int64) {
			p.addResource(capacity, p.on[i], func(t model.TaskID) int64 { return units(&js.Tasks[t]) })
		})
	}
	for id := range js.Shared() {
		limit := &js.Shared()[id]
		p.capacity = append(p.capacity, nil)
		if len(limit.Levels) > 1 || !p.addResource(limit.Last(), limit.Tasks, func(t model.TaskID) int64 { return js.Taken(t, model.SharedID(id)) }) {
			return nil
		}
	}
	return p
}

// addSlaves finds the slave of each task, where it has but one, and nothing to fetch.
func (p *project) addSlaves() bool {
	p.on = make([][]model.TaskID, len(p.js.Slaves))
	for t := range p.js.Tasks {
		task := &p.js.Tasks[t]
		only := model.NoSlave
		for i := range p.js.Slaves {
			if !task.Eligible(model.SlaveID(i)) {
				continue
			}
			if only != model.NoSlave || task.Transfer(model.SlaveID(i)) > 0 {
				return false
			}
			only = model.SlaveID(i)
		}
		if only == model.NoSlave {
			return false
		}
		p.slaves, p.length = append(p.slaves, only), append(p.length, int32(task.WCET(only)))
		p.on[only] = append(p.on[only], model.TaskID(t))
		p.Release[t] = max(p.Release[t], int32(p.js.Slaves[only].FirstBeat))
	}
	return true
}

// steady reports whether slaves have as much at all times, and slots are of one kind.
func steady(js *model.JobSet) bool {
	return !slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return len(s.Down) > 0 || len(s.Reservations) > 0 || s.SplitSlots })
}

// eachResource tells of what tasks hold of a slave: how much there is, and how many units a task takes.
func eachResource(js *model.JobSet, s *model.Slave, tell func(capacity int64, units func(*model.Task) int64)) {
	tell(int64(s.Slots), func(*model.Task) int64 { return 1 })
	tell(int64(s.Cores), func(t *model.Task) int64 { return t.Cores() })
	for k := range js.Named {
		tell(s.Offers(k), func(t *model.Task) int64 { return t.Units(k) })
	}
}

// addResource adds one to those that were begun last, which some tasks hold, unless there is enough for all of them at once. It is
// false where there is too little for one.
func (p *project) addResource(capacity int64, tasks []model.TaskID, units func(model.TaskID) int64) bool {
	sum := int64(0)
	for _, t := range tasks {
		if units(t) > capacity {
			return false
		}
		sum += units(t)
	}
	if sum <= capacity {
		return true
	}
	of := len(p.capacity) - 1
	for _, t := range tasks {
		if n := units(t); n > 0 {
			p.hold(t, of, need{len(p.capacity[of]), n})
		}
	}
	p.capacity[of] = append(p.capacity[of], capacity)
	return true
}

// hold has a task need some more of what is together.
func (p *project) hold(t model.TaskID, of int, more need) {
	holds := p.holds[t]
	if n := len(holds); n == 0 || holds[n-1].of != of {
		holds = append(holds, hold{of: of})
	}
	last := &holds[len(holds)-1]
	last.needs = append(last.needs, more)
	p.holds[t] = holds
}

// plan is the schedule of starts.
func (p *project) plan(start []int32) model.Schedule {
	plan := model.NewSchedule(len(start))
	for t, at := range start {
		s := p.slaves[t]
		plan[t] = model.Placement{
			Slave: s, Beat: model.Time(at) - p.js.Slaves[s].FirstBeat, Fetch: model.Time(at), Start: model.Time(at),
		}
	}
	return plan
}
