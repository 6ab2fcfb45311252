package solve

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
)

// leastLateness goes on from w, which has the fewest hard misses found: the largest lateness of
// a hard job is minimised, then the sum of theirs, then the objectives. out takes the plan and
// the values.
//
// For the first two, hard jobs are taken for soft ones of weight 1, and those that are not hard
// for best-effort: misses, tardiness and weighted tardiness are then what is asked, with all
// that proves bounds on them. For the objectives hard deadlines are moved to when the jobs finish in
// that plan: values are those of the best plan found, and only a value of 0 has a bound, for plans
// in which other hard jobs are late may be better.
func (s *solver) leastLateness(ctx context.Context, w *incumbent.Incumbent, out *Result) error {
	late := s.among(lateness(s.js), []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness})
	on := late.incumbent()
	if _, bound := w.Gap(0); bound > 0 {
		on.Raise(0, bound, out.Proof)
	}
	on.Offer(w.Best())
	late.minimise(budget.Part(ctx, 2), on)
	if on.Err() != nil {
		return on.Err()
	}
	best, hard := on.Best(), on.Answer().Objectives
	rest := s.among(until(s.js, s.js.Finishes(best)), s.goal)
	last := rest.incumbent()
	last.Offer(best)
	rest.minimise(ctx, last)
	r, err := rest.finish(ctx, last)
	if err != nil {
		return err
	}
	finishes := s.js.Finishes(r.Schedule)
	certified := out.Objectives[0].Certified
	out.Schedule, out.Interrupted, out.Objectives = r.Schedule, out.Interrupted || r.Interrupted, nil
	for k, name := range []string{model.HardMisses.String(), model.HardTardiness, model.HardTotalTardiness} {
		o := hard[k]
		if o.Name, o.Value = name, s.js.HardLateness(name, finishes); k == 0 {
			o.Certified = certified
		}
		out.Objectives = append(out.Objectives, o)
	}
	for _, o := range r.Objectives {
		if o.Proof, o.Certified = "", nil; o.Value > 0 {
			o.Bound = nil
		}
		out.Objectives = append(out.Objectives, o)
	}
	closeInOrder(out.Objectives)
	return nil
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

// lateness is js with its hard jobs soft, of weight 1, and no other deadlines.
func lateness(js *model.JobSet) *model.JobSet {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		switch job := &out.Jobs[i]; job.Kind {
		case model.Hard:
			job.Kind, job.Weight = model.Soft, 1
		case model.Soft:
			job.Kind, job.Deadline = model.BestEffort, 0
		}
	}
	return &out
}

// until is js with hard deadlines that a plan meets in which jobs finish so.
func until(js *model.JobSet, finishes []model.Time) *model.JobSet {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		if job := &out.Jobs[i]; job.Kind == model.Hard {
			job.Deadline = max(job.Deadline, finishes[i]-job.Release)
		}
	}
	return &out
}
