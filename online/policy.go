package online

import "downbeat/model"

// Policy decides what a slave gets at a heartbeat. A value serves one run. It
// sees jobs that have arrived and what has happened, by way of [View] and [Offer]; it
// must not write to what it is shown. Policies that need more implement
// [Starter], [Ender], [Admitter], [Watcher], [Controller] or [Killer] as well.
type Policy interface {
	// Name is the word for it on the command line.
	Name() string
	// Asks tells when a slave that was left with a free slot is asked again. It is called
	// once, after Start.
	Asks() Asking
	// Heartbeat hands tasks to the offer's slave, which has a free slot, while
	// some task of some job is ready (perhaps none that fits).
	Heartbeat(v *View, o *Offer)
}

// Asking says when a slave with a free slot is worth another heartbeat.
type Asking uint8

const (
	// OnReady: when tasks become ready. For policies that leave a slot free
	// only if nothing that is ready fits.
	OnReady Asking = iota
	// OnChange: when tasks become ready, and when on any slave a task was handed
	// out, has ended or is lost, or when any slave goes or comes. For policies
	// that keep slots free, but not for a span of time.
	OnChange
	// EveryBeat: at each of its heartbeats. For policies that watch the clock.
	EveryBeat
)

// Starter is a policy that looks at the cluster before anything happens.
type Starter interface {
	Start(v *View)
}

// Ender is a policy that has something to put away when its run is over, however it ended.
type Ender interface {
	End()
}

// Admitter is a policy that may turn a job away when it arrives. Those that come after
// it are turned away with it.
type Admitter interface {
	// Admit answers for a job that v knows but whose tasks are not ready yet.
	// why goes to the trace; it may be empty.
	Admit(v *View, j *Job) (accept bool, why string)
}

// SlotCounter is an [Admitter] whose test counts slots alone. Where tasks on different slaves are tied to
// each other, by pools, caps, gangs or as they are apart, what it accepts may be late: it promises nothing
// there ([Outcome.Unpromised]).
type SlotCounter interface {
	Admitter
	CountsSlots()
}

// Watcher is a policy that wants to be told what happens.
type Watcher interface {
	// Watch comes right after the fact, before any decision that rests on it.
	Watch(v *View, e Event)
}

// Controller is a policy that acts at times of its own.
type Controller interface {
	// Control is called at tick 0 first, then at the tick that it last
	// returned, which must be later than now; model.Never ends it. Slaves with
	// free slots are asked again after it.
	Control(v *View) (next model.Time)
}

// Killer is a policy that takes back what slaves hold, so that others have the slots.
type Killer interface {
	// Kill names tasks that slaves hold, each once, when tasks of a job have become ready. They are
	// lost, with what they have done, and ready again at once.
	Kill(v *View, j *Job) []model.TaskID
}

// EventKind tells what happened.
type EventKind uint8

const (
	// Arrived: a job was accepted.
	Arrived EventKind = iota
	// Opened: the tasks of a stage are ready.
	Opened
	// Assigned: a task was handed to a slave.
	Assigned
	// Ended: a task finished.
	Ended
	// Lost: a task was on a slave that failed, or that went away as declared before the
	// task, which overran, had ended, or the policy killed it; it is ready again, unless its job can
	// run nowhere any more.
	Lost
	// GivenUp: a job can run nowhere any more, as slaves are gone for good, or comes after one
	// that cannot. None of its tasks is to be handed out any more.
	GivenUp
	// Finished: the last task of a job finished, or the last that ran of one that is given up:
	// Job.Finish is model.Never then.
	Finished
)

// Event is something that happened now.
type Event struct {
	Kind EventKind
	Job  *Job
	// Stage is the index of the one for Opened, and of that of the task.
	Stage int
	// Task and Slave for Assigned, Ended and Lost.
	Task  model.TaskID
	Slave model.SlaveID
	// Started is when the task began to run, for Ended; model.Never for an
	// attempt that was lost before.
	Started model.Time
	// Undone is set for one that is Lost although it had ended: its gang, of which another was
	// lost, runs again as a whole.
	Undone bool
}
