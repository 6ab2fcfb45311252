package lcg

import (
	"downbeat/model"
	"downbeat/model/query"
)

// SolveChecked is Solve with every explanation checked as it is given, and the
// number of conflicts.
func SolveChecked(q query.Question, seed uint64) (Answer, model.Schedule, int64, error) {
	return solveChecked(q, seed, 1<<62)
}

// SolveBriefly is SolveChecked that gives up after some conflicts.
func SolveBriefly(q query.Question, seed uint64) (Answer, model.Schedule, error) {
	a, plan, _, err := solveChecked(q, seed, 512)
	return a, plan, err
}

func solveChecked(q query.Question, seed uint64, conflicts int64) (Answer, model.Schedule, int64, error) {
	p, err := build(q, &Options{Seed: seed})
	if err != nil {
		return Unknown, nil, 0, err
	}
	p.check = true
	a := p.search(func() bool { return p.conflicts >= conflicts })
	if a != Satisfiable {
		return a, nil, p.conflicts, nil
	}
	return a, p.decode(), p.conflicts, nil
}
