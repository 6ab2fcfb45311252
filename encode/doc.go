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
// and for every stage that others wait for a stage-completion variable,
// [D ≤ β] "the stage has finished by β", at heartbeats of the slaves that can run
// these. The tasks of a gang have one scale of starts among them. Everything else is derived: F = S + E on the slave chosen, and
// without fifo A = the last heartbeat at or before R. The layout of the question
// (package query), tightened where tasks are bound to slaves
// (disjunctive.go), bounds every scale before a variable is made.
//
// literals.go has the variables. On top of it each family of clauses has a file
// (or some, for what capacity takes) that the other families do not know;
// encode.go lists them. Clauses go into a formula of package cnf.
//
// # What is left out because nothing is lost
//
// That is: if any valid schedule with the asked finishes exists, one that obeys
// the rule exists. Occupancy of a resource counts starts minus ends, and its
// maximum is reached at a start.
//
//   - A is the last heartbeat ≤ R. Raising A alone keeps C3, eases C7 and C10, and
//     shortens the hold [A, F), of what slaves have and of pools and caps. Not with fifo, where it may create an order
//     of heartbeats that starts violate; there A has literals of its own.
//   - Slots (C5) and named resources (C9) are counted at heartbeats only: holds start
//     nowhere else.
//   - R = S − C on slave j ("tied") if the transfer takes no time, if fetches are
//     concurrent, or if tasks never wait for cores on j and there is no fifo. In
//     the first two cases nothing else uses the fetch line for that transfer, so R
//     can be raised. In the third a task runs as soon as its input is there, so S
//     can be lowered to R + C; not of a gang, whose tasks wait for each other.
//   - Cores (C4) are not counted, and are never waited for, on a slave whose tasks
//     cannot need more than it has: every task holds a slot (C5), so that is where
//     slots × the most cores that a task needs are no more than the cores. As long
//     as a task needs one core, that says: no more slots than cores.
//   - Equal tasks and equal slaves are ordered (query/symmetry.go argues).
//
// # Capacity
//
// For each resource of a slave (model.Supplies) and each tick, or beat for what is
// held from assignment on, at which the tasks that can meet need more than there
// is: a literal per task that is implied by "t holds the resource there", and over
// these a sequential counter (Sinz 2005) where all need the same, else a sum.
// What tasks on all slaves share, pools and caps, is counted likewise (shared.go): at the
// heartbeats of all slaves that can hand out tasks which take of it, and where its level changes.
//
// Where a slave has but one unit a literal per pair of tasks for which of them is
// first can take the place of counting (order.go).
//
// # Parts of a plan
//
// A question can be about some tasks of a plan while the others keep their
// places: fixed tasks are taken off the capacity, point by point, and cost no
// variables; domain restrictions keep tasks between others of their jobs.
//
// # Size
//
// Every family predicts its clauses from the layout before anything is built, and
// Build refuses what is over the limit.
package encode
