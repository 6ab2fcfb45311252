package project

import (
	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// maxTasks is where a schedule takes about a tenth of a second; maxArcs, per task, bounds memory.
	maxTasks, maxArcs = 2000, 32
	// maxResources bounds what a task is looked at for.
	maxResources = 64
)

// project is a job set as tasks of fixed length that share resources of which there is always as much.
type project struct {
	*heuristics.Paths
	js *model.JobSet
	// slaves has the only slave of each task, length how long it takes there.
	slaves []model.SlaveID
	length []int32
	// capacity of each resource that may be short, needs of each task of one after the other.
	capacity []int64
	needs    [][]need
}

// need is an amount > 0 of a resource.
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
	if len(js.Tasks) > maxTasks || js.FIFO || js.Coupled() || js.Heartbeat > 1 {
		return nil
	}
	p := &project{Paths: heuristics.NewPaths(js, o, maxArcs), js: js}
	if p.Paths == nil || !p.addSlaves() {
		return nil
	}
	p.needs = make([][]need, len(js.Tasks))
	for i := range js.Slaves {
		s := &js.Slaves[i]
		if len(s.Down) > 0 || len(s.Reservations) > 0 || s.SplitSlots {
			return nil
		}
		p.addResource(int64(s.Slots), model.SlaveID(i), func(*model.Task) int64 { return 1 })
		p.addResource(int64(s.Cores), model.SlaveID(i), func(t *model.Task) int64 { return t.Cores() })
		for k := range js.Named {
			p.addResource(s.Offers(k), model.SlaveID(i), func(t *model.Task) int64 { return t.Units(k) })
		}
	}
	if len(p.capacity) > maxResources {
		return nil
	}
	return p
}

// addSlaves finds the slave of each task, where it has but one, and nothing to fetch.
func (p *project) addSlaves() bool {
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
		p.Release[t] = max(p.Release[t], int32(p.js.Slaves[only].FirstBeat))
	}
	return true
}

// addResource adds one of a slave, unless there is enough for all tasks at once.
func (p *project) addResource(capacity int64, s model.SlaveID, units func(*model.Task) int64) {
	sum := int64(0)
	for t := range p.js.Tasks {
		if p.slaves[t] == s {
			sum += units(&p.js.Tasks[t])
		}
	}
	if sum <= capacity {
		return
	}
	for t := range p.js.Tasks {
		if n := units(&p.js.Tasks[t]); p.slaves[t] == s && n > 0 {
			p.needs[t] = append(p.needs[t], need{len(p.capacity), n})
		}
	}
	p.capacity = append(p.capacity, capacity)
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
