// Package lcg answers the questions of package query by lazy clause generation
// (Ohrimenko, Stuckey and Codish, Constraints 2009), where package encode writes
// them out as a formula. Propagators reason about capacity, stages and slaves on
// the bounds of integers; each propagation names the literals that it follows
// from, and from conflicts among them clauses are learnt as in a SAT solver.
//
// Package core is the solver, which knows nothing of jobs; this one has the propagators
// and builds a question from both. A function post… adds one constraint to a solver before
// its search.
//
// # Variables
//
// x[t,j] (t runs on slave j) as in package encode; integers S (start), R (fetch)
// and F (finish) per task, so small that sums of a few stay within 32 bits; and the
// completion of a stage that another follows: a time by which its tasks have finished. The
// tasks of a gang have one S (C12). F is
// the view S + E and R the view S − C where E and C are the same on all slaves and nothing
// else moves R. Places, windows and what is settled beforehand come from query.Layout;
// dominance rules are those of package encode, and argued there.
//
// # Propagators
//
//   - per task: S, R, F and the completion before it, over the slaves that are left
//     (task.go);
//   - per supply of a slave (model.Supply), of which a task may hold several units if it
//     is there at all: the time table of what is held (timetable.go, profile.go), and energetic
//     reasoning where it is known who holds it (energy.go), or edge finding where they need unlike
//     amounts (tableedges.go); tasks that hold it in turn come after each other (disjunctive.go), and that one of two
//     which need too much together comes first is a literal of its own where literals need no names (pairs.go);
//   - over all slaves that do one task at a time what tasks take at the least, by weight, where literals need no names (loads.go);
//   - per pool and cap (model.Shared), of which tasks hold units wherever they run: a time table
//     of tasks whose slave may not be known (shared.go), and energetic reasoning for few of them;
//   - precedences between stages and between equal tasks (precedence.go), sums of misses,
//     weighted lateness, which is a tree of sums of two where literals need no names (sum.go).
//
// Tasks that are apart (C12) have a clause for each two of them and a slave.
//
// A search can be recorded: clauses and propagators then carry the rule by which they hold
// (record.go), and what a refutation rests on is told in steps that anyone can check
// (refutation.go, docs/proof.md). In the same words (names.go) a search takes literals to assume,
// and proposes how a question can be split into such parts (cubes.go).
//
// A search goes on when less is asked for than before (narrow.go): what it has learnt holds all the same.
//
// The search starts with the jobs in the order of their deadlines, each task as
// early as possible, so that its first descent is a list schedule with propagation.
package lcg
