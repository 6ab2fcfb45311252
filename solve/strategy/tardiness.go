package strategy

import (
	"context"
	"time"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// tardinessRelaxation looks for a plan in which given jobs are in time by way of the
// tardiness relaxation: it minimises how late the latest of them is, by
// themselves. Each plan is a start for the next, where the question for a plan
// without lateness has nothing to start from.
type tardinessRelaxation struct {
	js    *model.JobSet
	jobs  []model.JobID
	inner *incumbent.Incumbent
	// lists find a plan, neighbours, which are nil where they do not apply, and questions
	// improve it.
	lists      lists
	neighbours *neighbours
	questions  belowPlan
	round      int
}

// What a round of the relaxation does: a quarter of what a single worker does for the plan
// between two questions about the whole. By judgement.
const relaxedLists, relaxedNeighbourhoods, relaxedPolls = 1, 15, 16

// newTardinessRelaxation prepares the search for a plan in which the jobs of w finish by due
// (absolute); those due Never are left out, but for those that others come after.
func newTardinessRelaxation(w *portfolio.Work, due []model.Time, seed uint64) *tardinessRelaxation {
	r := &tardinessRelaxation{js: w.JS}
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
	inner := &portfolio.Work{Incumbent: r.inner, Seed: seed, Exact: w.Exact}
	inner.Exact.Exchange = nil // nobody else asks about sub, and boards would outlast it
	r.lists, r.questions = lists{inner, seed}, belowPlan{asker: asker{w: inner, seed: seed, noFormulas: true}}
	if Neighbourhoods.AppliesTo(inner) {
		r.neighbours = newNeighbours(inner, seed)
	}
	return r
}

// run goes on for a number of rounds. It returns a schedule with all jobs in time
// and those left out without places, or nil; the error is an internal one.
func (r *tardinessRelaxation) run(ctx context.Context, rounds int) (model.Schedule, error) {
	for ; rounds > 0 && ctx.Err() == nil && r.inner.Err() == nil && !r.there(); rounds-- {
		if r.lists.Run(ctx, portfolio.Slice{Round: r.round, Units: relaxedLists}); r.inner.Best() != nil {
			if r.neighbours != nil {
				r.neighbours.improve(ctx, 0, relaxedNeighbourhoods, 0)
			}
			r.questions.improve(ctx, relaxedPolls)
		}
		r.round++
	}
	if err := r.inner.Err(); err != nil || !r.there() {
		return nil, err
	}
	return r.whole(), nil
}

// there reports whether no job is late.
func (r *tardinessRelaxation) there() bool {
	if r.inner.Best() == nil {
		return false
	}
	value, _ := r.inner.Gap(0)
	return value == 0
}

// whole is the plan of the inner search as one of the whole set.
func (r *tardinessRelaxation) whole() model.Schedule {
	out := model.NewSchedule(len(r.js.Tasks))
	from, best := model.TaskID(0), r.inner.Best()
	for _, i := range r.jobs {
		job := &r.js.Jobs[i]
		from += model.TaskID(copy(out[job.First:job.End], best[from:]))
	}
	return out
}

// TardinessRelaxation looks for any plan by way of the relaxation of the hard deadlines.
var TardinessRelaxation = &portfolio.Strategy{
	Name: "tardiness relaxation", Unit: "a round of lists, neighbourhoods and questions", Grows: 2, Most: 1 << 10,
	Sharing: portfolio.Copies,
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &hardByTardiness{w: w, relax: newTardinessRelaxation(w, query.HardDues(w.JS), seed)}
	},
}

type hardByTardiness struct {
	w     *portfolio.Work
	relax *tardinessRelaxation
}

// Run implements portfolio.Runner.
func (h *hardByTardiness) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	switch plan, err := h.relax.run(ctx, s.Units); {
	case err != nil:
		h.w.Fail(err)
	case plan != nil:
		h.w.Offer(h.w.Complete(plan))
	}
	return portfolio.Open
}
