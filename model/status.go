package model

import "fmt"

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
	for i, n := range statusNames {
		if n == name {
			return Status(i), nil
		}
	}
	return Unknown, fmt.Errorf("unknown status %q", name)
}

// Proof says what backs a bound or an infeasibility.
type Proof uint8

const (
	// NoProof: nothing is claimed beyond the plan itself.
	NoProof Proof = iota
	// BoundProof: a counting argument, recomputed by separate code.
	BoundProof
	// SATProof: a formula that the SAT solver refuted.
	SATProof
)

var proofNames = [...]string{"none", "bound", "sat"}

// String is the word used in files.
func (p Proof) String() string { return proofNames[p] }

// ProofNames lists the words of String.
func ProofNames() []string { return proofNames[:] }

// ParseProof is the inverse of String.
func ParseProof(name string) (Proof, error) {
	for i, n := range proofNames {
		if n == name {
			return Proof(i), nil
		}
	}
	return NoProof, fmt.Errorf("unknown proof %q", name)
}
