// Package lcg answers the questions of package encode without writing them
// out as a formula: by lazy clause generation (Ohrimenko, Stuckey and Codish,
// Constraints 2009). Rules propagate capacity, fetch line, stages and slaves on
// the bounds of integers; each propagation names the literals it follows from,
// and from conflicts among them clauses are learnt as in a SAT solver.
//
// # Variables
//
// x[t,j] (t runs on slave j) as in package encode; integers S (start), R
// (fetch) and F (finish) per task, each with order literals [v ≤ τ] numbered in
// a row, so that what one of them implies for the others is arithmetic and
// needs no clause; and G between two stages, the time from which tasks of the
// later one can be handed out. F is S + E and R is S − C where E and C are the
// same on all slaves and nothing else moves R. Windows and dominance rules are
// those of package encode, and argued there.
//
// # Rules
//
//   - taskRule ties S, R, F, G and the slaves that are left: what holds on each
//     of them holds (constructive disjunction).
//   - resourceRule is the time table of the cores, of a pool of slots (at beats
//     only) or of the fetch line of a slave. Explanations speak of one point in
//     time (Schutt, Feydy, Stuckey and Wallace, Constraints 2011).
//   - energyRule adds up what must be used within windows of time, on slaves
//     whose tasks are known.
//   - orderRule, sumRule, delayRule: stages and equal tasks, misses, weighted
//     lateness.
//
// The search (solver) is a CDCL: two watched literals, activities, saved and
// best phases, learnt clauses kept by their glue, restarts by glue and by
// Luby's sequence in turn. It starts with the jobs in the order of their
// deadlines, each task as early as possible, so that its first descent is a
// list schedule with propagation.
package lcg
