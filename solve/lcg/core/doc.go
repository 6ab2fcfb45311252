// Package core is a solver for lazy clause generation (Ohrimenko, Stuckey and
// Codish, Constraints 2009): Boolean variables, integers with bounds, clauses, and
// propagators that explain themselves. It knows nothing of what they stand for.
//
// Each integer v has order literals [v ≤ τ], with names in a row, so that what one of
// them implies for the others is arithmetic and needs no clause. Of long ranges they are
// made, and have variables, when they are first named (lazy literal generation; Feydy and Stuckey 2009). A View is an
// integer plus a constant. A propagator reads bounds, and where something follows
// it puts together an explanation, literals that are true, and asks for the
// literal that they imply. So every literal has a reason, and conflicts are
// analysed as in a SAT solver, to the first unique implication point.
//
// The search is conflict-driven clause learning (CDCL): two watched literals,
// activities, saved and best phases, learnt clauses kept by their glue (literal
// block distance, Audemard and Simon 2009), restarts by glue and by Luby's sequence
// in turn.
//
// A search that is recorded keeps, in few bytes, why each clause holds that it learns: the
// inferences and clauses that were resolved, in the order in which unit propagation takes
// them, as LRAT does (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017). A
// refutation is read backwards for what it rests on. What an inference is an instance of is
// for whoever adds the propagator to say, by a Label.
//
// What plays which part: literals, their names and values (lit.go, naming.go, trail.go), integers and
// views (integer.go, bitset.go, views.go), clauses (clauses.go), propagation (propagate.go,
// queue.go), learning (analyze.go), branching and restarts (branch.go, restart.go,
// search.go), exchange with other solvers (share.go), assumptions and cubes (assume.go,
// split.go), narrower questions (narrow.go), records (record.go, steps.go, records.go).
package core
