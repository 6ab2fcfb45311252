// Package queue is local search for few late jobs, or little lateness, in sets of several stages: simulated annealing (Kirkpatrick, Gelatt and
// Vecchi, 1983) of the queues of slaves.
//
// Each slave has a list of tasks, its queue, which it takes in turn: each as soon as a slot is free at a heartbeat, and as much of other resources as it
// takes, the fetch line after that, and its cores. The stages of a job are uncoupled: one that others wait for has a due time of its own,
// from which on these are handed out. So a move, which puts a task at another place, of its queue or another's,
// or exchanges two, changes one queue or two, and of these only what comes behind it, until all is free there as it was
// before. A move of a third kind shifts the due time between stages. What it costs is by how much tasks are late.
// A gang has a start of its own, which moves shift, too: its tasks wait for it, and one that comes behind it is late. So are the jobs that come after
// others uncoupled where all are on queues.
//
// The late jobs of a plan are in a pool, as in package ejection: one of them goes in, or in exchange for another that is more
// work, and annealing brings all to their due times, or else all goes back.
//
// Where lateness itself is the goal all jobs are on queues. For the greatest, all are due when they are in a plan better than the best, and for the
// last finish all together a tick before the best plan ends.
// For the sum, a job may be due later, for which it pays as it does for tasks that end after that: with the best due time, at which
// at most one of them does, this is its weighted lateness, and with others it is more.
//
//	problem.go  what a set comes to: stages with windows, and what tasks take on slaves
//	queue.go    the queue of a slave, and how it is laid out in time
//	move.go     moves, and what is undone of them
//	search.go   tries with jobs of the pool
//	lateness.go tries around jobs that are late
package queue
