package strategy

import (
	"context"
	"errors"
	"maps"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// asker asks "is there a plan with the objective at most v, those before it at
// their proved best?" for one worker.
//
// It asks package lcg, and keeps that search, and what it has learnt, for as long as v does not rise.
// What that refuses, such as fifo, gini answers. It has no row beside clause learning:
// of 128 sets it closed none that clause learning left open (docs/diary.md). Formulas
// for misses are kept, since their windows do not depend on v; others are built anew
// for each v, which shrinks the windows and pays for itself several times over.
type asker struct {
	w    *portfolio.Work
	seed uint64
	// polls, if not 0, bounds what package lcg is given.
	polls int
	// propagates has it propagate alone.
	propagates bool
	// noFormulas keeps gini, which cannot be ended that way, out of it.
	noFormulas bool

	limits query.Limits // asked last of package lcg
	search *exact.Search
	// refused says why package lcg does not answer such questions, once it does not.
	refused error
	// variant sets workers apart that ask gini the same question.
	variant uint64
	kept    *exact.Solver
	// keptLimit is the largest v that kept can answer for.
	keptLimit int64
	// by is the engine that was asked last, again what package lcg made of what gini refuted.
	by    model.Proof
	again *proof.Refutation
}

// errRefused: no engine takes the question.
var errRefused = errors.New("no engine takes the question")

// ask answers, and hands a plan it finds to the incumbent. Unknown comes with an
// error if no engine takes the question; otherwise it was ended by ctx, or after so many polls,
// or lost its use because another worker settled it.
func (k *asker) ask(ctx context.Context, v int64) (lcg.Answer, error) {
	w := k.w
	polls := 0
	if k.settled(v) {
		return lcg.Unknown, nil // since v was chosen; -1 would ask for no limit at all
	}
	useless := func() bool { return k.settled(v) }
	able := k.able(ctx, v)
	switch {
	case ctx.Err() != nil:
		return lcg.Unknown, nil
	case able:
		k.by = model.LCGProof
		// A search looks at its context more often than it polls.
		asked, end := w.Until(ctx, w.P, v)
		defer end()
		if k.propagates {
			return k.search.Propagate(asked), nil
		}
		a, plan := k.search.Run(asked, func() bool {
			polls++
			return useless() || k.polls > 0 && polls > k.polls
		})
		if a == lcg.Satisfiable {
			w.Receive(tidied(ctx, w, w.Complete(plan)), w.P, v)
		}
		return a, nil
	case k.noFormulas:
		return lcg.Unknown, nil
	case !w.Exact.Allows(exact.Gini):
		w.LeftOut(k.refused)
		return lcg.Unknown, errRefused
	}
	e, err := k.solver(ctx, v)
	switch {
	case err != nil && ctx.Err() != nil:
		return lcg.Unknown, nil
	case err != nil:
		w.LeftOut(err)
		return lcg.Unknown, errRefused
	}
	k.by = model.SATProof
	a := k.solve(ctx, e, v, useless)
	switch {
	case a == lcg.Satisfiable:
		w.Receive(w.Complete(e.Plan()), w.P, v)
	case a == lcg.Unsatisfiable && w.Exact.Record:
		if k.again = exact.Again(ctx, w.Question(w.Limits(w.P, v)), &w.Exact, k.seed, againPolls); k.again == nil {
			return lcg.Unknown, errRefused
		}
		k.by = model.LCGProof
	}
	return a, nil
}

// againPolls is what package lcg is given where gini has refuted a question about a set with
// fifo: it does so as soon, or not at all, for order is what stands in the way.
const againPolls = 400

// settled tells that there is a plan with the objective at most v, or none, as another worker may have shown.
func (k *asker) settled(v int64) bool {
	value, bound := k.w.Gap(k.w.P)
	return value <= v || bound > v
}

// refuted raises the bound above v, which the engine that was asked last has refuted.
func (k *asker) refuted(v int64) {
	var by incumbent.Argument
	switch {
	case k.by == model.LCGProof && k.search != nil:
		by.Refutation = k.search.Refutation()
	case k.by == model.LCGProof:
		by.Refutation = k.again
	}
	k.w.RaiseBy(k.w.P, v+1, k.by, by, searched(k.w.JS, k.w.Goal[k.w.P], v))
}

// able prepares the question for package lcg, unless it is refused.
func (k *asker) able(ctx context.Context, v int64) bool {
	lim := k.w.Limits(k.w.P, v)
	if k.refused != nil || !k.w.Exact.Allows(exact.LCG) {
		return false
	}
	switch {
	case k.search != nil && maps.Equal(k.limits, lim):
	case k.search != nil && k.search.Narrow(k.w.Question(lim)):
		k.limits = lim
	default:
		k.search.Close()
		k.limits = lim
		k.search, k.refused = exact.Join(ctx, k.w.Question(lim), &k.w.Exact, k.seed, k.w.Best())
		if ctx.Err() != nil {
			k.search, k.refused = nil, nil
			return false
		}
	}
	return k.refused == nil
}

// solve asks gini: guided by dives where it alone is to answer and the formula is for this v.
func (k *asker) solve(ctx context.Context, e *exact.Solver, v int64, useless func() bool) lcg.Answer {
	if e == k.kept {
		return e.Solve(ctx, useless, e.Sum(k.w.Goal[k.w.P]).AtMost(v))
	}
	if k.w.Exact.Engine == exact.Gini {
		return e.GuidedSolve(ctx, k.w.Exact.Order, useless)
	}
	return e.Solve(ctx, useless)
}

// solver is gini with the formula for v.
func (k *asker) solver(ctx context.Context, v int64) (*exact.Solver, error) {
	if k.kept != nil && v <= k.keptLimit {
		return k.kept, nil
	}
	w := k.w
	counts := w.Goal[w.P].Shape().Counts()
	if counts {
		// Build for the largest v that can still be asked.
		value, _ := w.Gap(w.P)
		v = max(v, value-1)
	}
	enc, err := exact.Formula(ctx, w.Question(w.Limits(w.P, v)), &w.Exact)
	if err != nil {
		return nil, err
	}
	e := exact.NewSolver(enc, k.variant)
	if counts {
		k.kept, k.keptLimit = e, v
	}
	return e, nil
}

// questionCrew is the number of workers that ask the same before others do something else: eight need
// a third more conflicts together than one.
const questionCrew = 8

// firstPolls are granted a question the first time: about a second at 40 to 100 tasks.
const firstPolls = 100
