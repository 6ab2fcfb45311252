// Package peers sets downbeat beside other solvers: the same job sets, the same
// limit, one solver at a time and in turn, every plan through the validator.
//
// [Find] looks for the solvers that this machine has: downbeat itself, each as
// the whole process a user would start; the solvers of MiniZinc, on the model of
// package model/files/minizinc; and CP-SAT through OR-tools' Python package. [Compare]
// runs them, a [Log] keeps what came out, a table in CSV, [Table] shows it, and
// [Contradictions] names answers that cannot all be right.
//
// Times count from the start of a solver's process, translation of the model
// included. What a solver says of the time that it searched itself stands apart.
package peers
