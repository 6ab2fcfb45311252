package model

import (
	"fmt"
	"slices"
)

// Status is the answer to a planning question. The zero value claims nothing.
type Status uint8

const (
	// Unknown: a limit was reached with neither a plan nor a proof.
	Unknown Status = iota
	// Feasible: a valid plan; if objectives were asked for, value > bound for one.
	Feasible
	// Optimal: a valid plan, and for every objective value = proved bound.
	Optimal
	// Infeasible: proved that the hard jobs cannot all meet their deadlines.
	Infeasible
)

var statusNames = [...]string{"unknown", "feasible", "optimal", "infeasible"}

// String is the word used in files.
func (s Status) String() string { return statusNames[s] }

// StatusNames lists the words of String.
func StatusNames() []string { return statusNames[:] }

// ParseStatus is the inverse of String.
func ParseStatus(name string) (Status, error) {
	if i := slices.Index(statusNames[:], name); i >= 0 {
		return Status(i), nil
	}
	return Unknown, fmt.Errorf("unknown status %q", name)
}

// Proof says by what argument a bound or an infeasibility was proved. Kinds ascend
// with what they rest on, so that of several arguments that are all needed the
// greatest is the kind of the whole.
type Proof uint8

const (
	// NoProof: nothing is claimed beyond the plan itself.
	NoProof Proof = iota
	// WitnessProof: a plan, which proves that there is one.
	WitnessProof
	// EnergyProof: energetic overloads, recomputed by separate code.
	EnergyProof
	// DualProof: multipliers of the Lagrangian relaxation, recomputed by separate code.
	DualProof
	// BoundProof is what older files say for EnergyProof or DualProof.
	BoundProof
	// RelaxationProof: an optimum of a problem with fewer constraints.
	RelaxationProof
	// BranchingProof: splits with a dual bound at each leaf, recomputed by separate code.
	BranchingProof
	// LCGProof: refuted by lazy clause generation.
	LCGProof
	// SATProof: a formula that the SAT solver refuted.
	SATProof
	// EnumerationProof: every schedule of events was looked at.
	EnumerationProof
)

var proofNames = [...]string{"none", "witness", "energy", "dual", "bound", "relaxation", "branching", "lcg", "sat", "enumeration"}

// String is the word used in files.
func (p Proof) String() string { return proofNames[p] }

// ProofNames lists the words of String.
func ProofNames() []string { return proofNames[:] }

// ParseProof is the inverse of String.
func ParseProof(name string) (Proof, error) {
	if i := slices.Index(proofNames[:], name); i >= 0 {
		return Proof(i), nil
	}
	return NoProof, fmt.Errorf("unknown proof %q", name)
}
