// Package strategy holds the techniques of the solver, each in a file that says what it is
// called, what a unit of its work is, by what it proves and to what it applies: what they find
// they hand to the incumbent. Which of them run, for whom, on how many tasks, in what order and
// with what share is said by the table of package solve (table.go).
//
// Those that bound apply where arguments from due times speak of the plans that are sought:
// not where hard deadlines may be missed, and are not what is counted (boundsHold). The master
// problem and its dives share candidates and cuts, whichever worker is at them
// (candidate.go), to which energy.go and dual.go add; both ways to ask for values below the
// plan share what was asked. refute.go has what multipliers, branching and the master problem
// share, ask.go the questions of one worker.
package strategy
