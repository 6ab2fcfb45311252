package model

import "slices"

// Placement says where and when one task runs.
type Placement struct {
	// Slave is NoSlave for a task that is not placed.
	Slave SlaveID
	// Beat is the number γ ≥ 0 of the heartbeat that hands the task out.
	Beat Time
	// Fetch is R, when the transfer of the input starts.
	Fetch Time
	// Start is S, when the task starts to run.
	Start Time
}

// Schedule places tasks, indexed by TaskID. What can be derived (assignment
// time, finish) is not stored.
type Schedule []Placement

// NewSchedule has n tasks, none placed.
func NewSchedule(n int) Schedule {
	s := make(Schedule, n)
	for i := range s {
		s[i].Slave = NoSlave
	}
	return s
}

// Complete reports whether every task is placed.
func (s Schedule) Complete() bool {
	return !slices.ContainsFunc(s, func(p Placement) bool { return p.Slave == NoSlave })
}

// Finish is F = S + E (C1) of task t placed at p.
func (js *JobSet) Finish(t TaskID, p Placement) Time {
	return p.Start + js.Tasks[t].WCET(p.Slave)
}

// Assigned is A, the time of the heartbeat that hands the task out.
func (js *JobSet) Assigned(p Placement) Time {
	return js.BeatTime(p.Slave, p.Beat)
}
