package project

import (
	"cmp"
	"math/bits"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// maxTasks is where a schedule takes about a tenth of a second; maxArcs, per task, bounds memory.
	maxTasks, maxArcs = 2000, 32
	// maxLevel bounds the times at which there is more or less of something, so that with those of a path they fit an int32.
	maxLevel = heuristics.MaxPath / 2
)

// project is a job set as tasks of fixed length that share resources.
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
	// placements are those of a schedule: of each task one for each hold, and one at least.
	placements int64
}

// together are resources as fields of words: how much there is of each, below a bit of its own, its guard, which is set. Where no more is taken
// off than there is all guards stay, and else one goes, so that a word says of all its resources at once whether there is enough.
type together struct {
	// capacity is the most that there ever is.
	capacity, guards []uint64
	// resources counts them, used is how many bits of the last word have fields.
	resources, used int
	// varying are those of which there is not always as much.
	varying []varying
	// From each of times on so much is free of all where nothing is placed, a row of words after the other: see overTime.
	times []int32
	free  []uint64
}

// varying is a resource by its field, and what there is of it over time.
type varying struct {
	word, shift int
	levels      []model.Level
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
	if len(js.Tasks) > maxTasks || js.FIFO || js.Gangs() || js.Heartbeat > 1 || slices.ContainsFunc(js.Slaves, barred) {
		return nil
	}
	p := &project{Paths: heuristics.NewPaths(js, o, maxArcs), js: js}
	if p.Paths == nil || !p.addSlaves() {
		return nil
	}
	p.holds = make([][]hold, len(js.Tasks))
	for i := range js.Slaves {
		p.together = append(p.together, together{})
		enough := true
		eachResource(js, &js.Slaves[i], func(levels []model.Level, units func(*model.Task) int64) {
			enough = enough && p.addResource(levels, p.on[i], func(t model.TaskID) int64 { return units(&js.Tasks[t]) })
		})
		if !enough {
			return nil
		}
	}
	for id := range js.Shared() {
		limit := &js.Shared()[id]
		if limit.Pool < 0 || id == 0 && len(js.Slaves) > 1 { // pools go together, with what a sole slave has
			p.together = append(p.together, together{})
		}
		if !p.addResource(limit.Levels, limit.Tasks, func(t model.TaskID) int64 { return js.Taken(t, model.SharedID(id)) }) {
			return nil
		}
	}
	for i := range p.together {
		p.together[i].overTime()
	}
	for _, holds := range p.holds {
		p.placements += int64(max(1, len(holds)))
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
			if !task.Eligible(model.SlaveID(i)) || neverThere(&p.js.Slaves[i]) {
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

// barred reports whether a slave has slots of two kinds.
func barred(s model.Slave) bool { return s.SplitSlots }

// neverThere reports whether a slave is gone for good before it could be handed anything.
func neverThere(s *model.Slave) bool { return s.GoneFrom() <= s.FirstBeat }

// eachResource tells of what tasks hold of a slave: how much there is over time, and how many units a task takes.
func eachResource(js *model.JobSet, s *model.Slave, tell func(levels []model.Level, units func(*model.Task) int64)) {
	tell(s.Levels(model.MapSlots, int64(s.Slots)), func(*model.Task) int64 { return 1 })
	tell(s.Levels(model.Cores, int64(s.Cores)), func(t *model.Task) int64 { return t.Cores() })
	for k := range js.Named {
		tell(s.Levels(model.FirstNamed+model.ResourceID(k), s.Offers(k)), func(t *model.Task) int64 { return t.Units(k) })
	}
}

// addResource adds one to those that were begun last, which some tasks hold, unless there is always enough for all of them at once. It is
// false where there is too little for one in the end, or that is too late.
func (p *project) addResource(levels []model.Level, tasks []model.TaskID, units func(model.TaskID) int64) bool {
	last, sum := levels[len(levels)-1], int64(0)
	for _, t := range tasks {
		if units(t) > last.Amount {
			return false
		}
		sum += units(t)
	}
	switch {
	case sum <= slices.MinFunc(levels, byAmount).Amount:
		return true
	case last.From >= maxLevel:
		return false
	}
	of := len(p.together) - 1
	word, shift := p.together[of].add(levels)
	for _, t := range tasks {
		if n := units(t); n > 0 {
			p.hold(t, of, word, uint64(n)<<shift)
		}
	}
	return true
}

// add adds a resource, of which there is so much over time, and gives the place of its field.
func (r *together) add(levels []model.Level) (word, shift int) {
	capacity := slices.MaxFunc(levels, byAmount).Amount
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
	if len(levels) > 1 {
		r.varying = append(r.varying, varying{word, shift, levels})
	}
	return word, shift
}

// lastLevel is from when on there is always as much.
func (r *together) lastLevel() int32 { return r.times[len(r.times)-1] }

// byAmount orders levels by how much there is.
func byAmount(a, b model.Level) int { return cmp.Compare(a.Amount, b.Amount) }

// overTime finds what is free over time where nothing is placed, once all resources have been added.
func (r *together) overTime() {
	r.times = append(r.times[:0], 0)
	for _, v := range r.varying {
		for _, l := range v.levels {
			r.times = append(r.times, int32(l.From))
		}
	}
	slices.Sort(r.times)
	r.times = slices.Compact(r.times)
	for range r.times {
		r.free = append(r.free, r.capacity...)
	}
	for _, v := range r.varying {
		most, k := slices.MaxFunc(v.levels, byAmount).Amount, 0
		for i, time := range r.times {
			for k+1 < len(v.levels) && v.levels[k+1].From <= model.Time(time) {
				k++
			}
			r.free[i*len(r.capacity)+v.word] -= uint64(most-max(0, v.levels[k].Amount)) << v.shift
		}
	}
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
