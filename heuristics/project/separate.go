package project

import (
	"cmp"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// maxPlaces bounds tasks times slaves of separate sets, and maxSeparate their tasks: with more a change of a list takes a millisecond.
	maxPlaces, maxSeparate = 1 << 18, 1000
	// worth is what all of a resource that a slave has costs for a tick, so that costs of all tasks fit an int64.
	worth = 1 << 20
	// mostCost bounds what all tasks may cost together.
	mostCost = 1 << 60
)

// separate is a set of tasks that wait for no other, each of which may hold much of what slaves have.
type separate struct {
	js *model.JobSet
	// paths say what counts of an objective that is the greatest of all jobs; nil for sums over jobs.
	paths *heuristics.Paths
	// drops: a task counts as late or in time, and not by how much.
	drops bool
	// tasks has what is the same on all slaves, places what tasks are on each slave, by task and then by slave, together of what
	// slaves have those that may be short.
	tasks    []separateTask
	places   []place
	together []together
}

// separateTask is what a task costs: so much for each tick after it is due, but no more than for a number of them.
// The greatest of all jobs is worked down to a target, which moves due times.
type separateTask struct {
	due, most int32
	weight    int64
}

// place is a task on a slave: how long it takes, 0 where it cannot run, and what it needs there of what may be short, of which share
// has the sum of shares of what there is.
type place struct {
	release, length int32
	needs           []uint64
	share           float64
}

// TreatsSeparate reports whether a set is one of tasks that wait for no other, with beats at each tick and nothing to fetch, and an objective
// one that [Annealing] works on: the greatest finish or lateness, or, of jobs of a task each, a sum of what they cost.
func TreatsSeparate(js *model.JobSet, o model.Objective) bool {
	return newSeparate(js, o) != nil
}

// newSeparate is a job set as separate tasks, nil if it is none.
func newSeparate(js *model.JobSet, o model.Objective) *separate {
	if len(js.Tasks) == 0 || len(js.Tasks) > maxSeparate || len(js.Tasks)*len(js.Slaves) > maxPlaces || js.FIFO || js.Coupled() || js.Heartbeat > 1 || slices.ContainsFunc(js.Slaves, barred) || !free(js) {
		return nil
	}
	p := &separate{js: js}
	if !p.addPlaces() || !p.addCosts(o) {
		return nil
	}
	return p
}

// free reports whether no task waits for another.
func free(js *model.JobSet) bool {
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if len(job.After) > 0 || slices.ContainsFunc(job.Stages, func(s model.Stage) bool { return len(s.After) > 0 }) {
			return false
		}
	}
	return true
}

// addPlaces finds what tasks need of each slave; it is false where something is fetched, or a task has no place.
func (p *separate) addPlaces() bool {
	js := p.js
	p.places = make([]place, len(js.Tasks)*len(js.Slaves))
	for i := range js.Slaves {
		s := &js.Slaves[i]
		var here []model.TaskID
		for t := range js.Tasks {
			task := &js.Tasks[t]
			if !task.Eligible(model.SlaveID(i)) || neverThere(s) {
				continue
			}
			release := max(js.Jobs[task.Job].Release, s.FirstBeat)
			if task.Transfer(model.SlaveID(i)) > 0 || release >= heuristics.MaxPath || task.WCET(model.SlaveID(i)) >= heuristics.MaxPath {
				return false
			}
			here = append(here, model.TaskID(t))
			at := p.at(int32(t), i)
			at.release, at.length = int32(release), int32(task.WCET(model.SlaveID(i)))
		}
		p.together = append(p.together, together{})
		in := true
		eachResource(js, s, func(levels []model.Level, units func(*model.Task) int64) {
			in = in && p.addShort(i, here, levels, units)
		})
		if !in {
			return false
		}
		p.together[i].overTime()
	}
	for t := range js.Tasks {
		if p.longest(int32(t)) == 0 {
			return false
		}
	}
	return true
}

// at is a task on a slave.
func (p *separate) at(t int32, slave int) *place { return &p.places[int(t)*len(p.js.Slaves)+slave] }

