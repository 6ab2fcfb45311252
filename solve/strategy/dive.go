package strategy

import (
	"context"
	"math/rand/v2"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
)

// diveSearch looks for plans in which jobs finish by their due times with multipliers: of what
// shaving has left, only what hardly raises the cost of its job is kept, in several steps, and
// package lcg is asked about so little after each (a diving heuristic, as in mixed-integer
// programming: Danna, Rothberg and Le Pape 2005; reduced costs tell what to keep). It is not for
// concurrent use.
type diveSearch struct {
	*lagrange.Dive
	rng   *rand.Rand
	dives uint64
}

// newDiveSearch shaves for due, as [lagrange.NewDive] does, with so much work at most. rng is for all
// dives but the first. It is over when ctx is done.
func newDiveSearch(ctx context.Context, js *model.JobSet, due []model.Time, work int, rng *rand.Rand) *diveSearch {
	return &diveSearch{Dive: lagrange.NewDive(ctx, js, due, work), rng: rng}
}

// mostDiveLevels is how many fixings are made one after the other.
const mostDiveLevels = 12

// Run makes fixings until q, of which the due times are, has a plan in what is left, or no
// fixing is left. The answer is Satisfiable or Unknown; the plan is that of package exact, which
// opt and best, the best plan so far, are for. steps are those taken with multipliers.
func (s *diveSearch) Run(ctx context.Context, q query.Question, opt *exact.Options, seed uint64, best model.Schedule) (answer lcg.Answer, plan model.Schedule, steps int) {
	if s.Over() {
		return lcg.Unknown, nil, 0
	}
	before, noise := s.Steps(), s.noise()
	s.dives++
	answer = lcg.Unknown
	for level := 0; level < mostDiveLevels && ctx.Err() == nil && answer == lcg.Unknown && s.down(ctx, noise); level++ {
		q.Restrict = s.Restrictions()
		answer, plan = askDive(ctx, q, opt, seed+s.dives, best)
	}
	s.Up()
	if answer != lcg.Satisfiable {
		answer = lcg.Unknown
	}
	return answer, plan, s.Steps() - before
}

// The gains, in parts of what is missing, from which on fixings cut off what has them:
// from the boldest fixing on, each this many times the one before.
const boldest, timid, milder = 0.0003, 4, 1.7

// down makes the boldest fixing that multipliers do not refute, nor nearly so, and reports
// whether there is one.
func (s *diveSearch) down(ctx context.Context, noise func() float64) bool {
	some, held := true, false
	for least := boldest; some && !held && least < timid && ctx.Err() == nil; least *= milder {
		some, held = s.Fix(least, noise)
	}
	return held
}

// noiseFactors are those by which the first dive has no chance, and others have.
var noiseFactors = [...]float64{0.25, 0.5, 1, 2, 4}

func (s *diveSearch) noise() func() float64 {
	if s.dives == 0 {
		return func() float64 { return 1 }
	}
	return func() float64 { return noiseFactors[s.rng.IntN(len(noiseFactors))] }
}

// divePolls is what package lcg is given after each fixing: of eight plans of tardiness of
// 80 tasks none took more.
const divePolls = 8

// askDive asks about what a dive has left.
func askDive(ctx context.Context, q query.Question, opt *exact.Options, seed uint64, best model.Schedule) (lcg.Answer, model.Schedule) {
	search, err := exact.New(ctx, q, opt, seed, best)
	if err != nil {
		return lcg.Unsatisfiable, nil
	}
	polls := 0
	return search.Run(ctx, func() bool { polls++; return polls > divePolls })
}
