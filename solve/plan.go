package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/energy"
)

// Plan finds the best plan for a job set: proved optimal, or the best found
// within the limits with a proved bound. Cancelling ctx ends the search; the
// best so far is the answer. An error is an internal one.
func Plan(ctx context.Context, js *model.JobSet, opt Options) (*Result, error) {
	started := time.Now()
	ctx, cancel := opt.limit(ctx)
	defer cancel()
	goal := opt.Objectives
	if goal == nil {
		goal = js.Goal()
	}
	from := opt.From
	var kept *Kept
	if from != nil {
		var err error
		if opt.From, kept, err = repair(js, from, goal); err != nil {
			return nil, err
		}
	}
	unit := js.CommonTick()
	r, err := planInTicks(ctx, inTicksOf(js, unit), goal, opt.inTicksOf(unit), started)
	if err != nil {
		return nil, err
	}
	r.stretch(js, unit)
	if kept != nil {
		kept.compare(from, r.Schedule)
		r.Kept = kept
	}
	r.Elapsed = time.Since(started)
	if r.Schedule != nil {
		if err := verify.Schedule(js, r.Schedule, r.Relaxed).Err(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func planInTicks(ctx context.Context, js *model.JobSet, goal []model.Objective, opt Options, started time.Time) (*Result, error) {
	s := newSearch(js, goal, opt, started)
	s.start = opt.From
	status, proof := s.findPlan(withPart(ctx, opt.Relax, 2))
	switch {
	case s.err != nil:
		return nil, s.err
	case status == model.Feasible:
		s.closePhases(ctx)
	case status == model.Infeasible || opt.Relax:
		return s.infeasible(ctx, status, proof)
	}
	return s.finish(ctx)
}

// infeasible answers for a set that is infeasible, or was not found to be
// either and is to be relaxed: the conflict, and the least bad plan if asked for.
func (s *search) infeasible(ctx context.Context, status model.Status, proof model.Proof) (*Result, error) {
	r := s.result()
	switch {
	case status == model.Infeasible && s.opt.NoConflict:
		r.Status, r.Proof = model.Infeasible, proof
	case status == model.Infeasible:
		conflict, err := s.explain(withPart(ctx, s.opt.Relax, 2), proof)
		if err != nil {
			return nil, err
		}
		r = s.result()
		r.Status, r.Proof, r.Conflict = model.Infeasible, max(proof, conflict.Proof), conflict
	}
	if !s.opt.Relax {
		return r, nil
	}
	return s.relax(ctx, r)
}

// relax finds the least bad plan; r is what is known of the set as it stands.
func (s *search) relax(ctx context.Context, r *Result) (*Result, error) {
	relaxed := newSearch(s.js, append([]model.Objective{model.HardMisses}, s.goal...), s.opt, s.started)
	relaxed.start = s.start
	if r.Status == model.Infeasible {
		relaxed.raise(0, 1, r.Proof)
	}
	relaxed.heuristic(ctx, s.opt.Seed, firstBudget(s.js))
	relaxed.closePhases(ctx)
	least, err := relaxed.finish(ctx)
	if err != nil {
		return nil, err
	}
	if len(r.Notes) > 0 {
		least.Notes = r.Notes
	}
	hard := least.Objectives[0]
	if hard.Value == 0 {
		least.Objectives = least.Objectives[1:]
		if len(s.goal) == 0 {
			least.Status = model.Feasible
		}
		return least, nil
	}
	least.Relaxed, least.Status, least.Conflict = true, model.Unknown, r.Conflict
	if *hard.Bound > 0 {
		least.Status = model.Infeasible
		least.Proof = max(r.Proof, least.Proof)
	}
	return least, nil
}

// finish tidies the best plan and makes the result.
func (s *search) finish(ctx context.Context) (*Result, error) {
	if s.best != nil {
		s.offerTidy()
	}
	if s.err != nil {
		return nil, s.err
	}
	r := s.result()
	r.Interrupted = ctx.Err() != nil && r.Status != model.Optimal
	return r, nil
}

// offerTidy puts the tidied plan in place of the best one. It is at least as
// good, and only open objectives can gain.
func (s *search) offerTidy() {
	tidy := heuristics.Tidy(s.js, s.best)
	if err := verify.Schedule(s.js, tidy, s.mayMissHard).Err(); err != nil {
		s.fail(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adopt(tidy, s.valuesOf(s.js.Finishes(tidy)))
}

// firstBudget is the number of constructions before the exact search begins.
func firstBudget(js *model.JobSet) int {
	return min(400, max(30, 400_000/(1+len(js.Tasks))))
}

// findPlan looks for any plan that meets the hard deadlines: Feasible with
// s.best set, Infeasible with a proof, or Unknown.
func (s *search) findPlan(ctx context.Context) (model.Status, model.Proof) {
	s.say("looking for a plan")
	if proof, no := s.refutedByCounting(ctx); no {
		return model.Infeasible, proof
	}
	s.heuristic(ctx, s.opt.Seed, firstBudget(s.js))
	if s.havePlan() || s.failed() {
		return model.Feasible, model.NoProof
	}
	if ctx.Err() != nil {
		return model.Unknown, model.NoProof
	}
	s.say("no plan by list scheduling, asking the SAT solver")
	return s.decide(ctx)
}

func (s *search) refutedByCounting(ctx context.Context) (model.Proof, bool) {
	sh := energy.Infeasible(ctx, s.js)
	if sh == nil {
		return model.NoProof, false
	}
	s.refuted = sh
	if err := verify.Overload(s.js, query.HardDues(s.js), sh); err != nil {
		s.fail(err)
		return model.NoProof, false
	}
	return model.BoundProof, true
}

// decide looks for a plan or a proof that there is none: by package lcg on one
// worker, and by other means on the other. A single worker takes turns.
func (s *search) decide(ctx context.Context) (model.Status, model.Proof) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	a, other := unknown, unknown
	if s.opt.workers() == 1 {
		a = s.decideAlone(ctx)
	} else {
		others := make(chan struct{})
		go func() {
			defer close(others)
			if other = s.otherPlan(ctx); s.priced != nil || other != unknown {
				stop()
			}
		}()
		a = s.exactPlan(ctx, &propagating{s: s, seed: s.opt.Seed}, nil)
		if a != unknown || s.havePlan() {
			stop()
		}
		<-others
	}
	refuted := a == unsatisfiable || other == unsatisfiable
	switch {
	case s.havePlan() && (s.priced != nil || refuted):
		s.fail(errors.New("the hard jobs were proved infeasible, and a plan found"))
	case s.havePlan():
		return model.Feasible, model.NoProof
	case a == satisfiable || other == satisfiable:
		s.fail(errors.New("a question about the hard jobs was answered by a plan that misses one of them"))
	case s.priced != nil:
		return model.Infeasible, s.priced.Proof()
	case refuted:
		return model.Infeasible, model.SATProof
	}
	return model.Unknown, model.NoProof
}

// inTicksOf divides all times of js by unit.
func inTicksOf(js *model.JobSet, unit model.Time) *model.JobSet {
	if unit == 1 {
		return js
	}
	return js.InTicksOf(unit)
}

// inTicksOf makes the observer hear of original ticks, and takes the plan to
// start from into coarse ones.
func (o Options) inTicksOf(unit model.Time) Options {
	if o.From != nil {
		o.From = inCoarseTicks(o.From, unit)
	}
	if tell := o.Progress; tell != nil && unit > 1 {
		o.Progress = func(p Progress) {
			p.Objectives = stretchValues(p.Objectives, unit)
			tell(p)
		}
	}
	return o
}

// stretch turns a result in coarse ticks into one for js.
func (r *Result) stretch(js *model.JobSet, unit model.Time) {
	r.Schedule = stretchSchedule(r.Schedule, unit)
	r.Objectives = stretchValues(r.Objectives, unit)
	if unit > 1 && len(r.Why) > 0 {
		r.Why = append([]string{fmt.Sprintf("(times in these arguments are in steps of %d ticks, which divide all times of the set)", unit)}, r.Why...)
	}
	if r.Conflict != nil {
		r.Conflict.stretch(unit)
	}
}

func stretchSchedule(plan model.Schedule, unit model.Time) model.Schedule {
	out := slices.Clone(plan)
	for t := range out {
		out[t].Fetch *= unit
		out[t].Start *= unit
	}
	return out
}

// stretchValues multiplies the values that are times.
func stretchValues(values []model.ObjectiveValue, unit model.Time) []model.ObjectiveValue {
	out := slices.Clone(values)
	for i := range out {
		if out[i].Name == model.Misses.String() || out[i].Name == model.HardMisses.String() {
			continue
		}
		out[i].Value *= int64(unit)
		if out[i].Bound != nil {
			b := *out[i].Bound * int64(unit)
			out[i].Bound = &b
		}
	}
	return out
}

func (c *Conflict) stretch(unit model.Time) {
	for i := range c.Shortages {
		sh := &c.Shortages[i]
		sh.Interval.Start *= unit
		sh.Interval.End *= unit
		sh.Need *= int64(unit)
		sh.Have *= int64(unit)
	}
	stretchCases(c.Prices, unit)
	for i := range c.Fixes {
		c.Fixes[i].Deadline *= unit
	}
}

func stretchCases(c *proof.Branching, unit model.Time) {
	if c == nil {
		return
	}
	c.Split.At *= unit
	if c.Bound != nil {
		for i := range c.Bound.Multipliers {
			c.Bound.Multipliers[i].Interval.Start *= unit
			c.Bound.Multipliers[i].Interval.End *= unit
		}
	}
	stretchCases(c.Holds, unit)
	stretchCases(c.Fails, unit)
}
