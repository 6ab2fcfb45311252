package model

// Resource is something that jobs can run short of.
type Resource uint8

const (
	// CriticalPath: a job alone, on an empty cluster, is too long.
	CriticalPath Resource = iota
	// CoreTicks counts running tasks (C4).
	CoreTicks
	// SlotTicks counts held slots of all pools (C5).
	SlotTicks
	// FetchTicks counts the fetch lines (C6).
	FetchTicks
)

// String is the word used for people.
func (r Resource) String() string {
	return [...]string{"critical path", "core-ticks", "slot-ticks", "fetch-ticks"}[r]
}

// Shortage is a counting argument that a set of jobs cannot all finish by
// given times: inside Interval, on Slaves, they need more of Resource than
// there is. For CriticalPath there is one job, Need is its earliest finish and
// Have its due time.
type Shortage struct {
	Jobs     []JobID
	Slaves   []SlaveID
	Resource Resource
	Interval Interval
	// Need > Have, in ticks of the resource.
	Need, Have int64
}
