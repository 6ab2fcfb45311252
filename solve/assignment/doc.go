// Package assignment treats tasks of a core each, where all that there is to find is which core does
// which: they take longer on some slaves than on others (unrelated machines, R||Cmax), or have due
// times, or else releases, of their own, on cores that may be alike (P||Lmax, P|r_j|Cmax), or are
// confined to few slaves.
//
//	problem.go  when a job set is such a problem, and the schedule of an assignment
//	state.go    cores that are alike, and what may still be done by which
//	table.go    the best that a single core can do at rewards by task
//	prices.go   rewards: a bound for a whole state, and what it rules out
//	search.go   a tree of states, depth first
//	exchange.go an assignment by local search between two cores at a time
//
// If each task is worth a reward, and the most that all cores can do is worth less than all tasks,
// there is no assignment: the Lagrangian relaxation of that each task is done once, with a knapsack
// for each core (Martello, Soumis and Toth, 1997). That is far closer than the linear relaxation, and
// rules out nearly all places of tasks by themselves: of ten cores some two are left to a task.
package assignment
