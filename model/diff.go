package model

import "slices"

// DiffKind is how a task differs.
type DiffKind string

// The kinds. A task that goes to another slave has moved, whenever it ends; of one that does
// not, the first of finish, start, fetch and assignment that differs tells.
const (
	DiffSame    DiffKind = "same"
	DiffMoved   DiffKind = "moved"
	DiffLater   DiffKind = "later"
	DiffEarlier DiffKind = "earlier"
	DiffAdded   DiffKind = "added"
	DiffRemoved DiffKind = "removed"
)

// TaskDiff is a task that differs.
type TaskDiff struct {
	ID   TaskID
	Kind DiffKind
	// Before and After are its lines; nil in Before if it was added, in After if removed.
	Before, After *TaskResult
}

// JobDiff is what becomes of a job of which something differs.
type JobDiff struct {
	ID JobID
	// Before and After are its last finishes, 0 where it has no task.
	Before, After Time
	// Tasks counts those that differ.
	Tasks int
}

// ValueDiff is that of an objective in both plans; nil where a job has no task.
type ValueDiff struct {
	Objective     Objective
	Before, After *int64
}

// PlanDiff is how two plans differ.
type PlanDiff struct {
	Values []ValueDiff
	Jobs   []JobDiff
	Tasks  []TaskDiff
	// Counts has how many tasks are of each kind.
	Counts map[DiffKind]int
}

// ComparePlans tells two plans of js apart, job by job and task by task. They may be of any kind
// and from anywhere: what js does not know is passed over. Values are those of the objectives
// of its goal, or makespan if it has none.
func ComparePlans(js *JobSet, before, after *Plan) *PlanDiff {
	find := NewTaskFinder(js)
	a, b := linesOf(js, find, before), linesOf(js, find, after)
	d := &PlanDiff{Counts: map[DiffKind]int{}}
	finishes := [2][]Time{make([]Time, len(js.Jobs)), make([]Time, len(js.Jobs))}
	changed := make([]int, len(js.Jobs))
	for t := range js.Tasks {
		job := js.Tasks[t].Job
		for k, line := range []*TaskResult{a[t], b[t]} {
			if line != nil {
				finishes[k][job] = max(finishes[k][job], line.Finish)
			}
		}
		kind := diffKind(a[t], b[t])
		d.Counts[kind]++
		if kind != DiffSame {
			d.Tasks = append(d.Tasks, TaskDiff{ID: TaskID(t), Kind: kind, Before: a[t], After: b[t]})
			changed[job]++
		}
	}
	for i := range js.Jobs {
		if changed[i] > 0 {
			d.Jobs = append(d.Jobs, JobDiff{JobID(i), finishes[0][i], finishes[1][i], changed[i]})
		}
	}
	goal := js.Goal()
	if len(goal) == 0 {
		goal = []Objective{Makespan}
	}
	for _, o := range append(goal[:len(goal):len(goal)], HardMisses) {
		d.Values = append(d.Values, ValueDiff{o, valueIn(js, o, finishes[0]), valueIn(js, o, finishes[1])})
	}
	return d
}

// valueIn is that of an objective; nil if a job has no task.
func valueIn(js *JobSet, o Objective, finishes []Time) *int64 {
	if slices.Contains(finishes, 0) {
		return nil
	}
	v := js.Value(o, finishes)
	return &v
}

// diffKind is how a task differs.
func diffKind(a, b *TaskResult) DiffKind {
	switch {
	case a == nil && b == nil:
		return DiffSame
	case a == nil:
		return DiffAdded
	case b == nil:
		return DiffRemoved
	case a.Slave != b.Slave:
		return DiffMoved
	}
	for _, times := range [][2]Time{{a.Finish, b.Finish}, {a.Start, b.Start}, {a.Fetch, b.Fetch}, {a.Assigned, b.Assigned}} {
		switch {
		case times[0] < times[1]:
			return DiffLater
		case times[0] > times[1]:
			return DiffEarlier
		}
	}
	return DiffSame
}

// TaskFinder finds the tasks of a job set by their lines in a plan.
type TaskFinder map[[2]string]*Stage

// NewTaskFinder is for the tasks of js.
func NewTaskFinder(js *JobSet) TaskFinder {
	stages := TaskFinder{}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			stages[[2]string{js.Jobs[i].Name, js.Jobs[i].Stages[k].Name}] = &js.Jobs[i].Stages[k]
		}
	}
	return stages
}

// Task is that of a line; ok is false if the job set has none.
func (f TaskFinder) Task(line *TaskResult) (t TaskID, ok bool) {
	stage := f[[2]string{line.Job, line.Stage}]
	if stage == nil || line.Task < 1 || line.Task > int(stage.End-stage.First) {
		return 0, false
	}
	return stage.First + TaskID(line.Task-1), true
}

// linesOf finds, by TaskID, the first line of a plan for each task; nil if it has none.
func linesOf(js *JobSet, find TaskFinder, p *Plan) []*TaskResult {
	out := make([]*TaskResult, len(js.Tasks))
	for i := range p.Tasks {
		if t, ok := find.Task(&p.Tasks[i]); ok && out[t] == nil {
			out[t] = &p.Tasks[i]
		}
	}
	return out
}
