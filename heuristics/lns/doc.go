// Package lns is local search over list schedules, for good plans and proofs of
// none: [Search] places the stages in the order of every rule
// ([heuristics.Rules]), then improves the order by squeaky-wheel optimisation
// (Joslin & Clements, 1999), then the plan itself by large-neighbourhood search
// (Shaw, 1998): destroy a part, repair it in another order, keep what is no worse.
//
// [SqueakyWheel] is squeaky-wheel optimisation of orders that come from elsewhere.
//
// It reads no clock: a time limit comes in as a context, a limit that gives the
// same answer every time as a count of constructions.
package lns
