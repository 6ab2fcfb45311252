// Package strategy holds the techniques of the solver, each in a file that the
// others do not know: what they find they hand to the incumbent. Which of them run,
// in what order and with what share is said by the tables of package solve; what a
// unit of a share is, here.
//
//	row of the tables            file             unit                     for                            proof
//	(before the tables)          energy.go        -                        all, any plan                  energy
//	prices of pools              pools.go         a stage of the search    all                            dual
//	dual prices                  dual.go          1000 subgradient steps   all, any plan                  dual
//	packing                      packing.go       a value                  tardiness, makespan            dual
//	branching                    branch.go        a slice, each 4 × last   times, any plan                branching, lcg
//	branching on ends            ends.go          a slice, each 4 × last   weighted tardiness             dual, branching, lcg
//	master problem of late jobs  master.go        until it is stuck        misses, hard misses            dual, branching, lcg
//	dives for late jobs          latedives.go     a candidate              misses, hard misses            -
//	values from the bound up     frombound.go     until one is unanswered  all                            lcg, sat
//	values below the plan        belowplan.go     one question             all                            lcg, sat
//	enumeration                  enumerate.go     a slice, each 4 × last   all, any plan, up to 10 tasks  enumeration
//	clause learning, SAT         hard.go          a slice, each 2 × last   any plan                       lcg, sat
//	tardiness relaxation         tardiness.go     a slice, each 2 × last   any plan                       -
//	guided list scheduling       guided.go        an evaluation            all but makespan, any plan     -
//	list scheduling              lists.go         an eighth of a second    all, any plan                  -
//	ejection pool                ejection.go      an eighth of a second    all                            -
//	large neighbourhoods         neighbourhood.go a neighbourhood          all                            -
//
// Prices of pools, guided list scheduling and, for an objective in place of list
// scheduling, the ejection pool are for sets of 400 tasks and more; for misses it is
// beside list scheduling from 100 tasks on. The master problem is for up to 400 tasks, dives
// for late jobs are for more.
//
// Where hard deadlines may be missed, and are not what is counted, arguments from
// due times stand back (TakesHardAsMet). refute.go has what dual prices, branching
// and the master problem share, ask.go the questions of one worker, candidate.go the
// parts of the master problem, cuts among them.
package strategy
