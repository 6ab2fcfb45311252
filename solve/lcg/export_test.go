package lcg

import (
	"context"

	"downbeat/model"
	"downbeat/model/query"
)

// Solve is New and Run, to the end unless ctx ends before.
func Solve(ctx context.Context, q query.Question, opt Options) (Answer, model.Schedule, error) {
	s, err := New(ctx, q, opt)
	if err != nil {
		return Unknown, nil, err
	}
	a, plan := s.Run(ctx, nil)
	return a, plan, nil
}

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
	p, err := build(context.Background(), q, &Options{Seed: seed})
	if err != nil {
		return Unknown, nil, 0, err
	}
	p.Check = true
	a := p.Search(func() bool { return p.Conflicts() >= conflicts })
	if a != Satisfiable {
		return a, nil, p.Conflicts(), nil
	}
	return a, p.decode(), p.Conflicts(), nil
}
