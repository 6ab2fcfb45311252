// Package whatif puts questions about changed job sets: would it fit with another slave,
// a later deadline, without this one?
//
// # How a question is answered
//
// By what is settled about the same changes; by a plan that answered another question, once
// the validator agrees that it is one for this set; else by a search that the asker brings
// ([Engine]). A search takes little work at first, and four times as much whenever the question
// is come back to ([Round]). After the limit only sets are looked at of which that takes milliseconds
// ([TooLate]). Where a set stops fitting as something about it grows is found by bisection,
// with questions that may be left open ([Edge]).
//
// # Who asks
//
// Changes that make an infeasible set feasible are sought here, as the solver says why there is no
// plan ([FindRepairs]). What a set that fits can bear is told by package capacity, which
// stands above the solver: the loss of each single slave, how few of a class will do, and how much
// harder jobs may become.
package whatif
