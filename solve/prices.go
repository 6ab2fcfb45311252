package solve

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/lagrange"
)

// priceBound raises the bound of objective p by prices, sought in a number of
// steps, after separate code has recomputed them. Like counting arguments they
// take hard deadlines as met, except where those are what is counted. There is a
// plan, and its value is a target for the bound.
func (s *search) priceBound(ctx context.Context, p, steps int) {
	value, bound := s.gap(p)
	switch s.goal[p] {
	case model.Misses, model.HardMisses:
		tf, least := s.lateByPrices(ctx, s.goal[p], 0, value, steps)
		if tf != nil {
			s.tolls = append(s.tolls, tf.Multipliers)
		}
		if least > bound {
			s.raise(p, least, model.BoundProof, claim(s.goal[p], least), tf.Sentence(s.js),
				"with a price for each late job as well, what jobs cannot avoid to pay exceeds all that is for sale")
		}
	case model.WeightedTardiness:
		if least := s.weightedByPrices(ctx, value, steps); least > bound && !s.failed() {
			s.raise(p, least, model.BoundProof, claim(s.goal[p], least),
				"prices on cores, fetch lines and slots bound the weight of the jobs that are late by more than 0, 1, 2 … ticks, which add up to that")
		}
	case model.Tardiness, model.Makespan:
		s.raiseByPrices(ctx, p, lagrange.Effort{})
	}
}

func claim(o model.Objective, least int64) string {
	return fmt.Sprintf("every plan has %s of at least %d:", o, least)
}

// deepen spends more on the bound of objective p, the more often the exact search
// has found no answer.
func (s *search) deepen(ctx context.Context, p, turn int) {
	switch o := s.goal[p]; {
	case turn == 0:
		s.priceBound(ctx, p, lagrange.DefaultSteps)
	case o == model.Tardiness || o == model.Makespan:
		s.raiseByPrices(ctx, p, casesEffort(turn-1))
	case turn == 1 && (o == model.Misses || o == model.HardMisses):
		if c := newChoices(s, p); c != nil {
			s.mu.Lock()
			s.choices = c
			s.mu.Unlock()
			c.work(ctx)
		}
	case turn == 1 || turn == 3:
		s.priceBound(ctx, p, lagrange.DefaultSteps<<(turn+1))
	}
}

// casesEffort is what may be done for cases in a turn, the first being 0: half a
// second, and four times as much each time; from the third turn on every other one
// is thorough.
func casesEffort(turn int) lagrange.Effort {
	return lagrange.Effort{Work: casesWork(turn), Thorough: turn >= 2 && turn%2 == 0}
}

func casesWork(turn int) int { return leastWork << (2 * min(turn, 8)) }

// leastWork is that of the first turn.
const leastWork = 50_000_000

// lateByPrices is the least weight, up to most, of soft jobs that are late by
// more than grace, or the least number of late hard ones.
func (s *search) lateByPrices(ctx context.Context, o model.Objective, grace model.Time, most int64, steps int) (*proof.DualBound, int64) {
	due, weight := query.AtMost(s.js, o, grace), s.weightsOf(o)
	tf, least := lagrange.Late(ctx, s.js, due, weight, most, steps)
	spend(ctx, steps/stepsPerUnit)
	if least == 0 || !s.agrees(tf, due, least) {
		return nil, 0
	}
	return tf, least
}

// weightsOf are the weights of jobs where late ones are to be bounded: of soft
// jobs with hard ones to be in time, or the number of hard ones.
func (s *search) weightsOf(o model.Objective) []int64 {
	weight := make([]int64, len(s.js.Jobs))
	for i := range weight {
		switch job := &s.js.Jobs[i]; {
		case job.Kind == model.Hard && o == model.HardMisses:
			weight[i] = 1
		case job.Kind == model.Hard:
			weight[i] = hardWeight
		case job.Kind == model.Soft && o != model.HardMisses:
			weight[i] = job.Weight
		}
	}
	return weight
}

// hardWeight is the weight of hard jobs beside soft ones. Any figure is right,
// for they are in time; great ones make prices rise slowly.
const hardWeight = 16

