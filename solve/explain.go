package solve

import (
	"context"
	"time"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/coarse"
	"downbeat/model/verify"
	"downbeat/solve/budget"
	"downbeat/solve/clash"
	"downbeat/solve/conflict"
	"downbeat/solve/incumbent"
	"downbeat/solve/remedy"
)

// What is said of an infeasible set beside the first clash is a courtesy: it is given
// that much counted work where answers repeat, and that much time on the clock.
const (
	analysisUnits = 40_000
	analysisTime  = 6 * time.Second
	remedyUnits   = 100_000
	remedyTime    = 8 * time.Second
)

// explain says why a set is infeasible, which w has proved.
func (s *solver) explain(ctx context.Context, w *incumbent.Incumbent, r *Result) error {
	if s.opt.Relax {
		ctx = budget.Part(ctx, 2)
	}
	how := conflict.Options{Seed: s.opt.Seed, Exact: s.opt.exact()}
	c, err := conflict.Explain(ctx, w, &how)
	if err != nil {
		return err
	}
	if s.opt.Relax {
		ctx = budget.Part(ctx, 4) // most is for the least bad plan
	}
	w.Say("looking for all that is wrong")
	few, cancel := s.courtesy(budget.Part(ctx, 2), analysisUnits, analysisTime)
	defer cancel()
	late := s.lateAtLeast(few)
	whole, err := clash.Analyse(few, s.js, c, &clash.Options{
		Conflict: how, Find: s.find, LeastLate: s.leastLate, Late: late,
	})
	if err != nil {
		return err
	}
	r.Notes = w.Answer().Notes
	r.Proof, r.Conflict, r.Analysis = max(r.Proof, c.Proof), c, whole
	w.Say("looking for what would help")
	r.Remedies, err = s.remedies(ctx, whole)
	return err
}

// remedies tries changes to the set in its own ticks.
func (s *solver) remedies(ctx context.Context, of *Analysis) (*Remedies, error) {
	few, cancel := s.courtesy(ctx, remedyUnits, remedyTime)
	defer cancel()
	opt := &remedy.Options{Plan: s.fits, Late: of.Out.Jobs}
	for _, c := range of.Clashes {
		opt.Clashes = append(opt.Clashes, c.Jobs)
	}
	return remedy.Search(few, s.original, opt)
}

// fits tells whether the hard jobs of a set in its own ticks can meet their deadlines.
func (s *solver) fits(ctx context.Context, js *model.JobSet) (remedy.Fit, model.Schedule, error) {
	unit := coarse.CommonTick(js)
	w := s.find(ctx, coarsened(js, unit))
	switch {
	case w.Err() != nil:
		return remedy.Unknown, nil, w.Err()
	case w.Best() != nil:
		plan := stretchSchedule(w.Best(), unit)
		return remedy.Yes, plan, verify.Schedule(js, plan, false).Err()
	case w.Refuted() != nil:
		return remedy.No, nil, nil
	}
	return remedy.Unknown, nil, nil
}

// courtesy limits ctx to some work and some time: by the work alone, where a single worker
// counts it, answers would repeat.
func (s *solver) courtesy(ctx context.Context, units int64, d time.Duration) (context.Context, context.CancelFunc) {
	if s.opt.Budget > 0 {
		return budget.With(ctx, units)
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	if s.opt.workers() > 1 {
		return ctx, cancel
	}
	ctx, spent := budget.With(ctx, units)
	return ctx, func() { spent(); cancel() }
}

// leastBadConstructions is what the search for a plan with few hard jobs late may take.
const leastBadConstructions = 400

// lateAtLeast are the hard jobs that a plan found by list scheduling has late; nil where
// there is none.
func (s *solver) lateAtLeast(ctx context.Context) []model.JobID {
	few, cancel := budget.AtMost(ctx, leastBadConstructions, time.Second)
	defer cancel()
	var spent int
	plan, _ := lns.Search(few, s.js, lns.Options{Seed: s.opt.Seed, Constructions: budget.Affordable(few, leastBadConstructions), Spent: &spent})
	budget.Spend(ctx, max(1, spent))
	if plan == nil || verify.Schedule(s.js, plan, true).Err() != nil {
		return nil
	}
	var late []model.JobID
	for i, finish := range s.js.Finishes(plan) {
		if job := &s.js.Jobs[i]; job.Kind == model.Hard && job.Late(finish) > 0 {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// inner is a solve within this one.
func (s *solver) inner(js *model.JobSet, goal []model.Objective) (*solver, *incumbent.Incumbent) {
	inner := &solver{js: js, goal: goal, opt: s.opt, started: s.started}
	inner.opt.From, inner.opt.Events, inner.opt.Proof = nil, nil, false
	return inner, incumbent.New(js, goal, nil, nil, s.started)
}

// find looks for any plan of another set.
func (s *solver) find(ctx context.Context, js *model.JobSet) *incumbent.Incumbent {
	inner, w := s.inner(js, nil)
	inner.findPlan(ctx, w)
	return w
}

// leastLate solves a set in which one job is soft for its tardiness.
func (s *solver) leastLate(ctx context.Context, js *model.JobSet) (late, bound int64, ok bool, err error) {
	inner, w := s.inner(js, []model.Objective{model.Tardiness})
	if inner.findPlan(ctx, w); w.Best() != nil {
		inner.minimise(ctx, w)
	}
	if w.Err() != nil || w.Best() == nil {
		return 0, 0, false, w.Err()
	}
	late, bound = w.Gap(0)
	return late, bound, true, nil
}
