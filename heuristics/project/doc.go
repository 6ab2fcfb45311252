// Package project is local search for projects: sets of which each task has one slave on which it can run, and holds
// cores, a slot and resources by name there, and of pools and caps that all slaves share, with beats at every tick; the resource-constrained project scheduling
// problem, with releases and due times. Slaves may be away, and there may be more or less of pools over time (RCPSP/t; Hartmann, 2013): pushed to the right
// a task ends no sooner than it did, as where it was there is room, and so back. It treats the greatest finish, and the greatest lateness.
//
// It is a genetic algorithm over lists of tasks (Hartmann, 1998, A competitive genetic algorithm for
// resource-constrained project scheduling) with double justification of each schedule (Valls, Ballestín and Quintanilla,
// 2005, Justification and RCPSP: A technique that pays): all tasks are moved to the right as far as they go, those that
// end last first, then back to the left, those that start first in front. No schedule gets longer by it, most get
// shorter.
//
// [Annealing] treats sets whose tasks wait for no others, and have a choice of slaves (P|size_j|Cmax, vector
// scheduling): lists by slave, by simulated annealing.
//
//	project.go, schedule.go, search.go  projects: the genetic algorithm
//	separate.go, anneal.go              tasks that wait for no others: annealing
package project
