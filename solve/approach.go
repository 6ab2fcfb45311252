package solve

import (
	"context"

	"downbeat/model"
)

// approach looks for a plan in which given jobs are in time, by way of plans in
// which the latest of them is less and less late. Each is a start for the next,
// where the question for a plan without lateness has nothing to start from.
type approach struct {
	js   *model.JobSet
	jobs []model.JobID
	// inner minimises the lateness of the jobs, by themselves.
	inner *search
	near  *neighbours
	pr    *prober
	round uint64
}

// newApproach prepares the search for a plan in which the jobs of s finish by due
// (absolute); those due Never are left out.
func newApproach(s *search, due []model.Time) *approach {
	a := &approach{js: s.js}
	for i := range due {
		if due[i] < model.Never {
			a.jobs = append(a.jobs, model.JobID(i))
		}
	}
	sub := s.js.Subset(a.jobs)
	for k, i := range a.jobs {
		job := &sub.Jobs[k]
		job.Kind, job.Weight, job.Deadline = model.Soft, 1, due[i]-job.Release
	}
	opt := s.opt
	opt.Progress, opt.From, opt.Relax, opt.Workers = nil, nil, false, 1
	a.inner = newSearch(sub, []model.Objective{model.Tardiness}, opt, s.started)
	a.near = newNeighbours(a.inner, 0, opt.Seed)
	a.pr = newProber(a.inner, opt.Seed, 0)
	a.pr.mostLooks, a.pr.noFormulas = approachLooks, true
	return a
}

// run goes on for a number of rounds: list scheduling, neighbourhoods, and the
// question for less lateness. It returns a schedule with all jobs in time and the
// others without places, or nil; the error is an internal one.
func (a *approach) run(ctx context.Context, rounds int) (model.Schedule, error) {
	s := a.inner
	for ; rounds > 0 && ctx.Err() == nil && !s.failed() && !a.there(); rounds-- {
		s.heuristic(ctx, s.opt.Seed+a.round, polish(s.js)/approachPart)
		a.near.improve(ctx, neighbourRounds/approachPart)
		a.pr.dig(ctx, 0, 0)
		a.round++
	}
	if s.err != nil || !a.there() {
		return nil, s.err
	}
	return a.whole(), nil
}

// approachLooks is what package lcg is given to answer a question.
const approachLooks = 16

// approachPart makes a round a part of what others do between two questions.
const approachPart = 4

// there reports whether no job is late.
func (a *approach) there() bool {
	return a.inner.havePlan() && a.inner.values[0] == 0
}

// whole is the plan of the inner search as one of the whole set.
func (a *approach) whole() model.Schedule {
	out := model.NewSchedule(len(a.js.Tasks))
	from := model.TaskID(0)
	for _, i := range a.jobs {
		job := &a.js.Jobs[i]
		from += model.TaskID(copy(out[job.First:job.End], a.inner.best[from:]))
	}
	return out
}
