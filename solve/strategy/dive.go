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
	// shaving is the work that is left for shaving, in starts looked at, before the first dive; shaved that it has ended.
	shaving int
	shaved  bool
	// charged counts the steps that a budget has been charged for.
	charged int
}

// newDiveSearch prepares dives for due, with so much work at most for shaving before the first, in starts looked at. rng is for all
// dives but the first. It is over when ctx is done.
func newDiveSearch(ctx context.Context, js *model.JobSet, due []model.Time, work int, rng *rand.Rand) *diveSearch {
	return &diveSearch{Dive: lagrange.NewDive(ctx, js, due), shaving: work, rng: rng}
}

// mostDiveLevels is how many fixings are made one after the other.
const mostDiveLevels = 12

// Run makes fixings until q, of which the due times are, has a plan in what is left, or no
// fixing is left; the first call shaves before, and one that ctx cuts short there is gone on with by the next. The answer is
// Satisfiable or Unknown; the plan is that of package exact, which opt and best, the best plan so far, are for. Steps with
// multipliers are charged to ctx as they are taken.
func (s *diveSearch) Run(ctx context.Context, q query.Question, opt *exact.Options, seed uint64, best model.Schedule) (answer lcg.Answer, plan model.Schedule) {
	defer s.charge(ctx, 1)
	if !s.shave(ctx) || s.Over() {
		return lcg.Unknown, nil
	}
	noise := s.noise()
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
	return answer, plan
}

// shavingAtOnce is the work for shaving between two charges to the budget: a hundredth of a second, some probes.
const shavingAtOnce = 1_000_000

// shave goes on with shaving, unless that has ended, and reports whether it has: of 150 tasks it may take 170,000 steps.
func (s *diveSearch) shave(ctx context.Context) bool {
	for !s.shaved && !s.Over() && ctx.Err() == nil {
		work := min(s.shaving, shavingAtOnce)
		s.shaving -= work
		finished := s.Shave(work)
		s.charge(ctx, stepsPerUnit)
		if s.shaved = finished || s.shaving == 0; s.shaved && !s.Over() {
			s.Shaved()
		}
	}
	return s.shaved
}

// charge charges the steps that have not been, in multiples of some.
func (s *diveSearch) charge(ctx context.Context, multiple int) {
	steps := s.Steps() - s.charged
	steps -= steps % multiple
	s.charged += steps
	charge(ctx, steps)
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
		s.charge(ctx, stepsPerUnit)
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
