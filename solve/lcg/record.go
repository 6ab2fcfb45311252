package lcg

import (
	"slices"

	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// record says, in the words of a proof file (docs/proof.md), by which rules the clauses and
// propagators of a solver hold. It is nil where nothing is recorded.
type record struct {
	question *query.Question
	solver   *core.Solver
	rules    []rule // by label less 1
}

// rule is one of a proof file, with the numbers that it is about.
type rule struct {
	name string
	args []int
}

// newRecord has a solver record up to most bytes of a question; nil of one that a proof file
// cannot put.
func newRecord(q *query.Question, s *core.Solver, most int64) *record {
	if q.Restrict != nil || q.Fixed != nil || q.Ordered != nil {
		return nil
	}
	s.Record(most)
	return &record{question: q, solver: s}
}

// because says by which rule what is added next holds.
func (r *record) because(name string, args ...int) {
	if r != nil {
		r.rules = append(r.rules, rule{name, slices.Clone(args)})
		r.solver.SetLabel(core.Label(len(r.rules)))
	}
}
