package heuristics

import (
	"slices"

	"downbeat/model"
)

const (
	// MaxPath bounds all times of paths together, so that sums of three of them fit an int32.
	MaxPath = 700_000_000
	// Uncounted stands in place of what is left after a task from which no value counts; with three paths it is not above 0.
	Uncounted = -3 * MaxPath
)

// Paths is a job set as a graph of tasks, for objectives that are the length of its longest path: the greatest finish or
// lateness of a job.
type Paths struct {
	// Before and After are the tasks that wait for each other, by stages and jobs (C7, C10); Rank numbers tasks so that each
	// comes behind those that it waits for.
	Before, After [][]int32
	Rank          []int32
	// Release is that of the job of each task. Delivery is what is added to a task's finish to compare with those of others:
	// Uncounted for all but the last ones of jobs that count. The objective is Base below the longest path.
	Release, Delivery []int32
	Base              int32
	// Chain: each task waits for one at most, and one at most for it.
	Chain bool
}

// NewPaths is the graph of a set and an objective; nil where the objective is another, or hard deadlines that it does not look
// at bound finishes, or there are more arcs than so many for each task, or times are too long.
func NewPaths(js *model.JobSet, o model.Objective, arcs int) *Paths {
	shape := o.Shape()
	if !shape.Max || shape.Measure != model.Delay && shape.Measure != model.Completion || len(js.Tasks) == 0 {
		return nil
	}
	p := &Paths{Chain: true}
	if !p.addTasks(js, shape) || !p.addArcs(js, arcs*len(js.Tasks)) {
		return nil
	}
	return p
}

// addTasks finds from when on tasks may start, and what counts of them.
func (p *Paths) addTasks(js *model.JobSet, shape model.Shape) bool {
	base, first := model.Time(0), model.Time(0)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		first = max(first, job.Release+js.Heartbeat)
		if shape.Jobs.Has(job.Kind) {
			base = max(base, shape.From(job))
		}
		if job.Kind == model.Hard && !shape.OfHard() || max(base, first) >= MaxPath {
			return false
		}
	}
	for i := range js.Slaves {
		first = max(first, js.Slaves[i].FirstBeat)
	}
	sum := first + base
	for t := range js.Tasks {
		task := &js.Tasks[t]
		longest := model.Time(0)
		task.EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { longest = max(longest, wcet+transfer) })
		if sum += longest + js.Heartbeat; sum >= MaxPath {
			return false
		}
		job, delivery := &js.Jobs[task.Job], int32(Uncounted)
		if shape.Jobs.Has(job.Kind) && slices.Contains(job.Ends(), js.StageOf(task)) {
			delivery = int32(base - shape.From(job))
		}
		p.Release, p.Delivery = append(p.Release, int32(job.Release)), append(p.Delivery, delivery)
	}
	p.Base = int32(base)
	return true
}

// addArcs lists what waits for what, at most so many arcs.
func (p *Paths) addArcs(js *model.JobSet, most int) bool {
	n := len(js.Tasks)
	p.Before, p.After, p.Rank = make([][]int32, n), make([][]int32, n), make([]int32, n)
	arcs, rank := 0, int32(0)
	for _, id := range js.StageOrder() {
		stage, _ := js.Stage(id)
		for _, k := range js.Before(id) {
			before, _ := js.Stage(k)
			if arcs += int(before.End-before.First) * int(stage.End-stage.First); arcs > most {
				return false
			}
			for u := before.First; u < before.End; u++ {
				for v := stage.First; v < stage.End; v++ {
					p.Before[v], p.After[u] = append(p.Before[v], int32(u)), append(p.After[u], int32(v))
				}
			}
		}
		for v := stage.First; v < stage.End; v++ {
			p.Rank[v] = rank
			rank++
		}
	}
	for v := range n {
		p.Chain = p.Chain && len(p.Before[v]) <= 1 && len(p.After[v]) <= 1
	}
	return true
}

// Ranked lists all tasks by rank.
func (p *Paths) Ranked() []int32 {
	order := make([]int32, len(p.Rank))
	for v, r := range p.Rank {
		order[r] = int32(v)
	}
	return order
}

// Value is that of the objective where the longest path is so long.
func (p *Paths) Value(length int32) int64 { return max(0, int64(length)-int64(p.Base)) }
