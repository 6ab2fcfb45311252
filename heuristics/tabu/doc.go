// Package tabu is local search on the critical path for shops: sets of which every slave
// does one task at a time, or as many as it has cores or slots, and nothing else ties tasks to
// each other but the order of stages and jobs. It treats the greatest finish, the greatest lateness, sums of
// lateness, and the weight of late jobs.
//
// Such a plan is the orders of the tasks on the machines, a machine being a core or a slot:
// with the arcs of stages they are a graph, and the longest path to a task is when it starts
// (Roy and Sussmann, 1964). Only what changes a critical path shortens the plan:
//
//   - moves within a critical block, N7 (Zhang, Li, Guan and Rao, 2007, A tabu search algorithm
//     with a new neighborhood structure for the job shop scheduling problem): a task goes in
//     front of its block or behind it, the first or the last one into it. What a
//     move comes to is estimated as Balas and Vazacopoulos (1998) do;
//   - moves of a critical task to another machine (Mastrolilli and Gambardella, 2000,
//     Effective neighbourhood functions for the flexible job shop problem). The work that one
//     adds, where the task takes longer there, is dear in some trajectories and free in others.
//
// Of sums, such as the weighted tardiness, the critical path is one to the end of a late job, drawn by what that costs, and
// moves are estimated by the longest paths to the ends of all jobs (Mati, Dauzère-Pérès and Lahlou, 2011, A general approach
// for optimizing regular criteria in the job-shop scheduling problem).
//
// Flow shops, whose jobs come to the machines in one order, have good plans near permutation schedules, of which all machines take the
// jobs in one order: there trajectories begin with such orders, found by iterated greedy (Ruiz and Stützle, 2007, A simple and effective iterated
// greedy algorithm for the permutation flowshop scheduling problem), elsewhere with lists of tasks.
//
// Tabu search makes the best of them that is not forbidden. Around it is TS/PR (Peng, Lü
// and Cheng, 2015, A tabu search/path relinking algorithm to solve the job shop scheduling
// problem): some good solutions are kept, and tabu search goes on from solutions between
// two of them, which have every order that these two agree on.
//
// A move takes as long as there are tasks, so large sets of chains with not many more jobs than machines are searched in time windows one after the other (rolling
// horizon; Singer, 2001, Decomposition methods for large job shops): a window of a topological order, with heads and tails for the rest, is a shop of its own.
//
// Where stages of flow shops have several machines (hybrid flow shops) the order in which jobs come in says nearly all, as at later stages they are taken
// as they come: there [HybridGreedy] is iterated greedy by itself, turn by turn also over orders of jobs from the end, of the shop with time reversed.
//
//	shop.go, solution.go, sum.go              shops, and their solutions as graphs
//	start.go, move.go, search.go, relink.go   tabu search
//	window.go                                 time windows of large sets
//	flowshop.go, greedy.go                    flow shops: iterated greedy
//	hybridflowshop.go, hybridgreedy.go        hybrid flow shops: iterated greedy
package tabu
