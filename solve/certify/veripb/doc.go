// Package veripb says proofs (docs/proof.md) in the format of VeriPB 3, a checker of pseudo-Boolean proofs that knows
// nothing of job sets: the question that a claim refutes as constraints in OPB, and a refutation of these.
//
// What has to be trusted is the encoding (formula.go, encode.go), which is stated in docs/proof.md and knows of the job set
// and the question only. All else is checked by VeriPB, and where it is wrong refused:
//
//   - Definitions, windows and clauses (export.go). The encoding is such that unit propagation does what the state of package
//     inference does: times are in order encoding at each place of a task, with binary clauses between them. What tasks hold
//     at a time is a variable of its own where a step asks for it, as a difference of two is not propagated.
//   - Sums (prices.go, sum.go). Let z(σ) = S(σ) − S(σ−1) ≥ 0, which is 1 at the value that S has. What a task pays is Σ c(σ) z(σ),
//     and no less than Σ c'(σ) z(σ) for c' ≤ c: the constraint z(σ) ≥ 0 has the multiplier c(σ) − c'(σ). If c' falls, or rises, with σ
//     it goes on to a time that is no sooner, or no later, by the constraints between the two, with the differences of c' as
//     multipliers. So the least cost of a job is derived scale by scale, forward to the end of its first stage, and backward to
//     it. Values that the state excludes are derived not to be there, and may cost anything.
package veripb
