package lcg

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
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

// Named has searches of odd seeds make order literals when they are first named, however few an integer has.
func (o Options) Named() Options {
	o.named = o.Seed%2 == 1
	return o
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
	p, err := build(context.Background(), q, &Options{Seed: seed, named: seed%2 == 1})
	if err != nil {
		return Unknown, nil, 0, err
	}
	p.Check = true
	a := p.Search(context.Background(), func() bool { return p.Conflicts() >= conflicts })
	if a != Satisfiable {
		return a, nil, p.Conflicts(), nil
	}
	return a, p.decode(), p.Conflicts(), nil
}

// ExchangeAlways has a search exchange after every conflict, with explanations checked.
func (s *Search) ExchangeAlways() { s.p.ExchangeAlways, s.p.Check = true, true }

// SolveMisled solves and records a question with propagators of one rule that are wrong now
// and then: a bound is one too tight, or the explanation lacks a literal. Rules "push" and "pool-push"
// are what those of rules "cap" and "pool" rule out.
func SolveMisled(q query.Question, rule string, often int, rng *rand.Rand) (Answer, *proof.Refutation, error) {
	p, err := build(context.Background(), q, &Options{Record: true, named: rng.IntN(2) == 0})
	if err != nil {
		return Unknown, nil, err
	}
	p.Mislead = func(by core.Label, l core.Lit, explanation []core.Lit) (core.Lit, []core.Lit) {
		v, at, order := p.Order(l)
		name := p.rules[by-1].name
		if push := ofPushed[name]; push != "" && l != core.False && !order {
			name = push
		}
		switch n := len(explanation); {
		case name != rule || rng.IntN(often) > 0:
		case order && rng.IntN(2) == 0 && l&1 == 0:
			l = p.Le(v, at-1)
		case order && rng.IntN(2) == 0:
			l = p.Le(v, at+1).Not()
		case n > 0:
			k := rng.IntN(n)
			if !order { // half of it
				explanation = explanation[:n/2]
				break
			}
			explanation = slices.Delete(explanation, k, k+1)
		}
		return l, explanation
	}
	a := p.Search(context.Background(), func() bool { return p.Conflicts() >= 512 })
	s := &Search{p: p}
	return a, s.Refutation(), nil
}

// Check has explanations checked.
func (s *Search) Check() { s.p.Check = true }

// Literals are those that a question is counted as, without time tables, and those of the integers and choices of slaves that
// are made for it.
func Literals(q query.Question) (counted, made int64, err error) {
	p, err := build(context.Background(), q, &Options{})
	if err != nil {
		return 0, 0, err
	}
	for i := range p.JS.Jobs {
		job := &p.JS.Jobs[i]
		for k := range job.Stages {
			counted += p.literalsOf(job.FirstStage+model.StageID(k), &job.Stages[k])
		}
	}
	var seen []core.View
	add := func(v core.View) {
		if !slices.ContainsFunc(seen, v.SameInteger) {
			lo, hi := p.Bounds(v)
			seen, made = append(seen, v), made+p.count(int64(hi-lo))
		}
	}
	for t := range p.tasks {
		tk := &p.tasks[t]
		if len(tk.places) == 0 {
			continue
		}
		add(tk.start)
		add(tk.fetch)
		add(tk.finish)
		if len(tk.places) > 1 {
			made += int64(len(tk.places))
		}
	}
	for st, v := range p.completions {
		if _, i := p.JS.Stage(model.StageID(st)); p.Role[i] != query.Out && v != (core.View{}) {
			add(v)
		}
	}
	return counted, made, nil
}
