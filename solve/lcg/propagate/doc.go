// Package propagate has the propagators that a schedule needs, for the solver of
// package core: a task over the slaves that are left to it; the time table of a
// resource and energetic reasoning about it, with users that may not be there and
// needs of several units; precedences, sums and weighted lateness.
//
// Each Post function adds one constraint to a solver before its search. Times are
// ticks, and so small that sums of a few stay within 32 bits.
package propagate
