// Package certificate checks proof files: that a set of jobs has no plan that meets its
// hard deadlines, or none with a lower value of an objective. It is written from the rules
// of the model and from docs/proof.md, which has the format and argues why each rule is
// sound. It imports package model alone, searches nothing, and shares no code with what
// makes proofs.
//
// A proof puts questions: do these jobs have a plan by these times, within these limits?
// To each question the checker works out the windows of all tasks (root.go), and then
// follows the steps of the refutation one by one. The literals of a clause bound the
// integers of a plan (state.go), which say what is left to a task at each of its places
// (reach.go). A clause follows if its negation contradicts what is known: by a rule of the
// job set (rules.go, symmetry.go, and prices.go for what jobs pay), or by clauses that
// followed before, each of which leaves one literal when its turn comes (nogood.go). The
// empty clause ends a refutation. Claims are held against the questions that were refuted
// (claims.go).
package certificate
