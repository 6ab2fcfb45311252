// Package tabu is local search on the critical path for shops: sets of which every slave
// does one task at a time, or as many as it has cores or slots, and nothing else ties tasks to
// each other but the order of stages and jobs. It treats the greatest finish, and the greatest lateness.
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
//     Effective neighbourhood functions for the flexible job shop problem).
//
// Tabu search makes the best of them that is not forbidden. Around it is TS/PR (Peng, Lü
// and Cheng, 2015, A tabu search/path relinking algorithm to solve the job shop scheduling
// problem): some good solutions are kept, and tabu search goes on from solutions between
// two of them, which have every order that these two agree on.
package tabu
