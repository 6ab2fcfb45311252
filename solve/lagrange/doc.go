// Package lagrange proves by Lagrangian relaxation that jobs cannot all finish by
// given times, and that the weight of the jobs that do not cannot go below a value.
//
// # The relaxation
//
// In the time-indexed formulation (Dyer and Wolsey, 1990, for one machine) what a
// resource can hold is a row of its own for every slave and tick; for slots one per
// heartbeat will do (C5). Pools and caps have a row for every tick (C11). These rows are moved into the objective, each with a
// multiplier (a dual price). Then a job pays for what its tasks hold, and nothing
// else ties jobs together: every job is a subproblem by itself. Nor does anything
// tie its tasks together but windows that hold for the job alone, and that its
// stages come one after the other, so the cheapest column of a job, its column, is found exactly by
// dynamic programming over the times between stages. A job that costs more than its
// rejection penalty is rejected. The costs of all jobs, less what the capacities of
// all rows cost, are the value of the Lagrangian, and whatever the multipliers it is
// no more than the penalties of the jobs that are late in any plan (see
// [proof.DualBound]). At its best it is no less than the linear relaxation
// (Geoffrion, 1974), the strongest bound known for such problems.
//
// [LateWeight] seeks multipliers by subgradient steps in floating point: Polyak's
// (1969), along a deflected direction (Camerini, Fratta and Maffioli, 1975). What they
// prove is worked out in integers, and inference.Surplus does so again with other
// code.
//
// By itself a job has no more cores than there are, either. Of weighted tardiness, where most of what is missing is that jobs end partly early and partly
// late, tasks of a first stage run in lanes: columns in which more of them run on a slave at a time than it has cores are none.
//
// # Shaving and branching
//
// Where multipliers of the whole refute nothing, those of parts may: of the plans in
// which a stage ends by a time, or after, or a task is on a slave or elsewhere (see
// [proof.Branching]). A [Refutation] shaves (probes) domains first, and then branches,
// depth first; of the probes it makes those that are likely to refute, by what came
// of others. Several workers may be at it (work stealing): one without work takes the side of
// the shallowest open node that has not been begun, as a tree of its own, with domains of its
// own, and the argument comes back into the node. Where no node is open it probes targets
// of another's round: what is refuted in wider domains is so in narrower ones.
//
// # Branching on ends
//
// Weighted tardiness asks for sums of lateness, not for due times. Multipliers alone let a
// job end partly early and partly late, with all of its work at either time, and that
// comes to little lateness; given due times they refute much. So [Ends] tries them on
// boxes of ends: with jobs that pay for lateness, and for what they are later than a box begins in any case, which refutes
// wide boxes, and as on due times, which refutes narrow ones. What jobs pay at multipliers is a table by when they end,
// which holds for all boxes (a cut): it refutes others too, or tells that a job ends after
// some time, or by then. Then less lateness is left to the others, and they are due earlier. A box is split where what a job pays for
// lateness varies most from step to step, at the mean of when it ends. Where
// nothing is left to be split it is asked about, and branched in as due times are. Splits, and what multipliers came to, are
// kept: for the next value, and when there is more work for the same one, it goes on from there.
//
// # Fine ticks
//
// A step takes as long as there are ticks. Where these are as fine as milliseconds, due times, late jobs and lateness are looked at in coarser ones, all
// times rounded down, and each price is one of the last tick of a coarse one. An ascent of the whole begins with the multipliers that the one before, about other due times, was left with. In branching on ends jobs end within a coarse tick, by no later than the last tick of it; their lateness is that of the first, in ticks of the set.
//
// # Where to look
//
//	rows.go        what is relaxed: the rows of all resources (package relaxation), and
//	               what tasks hold of them
//	subproblem.go  the cheapest column of a job
//	late.go        the same where a job pays for every tick that it is late
//	relaxation.go  the Lagrangian: the subproblems of jobs
//	lanes.go       tasks of a first stage in the lanes of slaves
//	charges.go     what jobs pay for being late
//	coarse.go      sets of fine ticks in coarser ones, and what is proved there as proofs about the set
//	bound.go       bounds on the weight of late jobs
//	domains.go     what placements are left to tasks, with a trail
//	probe.go       multipliers against what the domains leave
//	success.go     success rates of probes
//	score.go       what splits gain, and which to branch on
//	shaving.go     domains narrowed by refuting their edges
//	branching.go   the search tree
//	workers.go     several workers at one search
//	dive.go        fixings, for a plan
//	dues.go        tries on due times that differ
//	lateness.go    tries on boxes of ends, with jobs that pay for lateness
//	ends.go        branching on when jobs end
//	kept.go        boxes of ends as the next value finds them
//	raise.go       arguments raised to later due times
//	cut.go         cuts on when jobs end
//
// # What is left out
//
// The cheapest column is a lower bound only for stages of several tasks that are
// neither the first nor the last of their job: they are tied to the stage before
// by the least time that they take, not task by task. The order of fifo plays no
// part.
package lagrange
