// Package pooled bounds what late jobs cost, in job sets that are too large to be looked
// at slave by slave and tick by tick.
//
// It is the Lagrangian relaxation of package lagrange, with less to tell apart: slaves of
// a kind form a pool with common multipliers, the tasks of a stage that run equally long are
// one with a count, and time goes by steps where there is much of it. Each of these only
// takes away from what is proved (see [proof.PoolBound]); the cost of a subgradient
// step grows with jobs, pools and steps of time, not with tasks and slaves.
//
// Pools of licences and the like have rows as well, one each for all slaves; caps have none, as
// there may be one for each job, which binds that job alone.
//
// The multipliers of pools that take in much are soon found, and those of finer ones
// soon follow from them ([Search]).
//
//	pool.go        which slaves are taken together
//	rows.go        what is relaxed: the rows of all pools (package relaxation)
//	takings.go     what tasks take of what all slaves share
//	job.go         jobs with equal tasks together, and their windows
//	table.go       what a placement costs, by the step in which it begins
//	block.go       what a task of a stage costs, by domain and some steps at a time
//	relaxation.go  the Lagrangian: the cheapest column of each job
//	use.go         what that uses of each row
//	bound.go       the search for multipliers
package pooled
