// Package cubes splits what is left open of a proof into questions that are independent, and puts
// the answers together: cube-and-conquer (Heule, Kullmann, Wieringa and Biere, HVC 2011), for
// processes that share nothing but a folder. It knows of no files.
//
// The [Problem] is whether there is a plan with the first open objective below that of the best plan,
// those before it at their proved values; or any plan, where none is known. It is put to lazy clause
// generation. A cube is a list of literals over the variables of that, in the words of proof files
// (docs/proof.md): places and starts of tasks, ends of jobs, jobs that are let go. Each splits the
// plans in two, those in which it holds and the others ([Tree]), so that the cubes at the leaves
// leave no plan out. Literals are chosen by lookahead among those that the search is busiest with:
// what follows on both sides is to be as much as can be.
//
// A [Worker] takes cubes one after the other. It assumes the literals and keeps what it learns, which
// holds without them. A cube is refuted, with the assumptions that do not hold together, or has a
// plan, which makes the question harder for all, or is split again.
//
// Cubes are asked about one limit at a time, halfway between what is refuted of all of them and the best
// plan ([State.Target]). What is refuted is refuted of a limit on the objective. It holds of lower ones too, but for what
// may be assumed of the order of equal tasks and slaves, which depends on the limit:
// [Problem.Carries] tells. [State.Resolve] makes one refutation of those of all cubes: at each split
// the literal is resolved upon.
package cubes
