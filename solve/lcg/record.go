package lcg

import (
	"slices"

	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// record says, in the words of a proof file (docs/proof.md), what the variables of the
// solver are and by which rules its clauses and propagators hold. It is nil where nothing
// is recorded.
type record struct {
	question *query.Question
	solver   *core.Solver
	rules    []rule // by label less 1
	bools    map[core.Lit]atom
	ints     map[core.View]atom
}

// rule is one of a proof file, with the numbers that it is about.
type rule struct {
	name string
	args []int
}

// atom is what a variable stands for: x of a task on a slave, the first task u of a slave up to
// a task, the end e of a job by a time; s, r, f, g and e of what has a number are integers.
type atom struct {
	letter byte
	number int32
	second int32 // slave, task or time
}

// newRecord has a solver record up to most bytes of a question; nil of one that a proof file
// cannot put.
func newRecord(q *query.Question, s *core.Solver, most int64) *record {
	if q.Restrict != nil || q.Fixed != nil {
		return nil
	}
	s.Record(most)
	return &record{question: q, solver: s, bools: map[core.Lit]atom{}, ints: map[core.View]atom{}}
}

// because says by which rule what is added next holds.
func (r *record) because(name string, args ...int) {
	if r != nil {
		r.rules = append(r.rules, rule{name, slices.Clone(args)})
		r.solver.SetLabel(core.Label(len(r.rules)))
	}
}

// called says what a Boolean stands for.
func (r *record) called(x core.Lit, a atom) {
	if r != nil {
		r.bools[x] = a
	}
}

// calledInt says what an integer stands for.
func (r *record) calledInt(v core.View, letter byte, number int) {
	if r != nil {
		r.ints[v] = atom{letter: letter, number: int32(number)}
	}
}
