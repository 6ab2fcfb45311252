package solve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/irifrance/gini/z"

	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/query"
)

// prober asks "is there a plan with objective p at most v, those before it at
// their proved best?" for one worker. Formulas for misses are kept, since
// their windows do not depend on v; others are built anew for each v, which
// shrinks the windows and pays for itself several times over.
//
// It asks package lcg. Where patience ends three times on end it is gini's turn
// once, then the former goes on where it stopped.
type prober struct {
	// mostLooks, if not 0, bounds the looks that package lcg is given (see
	// lazy.Search.Run).
	mostLooks int
	// noFormulas keeps gini, which cannot be ended that way, out of it.
	noFormulas bool
	s          *search
	lazy       *propagating
	// turns counts questions that were given up.
	turns int
	// variant sets workers apart that ask the same question (see engine).
	variant uint64
	kept    *engine
	// keptFor is the phase, keptLimit the largest v that kept can answer for.
	keptFor   int
	keptLimit int64
}

// errTooLarge ends the exact search of a worker.
var errTooLarge = errors.New("formula too large")

// probe answers, and hands a plan it finds to the search. The answer unknown
// comes with an error if the formula is too large; otherwise the probe was
// ended by ctx, or lost its use because another worker settled it, or ran
// for longer than patience, if that is not 0.
func (pr *prober) probe(ctx context.Context, p int, v int64, patience time.Duration) (answer, error) {
	s := pr.s
	began := time.Now()
	useless := func() bool {
		value, bound := s.gap(p)
		return value <= v || bound > v || patience > 0 && time.Since(began) > patience
	}
	lim := s.limitsBefore(p)
	lim[s.goal[p]] = v
	able := pr.lazy.able(lim)
	if able && (pr.turns%4 != 3 || patience == 0) { // without patience no other turn comes
		a, plan := pr.lazy.run(ctx, pr.counted(useless))
		if a == satisfiable {
			s.receive(plan, p, v)
		}
		return a, nil
	}
	if pr.noFormulas {
		return unknown, nil
	}
	e, err := pr.engineFor(p, v)
	switch {
	case able && err != nil:
		return unknown, nil // the next turn will do
	case err != nil:
		s.leaveOut("%v", err)
		return unknown, errTooLarge
	}
	var a answer
	if e == pr.kept {
		a = e.solve(ctx, useless, countAtMost(e, s.goal[p], v))
	} else {
		a = e.solve(ctx, useless)
	}
	if a == satisfiable {
		s.receive(s.complete(e.Decode(e.g.Value)), p, v)
	}
	return a, nil
}

// counted is useless, and ends a search after mostLooks: at the same point in
// every run, as patience by the clock would not.
func (pr *prober) counted(useless func() bool) func() bool {
	looks := 0
	return func() bool {
		looks++
		return useless() || pr.mostLooks > 0 && looks > pr.mostLooks
	}
}

// receive offers the plan of a formula that asked for objective p to be at most
// v. A plan that is not what was asked for would be asked for again for ever.
func (s *search) receive(plan model.Schedule, p int, v int64) {
	s.offer(plan)
	values, lim := s.valuesOf(s.js.Finishes(plan)), s.limitsBefore(p)
	lim[s.goal[p]] = v
	for i, o := range s.goal[:p+1] {
		if values[i] > lim[o] {
			s.fail(fmt.Errorf("%s: a formula for at most %d has a plan with %d", o, lim[o], values[i]))
		}
	}
}

// giveUp brings the other engine's turn nearer. Further SAT solvers get the
// clauses in another order.
func (pr *prober) giveUp() {
	pr.turns++
	pr.variant++
	pr.kept = nil
}

func (pr *prober) engineFor(p int, v int64) (*engine, error) {
	if pr.kept != nil && pr.keptFor == p && v <= pr.keptLimit {
		return pr.kept, nil
	}
	s := pr.s
	lim := s.limitsBefore(p)
	counts := s.goal[p] == model.Misses || s.goal[p] == model.HardMisses
	if counts {
		// Build for the largest v that can still be asked.
		value, _ := s.gap(p)
		v = max(v, value-1)
	}
	lim[s.goal[p]] = v
	enc, err := s.tryBuild(s.question(lim))
	if err != nil {
		return nil, err
	}
	e := newEngine(enc, pr.variant)
	if counts {
		pr.kept, pr.keptFor, pr.keptLimit = e, p, v
	}
	return e, nil
}

// countAtMost is the literal that keeps a number of misses at or below v.
func countAtMost(e *engine, o model.Objective, v int64) z.Lit {
	if o == model.HardMisses {
		return e.HardMisses.AtMost(v)
	}
	return e.Misses.AtMost(v)
}

// dig asks for the next lower value as long as plans
// come within patience.
func (pr *prober) dig(ctx context.Context, p int, patience time.Duration) {
	for value, bound := pr.s.gap(p); value > bound; value, bound = pr.s.gap(p) {
		if a, err := pr.probe(ctx, p, value-1, patience); a != satisfiable || err != nil {
			return
		}
	}
}

func newProber(s *search, seed, variant uint64) *prober {
	return &prober{s: s, lazy: &propagating{s: s, seed: seed}, variant: variant}
}

// build makes the formula, or notes that it is too large.
func (s *search) build(q query.Question) (*encode.Encoding, error) {
	enc, err := s.tryBuild(q)
	if err != nil {
		s.leaveOut("%v", err)
		return nil, errTooLarge
	}
	return enc, nil
}

func (s *search) tryBuild(q query.Question) (*encode.Encoding, error) {
	limit := s.opt.MaxClauses
	if limit == 0 {
		limit = DefaultMaxClauses
	}
	if s.opt.Budget > 0 {
		limit = min(limit, budgetClauses)
	}
	if !exactWorthTrying(s.js) {
		return nil, fmt.Errorf("%d tasks on %d slaves are too many for it", len(s.js.Tasks), len(s.js.Slaves))
	}
	return encode.Build(q, limit)
}

// exactWorthTrying keeps windows and layout, some 150 bytes per task and slave,
// within memory: with so many of them a formula has been too large every time.
func exactWorthTrying(js *model.JobSet) bool {
	return int64(len(js.Tasks))*int64(len(js.Slaves)) <= 3_000_000
}
