package model

import "fmt"

// Tariff is an argument by prices. Everything that tasks share is for sale: a
// core for a tick, the fetch line for a tick, a slot at a heartbeat. A job that
// is to finish in time has to buy what its tasks occupy, and pays at least what
// the cheapest way through the cluster costs, or its Refusal where that is less.
// If all that jobs pay together exceeds what everything on sale is worth, by a
// surplus, then those that do not finish in time have refusals of at least the
// surplus between them: the others cannot have bought more than there is.
// (Lagrangian relaxation of C4, C5 and C6.)
type Tariff struct {
	// Refusal ≥ 0 is what each job pays at most, by JobID; jobs with 0 play no part.
	Refusal []int64
	// Tolls are the prices that are not 0.
	Tolls []Toll
}

// Cases is an argument by cases that jobs cannot all finish by their due times:
// whether Split holds or not there is an argument, and at each end a tariff for
// the plans that all splits on the way leave.
type Cases struct {
	// Split parts the plans; Holds and Fails are about either part, nil at an end.
	Split        Split
	Holds, Fails *Cases
	// Tariff, at an end, has a surplus there; or Searched tells that a search has
	// ruled it out.
	Tariff   *Tariff
	Searched bool
}

// Proof is what the argument rests on: prices alone, or a search as well.
func (c *Cases) Proof() Proof {
	switch {
	case c == nil:
		return NoProof
	case c.Holds == nil && c.Fails == nil && c.Searched:
		return SATProof
	case c.Holds == nil && c.Fails == nil:
		return BoundProof
	}
	return max(c.Holds.Proof(), c.Fails.Proof())
}

// Split parts plans in two: those in which it holds, and the others.
type Split struct {
	Kind SplitKind
	// Task is the task that is spoken of, or the first one of a stage.
	Task TaskID
	// Slave matters for OnSlave, At (absolute) for the others.
	Slave SlaveID
	At    Time
}

// SplitKind is what a split says.
type SplitKind uint8

// The splits.
const (
	// StageEndsBy: all tasks of the stage, not the last of its job, have finished
	// by At; else the next stage is handed out after At.
	StageEndsBy SplitKind = iota
	// TaskEndsBy: the task has finished by At.
	TaskEndsBy
	// FetchedBy: the task's fetch starts at At or before.
	FetchedBy
	// OnSlave: the task is on Slave.
	OnSlave
)

// Toll is the price of a unit of a resource on a slave: per tick of Interval for
// CoreTicks and FetchTicks, per heartbeat within Interval for MapSlotTicks (also
// slots of no kind) and ReduceSlotTicks.
type Toll struct {
	Slave    SlaveID
	Resource Resource
	Interval Interval
	// Price > 0, in the units of Refusal.
	Price int64
}

// Sentence says to people what holds.
func (s *Split) Sentence(js *JobSet) string {
	task := &js.Tasks[s.Task]
	job := &js.Jobs[task.Job]
	switch s.Kind {
	case StageEndsBy:
		return fmt.Sprintf("stage %s of %s ends by %d", job.Stages[task.Stage].Name, job.Name, s.At)
	case TaskEndsBy:
		return fmt.Sprintf("task %s ends by %d", js.TaskName(s.Task), s.At)
	case FetchedBy:
		return fmt.Sprintf("the fetch of task %s starts by %d", js.TaskName(s.Task), s.At)
	default:
		return fmt.Sprintf("task %s is on %s", js.TaskName(s.Task), js.Slaves[s.Slave].Name)
	}
}
