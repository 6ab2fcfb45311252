package solve

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/strategy"
)

// leastLateness goes on from w, which has the fewest hard misses found: the largest lateness of
// a hard job is minimised, then the sum of theirs, then the objectives. out takes the plan and
// the values; no is why the set is infeasible, as far as that was asked: by how much jobs are late even
// alone bounds their lateness in any plan.
//
// For the first two, hard jobs are taken for soft ones of weight 1, and those that are not hard
// for best-effort: misses, tardiness and weighted tardiness are then what is asked, with all
// that proves bounds on them.
func (s *solver) leastLateness(ctx context.Context, w *incumbent.Incumbent, no, out *Result) error {
	late := s.among(query.HardAsSoft(s.js), []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness})
	on := late.incumbent()
	if _, bound := w.Gap(0); bound > 0 {
		on.Raise(0, bound, out.Proof)
	}
	if no.Analysis != nil {
		most, sum := int64(0), int64(0)
		for _, a := range no.Analysis.Alone {
			by := int64(a.Earliest - s.js.Jobs[a.Job].Due())
			most, sum = max(most, by), sum+by
		}
		on.Raise(0, int64(len(no.Analysis.Alone)), no.Proof)
		on.Raise(1, most, no.Proof)
		on.Raise(2, sum, no.Proof)
	}
	on.Offer(w.Best())
	share := ctx
	if len(s.goal) > 0 {
		share = budget.Part(ctx, 2)
	}
	late.minimise(share, on)
	if on.Err() != nil {
		return on.Err()
	}
	hard := on.Answer().Objectives
	hard[0].Certified = out.Objectives[0].Certified
	r, err := s.amongAsLate(ctx, on.Best(), closed(hard))
	if err != nil {
		return err
	}
	finishes := s.js.Finishes(r.Schedule)
	for k := range hard {
		hard[k].Name = leastBad[k].String()
		hard[k].Value = s.js.Value(leastBad[k], finishes)
	}
	out.Schedule, out.Interrupted = r.Schedule, out.Interrupted || r.Interrupted
	out.Objectives = append(hard, r.Objectives...)
	closeInOrder(out.Objectives)
	return nil
}

// leastBad is what the least bad plan minimises before the objectives.
var leastBad = []model.Objective{model.HardMisses, model.HardTardiness, model.HardTotalTardiness}

// amongAsLate minimises the objectives among the plans whose hard jobs are as little late as
// in one, which is the least there is if that is proved.
//
// With all hard deadlines put off by the largest lateness there are all of these plans, and some that
// are late too often or too much in sum. So bounds for those hold, and the best of them is
// the answer if it is none of these. If it is, hard deadlines are put off to the finishes of the
// plan that there is.
func (s *solver) amongAsLate(ctx context.Context, plan model.Schedule, proved bool) (*Result, error) {
	finishes := s.js.Finishes(plan)
	var bounds []model.ObjectiveValue
	if proved && len(s.goal) > 0 {
		most := model.Time(s.js.Value(model.HardTardiness, finishes))
		r, err := s.among(deferred(s.js, func(i model.JobID) model.Time { return s.js.Jobs[i].Deadline + most }), s.goal).improve(budget.Part(ctx, 2), plan)
		if err != nil || s.asLate(r.Schedule, plan) {
			return r, err
		}
		bounds = r.Objectives
	}
	r, err := s.among(deferred(s.js, func(i model.JobID) model.Time { return finishes[i] - s.js.Jobs[i].Release }), s.goal).improve(ctx, plan)
	if err != nil {
		return nil, err
	}
	for k := range r.Objectives {
		o := &r.Objectives[k]
		o.Bound, o.Proof, o.Certified = nil, "", nil
		if bounds != nil {
			o.Bound, o.Proof = bounds[k].Bound, bounds[k].Proof
		}
	}
	return r, nil
}

// improve is the best plan found from one on. It has a guide of its own: one is tied to its incumbent, and that of the search for any
// plan, which comes before, knows of none.
func (s *solver) improve(ctx context.Context, plan model.Schedule) (*Result, error) {
	w := s.incumbent()
	w.Offer(plan)
	if s.byGuide != nil {
		s.byGuide = strategy.NewGuided(w, s.opt.Seed)
	}
	s.minimise(ctx, w)
	return s.finish(ctx, w)
}

// asLate reports whether hard jobs are late no more in one plan than in another.
func (s *solver) asLate(a, b model.Schedule) bool {
	fa, fb := s.js.Finishes(a), s.js.Finishes(b)
	return !slices.ContainsFunc(leastBad, func(o model.Objective) bool {
		return s.js.Value(o, fa) > s.js.Value(o, fb)
	})
}

// closed reports whether all values are proved.
func closed(of []model.ObjectiveValue) bool {
	return !slices.ContainsFunc(of, func(o model.ObjectiveValue) bool { return o.Bound == nil || *o.Bound != o.Value })
}

// closeInOrder drops the bounds behind the first objective that is not closed.
func closeInOrder(of []model.ObjectiveValue) {
	closed := true
	for i := range of {
		o := &of[i]
		if !closed {
			o.Bound, o.Proof, o.Certified = nil, "", nil
		}
		closed = closed && o.Bound != nil && *o.Bound == o.Value
	}
}

// among is the same solve of another set, which has the same tasks.
func (s *solver) among(js *model.JobSet, goal []model.Objective) *solver {
	other := *s
	other.js, other.goal, other.byGuide = js, goal, nil
	other.opt.From, other.opt.Proof, other.opt.Relax = nil, false, false
	return &other
}

// withoutHard is js with its hard jobs best-effort.
func withoutHard(js *model.JobSet) *model.JobSet {
	return withJobs(js, func(_ model.JobID, job *model.Job) {
		if job.Kind == model.Hard {
			job.Kind, job.Deadline = model.BestEffort, 0
		}
	})
}

// deferred is js with the deadlines of hard jobs put off, relative to their releases.
func deferred(js *model.JobSet, to func(model.JobID) model.Time) *model.JobSet {
	return withJobs(js, func(i model.JobID, job *model.Job) {
		if job.Kind == model.Hard {
			job.Deadline = max(job.Deadline, to(i))
		}
	})
}

// withJobs is js with something of its jobs changed, but for their stages and what they come after.
func withJobs(js *model.JobSet, change func(model.JobID, *model.Job)) *model.JobSet {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		change(model.JobID(i), &out.Jobs[i])
	}
	return &out
}
