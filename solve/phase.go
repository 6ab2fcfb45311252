package solve

import (
	"context"
	"fmt"
	"sync"
	"time"

	"downbeat/model"
	"downbeat/solve/energy"
)

// closePhases minimises the objectives one after the other, each under the
// proved best of those before, and ends early when ctx is done or the exact
// search cannot be made. There is a plan already, or an internal error.
func (s *search) closePhases(ctx context.Context) {
	for p := range s.goal {
		s.mu.Lock()
		s.phase, s.choices = p, nil
		s.mu.Unlock()
		s.demands, s.tolls = nil, nil
		s.say("minimising " + s.goal[p].String())
		if s.failed() || !s.closePhase(ctx, p) {
			return
		}
	}
}

// closePhase works on objective p until its value meets its bound.
func (s *search) closePhase(ctx context.Context, p int) bool {
	if !s.closed(p) && !s.mayMissHard {
		s.countingBound(ctx, p)
	}
	if s.opt.workers() == 1 && !s.closed(p) && ctx.Err() == nil {
		s.heuristic(ctx, s.opt.Seed+1, firstBudget(s.js))
	}
	if !s.closed(p) {
		s.race(ctx, p)
	}
	return !s.failed() && s.closed(p)
}

// race lets the workers close objective p: one climbs with the bound, the next
// searches by heuristics and then descends with the value, the others search
// by heuristics with other seeds.
func (s *search) race(ctx context.Context, p int) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for w := range s.opt.workers() {
		wg.Go(func() {
			switch w {
			case 0:
				s.climb(ctx, p)
			case 1:
				s.descend(ctx, p)
			default:
				s.heuristic(ctx, s.opt.Seed+uint64(w), 0)
			}
			if s.closed(p) || s.failed() {
				stop()
			}
		})
	}
	wg.Wait()
}

// climb asks for values from the bound up: what is refuted raises the bound,
// and the first plan found is the best. Steps double after every refutation, up
// to the middle between bound and value, and halve where there is no answer.
// Where no formula can be made it improves the plan instead.
//
// The time of a refutation has a heavy tail: the same clauses in another order
// took 0.7 s and more than 20 s. So a question is given up after some time and
// asked again in another order, with more time. A single worker, whose answers
// are to repeat, counts looks in place of time, and improves the plan in between.
func (s *search) climb(ctx context.Context, p int) {
	pr := newProber(s, s.opt.Seed, 0)
	patience, stride := s.patience(), int64(1)
	near := newNeighbours(s, p, s.opt.Seed)
	if patience == 0 {
		pr.mostLooks = firstLooks
	}
	turn := 0 // of what else is done for the bound
	if s.mayMissHard && s.goal[p] != model.HardMisses {
		turn = 4 // such arguments take hard deadlines as met
	} else if patience > 0 {
		patience = briefPatience // what falls at once need not wait for prices
	} else {
		turn = s.deepenAtOnce(ctx, p)
	}
	for ctx.Err() == nil && !s.failed() && !s.closed(p) {
		v := s.above(p, stride)
		began := time.Now()
		a, err := pr.probe(ctx, p, v, patience)
		switch {
		case turn == 0 && (err != nil || a == unknown):
			turn = s.deepenAtOnce(ctx, p)
			patience = s.patience()
		case err != nil:
			s.improve(ctx, p, s.opt.Seed)
			return
		case a == unknown:
			s.deepen(ctx, p, turn)
			turn++
			if patience == 0 && ctx.Err() == nil {
				s.heuristic(ctx, s.opt.Seed+1+uint64(turn), polish(s.js))
				near.improve(ctx, neighbourRounds)
				pr.mostLooks *= 2
				continue
			}
			pr.giveUp()
			patience += patience / 2
			stride = max(1, stride/2)
		case a == unsatisfiable:
			s.raise(p, v+1, model.SATProof, searched(s.goal[p], v))
			stride *= 2
			fallthrough
		default:
			patience = s.patienceAfter(time.Since(began))
		}
	}
}

// above is the value that climb asks for: stride values, if refuted, raise the
// bound of objective p by as much, but not beyond the middle. Close to the value
// all questions are about as hard, so there it asks for the last one, and steps
// are no shorter than the pace. A single worker, which cannot give up, keeps to
// an eighth of the way.
func (s *search) above(p int, stride int64) int64 {
	value, bound := s.gap(p)
	pace := value / 100
	switch gap := value - bound; {
	case s.patience() == 0:
		return bound + (gap-1)/cautious
	case gap <= 2*pace:
		return value - 1
	default:
		return bound + min(max(stride-1, pace), (gap-1)/2)
	}
}

// cautious is the part of the gap that a single worker dares to skip.
const cautious = 8

// patience is how long a question may take at first; 0 means for ever.
func (s *search) patience() time.Duration {
	if s.opt.workers() == 1 {
		return 0
	}
	return firstPatience
}

