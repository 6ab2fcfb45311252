package proof

// Refutation is that a question has no plan, as a section of a proof file (docs/proof.md).
type Refutation struct {
	// Question has its lines: must, may and later by jobs, then limits.
	Question []string
	// Steps are the lines c, n, d and m, each with its end of line; `cut @k` refers to Uses[k].
	Steps []byte
	// Last is the ID of the empty clause.
	Last int64
	// Uses are the questions whose refutation this one rests on.
	Uses []*Refutation
}
