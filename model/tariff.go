package model

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

// Branch is an argument by cases that jobs of a certain weight are late: whether
// Job is late or in time, there is a branch; and at the end of every branch a
// tariff that takes those choices into account.
type Branch struct {
	// Job is looked at, with Late and InTime for the two cases; both nil at an end.
	Job          JobID
	Late, InTime *Branch
	// Tariff holds at an end. Jobs that are late by choice have a refusal of 0.
	Tariff *Tariff
}

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