// addShort adds a resource of a slave, unless there is always enough for all tasks at once. It is false where that is so too late.
func (p *separate) addShort(slave int, tasks []model.TaskID, levels []model.Level, units func(*model.Task) int64) bool {
	last, sum := levels[len(levels)-1], int64(0)
	for _, t := range tasks {
		sum += units(&p.js.Tasks[t])
	}
	switch {
	case sum <= slices.MinFunc(levels, byAmount).Amount:
		return true
	case last.From >= maxLevel:
		return false
	}
	word, shift := p.together[slave].add(levels)
	for _, t := range tasks {
		if n := units(&p.js.Tasks[t]); n > 0 {
			at := p.at(int32(t), slave)
			at.needs = with(at.needs, word, uint64(n)<<shift)
			at.share += float64(n) / float64(last.Amount)
		}
	}
	return true
}

// addCosts finds what tasks cost; it is false where the objective is another, or costs are too large.
func (p *separate) addCosts(o model.Objective) bool {
	p.tasks = make([]separateTask, len(p.js.Tasks))
	shape := o.Shape()
	if shape.Max {
		p.paths = heuristics.NewPaths(p.js, o, 0)
		return p.paths != nil && p.addShares()
	}
	if shape.Measure != model.LateCount && shape.Measure != model.Delay || len(p.js.Tasks) != len(p.js.Jobs) {
		return false
	}
	p.drops = shape.Measure == model.LateCount
	sum, end := 0.0, p.end()
	for i := range p.js.Jobs {
		job, t := &p.js.Jobs[i], &p.tasks[p.js.Jobs[i].First]
		*t = separateTask{due: heuristics.MaxPath, most: heuristics.MaxPath}
		if job.Kind == model.Hard && !shape.Jobs.Has(model.Hard) {
			return false
		}
		if shape.Jobs.Has(job.Kind) {
			t.due, t.weight = int32(min(shape.From(job), heuristics.MaxPath)), shape.Weight(job)
		}
		cost := float64(t.weight)
		if !p.drops {
			cost *= end
		}
		sum += cost
	}
	return sum < mostCost && end < heuristics.MaxPath
}

// end is by when all tasks have run one after the other.
func (p *separate) end() float64 {
	end, sum := 0.0, 0.0
	for t := range p.tasks {
		length := int32(0)
		for i := range p.js.Slaves {
			at := p.at(int32(t), i)
			end, length = max(end, float64(at.release)), max(length, at.length)
		}
		sum += float64(length)
	}
	for i := range p.together {
		end = max(end, float64(p.together[i].lastLevel()))
	}
	return end + sum
}

// addShares has each task count by its share of what slaves have, for as long as it runs after what is aimed at: what is moved
// to before that is the less the nearer all are to it.
func (p *separate) addShares() bool {
	sum := 0.0
	for t := range p.tasks {
		of := &p.tasks[t]
		of.weight = 1
		for i := range p.together {
			at := p.at(int32(t), i)
			if n := p.together[i].resources; n > 0 {
				of.weight = max(of.weight, int64(worth*at.share/float64(n)))
			}
			of.most = max(of.most, at.length)
		}
		sum += float64(of.weight) * float64(of.most)
	}
	return sum < mostCost
}

// aim has tasks of the greatest finish or lateness cost what they run after one.
func (p *separate) aim(length int32) {
	for t := range p.tasks {
		p.tasks[t].due = heuristics.MaxPath
		if d := p.paths.Delivery[t]; d != heuristics.Uncounted {
			p.tasks[t].due = length - d
		}
	}
}

// area is about what a task takes of a slave, by which lists begin.
func (p *separate) area(t int32) int64 { return p.tasks[t].weight * int64(p.longest(t)) }

// longest is how long a task takes on the slave where it takes longest.
func (p *separate) longest(t int32) (length int32) {
	for i := range p.together {
		length = max(length, p.at(t, i).length)
	}
	return length
}

// ordered lists all tasks by when they can start, those first that are due first and the largest of those.
func (p *separate) ordered() []int32 {
	order := make([]int32, len(p.tasks))
	for t := range order {
		order[t] = int32(t)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.js.Jobs[p.js.Tasks[a].Job].Release, p.js.Jobs[p.js.Tasks[b].Job].Release),
			cmp.Compare(p.tasks[a].due, p.tasks[b].due), cmp.Compare(p.area(b), p.area(a)))
	})
	return order
}
