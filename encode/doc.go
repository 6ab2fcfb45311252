// Package encode turns questions about a job set into CNF for a SAT solver:
// "is there a schedule in which these jobs finish by these times?".
//
// # Variables
//
// For every task t that the question includes:
//
//	x[t,j]     t runs on slave j; only slaves where its window is not empty
//	[S_t ≤ τ]  order literals of the start, one scale of ticks per task
//	[R_t ≤ τ]  order literals of the fetch start, where R is free (below)
//	[A_t ≤ β]  order literals of the assignment, with fifo only
//
// and g[i,s,β], "stage s of job i has finished by β", at heartbeats of the
// slaves that can run the next stage. Everything else is derived: F = S + E on
// the slave chosen, and without fifo A = the last heartbeat at or before R.
// Windows (package window) bound every scale before a variable is made.
//
// # What is left out because nothing is lost
//
// In this list "exact" means: if any valid schedule with the asked finishes
// exists, one that obeys the rule exists. Occupancy of a resource counts
// starts minus ends, and its maximum is reached at a start.
//
//   - A is the last heartbeat ≤ R. Raising A alone keeps C3, eases C7, and
//     shortens the hold [A, F). Not with fifo, where it may create an order
//     of heartbeats that starts violate; there A has literals of its own.
//   - Slots (C5) are counted at heartbeats only: holds start nowhere else.
//   - R = S − C on slave j ("tied") if the transfer takes no time, if fetches are
//     concurrent, or if j has no more slots than cores and no fifo. In the first two cases
//     nothing else uses the fetch line for that transfer, so R can be raised.
//     In the third a task never waits for a core once its input is there
//     (every task on j holds a slot, so there is a core for each), so S can be
//     lowered to R + C.
//   - Cores (C4) are not counted on a slave with no more slots than cores: C5
//     implies C4.
//   - Equal tasks and equal slaves are ordered (symmetry.go, argued there).
//
// # Capacity
//
// For each slave and tick (beat for slots) at which more tasks can meet than
// the capacity c: a literal per task that is implied by "t uses the resource
// there", and a sequential counter for "at most c" over them (Sinz 2005). Where
// c = 1 a literal per pair of tasks for which of them is first can take the
// place of counting (pairs.go).
//
// # Parts of a plan
//
// A question can be about some tasks of a plan while the others keep their
// places: Held tasks are taken off the capacity, point by point, and cost no
// variables; Room keeps tasks between others of their jobs.
//
// # Size
//
// Every family predicts its clauses from the windows before anything is built;
// Predict adds them up, and Build refuses what is over the limit.
package encode
