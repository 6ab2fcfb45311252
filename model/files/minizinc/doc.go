// Package minizinc states job sets as MiniZinc models, for other solvers and
// as a second opinion on our own.
//
// [Write] writes one text: the constraints, which are the same for every job
// set; a [Question]; and the job set's data. Any MiniZinc solver can take it.
// [Solve] runs such a solver, installed apart, through the objectives of a job
// set one after the other.
package minizinc
