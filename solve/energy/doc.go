// Package energy proves by counting that jobs cannot finish by given times, and
// that objectives cannot go below given values. Every claim is a list of
// [proof.Overload], arguments that a person can add up by hand and that
// inference.Overload recomputes with other code.
//
// # Energetic reasoning
//
// Take a set G of slaves and an interval [a, b). A task that can run only
// inside G and whose window leaves it no way around [a, b) occupies some of the
// interval on whichever slave it is put. If the least occupations add up to
// more than G has, the jobs cannot all be in time. (Baptiste, Le Pape,
// Nuijten: Constraint-Based Scheduling, 2001, chapter 3, there for one
// cumulative resource.)
//
// Lengths are the slave's own. Dividing by speeds so as to have one length for
// all slaves refutes sets that have plans: on a slow slave an interval of l
// ticks holds l ticks of occupation, not l ticks of normalised work.
//
// On slave j let a task occupy E_j ticks, ending at EF_j or later and starting
// at LS_j or earlier. The least overlap with [a, b) is that of the earliest or
// of the latest position, and works out as
//
//	max(0, min(b−a, E_j, EF_j−a, b−LS_j))
//
// The least over all slaves of a minimum is the minimum of the leasts, so three
// numbers describe a task on heterogeneous slaves exactly: min E_j, min EF_j
// and max LS_j. For a fixed a the sum over the tasks is then a sum of ramps in
// b, found for all b at once in one sweep.
//
// Jobs that have to be in time press those that they come after, so that these are done in time for them, be their own due
// times later: of an in-tree of unit tasks that gives Hu's bound (1961). An argument names those that press, too.
//
// Of misses a job that is let off its due time relieves an overload by what is charged to it: what it needs itself, and a part of what
// jobs need that it comes after, which is needed as long as any that come after these are in time (closures.go).
//
// What tasks on all slaves share (C11) is counted likewise, of all tasks that take of it,
// whatever the slaves: a task holds it for C + E ticks from a heartbeat on, and no longer. Of a
// pool the amount may change over time, and end at another than it began with.
//
// # Weights
//
// Where tasks need several units of what slaves have, these need not add up: tasks of 5 of 8 cores
// run one after the other. With weights of tasks in place of what they need, and the greatest weight
// of tasks that a slave can run at once in place of what it has, all of the above holds as well (weights.go).
//
// # Lower bounds
//
// [Tardiness] and [Makespan] put off the due times as far as they can still be
// refuted. [Misses] and [WeightedTardiness] add up what several overloads
// say of the soft jobs. Each bound comes with a [proof.EnergyBound], which has
// sentences for people and which model/check/inference recomputes.
package energy
