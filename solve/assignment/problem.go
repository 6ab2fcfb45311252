package assignment

import (
	"cmp"
	"encoding/binary"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// Problem is a number of tasks, each to be done by one of some cores.
type Problem struct {
	js *model.JobSet
	// tasks by item, those with the least room first: done in this order by a core they are in time
	// if they are in any.
	tasks []model.TaskID
	// like is the first item that differs in nothing from an item.
	like  []int32
	kinds []kind
	// backward: all are due at one time, and released at times of their own. Room is counted from
	// the due time then, and a core does the last item first.
	backward bool
	// common: all items have the same room on a core.
	common bool
}

// kind is a number of cores that are alike.
type kind struct {
	cores []model.SlaveID
	// length and room are, by item, how long the core takes for it, 0 where it may not do it, and how
	// long it may take until it is done.
	length, room []int32
	// capacity is the greatest room.
	capacity int32
}

// mostCells bounds the cells of the tables of all kinds, in which time and memory grow.
const mostCells = 1 << 24

// New reads a job set whose jobs finish by due (absolute, by JobID; others play no part) as such a
// problem. ok is false where jobs have several stages, or anything but a core is needed, where
// jobs have releases and due times of their own, where all cores are alike and all jobs are released and due together, which is for packing, or
// the problem is too large.
func New(js *model.JobSet, due []model.Time) (p *Problem, ok bool) {
	if js.FIFO || js.JobsLinked() || js.Coupled() || slices.ContainsFunc(js.Slaves, func(s model.Slave) bool {
		return len(s.Down) > 0 || len(s.Reservations) > 0 || s.TotalSlots() < s.Cores
	}) {
		return nil, false
	}
	p = &Problem{js: js, backward: !released(js, due), common: true}
	if !p.addTasks(due) {
		return nil, false
	}
	cells := 0
	for s := range model.SlaveID(len(js.Slaves)) {
		p.addSlave(s, due)
	}
	for k := range p.kinds {
		of := (1 + len(p.tasks)) * int(p.kinds[k].capacity+1)
		if cells += of; of > inference.MostCells {
			return nil, false
		}
	}
	if len(p.kinds) == 0 || cells > mostCells || p.common && alike(js) {
		return nil, false
	}
	p.classes()
	return p, true
}

// released reports whether all jobs that are due are released at the same time.
func released(js *model.JobSet, due []model.Time) bool {
	first := model.Time(-1)
	for i := range js.Jobs {
		if due[i] == model.Never {
			continue
		}
		if first >= 0 && js.Jobs[i].Release != first {
			return false
		}
		first = js.Jobs[i].Release
	}
	return true
}

// addTasks lists the tasks, and reports whether each needs a core alone, and all are due at
// one time if they are not released at one.
func (p *Problem) addTasks(due []model.Time) bool {
	js, at := p.js, model.Time(-1)
	for t := range js.Tasks {
		task := &js.Tasks[t]
		switch by := due[task.Job]; {
		case by == model.Never:
			continue
		case len(js.Jobs[task.Job].Stages) > 1 || task.Needs() != (model.Needs{Cores: 1}):
			return false
		case p.backward && at >= 0 && by != at:
			return false
		default:
			at = by
		}
		for s := range model.SlaveID(len(js.Slaves)) {
			if task.Transfer(s) != 0 {
				return false
			}
		}
		p.tasks = append(p.tasks, model.TaskID(t))
	}
	slices.SortStableFunc(p.tasks, func(a, b model.TaskID) int {
		i, k := js.Tasks[a].Job, js.Tasks[b].Job
		if p.backward {
			return cmp.Compare(js.Jobs[k].Release, js.Jobs[i].Release)
		}
		return cmp.Compare(due[i], due[k])
	})
	return len(p.tasks) > 1
}

// addSlave adds the cores of a slave to those of slaves that are like it.
func (p *Problem) addSlave(s model.SlaveID, due []model.Time) {
	k := kind{length: make([]int32, len(p.tasks)), room: make([]int32, len(p.tasks))}
	for i, t := range p.tasks {
		job := p.js.Tasks[t].Job
		_, from := p.js.BeatAtOrAfter(s, p.js.Jobs[job].Release)
		room := due[job] - from
		if wcet := p.js.Tasks[t].WCET(s); wcet > 0 && wcet <= room {
			k.length[i], k.room[i], k.capacity = int32(wcet), int32(room), max(k.capacity, int32(room))
		}
	}
	if k.capacity == 0 {
		return // it can do nothing in time
	}
	p.common = p.common && !slices.ContainsFunc(k.room, func(room int32) bool { return room != 0 && room != k.capacity })
	at := slices.IndexFunc(p.kinds, func(o kind) bool {
		return slices.Equal(o.length, k.length) && slices.Equal(o.room, k.room)
	})
	if at < 0 {
		at = len(p.kinds)
		p.kinds = append(p.kinds, k)
	}
	p.kinds[at].cores = append(p.kinds[at].cores, slices.Repeat([]model.SlaveID{s}, p.js.Slaves[s].Cores)...)
}

// classes finds items that differ in nothing.
func (p *Problem) classes() {
	p.like = make([]int32, len(p.tasks))
	first := map[string]int32{}
	var figures []byte
	for i := range p.tasks {
		figures = figures[:0]
		for k := range p.kinds {
			figures = binary.LittleEndian.AppendUint32(figures, uint32(p.kinds[k].length[i]))
			figures = binary.LittleEndian.AppendUint32(figures, uint32(p.kinds[k].room[i]))
		}
		at, seen := first[string(figures)]
		if !seen {
			at = int32(i)
			first[string(figures)] = at
		}
		p.like[i] = at
	}
}

// alike reports whether slaves differ at most in the number of cores.
func alike(js *model.JobSet) bool {
	for s := range model.SlaveID(len(js.Slaves)) {
		if js.Slaves[s].FirstBeat != js.Slaves[0].FirstBeat || slices.ContainsFunc(js.Tasks, func(t model.Task) bool { return t.WCET(s) != t.WCET(0) }) {
			return false
		}
	}
	return true
}

// Bytes is about what a search takes in memory: two tables of the kind with the most cells.
func (p *Problem) Bytes() int64 {
	most := int64(0)
	for k := range p.kinds {
		most = max(most, int64(p.kinds[k].capacity)+1)
	}
	return 16 * most * int64(len(p.tasks)+1)
}

// schedule has each item done by a core, given by slave, one after the other.
func (p *Problem) schedule(cores []bin) model.Schedule {
	plan := model.NewSchedule(len(p.js.Tasks))
	for c := range cores {
		slave, at, items := cores[c].slave, model.Time(0), slices.Clone(cores[c].items)
		slices.Sort(items)
		if p.backward {
			slices.Reverse(items)
		}
		for _, i := range items {
			t := p.tasks[i]
			_, from := p.js.BeatAtOrAfter(slave, p.js.Jobs[p.js.Tasks[t].Job].Release)
			at = max(at, from)
			beat, _ := p.js.BeatAtOrBefore(slave, at)
			plan[t] = model.Placement{Slave: slave, Beat: beat, Fetch: at, Start: at}
			at += p.js.Tasks[t].WCET(slave)
		}
	}
	return plan
}

// bin is a core with the items that it does.
type bin struct {
	slave model.SlaveID
	items []int32
}
