package solve

import (
	"context"
	"maps"
	"time"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
)

// propagating is the other exact engine of a worker, package lcg. It keeps the
// search for the limits asked last, and goes on with it if they are asked again.
type propagating struct {
	s      *search
	seed   uint64
	limits query.Limits
	search *lcg.Search
	// refused is set once a question was too large, or of a kind that package
	// lazy does not answer.
	refused bool
}

// able prepares the question for a plan within limits, unless it is refused.
func (l *propagating) able(lim query.Limits) bool {
	if l.refused || l.search != nil && maps.Equal(l.limits, lim) {
		return !l.refused
	}
	l.limits = lim
	return l.ableFor(l.s.question(lim))
}

// ableFor prepares a question of any kind, unless it is refused.
func (l *propagating) ableFor(q query.Question) bool {
	l.search, l.refused = nil, true
	if !exactWorthTrying(l.s.js) {
		return false
	}
	search, err := lcg.New(q, lcg.Options{
		Seed: l.seed, MaxLiterals: (l.s.opt.MaxClauses + 1) / 2, Like: l.s.bestPlan(),
	})
	if err != nil {
		return false
	}
	l.search, l.refused = search, false
	return true
}

// run answers the question prepared last, with a complete plan if there is one.
// Unlike a SAT call it can be ended at the same point twice, so on a budget it
// is charged for as it goes.
func (l *propagating) run(ctx context.Context, useless func() bool) (answer, model.Schedule) {
	a, plan := l.search.Run(ctx, func() bool {
		spend(ctx, searchUnits)
		return useless != nil && useless()
	})
	spend(ctx, 1)
	switch a {
	case lcg.Satisfiable:
		l.search = nil
		return satisfiable, l.s.complete(plan)
	case lcg.Unsatisfiable:
		return unsatisfiable, nil
	}
	return unknown, nil
}

// exactPlan asks package lcg, or gini where that refuses, and list scheduling
// where both do, for a plan that meets the hard deadlines, and offers it. It ends
// early when there is a plan, or where enough, if not nil, says so; asked again it
// then goes on.
func (s *search) exactPlan(ctx context.Context, l *propagating, enough func() bool) answer {
	if l.able(query.Limits{}) {
		settled := s.settled(0)
		a, plan := l.run(ctx, func() bool { return settled() || enough != nil && enough() })
		if a == satisfiable {
			s.offer(plan)
		}
		return a
	}
	enc, err := s.build(s.question(query.Limits{}))
	if err != nil {
		s.heuristicPlan(ctx, s.opt.Seed+2)
		return unknown
	}
	e := newEngine(enc, 0)
	return s.accepted(e, e.guidedSolve(ctx, s.settled(0)))
}

// decideAlone gives package lcg, prices and the approach by way of late plans
// ever longer turns.
func (s *search) decideAlone(ctx context.Context) answer {
	l, nearly := &propagating{s: s, seed: s.opt.Seed}, newApproach(s, query.HardDues(s.js))
	s.priced = s.refutedByPrices(ctx, query.HardJobs(s.js), lagrange.Effort{}, nil)
	for turn := 0; ctx.Err() == nil && s.priced == nil && !s.failed(); turn++ {
		looks := 0
		a := s.exactPlan(ctx, l, func() bool { looks++; return looks > firstLooks<<turn })
		if a != unknown || s.havePlan() {
			return a
		}
		s.priced = s.refutedByCases(ctx, turn)
		s.nearlyPlan(ctx, nearly, turn)
	}
	return unknown
}

// refutedByCases looks for an argument by cases against the hard deadlines, or a
// plan on the way, with the work of a turn.
func (s *search) refutedByCases(ctx context.Context, turn int) *proof.Branching {
	e := casesEffort(turn)
	return s.refutedByPrices(ctx, query.HardJobs(s.js), e, s.askRooms(ctx, s.question(query.Limits{}), e.Work, s.offer))
}

// nearlyPlan offers the plan that an approach may find in a turn.
func (s *search) nearlyPlan(ctx context.Context, a *approach, turn int) {
	switch plan, err := a.run(ctx, 1<<min(turn, 10)); {
	case err != nil:
		s.fail(err)
	case plan != nil:
		s.offer(s.complete(plan))
	}
}

// otherPlan looks for the same by other means, in turns that get longer: prices,
// gini, guided by dives at first and then with its clauses in other orders, and
// the approach by way of late plans.
func (s *search) otherPlan(ctx context.Context) answer {
	s.priced = s.refutedByPrices(ctx, query.HardJobs(s.js), lagrange.Effort{}, nil)
	nearly := newApproach(s, query.HardDues(s.js))
	enc, err := s.tryBuild(s.question(query.Limits{}))
	for turn := 0; ctx.Err() == nil && s.priced == nil && !s.settled(0)(); turn++ {
		if s.priced = s.refutedByCases(ctx, turn); s.priced != nil || s.havePlan() {
			break
		}
		patience := firstPatience << min(turn, 6)
		if err == nil {
			e := newEngine(enc, uint64(turn))
			ask := e.guidedSolve
			if turn > 0 {
				ask = func(ctx context.Context, useless func() bool) answer { return e.solve(ctx, useless) }
			}
			if a := s.accepted(e, ask(ctx, s.settled(patience))); a != unknown {
				return a
			}
		}
		s.nearlyPlan(ctx, nearly, turn)
	}
	return unknown
}

// accepted offers the plan that an engine has found, if its answer says so.
func (s *search) accepted(e *engine, a answer) answer {
	if a == satisfiable {
		s.offer(s.complete(e.Decode(e.g.Value)))
	}
	return a
}

// settled tells when the search for any plan need not go on, or has gone on for
// longer than patience, if that is not 0.
func (s *search) settled(patience time.Duration) func() bool {
	began := time.Now()
	return func() bool {
		return s.havePlan() || s.failed() || patience > 0 && time.Since(began) > patience
	}
}

// searchUnits is what a stretch of search between two looks at the clock costs
// of a budget: it takes about as long as that many constructions.
const searchUnits = 64

// bestPlan is the best plan so far, or nil.
func (s *search) bestPlan() model.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best
}
