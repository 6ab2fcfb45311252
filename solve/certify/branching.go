package certify

import (
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// ByBranching refutes a question by multipliers, and splits; nil where that cannot be said.
func ByBranching(js *model.JobSet, q query.Question, b *proof.Branching) *proof.Refutation {
	return nil
}
