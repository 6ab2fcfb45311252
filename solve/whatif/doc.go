// Package whatif puts questions about changed job sets: would it fit with another slave,
// a later deadline, without this one?
//
// Each is asked with little work at first and come back to with more where it was left open
// ([Work]); where a set stops fitting as something about it grows is found by bisection
// ([Edge]). Changes that make an infeasible set feasible are sought here ([FindRemedies]); what a
// set that fits can bear is told by package capacity, which stands above the solver.
package whatif
