package proof

import (
	"slices"

	"downbeat/model"
)

// Resource is something that jobs can run short of: units of a resource of model's
// table, or of all slots, times ticks. The sums are spelled out at [Overload].
type Resource uint8

const (
	// CriticalPath: a job alone, on an empty cluster, is too long.
	CriticalPath Resource = iota
	// SlotTicks counts held slots of all pools (C5), in whole heartbeat
	// intervals: a slot that a task leaves between two heartbeats cannot be
	// given away before the second.
	SlotTicks
	tabled
	// CoreTicks counts running tasks, [S, F) each (C4).
	CoreTicks = tabled + Resource(model.Cores)
	// FetchTicks counts the fetch lines, [R, R+C) each (C6); never with
	// FetchConcurrent.
	FetchTicks = tabled + Resource(model.FetchLine)
	// MapSlotTicks and ReduceSlotTicks are SlotTicks for the tasks of one slot
	// kind and the pool they draw on; for clusters with split slots.
	MapSlotTicks    = tabled + Resource(model.MapSlots)
	ReduceSlotTicks = tabled + Resource(model.ReduceSlots)
	// NumResources is the number of resources above and of those that [Ticks] makes.
	NumResources = tabled + Resource(model.NumResources)
	// SharedTicks counts what is held of a pool or a cap, [A, F) each (C11), whatever the slave:
	// Overload.Shared says of which.
	SharedTicks = NumResources
	// WeightTicks counts running tasks, [S, F) each, by weights of their own, Overload.Weights: a slave has as much
	// of it as the tasks weigh that it can run at once.
	WeightTicks = SharedTicks + 1
)

// Ticks counts units of r times ticks.
func Ticks(r model.ResourceID) Resource { return tabled + Resource(r) }

// String is the word used for people.
func (r Resource) String() string {
	switch r {
	case CriticalPath:
		return "critical path"
	case SlotTicks:
		return "slot-ticks"
	case SharedTicks:
		return "ticks of a pool or a cap"
	case WeightTicks:
		return "weight-ticks"
	default:
		return model.ResourceID(r-tabled).String() + "-ticks"
	}
}

// Name is the word used for people, of what the job set names too.
func (r Resource) Name(js *model.JobSet) string {
	if r >= Ticks(model.FirstNamed) && r < NumResources {
		return js.ResourceName(model.ResourceID(r-tabled)) + "-ticks"
	}
	return r.String()
}

// Hold is how tasks hold what is counted; not of CriticalPath.
func (r Resource) Hold() model.Hold {
	switch r {
	case SlotTicks, SharedTicks:
		return model.HoldStay
	case WeightTicks:
		return model.HoldRun
	}
	return model.ResourceID(r - tabled).Hold()
}

// Units is the number of units of what is counted that slave s has. Slots of no kind
// count as slots of either.
func (r Resource) Units(js *model.JobSet, s model.SlaveID) int64 {
	units := int64(0)
	for _, supply := range js.Supplies(s) {
		of := Ticks(supply.Resource)
		slots := of == MapSlotTicks || of == ReduceSlotTicks
		if of == r || slots && r == SlotTicks || slots && r == ReduceSlotTicks && !js.Slaves[s].SplitSlots {
			units += supply.Units
		}
	}
	return units
}

// Need is how much a task holds of what is counted, on slave s.
func (r Resource) Need(js *model.JobSet, task *model.Task, s model.SlaveID) int64 {
	switch {
	case r == MapSlotTicks && task.Slot != model.MapSlot, r == ReduceSlotTicks && task.Slot != model.ReduceSlot:
		return 0
	case r == SlotTicks, r == MapSlotTicks, r == ReduceSlotTicks:
		return js.Need(task, s, model.MapSlots) + js.Need(task, s, model.ReduceSlots)
	default:
		return js.Need(task, s, model.ResourceID(r-tabled))
	}
}

