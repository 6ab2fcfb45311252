package strategy

import (
	"context"
	"time"

	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// TardinessRelaxation looks for a plan in which given jobs are in time by way of the
// tardiness relaxation: it minimises how late the latest of them is, by
// themselves. Each plan is a start for the next, where the question for a plan
// without lateness has nothing to start from.
type TardinessRelaxation struct {
	js    *model.JobSet
	jobs  []model.JobID
	inner *incumbent.Incumbent
	by    []portfolio.Entry
	round int
}

// Inner makes the strategies that the relaxation runs in turn, each by its first
// Units in every round; the first of them has to find a plan.
type Inner func(w *portfolio.Work) []portfolio.Entry

// NewTardinessRelaxation prepares the search for a plan in which the jobs of w finish by due
// (absolute); those due Never are left out, but for those that others come after.
func NewTardinessRelaxation(w *portfolio.Work, due []model.Time, by Inner) *TardinessRelaxation {
	r := &TardinessRelaxation{js: w.JS}
	for i := range due {
		if due[i] < model.Never {
			r.jobs = append(r.jobs, model.JobID(i))
		}
	}
	r.jobs = r.js.WithBefore(r.jobs)
	sub := r.js.Subset(r.jobs)
	for k, i := range r.jobs {
		job := &sub.Jobs[k]
		job.Kind, job.Weight, job.Deadline = model.Soft, 1, due[i]-job.Release
		if due[i] == model.Never {
			job.Kind, job.Deadline = model.BestEffort, 0
		}
	}
	r.inner = incumbent.New(sub, []model.Objective{model.Tardiness}, nil, nil, time.Time{})
	r.by = by(&portfolio.Work{Incumbent: r.inner, Seed: w.Seed, Exact: w.Exact, Counted: true})
	return r
}

// Run goes on for a number of rounds. It returns a schedule with all jobs in time
// and those left out without places, or nil; the error is an internal one.
func (r *TardinessRelaxation) Run(ctx context.Context, rounds int) (model.Schedule, error) {
	for ; rounds > 0 && ctx.Err() == nil && r.inner.Err() == nil && !r.there(); rounds-- {
		for k := range r.by {
			if k > 0 && r.inner.Best() == nil {
				break // the first one finds a plan
			}
			r.by[k].Run(ctx, portfolio.Slice{Round: r.round, Units: r.by[k].Units[0]})
		}
		r.round++
	}
	if err := r.inner.Err(); err != nil || !r.there() {
		return nil, err
	}
	return r.whole(), nil
}

// there reports whether no job is late.
func (r *TardinessRelaxation) there() bool {
	if r.inner.Best() == nil {
		return false
	}
	value, _ := r.inner.Gap(0)
	return value == 0
}

// whole is the plan of the inner search as one of the whole set.
func (r *TardinessRelaxation) whole() model.Schedule {
	out := model.NewSchedule(len(r.js.Tasks))
	from, best := model.TaskID(0), r.inner.Best()
	for _, i := range r.jobs {
		job := &r.js.Jobs[i]
		from += model.TaskID(copy(out[job.First:job.End], best[from:]))
	}
	return out
}

// hardByTardiness is the relaxation of the hard deadlines. Its unit is a slice of its
// own, each twice as long as the one before.
type hardByTardiness struct {
	w      *portfolio.Work
	relax  *TardinessRelaxation
	slices int
}

// NewHardByTardiness looks for any plan by way of the tardiness relaxation of due; its
// unit is a slice of its own, each twice the one before.
func NewHardByTardiness(w *portfolio.Work, due []model.Time, by Inner) portfolio.Strategy {
	return &hardByTardiness{w: w, relax: NewTardinessRelaxation(w, due, by)}
}

// Run implements portfolio.Strategy.
func (h *hardByTardiness) Run(ctx context.Context, _ portfolio.Slice) portfolio.Outcome {
	plan, err := h.relax.Run(ctx, 1<<min(h.slices, 10))
	h.slices++
	switch {
	case err != nil:
		h.w.Fail(err)
	case plan != nil:
		h.w.Offer(h.w.Complete(plan))
	}
	return portfolio.Open
}
