// Package inference checks arguments: that a set of jobs has no plan that meets its
// hard deadlines, or none with a lower value of an objective. They come as data (package
// proof), before a bound counts that a solve has found, or as the lines of a proof file
// ([CheckFile]). It is written from the rules of the model and from docs/proof.md, which has
// the format and argues why each rule is sound. It imports packages model and proof alone,
// and shares no code with what finds arguments or writes proofs.
//
// # Arguments as data
//
// [Overload] adds up what jobs need of a resource in an interval, [Energy] what such arguments
// come to for an objective, and [Cover] cuts on late jobs. [Surplus], [LeastCosts] and
// [WeightedTardiness] recompute what jobs pay at multipliers, [Branching] and
// [WeightedBranching] the same at the leaves of cases, [Pools] at prices that the slaves of a
// pool share, and [Packing] adds up prices of lengths. They look at jobs one by one, in the
// windows that each has by itself (heads.go) as a row of stages (series.go).
//
// What a job pays at multipliers, and what all that has a price is worth, is the same code for
// both (costs.go).
//
// # Files
//
// A proof puts questions: do these jobs have a plan by these times, within these limits?
// To each question the checker works out the windows of all tasks (root.go), and then
// follows the steps of the refutation one by one (steps.go). The literals of a clause bound the
// integers of a plan (state.go), which say what is left to a task at each of its places
// (reach.go). A clause follows if its negation contradicts what is known: by a rule of the
// job set (rules.go lists them; each has a file rule_….go, and what tasks surely hold is in held.go,
// of what all slaves share in shared.go), or by clauses that
// followed before, each of which leaves one literal when its turn comes (nogood.go). The
// empty clause ends a refutation. Claims are held against the questions that were refuted
// (claims.go). What a sceptic has to read of all this is a section of docs/proof.md.
package inference