// Overload is a counting argument that a set of jobs cannot all finish by
// given times: inside Interval, on Slaves, they need more of Resource than
// there is. For CriticalPath there is one job, Need is its earliest finish and
// Have its due time; Slaves and Interval are empty.
//
// Otherwise Need is a sum over those tasks of Jobs that, if the job is to
// finish in time, can run on no slave outside Slaves. Each counts with the
// least part of Interval that it must occupy, over all its slaves and all its
// times on them (windows of model/window), times the units that it needs. Jobs that come after others
// of Jobs press these, which then have to be done when the last of the former can be handed out; not where what each needs
// by itself becomes the coefficient of a cut; there Charges count what is needed for others. By the
// way in which the resource is held it occupies
//
//	HoldRun     [S, S+E)
//	HoldFetch   [R, R+C)
//	HoldStay    [A, A + C+E rounded up to whole heartbeat intervals)
//
// Have is the sum over Slaves of the number of units times the ticks of
// Interval during which the slave is there. With HoldStay these are the ticks of
// the heartbeat intervals that start with a heartbeat outside absences.
//
// Idle is what of Have Jobs cannot take while their first inputs are on their way, one after the
// other: nothing of theirs is handed to a slave before its first heartbeat at their least release, so that
// k of its slots are not all taken before k−1 of their inputs are there, and k of its cores do not all run
// before k are. On a slave without absences that runs the tasks of Jobs on one core each, where fetches are
// exclusive, the k-th core is idle from that heartbeat for the sum of the k shortest transfers of their
// tasks to that slave, or less; where there are heartbeats at each tick, the k-th slot for that of the k−1
// shortest (the forced idle time of machines with one server; Kim and Lee, 2012, give it for P,S1||Cmax).
// A slot that a task holds for longer than C+E counts as idle before. The sum over Slaves, within
// Interval, is Idle, or Idle is 0.
//
// With SharedTicks there are no Slaves: all tasks of Jobs count, on whichever slave they are. Each
// occupies [A, A + C+E), with what it takes of the limit Shared, which may be given away at any tick
// and whose amounts over the ticks of Interval make up Have; where more is reserved than there is
// there is nothing.
//
// With WeightTicks tasks of Jobs count by their Weights in place of units, and others do not. What a slave has are the
// greatest weights, together, of tasks of Jobs that it can run at once by its cores, slots and named resources (a dual feasible
// function of what they need, Lueker, 1983, or a conservative scale, Carlier and Néron, 2007, where it is by length, too;
// multipliers of the relaxation by sets of tasks that run at once, Mingozzi et al., 1998, where it is the best).
type Overload struct {
	Jobs     []model.JobID
	Slaves   []model.SlaveID
	Resource Resource
	// Shared numbers the limit of the job set that is short, with SharedTicks.
	Shared   model.SharedID
	Interval model.Interval
	// Weights are those of tasks, ascending by task, with WeightTicks.
	Weights []Weight
	// Need > Have − Idle, in ticks of the resource.
	Need, Have, Idle int64
	// Charges, ascending by Job, then To, are there only for a cut of jobs that come after others; then they add up to Need.
	Charges []Charge
}

// Charge says that so many ticks of what Job needs are charged to To, which is Job or comes after it, and has a due time: they are
// there if To is in time. Charges of Job to some jobs do not add up to more than Job needs if the one of them is in time for which it
// needs most, each by itself.
type Charge struct {
	Job, To model.JobID
	Ticks   int64 // > 0
}

// Weight is what a task counts.
type Weight struct {
	Task   model.TaskID
	Weight int64 // > 0
}

// Of is the word used for people, of what is short.
func (o *Overload) Of(js *model.JobSet) string {
	if o.Resource == SharedTicks {
		return js.SharedName(o.Shared)
	}
	return o.Resource.Name(js)
}

// Renumber makes of an overload in sub, the set of some jobs of whole, one in whole.
func (o *Overload) Renumber(whole, sub *model.JobSet, jobs []model.JobID) {
	o.Jobs = slices.Clone(o.Jobs)
	for k, i := range o.Jobs {
		o.Jobs[k] = jobs[i]
	}
	o.Weights = slices.Clone(o.Weights)
	for k, w := range o.Weights {
		i := sub.Tasks[w.Task].Job
		o.Weights[k].Task = whole.Jobs[jobs[i]].First + w.Task - sub.Jobs[i].First
	}
	if o.Resource == SharedTicks {
		o.Shared = whole.SharedLike(&sub.Shared()[o.Shared], jobs)
	}
}

// Cut says of some jobs that enough of them are late in every plan: Coefficients
// of those that are late add up to RHS or more (a row of the master problem of
// logic-based Benders decomposition, Hooker and Ottosson, 2003).
type Cut struct {
	Jobs         []model.JobID // ascending
	Coefficients []int64       // > 0, parallel to Jobs
	RHS          int64         // > 0
	// Overload is the argument behind the cut, nil if it is another.
	Overload *Overload
	// The others are kept where proofs are asked for: Multipliers, at which the coefficients
	// are what jobs pay that are in time; or that Jobs cannot all be in time, as Branching
	// or as the refutation of a question.
	Multipliers []Multiplier
	Branching   *Branching
	Refutation  *Refutation
}
