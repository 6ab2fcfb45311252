package certify

import (
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// ByOverload refutes a question by an overload; nil where it cannot be said by prices.
func ByOverload(js *model.JobSet, q query.Question, o *proof.Overload) *proof.Refutation { return nil }
