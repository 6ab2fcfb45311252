package proof

import (
	"fmt"

	"downbeat/model"
)

// Branching is an argument by cases that jobs cannot all finish by their due times:
// whether Split holds or not there is an argument, and at each leaf a dual bound for
// the plans that all splits on the way leave.
type Branching struct {
	// Split parts the plans; Holds and Fails are about either part, nil at a leaf.
	Split        Split
	Holds, Fails *Branching
	// Bound, at a leaf, has a surplus there, where jobs pay for lateness of more than what is claimed away can come to; or Searched tells that a search has
	// ruled it out.
	Bound    *DualBound
	Searched bool
}

// Proof is what the argument rests on: multipliers, splits with multipliers at each
// leaf, or a search for some leaf as well, which lazy clause generation makes.
func (b *Branching) Proof() model.Proof {
	switch {
	case b == nil:
		return model.NoProof
	case b.Holds == nil && b.Fails == nil && b.Searched:
		return model.LCGProof
	case b.Holds == nil && b.Fails == nil:
		return model.DualProof
	}
	return max(model.BranchingProof, b.Holds.Proof(), b.Fails.Proof())
}

// Leaves is the number of parts that the splits leave; none of nil.
func (b *Branching) Leaves() int {
	if b == nil {
		return 0
	}
	if b.Holds == nil && b.Fails == nil {
		return 1
	}
	return b.Holds.Leaves() + b.Fails.Leaves()
}

// Split parts plans in two: those in which it holds, and the others.
type Split struct {
	Kind SplitKind
	// Task is the task that is spoken of, or the first one of a stage.
	Task model.TaskID
	// Slave matters for OnSlave, At (absolute) for the others.
	Slave model.SlaveID
	At    model.Time
}

// SplitKind is what a split says.
type SplitKind uint8

// The splits.
const (
	// StageEndsBy: all tasks of the stage have finished by At; else the next stage is
	// handed out after At, or where it is the last of its job the job ends after At.
	StageEndsBy SplitKind = iota
	// TaskEndsBy: the task has finished by At.
	TaskEndsBy
	// FetchedBy: the task's fetch starts at At or before.
	FetchedBy
	// OnSlave: the task is on Slave.
	OnSlave
)

// Sentence says to people, by their clock, what holds.
func (s *Split) Sentence(js *model.JobSet, by Clock) string {
	task := &js.Tasks[s.Task]
	job := &js.Jobs[task.Job]
	switch s.Kind {
	case StageEndsBy:
		if !job.Chain() {
			return fmt.Sprintf("stage %s of %s and those beside it end by %s", job.Stages[task.Stage].Name, job.Name, by.Point(s.At))
		}
		return fmt.Sprintf("stage %s of %s ends by %s", job.Stages[task.Stage].Name, job.Name, by.Point(s.At))
	case TaskEndsBy:
		return fmt.Sprintf("task %s ends by %s", js.TaskName(s.Task), by.Point(s.At))
	case FetchedBy:
		return fmt.Sprintf("the fetch of task %s starts by %s", js.TaskName(s.Task), by.Point(s.At))
	default:
		return fmt.Sprintf("task %s is on %s", js.TaskName(s.Task), js.Slaves[s.Slave].Name)
	}
}
