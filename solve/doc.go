// Package solve answers the two questions that downbeat exists for: what is
// the best plan for a job set ([Plan]), and can its hard jobs meet their
// deadlines ([Check])?
//
// # How an answer comes about
//
// Plan repairs the plan to start from if there is one (from.go), divides all times
// by their greatest common measure and has one slave stand for those that no task can
// tell apart (restated.go), and then goes forward:
//
//  1. Any plan. From 2,000 tasks on a single construction comes first, so that whoever
//     interrupts has one. Energetic reasoning may refute the hard deadlines at once; list
//     scheduling mostly finds a plan that meets them, from 400 tasks on in an order
//     that a fluid relaxation gives. Else the portfolio for any plan decides.
//  2. Each objective in lexicographic order, under the proved best of those before:
//     a bound by energy, on one worker some more list scheduling, then the portfolio
//     for that objective, until the value of the incumbent meets the bound or a
//     limit ends it.
//  3. Where the hard deadlines are infeasible: which jobs clash, all that is wrong and how
//     many hard jobs have to go (package conflict), and which changes would help (whatif):
//     both ask this package about parts of the set and about changed ones (explain.go). With
//     Relax the least bad plan too, for which hard misses are the first objective of
//     another solve.
//  4. The best plan is tidied, and validated in original ticks; the time for that is
//     kept back from a time limit (limit.go).
//
// Which strategies run, in what order and with what share of work, for one worker
// and for several, is said by one table: table.go, which docs/portfolio.md shows.
//
// # Who plays which part
//
//   - incumbent holds the best plan and the bounds proved so far, with the argument
//     behind each, under one lock. Every plan passes the validator on its way in;
//     claims that contradict each other are internal errors.
//   - portfolio runs a table: workers go over one list of strategies in rounds, each that is
//     free taking the next slice.
//   - strategy has the techniques, a file each: bounds by energy, by dual prices, of pools
//     of slaves where sets are large, by packing, by branching, by the master problem of
//     late jobs; questions from the bound up and
//     from the plan down; list scheduling, where sets are large guided by a fluid
//     relaxation (package fluid) and with an ejection pool and annealing of queues, large neighbourhoods,
//     dives, the tardiness relaxation; enumeration where sets are tiny. What one finds reaches the
//     others through the incumbent; those about late jobs share their cuts and candidates.
//   - exact puts questions (model/query) to the two engines: lcg, lazy clause
//     generation, and gini on the formulas of package encode.
//   - energy, lagrange, pooled and packing find arguments, model/proof has them as data,
//     and model/check/inference recomputes them with other code before they count.
//   - event has what a solve tells of itself: progress lines, logs and statistics are
//     made of one stream of events, which nobody but the listener hears.
//   - budget measures work in place of time, so that answers repeat; memory keeps what
//     would not fit from being begun.
//
// Which files a new strategy, objective or inference touches is in docs/architecture.md.
//
// A package above it puts many questions: capacity (which single slave may be lost, how few
// will do, how much harder jobs may become to fit in).
//
// docs/solver.md is a tour, docs/words.md has the words with their sources.
package solve