// patienceAfter is that for a question that is likely to be harder than one
// that took so long.
func (s *search) patienceAfter(took time.Duration) time.Duration {
	if s.patience() == 0 {
		return 0
	}
	return max(firstPatience, 2*took)
}

// deepenAtOnce takes those turns for the bound of objective p that come before a
// hard question about it is asked with patience, and says how many: prices; of
// misses also choices, and of tardiness some cases, which settle more than
// questions do.
func (s *search) deepenAtOnce(ctx context.Context, p int) (turns int) {
	turns = 1
	switch s.goal[p] {
	case model.Misses, model.HardMisses:
		turns = 2
	case model.Tardiness:
		turns = 3
	}
	for turn := range turns {
		s.deepen(ctx, p, turn)
	}
	return turns
}

// firstLooks is what a single worker grants a question the first time, about a
// second.
const firstLooks = 100

// firstPatience is what workers grant a question the first time, briefPatience
// before other bounds are tried.
const (
	firstPatience = 2 * time.Second
	briefPatience = 40 * time.Millisecond
)

// descend improves the best plan: rounds of heuristics with new seeds, of
// neighbourhoods, and of asking for the next lower value with more and more
// patience.
func (s *search) descend(ctx context.Context, p int) {
	seed := s.opt.Seed + 1
	pr := newProber(s, seed, 1<<32)
	near := newNeighbours(s, p, seed)
	for patience := firstPatience; ctx.Err() == nil && !s.failed() && !s.closed(p); patience *= 2 {
		if s.refuteChoices(ctx, p) {
			return
		}
		pr.dig(ctx, p, patience/4)
		s.heuristicFor(ctx, seed, patience)
		seed++
		near.improveFor(ctx, max(leastImproving, patience))
		value, bound := s.gap(p)
		if value == bound {
			return
		}
		began := time.Now()
		a, err := pr.probe(ctx, p, value-1, patience)
		switch {
		case err != nil:
			s.improve(ctx, p, seed)
			return
		case a == unsatisfiable:
			s.raise(p, value, model.SATProof, searched(s.goal[p], value-1))
		case a == satisfiable:
			patience = s.patienceAfter(time.Since(began)) / 2
		default:
			pr.giveUp()
		}
	}
}

// refuteChoices refutes choices of late jobs that were looked at in vain, as long
// as it can and as only those as light as the bound keep the objective open: then
// any plan that is better is one of theirs. It reports whether the objective is
// closed.
func (s *search) refuteChoices(ctx context.Context, p int) (over bool) {
	s.mu.Lock()
	c := s.choices
	s.mu.Unlock()
	for c != nil && ctx.Err() == nil && !s.failed() {
		if !c.closing() || !c.refuteAside() {
			break
		}
	}
	return s.closed(p)
}

// heuristicFor is heuristic with a limit on its time.
func (s *search) heuristicFor(ctx context.Context, seed uint64, limit time.Duration) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	s.heuristic(ctx, seed, 0)
}

// leastImproving is the least time for neighbourhoods between two questions.
const leastImproving = 3 * time.Second

// improve is descend without questions about the whole.
func (s *search) improve(ctx context.Context, p int, seed uint64) {
	near := newNeighbours(s, p, seed)
	for ; ctx.Err() == nil && !s.failed() && !s.closed(p); seed++ {
		s.heuristic(ctx, seed, polish(s.js))
		near.improve(ctx, neighbourRounds)
	}
}

// neighbourRounds is the number of neighbourhoods between rounds of heuristics.
const neighbourRounds = 60

// polish is a number of constructions that takes about half a second.
func polish(js *model.JobSet) int {
	return max(30, 400_000/(1+len(js.Tasks)))
}

// countingBound raises the bound of objective p by a counting argument, after
// separate code has recomputed it. Such arguments take hard deadlines as met.
func (s *search) countingBound(ctx context.Context, p int) {
	var cert *energy.Certificate
	var v int64
	switch s.goal[p] {
	case model.Misses:
		v, cert = energy.Misses(ctx, s.js)
	case model.Tardiness:
		v, cert = energy.Tardiness(ctx, s.js)
	case model.WeightedTardiness:
		v, cert = energy.WeightedTardiness(ctx, s.js)
	case model.Makespan:
		v, cert = energy.Makespan(ctx, s.js)
	}
	if v == 0 {
		return
	}
	v, err := energy.Recheck(s.js, cert)
	if err != nil {
		s.fail(err)
		return
	}
	s.raise(p, v, model.BoundProof, cert.Sentences(s.js)...)
	if s.goal[p] == model.Misses {
		if s.demands, err = cert.Cuts(s.js); err != nil {
			s.fail(err)
		}
	}
}

// searched says what an exact search has shown.
func searched(o model.Objective, v int64) string {
	return fmt.Sprintf("no plan has %s of %d or less: every way was ruled out by search", o, v)
}
