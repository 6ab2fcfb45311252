package proof

import "downbeat/model"

// Resource is something that jobs can run short of. The sums that belong to
// each are spelled out at [Overload].
type Resource uint8

const (
	// CriticalPath: a job alone, on an empty cluster, is too long.
	CriticalPath Resource = iota
	// CoreTicks counts running tasks, [S, F) each (C4).
	CoreTicks
	// SlotTicks counts held slots of all pools (C5), in whole heartbeat
	// intervals: a slot that a task leaves between two heartbeats cannot be
	// given away before the second.
	SlotTicks
	// FetchTicks counts the fetch lines, [R, R+C) each (C6); never with
	// FetchConcurrent.
	FetchTicks
	// MapSlotTicks and ReduceSlotTicks are SlotTicks for the tasks of one slot
	// kind and the pool they draw on; for clusters with split slots.
	MapSlotTicks
	ReduceSlotTicks
)

// String is the word used for people.
func (r Resource) String() string {
	return [...]string{
		"critical path", "core-ticks", "slot-ticks", "fetch-ticks", "map slot-ticks", "reduce slot-ticks",
	}[r]
}

// Overload is a counting argument that a set of jobs cannot all finish by
// given times: inside Interval, on Slaves, they need more of Resource than
// there is. For CriticalPath there is one job, Need is its earliest finish and
// Have its due time; Slaves and Interval are empty.
//
// Otherwise Need is a sum over those tasks of Jobs that, if the job is to
// finish in time, can run on no slave outside Slaves. Each counts with the
// least part of Interval that it must occupy, over all its slaves and all its
// times on them (windows of model/window). It occupies, of one unit,
//
//	CoreTicks    [S, S+E)
//	SlotTicks    [A, A + C+E rounded up to whole heartbeat intervals)
//	FetchTicks   [R, R+C)
//
// Have is the sum over Slaves of the number of units times the ticks of
// Interval during which the slave is there. For slots these are the ticks of
// the heartbeat intervals that start with a heartbeat outside absences.
type Overload struct {
	Jobs     []model.JobID
	Slaves   []model.SlaveID
	Resource Resource
	Interval model.Interval
	// Need > Have, in ticks of the resource.
	Need, Have int64
}
