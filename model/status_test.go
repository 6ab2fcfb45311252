package model

import "testing"

// Words of files come back, and of several arguments the hardest is the whole's.
func TestProofWords(t *testing.T) {
	for i, word := range ProofNames() {
		if p, err := ParseProof(word); err != nil || p != Proof(i) || p.String() != word {
			t.Errorf("%q is %d, %v", word, p, err)
		}
	}
	if p, err := ParseProof("counting"); err == nil || p != NoProof {
		t.Errorf("counting is %s, %v", p, err)
	}
	for i, word := range StatusNames() {
		if s, err := ParseStatus(word); err != nil || s != Status(i) || s.String() != word {
			t.Errorf("%q is %d, %v", word, s, err)
		}
	}
	if got := max(EnergyProof, BranchingProof, DualProof); got != BranchingProof {
		t.Errorf("energy, branching and dual are %s", got)
	}
}
