// Package conflict says why the hard jobs of an infeasible set cannot all meet their
// deadlines: which of them are late even alone, which minimal infeasible sets there are and
// by what argument each, and how many jobs have to be left out.
//
// A conflict is a set of jobs that does not fit: irreducible if the rest does whichever of
// them is left out. It is found by leaving out one job after the other (explain.go; the
// deletion filter of Chinneck and Dravnieks, 1991), with what an argument by counting or a
// core of the SAT solver names to begin with.
//
// # All that is wrong
//
// A set of jobs fits if the job set with no other hard job in it has a plan that meets
// the deadlines of its hard jobs; a job that is left out counts as finished for the jobs
// after it once those before it have. Fewer hard jobs fit wherever more do. So a conflict
// has one hard job at least in every choice of jobs to leave out: such choices are the
// hitting sets of all conflicts. A least hitting set of the conflicts known is a lower
// bound, and the optimum where the rest fits; where it does not, it holds another conflict
// (implicit hitting sets: Chandrasekaran, Karp, Moreno-Centeno and Vempala, SODA 2011;
// constraint programming knows the duality of conflicts and relaxations since Reiter, 1987).
package conflict
