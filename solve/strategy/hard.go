package strategy

import (
	"context"
	"errors"

	"downbeat/encode"
	"downbeat/model"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// ClauseLearning asks package lcg for a plan that meets the hard deadlines.
var ClauseLearning = &portfolio.Strategy{
	Name: "clause learning", Unit: "10 polls", Proves: "lcg", Grows: 2, Most: mostGrown,
	Sharing: portfolio.Copies, Crew: questionCrew,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner { return &hardByLCG{w: w, seed: seed} },
}

// hardPolls are a unit, a tenth of a second: of some 200 sets of 16 to 36 tasks with deadlines cut until they are just infeasible seven
// are not refuted within it.
const hardPolls = 10

type hardByLCG struct {
	w      *portfolio.Work
	seed   uint64
	search *exact.Search
}

// Run implements portfolio.Runner.
func (a *hardByLCG) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := a.w
	if a.search == nil {
		if !w.Exact.Allows(exact.LCG) {
			return portfolio.Refused
		}
		var err error
		if a.search, err = exact.Join(ctx, w.Question(nil), &w.Exact, a.seed, w.Best()); err != nil {
			return portfolio.Refused
		}
	}
	enough := func() bool { return false }
	if s.Units > 0 {
		enough = atMost(max(1, hardPolls*s.Units/max(1, s.Workers)))
	}
	answer, plan := a.search.Run(ctx, func() bool { return w.Over(w.P) || enough() })
	switch answer {
	case lcg.Satisfiable:
		offerHard(w, plan)
	case lcg.Unsatisfiable:
		w.Refute(incumbent.NoPlan{Proof: model.LCGProof, Refutation: a.search.Refutation()})
	}
	return portfolio.Open
}

// offerHard hands on the plan that answers a question about the hard deadlines.
func offerHard(w *portfolio.Work, plan model.Schedule) {
	w.Offer(w.Complete(plan))
	if w.Best() == nil {
		w.Fail(errors.New("a question about the hard jobs was answered by a plan that misses one of them"))
	}
}

// SAT asks gini for such a plan: guided by dives at first and then
// with its clauses in other orders.
var SAT = &portfolio.Strategy{
	Name: "SAT", Unit: "-", Proves: "sat",
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner { return &hardBySAT{w: w} },
}

type hardBySAT struct {
	w       *portfolio.Work
	enc     *encode.Encoding
	variant uint64
}

// Run implements portfolio.Runner.
func (f *hardBySAT) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := f.w
	if f.enc == nil {
		if !w.Exact.Allows(exact.Gini) {
			return portfolio.Refused
		}
		var err error
		if f.enc, err = exact.Formula(ctx, w.Question(nil), &w.Exact); err != nil {
			if w.Best() == nil {
				w.LeftOut(err)
			}
			return portfolio.Refused
		}
	}
	useless := func() bool { return w.Over(w.P) }
	e := exact.NewSolver(f.enc, f.variant)
	var a lcg.Answer
	if f.variant == 0 {
		a = e.GuidedSolve(ctx, w.Exact.Order, useless)
	} else {
		a = e.Solve(ctx, useless)
	}
	f.variant++
	switch {
	case a == lcg.Satisfiable:
		offerHard(w, e.Plan())
	case a == lcg.Unsatisfiable && w.Exact.Record:
		by := exact.Again(ctx, w.Question(nil), &w.Exact, w.Seed, againPolls)
		if by == nil {
			return portfolio.Refused // for package lcg to refute
		}
		w.Refute(incumbent.NoPlan{Proof: model.LCGProof, Refutation: by})
	case a == lcg.Unsatisfiable:
		w.Refute(incumbent.NoPlan{Proof: model.SATProof})
	}
	return portfolio.Open
}
