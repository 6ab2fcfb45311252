package project

import (
	"math/bits"
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
	// together are the resources that may be short, those of a slave, as each pool and cap; holds of each task of these, one after the other.
	together []together
	holds    [][]hold
}

// together are resources as fields of words: how much there is of each, below a bit of its own, its guard, which is set. Where no more is taken
// off than there is all guards stay, and else one goes, so that a word says of all its resources at once whether there is enough.
type together struct {
	capacity, guards []uint64
	// resources counts them, used is how many bits of the last word have fields.
	resources, used int
}

// hold is what a task needs of resources that are together, as fields of the first words.
type hold struct {
	of    int
	needs []uint64
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
		p.together = append(p.together, together{})
		eachResource(js, &js.Slaves[i], func(capacity int64, units func(*model.Task) int64) {
			p.addResource(capacity, p.on[i], func(t model.TaskID) int64 { return units(&js.Tasks[t]) })
		})
	}
	for id := range js.Shared() {
		limit := &js.Shared()[id]
		p.together = append(p.together, together{})
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
	of := len(p.together) - 1
	word, shift := p.together[of].add(capacity)
	for _, t := range tasks {
		if n := units(t); n > 0 {
			p.hold(t, of, word, uint64(n)<<shift)
		}
	}
	return true
}

// add adds a resource, and gives the place of its field.
func (r *together) add(capacity int64) (word, shift int) {
	width := bits.Len64(uint64(capacity)) + 1
	if len(r.capacity) == 0 || r.used+width > 64 {
		r.capacity, r.guards, r.used = append(r.capacity, 0), append(r.guards, 0), 0
	}
	word, shift = len(r.capacity)-1, r.used
	r.used += width
	r.resources++
	guard := uint64(1) << (r.used - 1)
	r.guards[word] |= guard
	r.capacity[word] |= guard | uint64(capacity)<<shift
	return word, shift
}

// hold has a task need some more, in a word, of what is together.
func (p *project) hold(t model.TaskID, of, word int, more uint64) {
	holds := p.holds[t]
	if n := len(holds); n == 0 || holds[n-1].of != of {
		holds = append(holds, hold{of: of})
	}
	last := &holds[len(holds)-1]
	last.needs = with(last.needs, word, more)
	p.holds[t] = holds
}

// with is needs of which there are some more in a word.
func with(needs []uint64, word int, more uint64) []uint64 {
	for len(needs) <= word {
		needs = append(needs, 0)
	}
	needs[word] += more
	return needs
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
