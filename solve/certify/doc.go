// Package certify turns what a solve has come to into a proof that anyone can check
// (docs/proof.md): arguments into refutations of questions, and these into a file.
//
//   - A search by lazy clause generation that was recorded is a refutation as it is.
//   - What is proved in another way than by a search is said by inferences: an overload by
//     prices of 1 (overload.go), prices that slaves share by those of each (pools.go), prices
//     of lengths by rewards for tasks (packing.go), multipliers and splits by prices at the
//     leaves and nogoods above them (branching.go), cuts on late jobs by a branch and bound
//     over the choice of these, which adds them up at its nodes (cuts.go). Leaves that a
//     search has closed are asked about once more, as questions of their own.
//   - What cannot be said in either way is asked once more of lazy clause generation, while
//     there is time. What that leaves open is not claimed.
//
// Files can be taken apart again (read.go), what their claims need is left of them (trim.go),
// and on what these rest is told (rests.go). Whether steps follow is for package inference to
// say: lines are read here as far as it takes to tell what they refer to.
package certify