// weightedByPrices bounds Σ ω·late, which is the weight of the jobs that are late
// by more than 0, 1, 2 … ticks, summed. Those weights fall, so not all need be
// looked at.
func (s *search) weightedByPrices(ctx context.Context, value int64, steps int) int64 {
	total, next := int64(0), model.Time(0)
	for total < value && ctx.Err() == nil && !s.failed() {
		grace := next + next/4
		_, least := s.lateByPrices(ctx, model.WeightedTardiness, grace, value, steps)
		if least == 0 {
			break
		}
		total += least * int64(grace+1-next)
		next = grace + 1
	}
	return min(total, value)
}

// stepsPerUnit is the number of steps of prices that count as one unit of a budget.
const stepsPerUnit = 20

// raiseByPrices refutes values of an objective that is a time, from its bound
// up, by steps that double after each success, with some work for cases in each.
// Failures are what takes time.
func (s *search) raiseByPrices(ctx context.Context, p int, e lagrange.Effort) {
	value, bound := s.gap(p)
	failed := value // not refuted, or not to be: it has a plan
	for stride := int64(1); bound < failed && ctx.Err() == nil && !s.failed(); {
		v := min(bound+stride-1, failed-1)
		lim := s.limitsBefore(p)
		lim[s.goal[p]] = v
		ask := s.askRooms(ctx, s.question(lim), e.Work, func(plan model.Schedule) { s.receive(plan, p, v) })
		if c := s.refute(ctx, query.AtMost(s.js, s.goal[p], model.Time(v)), e, ask); c != nil {
			bound = v + 1
			stride *= 2
			s.raise(p, bound, c.Proof(), append([]string{claim(s.goal[p], bound)}, c.Sentences(s.js)...)...)
		} else {
			failed = v
			stride = max(1, (failed-bound)/2)
		}
	}
}

// refute looks for an argument by prices that not all jobs finish by due, with
// some work for cases, and has other code check it; nil if it finds none. ask,
// which may be nil, answers about cases against which prices find nothing.
func (s *search) refute(ctx context.Context, due []model.Time, e lagrange.Effort, ask lagrange.Ask) *proof.Branching {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return s.refuteOn(ctx, lagrange.NewRefutation(ctx, s.js, due, e.Thorough), due, e.Work, ask)
}

// refuteOn goes on with such a search.
func (s *search) refuteOn(ctx context.Context, r *lagrange.Refutation, due []model.Time, work int, ask lagrange.Ask) *proof.Branching {
	c, steps := r.Run(work, ask)
	spend(ctx, steps/stepsPerUnit)
	if c == nil {
		return nil
	}
	if err := verify.Branching(s.js, due, c); err != nil {
		s.fail(err)
		return nil
	}
	return c
}

// agrees reports whether other code finds that prices prove as much; if not, the
// search has failed.
func (s *search) agrees(tf *proof.DualBound, due []model.Time, weight int64) bool {
	surplus, err := verify.DualBound(s.js, due, tf)
	if err == nil && (surplus <= 0 || lagrange.Weight(surplus) < weight) {
		err = fmt.Errorf("prices have a surplus of %d only", surplus)
	}
	if err != nil {
		s.fail(err)
	}
	return err == nil
}

// askRooms puts questions about parts of q, in which tasks keep to rooms, to
// package lcg, and hands on the plan that it may find.
func (s *search) askRooms(ctx context.Context, q query.Question, work int, found func(plan model.Schedule)) lagrange.Ask {
	return func(rooms []query.Restriction, last bool) (refuted, planned bool) {
		q.Restrict = rooms
		l := &propagating{s: s, seed: s.opt.Seed}
		if !l.ableFor(q) {
			return false, false
		}
		looks, most := 0, roomLooks
		if last {
			most = min(mostRoomLooks, roomLooks*(work/leastWork))
		}
		a, plan := l.run(ctx, func() bool { looks++; return looks > most })
		if a == satisfiable {
			found(plan)
		}
		return a == unsatisfiable, a == satisfiable
	}
}

// roomLooks is what package lcg is given for such a question in the first turn,
// mostRoomLooks at most.
const roomLooks, mostRoomLooks = 16, 256

// refutedByPrices looks for an argument by prices, with some work for cases, that
// the given hard jobs cannot all meet their deadlines; nil if it finds none.
func (s *search) refutedByPrices(ctx context.Context, jobs []model.JobID, e lagrange.Effort, ask lagrange.Ask) *proof.Branching {
	return s.refute(ctx, query.DuesOf(s.js, jobs), e, ask)
}
