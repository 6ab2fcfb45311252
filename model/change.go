package model

// ChangeKind is what a change does. Its word stands in plan files, and is that of the
// flag where there is one.
type ChangeKind string

// The kinds of change.
const (
	// ChangeWithout: the slave, or each one of the class, is absent from At on.
	ChangeWithout ChangeKind = "without"
	// ChangeCount: the class has N slaves. The highest numbers go, or new ones come with the
	// class's own values.
	ChangeCount ChangeKind = "count"
	// ChangeDeadline: the job's deadline is At after its release.
	ChangeDeadline ChangeKind = "deadline"
	// ChangeRelease: the job is released at At; its due time stays.
	ChangeRelease ChangeKind = "release"
	// ChangeDrop: the job is left out, and counts as finished once those before it have.
	ChangeDrop ChangeKind = "drop"
	// ChangeSoften: the deadline of the job is soft.
	ChangeSoften ChangeKind = "soften"
	// ChangeMargin: all times of the tasks of the job, or of all jobs, are N percent longer,
	// rounded up.
	ChangeMargin ChangeKind = "margin"
	// ChangeCores, ChangeSlots and ChangeUnits: the slave, or each one of the class, has N more; Slots of
	// each kind where they are told apart, Units of the named Resource.
	ChangeCores ChangeKind = "cores"
	ChangeSlots ChangeKind = "slots"
	ChangeUnits ChangeKind = "units"
	// ChangeStay: the slave, or each one of the class, has no absence that begins at At; one of
	// them had one.
	ChangeStay ChangeKind = "stay"
	// ChangeFetch: the input of the job's tasks takes N percent of its time to fetch, rounded up.
	ChangeFetch ChangeKind = "fetch"
	// ChangePool: there are N of the pool, at all times.
	ChangePool ChangeKind = "pool"
)

// ChangeKinds lists the words of all kinds.
func ChangeKinds() []string {
	return []string{
		string(ChangeWithout), string(ChangeCount), string(ChangeDeadline), string(ChangeRelease), string(ChangeDrop),
		string(ChangeSoften), string(ChangeMargin), string(ChangeCores), string(ChangeSlots), string(ChangeUnits),
		string(ChangeStay), string(ChangeFetch), string(ChangePool),
	}
}

// Change is one change to a job set; package model/change makes it. Which fields matter is said at the kinds.
type Change struct {
	Kind ChangeKind `json:"change" yaml:"change"`
	// Name is that of a slave or class, of a pool, or of a job or recurring job, each of whose
	// instances is meant; empty for a margin on all jobs.
	Name     string `json:"of,omitempty" yaml:"of,omitempty"`
	Resource string `json:"resource,omitempty" yaml:"resource,omitempty"`
	// At is in ticks.
	At Time  `json:"time,omitempty" yaml:"time,omitempty"`
	N  int64 `json:"number,omitempty" yaml:"number,omitempty"`
}
