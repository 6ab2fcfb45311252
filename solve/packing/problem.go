package packing

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Problem is a number of tasks to be packed into cores.
type Problem struct {
	js *model.JobSet
	// from is when all tasks can begin, capacity the ticks from then until they are due.
	from     model.Time
	capacity int
	// items are the distinct lengths with their tasks, the longest first.
	items []item
	// cores lists the slave of each core.
	cores []model.SlaveID
}

// item is a length with the tasks that have it.
type item struct {
	length int
	tasks  []model.TaskID
}

// mostCells bounds the capacity times the number of tasks, in which time and memory
// of a knapsack grow.
const mostCells = 1 << 22

// New reads a job set whose jobs finish by due (absolute, by JobID; others play no part) as such a
// problem. ok is false where tasks or slaves differ in more than length and number of
// cores, jobs have several stages, or the problem is too large.
func New(js *model.JobSet, due []model.Time) (p *Problem, ok bool) {
	one := slices.IndexFunc(due, func(by model.Time) bool { return by < model.Never })
	if one < 0 || len(js.Slaves) == 0 || js.FIFO || js.JobsLinked() || !alikeSlaves(js) {
		return nil, false
	}
	first := &js.Jobs[one]
	if due[one] <= first.Release || js.Slaves[0].FirstBeat > first.Release {
		return nil, false
	}
	for i := range js.Jobs {
		if job := &js.Jobs[i]; due[i] < model.Never && (len(job.Stages) > 1 || job.Release != first.Release || due[i] != due[one]) {
			return nil, false
		}
	}
	p = &Problem{js: js, from: first.Release, capacity: int(due[one] - first.Release)}
	if p.capacity > mostCells/len(js.Tasks) || !p.addTasks(due) {
		return nil, false
	}
	for s := range js.Slaves {
		p.cores = append(p.cores, slices.Repeat([]model.SlaveID{model.SlaveID(s)}, js.Slaves[s].Cores)...)
	}
	return p, true
}

// Bytes is about what a search for a packing takes in memory: what a knapsack knows of each
// length and capacity, and the inverse of a basis.
func (p *Problem) Bytes() int64 {
	n := int64(len(p.items))
	return 2*n*int64(p.capacity) + 8*n*n
}

// alikeSlaves reports whether slaves differ at most in the number of cores and slots.
func alikeSlaves(js *model.JobSet) bool {
	for s := range js.Slaves {
		if slave := &js.Slaves[s]; len(slave.Down) > 0 || slave.FirstBeat != js.Slaves[0].FirstBeat {
			return false
		}
	}
	return true
}

// addTasks sorts the tasks of jobs that are due by length, and reports whether each has one on all slaves,
// no transfer, and needs a core alone.
func (p *Problem) addTasks(due []model.Time) bool {
	at := map[int]int{}
	for t := range p.js.Tasks {
		task := &p.js.Tasks[t]
		if due[task.Job] == model.Never {
			continue
		}
		if task.Needs() != (model.Needs{Cores: 1}) {
			return false
		}
		length := task.WCET(0)
		for s := range model.SlaveID(len(p.js.Slaves)) {
			if task.WCET(s) != length || task.Transfer(s) != 0 {
				return false
			}
		}
		k, seen := at[int(length)]
		if !seen {
			k = len(p.items)
			at[int(length)] = k
			p.items = append(p.items, item{length: int(length)})
		}
		p.items[k].tasks = append(p.items[k].tasks, model.TaskID(t))
	}
	slices.SortFunc(p.items, func(a, b item) int { return cmp.Compare(b.length, a.length) })
	return p.items[len(p.items)-1].length > 0
}

// interval is the time that there is for all tasks.
func (p *Problem) interval() model.Interval {
	return model.Interval{Start: p.from, End: p.from + model.Time(p.capacity)}
}

func (p *Problem) lengths() []int {
	out := make([]int, len(p.items))
	for k := range p.items {
		out[k] = p.items[k].length
	}
	return out
}

// counts are the numbers of tasks of each length.
func (p *Problem) counts() []int {
	out := make([]int, len(p.items))
	for k := range p.items {
		out[k] = len(p.items[k].tasks)
	}
	return out
}

// total is the sum of all lengths.
func (p *Problem) total() int {
	total := 0
	for k := range p.items {
		total += p.items[k].length * len(p.items[k].tasks)
	}
	return total
}

// schedule has the tasks of each core, given by number of item, one after the other.
func (p *Problem) schedule(cores [][]int) model.Schedule {
	plan := model.NewSchedule(len(p.js.Tasks))
	next := make([]int, len(p.items))
	for c, of := range cores {
		at, slave := p.from, p.cores[c]
		for _, k := range of {
			beat, _ := p.js.BeatAtOrBefore(slave, at)
			plan[p.items[k].tasks[next[k]]] = model.Placement{Slave: slave, Beat: beat, Fetch: at, Start: at}
			next[k]++
			at += model.Time(p.items[k].length)
		}
	}
	return plan
}
