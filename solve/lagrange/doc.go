// Package lagrange proves by prices that jobs cannot all finish by given times,
// and that the weight of the jobs that do not cannot go below a value.
//
// # The relaxation
//
// Cores, fetch lines and slots are for sale: a core and the fetch line by the
// tick, a slot by the heartbeat (constraint C5 only matters there). Every job
// buys what its tasks occupy, each task by itself, in windows that hold for the
// job alone, and the stages of a job one after the other. Nothing else ties
// tasks together, so the cheapest way of a job is found exactly by dynamic
// programming over the times between its stages; and a job that finds its way
// too dear is refused, at a price of its own. The sum of what jobs pay, less the
// worth of all that is for sale, is no more than the refusals of the jobs that
// are late in any plan (see [proof.DualBound]). At the best prices it equals the
// linear relaxation of the time-indexed formulation, the strongest bound known
// for such problems (Dyer and Wolsey, 1990, for one machine).
//
// The best prices are sought by subgradient steps in floating point; what they
// prove is worked out in integers, and verify.DualBound does so again with other
// code.
//
// # Cases
//
// Where prices of the whole refute nothing, those of parts may: of the plans in
// which a stage ends by a time, or after, or a task is on a slave or elsewhere (see
// [proof.Branching] and [Refute]).
//
// # What is left out
//
// The cheapest way is a lower bound only for stages of several tasks that are
// neither the first nor the last of their job: they are tied to the stage before
// by the least time that they take, not task by task. The order of fifo plays no
// part.
package lagrange
