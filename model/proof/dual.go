package proof

import "downbeat/model"

// DualBound is an argument by multipliers (dual prices) of the Lagrangian
// relaxation of C4, C5, C6, C9 and C11 (Fisher, 1981). Everything that tasks share has a
// price: a core for a tick, the fetch line for a tick, a slot at a heartbeat, a unit of a pool
// for a tick. A job
// that is to finish in time pays for what its tasks occupy, at least the cost of
// the cheapest way through the cluster, or its Penalty where that is less. If all
// that jobs pay together exceeds what everything that has a price is worth, by a
// surplus, then those that do not finish in time have penalties of at least the
// surplus between them: the others cannot have occupied more than there is.
type DualBound struct {
	// Penalty ≥ 0, by JobID, is the price of rejecting a job, and so what it pays at
	// most; jobs with 0 play no part.
	Penalty []int64
	// Late, by JobID, is what a job pays for each tick that it ends after its own
	// deadline; nil where lateness is free. What is paid for it counts with the
	// penalties: all this together makes up for the surplus.
	Late []int64
	// Base, by TaskID, is what each task of the first of a job's stages pays in any case; nil where each task pays for itself
	// alone. With it these tasks run in lanes, as many on a slave as it has cores for such tasks: together they pay their bases, and what so many
	// placements, of which those of a lane come one after the other, cost least beyond that, whichever of the tasks are on them.
	Base []int64
	// Multipliers are those that are not 0.
	Multipliers []Multiplier
}

// Multiplier is the price of a unit of a resource on a slave: per tick of Interval,
// but per heartbeat within it for what is held in the way of model.HoldStay. Where Slave is
// model.NoSlave it is that of a unit of a pool or a cap, per tick of Interval.
type Multiplier struct {
	Slave    model.SlaveID
	Resource model.ResourceID
	Shared   model.SharedID
	Interval model.Interval
	// Value > 0, in the units of Penalty.
	Value int64
}
