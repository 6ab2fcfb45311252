// Package setups treats jobs of one stage each, all tasks with input, on a slave that fetches for one at a time, with a slot and a core for
// each that is there, as what they are: machines alike, which one server sets up for each job (P,S1||Cmax; Kravchenko
// and Werner, 1997). The slots are the machines, a fetch is a set-up.
//
//	problem.go    when a job set is such a problem, what its sums prove, and the schedule of an order of set-ups
//	state.go      what set-ups so far leave: when the server is free, and each machine
//	beam.go       an order by beam search, which is good where the server and the machines are about as busy
//	prices.go     what beams learn from each other, of jobs that are left
//	anneal.go     an order by simulated annealing
//	search.go     whether there is an order that ends by some time, by depth-first search, and where a beginning is left
//	parts.go      the parts of that, which several workers are at
//	shares.go     what may stand idle in the first part of an order and in the last
//	weights.go    what jobs weigh beside that, as many first jobs and last ones want the same ones
//	listed.go     the sets of jobs that can come last, as fingerprints
//	endings.go    the sets of jobs with which an order can end
//	remaining.go  what is worked out once for all jobs that may come next
//	walks.go      a bound on what is left on two machines, by walks that may take a job twice
//	kept.go       states that lead nowhere, kept within bounds of memory
//
// An order says all: there is an optimal plan in which each job of it is set up as soon as the server and the
// first machine are free. Where jobs are many nearly every value that bounds leave is reached by
// annealing; where they are few, or the server and the machines are about as busy, the search settles what
// is left, and completes beginnings of orders that beam search makes. What has begun before, in a plan that is made during the night, keeps the server and machines busy at first.
package setups
