// Package capacity tells how far a job set is from the edge of what fits: how few slaves
// of a class, or how little of a pool, will do ([Size]), of two of them ([Frontier]), and how much later jobs may
// be released, how much longer they may take and how much earlier they may be due
// ([Slack]; all at once, the critical scaling factor of real-time analysis: Lehoczky,
// Sha and Ding, RTSS 1989).
//
// # Edges
//
// Each of these is the edge of a property that is monotone, so that it can be found by
// bisection, and a value is proved by a plan there and a refutation one step beyond:
//
//   - Slaves. A plan for fewer slaves of a class is one for more: the others stay idle.
//     No rule forces a task onto a slave, fifo looks at tasks of one slave alone, and a
//     class of another size differs in its highest numbers only ([change.Count]). More
//     new slaves than tasks never help, for they are alike and one task takes one.
//   - Pools. What is held together of one is no more than a larger amount. More than all tasks take
//     together never helps; with less than a task or a gang takes there is no such set.
//   - Releases, with the due time kept: what was not handed out before the later release
//     was not handed out before the earlier one.
//   - Deadlines: who is in time for the earlier one is so for the later.
//   - Times. Rounding up is monotone, so that each fetch and each run is no longer with a
//     smaller share; with beats, fetches and starts as they are, cores, slots and units
//     are held no longer (C4, C5, C9), nor what is taken of pools and caps (C11), fetches end no later
//     (C2, C6), gangs start as they did (C12), and whoever waits for a finish has waited long enough (C7, C10).
//
// # Questions
//
// Only jobs that are due, and those that they come after, decide what fits; the others
// can be appended after everything else ([query.Within]), and are left out. A limit
// on an objective that is a time makes hard deadlines of soft ones; one on a weighted
// sum is asked for as an objective, as far as it takes to tell.
//
// A question is answered by a plan that is known already, if the validator finds that it
// does for the changed set; by a job that is late even alone; or by a solve, within a
// slice of time that grows from round to round. Where a limit ends the search an edge is
// left as a bracket.
//
// # Side by side
//
// Edges, columns of a frontier and losses of slaves are asked about side by side, each question by
// one worker, in an order that the number of workers alone decides ([parallel.Ordered]); with a
// budget each has a part of its own. Asked in pieces ([Pieces]) they learn nothing from each
// other, so that processes can share them.
package capacity
