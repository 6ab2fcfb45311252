// Package compare tells two plans of a job set apart, job by job and task by task. The plans
// may be of any kind and from anywhere: what the job set does not know is passed over.
package compare

import (
	"slices"

	"downbeat/model"
)

// Kind is how a task differs.
type Kind string

// The kinds. A task that goes to another slave has moved, whenever it ends; of one that does
// not, the first of finish, start, fetch and assignment that differs tells.
const (
	Same    Kind = "same"
	Moved   Kind = "moved"
	Later   Kind = "later"
	Earlier Kind = "earlier"
	Added   Kind = "added"
	Removed Kind = "removed"
)

// Task is a task that differs.
type Task struct {
	ID   model.TaskID
	Kind Kind
	// Before and After are its lines; nil in Before if it was added, in After if removed.
	Before, After *model.TaskResult
}

// Job is what becomes of a job of which something differs.
type Job struct {
	ID model.JobID
	// Before and After are its last finishes, 0 where it has no task.
	Before, After model.Time
	// Tasks counts those that differ.
	Tasks int
}

// Value is that of an objective in both plans; nil where a job has no task.
type Value struct {
	Objective     model.Objective
	Before, After *int64
}

// Diff is how two plans differ.
type Diff struct {
	Values []Value
	Jobs   []Job
	Tasks  []Task
	// Counts has how many tasks are of each kind.
	Counts map[Kind]int
}

// Plans compares two plans of js by the objectives of its goal, or by makespan if it has none.
func Plans(js *model.JobSet, before, after *model.Plan) *Diff {
	find := NewFinder(js)
	a, b := lines(js, find, before), lines(js, find, after)
	d := &Diff{Counts: map[Kind]int{}}
	finishes := [2][]model.Time{make([]model.Time, len(js.Jobs)), make([]model.Time, len(js.Jobs))}
	changed := make([]int, len(js.Jobs))
	for t := range js.Tasks {
		job := js.Tasks[t].Job
		for k, line := range []*model.TaskResult{a[t], b[t]} {
			if line != nil {
				finishes[k][job] = max(finishes[k][job], line.Finish)
			}
		}
		kind := kindOf(a[t], b[t])
		d.Counts[kind]++
		if kind != Same {
			d.Tasks = append(d.Tasks, Task{ID: model.TaskID(t), Kind: kind, Before: a[t], After: b[t]})
			changed[job]++
		}
	}
	for i := range js.Jobs {
		if changed[i] > 0 {
			d.Jobs = append(d.Jobs, Job{model.JobID(i), finishes[0][i], finishes[1][i], changed[i]})
		}
	}
	goal := js.Goal()
	if len(goal) == 0 {
		goal = []model.Objective{model.Makespan}
	}
	for _, o := range append(goal[:len(goal):len(goal)], model.HardMisses) {
		d.Values = append(d.Values, Value{o, value(js, o, finishes[0]), value(js, o, finishes[1])})
	}
	return d
}

// value is that of an objective; nil if a job has no task.
func value(js *model.JobSet, o model.Objective, finishes []model.Time) *int64 {
	if slices.Contains(finishes, 0) {
		return nil
	}
	v := js.Value(o, finishes)
	return &v
}

// kindOf is how a task differs.
func kindOf(a, b *model.TaskResult) Kind {
	switch {
	case a == nil && b == nil:
		return Same
	case a == nil:
		return Added
	case b == nil:
		return Removed
	case a.Slave != b.Slave:
		return Moved
	}
	for _, times := range [][2]model.Time{{a.Finish, b.Finish}, {a.Start, b.Start}, {a.Fetch, b.Fetch}, {a.Assigned, b.Assigned}} {
		switch {
		case times[0] < times[1]:
			return Later
		case times[0] > times[1]:
			return Earlier
		}
	}
	return Same
}

// Finder finds the tasks of a job set by their lines in a plan.
type Finder map[[2]string]*model.Stage

// NewFinder is for the tasks of js.
func NewFinder(js *model.JobSet) Finder {
	stages := Finder{}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			stages[[2]string{js.Jobs[i].Name, js.Jobs[i].Stages[k].Name}] = &js.Jobs[i].Stages[k]
		}
	}
	return stages
}

// Task is that of a line; ok is false if the job set has none.
func (f Finder) Task(line *model.TaskResult) (t model.TaskID, ok bool) {
	stage := f[[2]string{line.Job, line.Stage}]
	if stage == nil || line.Task < 1 || line.Task > int(stage.End-stage.First) {
		return 0, false
	}
	return stage.First + model.TaskID(line.Task-1), true
}

// lines finds, by TaskID, the first line of a plan for each task; nil if it has none.
func lines(js *model.JobSet, find Finder, p *model.Plan) []*model.TaskResult {
	out := make([]*model.TaskResult, len(js.Tasks))
	for i := range p.Tasks {
		if t, ok := find.Task(&p.Tasks[i]); ok && out[t] == nil {
			out[t] = &p.Tasks[i]
		}
	}
	return out
}
