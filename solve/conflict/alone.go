package conflict

import (
	"context"
	"errors"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/window"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
)

// Alone is a hard job that cannot meet its deadline even if it has the cluster to itself,
// but for jobs that it comes after, the deadlines of which do not count.
type Alone struct {
	Job model.JobID
	// After are jobs that it comes after, without any one of which it would fit; nil
	// where it does not fit without all of them.
	After []model.JobID
	// Earliest is a proved lower bound on its finish in such plans, absolute, later than
	// it is due. Exact tells that a plan attains it.
	Earliest model.Time
	Exact    bool
	// Path are stages, each of which waits for the one before, that end at their earliest
	// finishes: the critical path.
	Path []Step
}

// Step is a stage of a critical path, and the earliest time at which it can end if nothing
// else takes room from it.
type Step struct {
	Job   model.JobID
	Stage int32
	Ends  model.Time
}

// allAlone tries all hard jobs of which no plan known has them in time.
func (x *analyst) allAlone(ctx context.Context) {
	candidates := x.hard
	if x.opt.Late != nil {
		candidates = x.opt.Late
	}
	x.beside(ctx, len(candidates), func(k int) func(context.Context) {
		return func(ctx context.Context) { x.prepareAlone(ctx, candidates[k]) }
	}, func(k int) bool {
		switch {
		case x.err != nil:
			return false
		case ctx.Err() != nil:
			x.out.AllTried = false
			return false
		}
		x.alone(budget.Part(ctx, len(candidates)-k), candidates[k])
		return true
	})
	slices.SortFunc(x.out.Alone, func(a, b Alone) int { return int(a.Job - b.Job) })
}

// alone tries one job.
func (x *analyst) alone(ctx context.Context, i model.JobID) {
	var refuted *incumbent.Incumbent // the last one, which is of the jobs that are left in the end
	jobs, a := x.needed(i, func(jobs []model.JobID) answer {
		w := x.settle(ctx, i, jobs)
		if w.Refuted() != nil {
			refuted = w
		}
		return answerOf(w)
	})
	switch a {
	case fit:
		return
	case unknown:
		x.out.AllTried = false
		return
	}
	out := Alone{Job: i, After: without(jobs, []model.JobID{i}), Path: criticalPath(x.only(i, jobs), jobs)}
	ends := out.Path[len(out.Path)-1].Ends
	if x.err = tooLong(x.only(i, jobs), model.JobID(slices.Index(jobs, i)), ends); x.err != nil {
		return
	}
	out.Earliest = max(x.js.Jobs[i].Due()+1, ends)
	if x.clash(ctx, i, jobs, refuted); x.err != nil {
		return
	}
	switch l, err := x.ahead.late.Ask(ctx, x.key(jobs, i), x.lateness(i, jobs)); {
	case err != nil:
		x.err = err
	case l.ok && l.late == 0:
		x.err = errors.New("a job was proved to be late alone, and a plan found in which it is not")
	case l.ok:
		out.Earliest = max(out.Earliest, x.js.Jobs[i].Due()+model.Time(l.bound))
		out.Exact = out.Earliest == x.js.Jobs[i].Due()+model.Time(l.late)
	}
	x.out.Alone = append(x.out.Alone, out)
}

// clash adds the conflict that a job which is late after some is with them, as w has refuted it. Where these are hard, too, their
// deadlines count, and it is found anew.
func (x *analyst) clash(ctx context.Context, i model.JobID, jobs []model.JobID, w *incumbent.Incumbent) {
	if hard := x.hardOf(jobs); len(hard) > 1 {
		x.ask(ctx, hard)
		return
	}
	x.explain(ctx, w, x.only(i, jobs), jobs)
}

// tooLong has other code work out when a job of sub ends at the earliest on an empty cluster, and is an error where that is not so.
func tooLong(sub *model.JobSet, i model.JobID, ends model.Time) error {
	due := slices.Repeat([]model.Time{model.Never}, len(sub.Jobs))
	due[i] = ends - 1
	return inference.Overload(sub, due, &proof.Overload{Jobs: []model.JobID{i}, Resource: proof.CriticalPath, Need: int64(ends), Have: int64(ends - 1)})
}

// needed are the jobs that job i comes after without any one of which it would not be late, and
// itself, where it is late after all of them; settle tells whether it is after some.
func (x *analyst) needed(i model.JobID, settle func(jobs []model.JobID) answer) ([]model.JobID, answer) {
	jobs := x.js.WithBefore([]model.JobID{i})
	if a := settle(jobs); a != infeasible {
		return nil, a
	}
	for _, k := range slices.Clone(jobs) {
		if rest := without(jobs, []model.JobID{k}); k != i && settle(rest) == infeasible {
			jobs = rest
		}
	}
	return jobs, infeasible
}

// settle looks for a plan in which job i is in time if only some jobs are there and no other has a
// deadline.
func (x *analyst) settle(ctx context.Context, i model.JobID, jobs []model.JobID) *incumbent.Incumbent {
	w, _ := x.ahead.found.Ask(ctx, x.key(jobs, i), x.finding(x.only(i, jobs)))
	if w.Err() != nil {
		x.err = w.Err()
	}
	return w
}

// answerOf is the answer that a search has come to.
func answerOf(w *incumbent.Incumbent) answer {
	switch {
	case w.Err() != nil:
	case w.Best() != nil:
		return fit
	case w.Refuted() != nil:
		return infeasible
	}
	return unknown
}

// only is the set with some jobs and no deadline but that of job i.
func (x *analyst) only(i model.JobID, jobs []model.JobID) *model.JobSet {
	sub := x.js.Subset(jobs)
	for k := range sub.Jobs {
		if jobs[k] != i {
			sub.Jobs[k].Kind, sub.Jobs[k].Deadline = model.BestEffort, 0
		}
	}
	return sub
}

// eased is that set with a soft deadline.
func (x *analyst) eased(i model.JobID, jobs []model.JobID) *model.JobSet {
	sub := x.only(i, jobs)
	sub.Jobs[slices.Index(jobs, i)].Kind = model.Soft
	return sub
}

// criticalPath leads to the stage of sub's job with a deadline that ends last; jobs are its
// numbers in the whole.
func criticalPath(sub *model.JobSet, jobs []model.JobID) []Step {
	due := make([]model.Time, len(sub.Jobs))
	for k := range due {
		due[k] = model.Never
	}
	windows := window.Compute(sub, due)
	ends := func(id model.StageID) model.Time {
		stage, last := stageOf(sub, id), model.Time(0)
		for t := stage.First; t < stage.End; t++ {
			last = max(last, windows.Tasks[t].FirstFinish)
		}
		return last
	}
	latest := func(stages []model.StageID) model.StageID {
		return slices.MaxFunc(stages, func(a, b model.StageID) int { return int(ends(a) - ends(b)) })
	}
	var path []Step
	for k := range sub.Jobs {
		if sub.Jobs[k].Kind == model.BestEffort {
			continue
		}
		for at := latest(sub.Jobs[k].Ends()); ; at = latest(sub.Before(at)) {
			_, job := sub.Stage(at)
			path = append(path, Step{Job: jobs[job], Stage: int32(at - sub.Jobs[job].FirstStage), Ends: ends(at)})
			if len(sub.Before(at)) == 0 {
				break
			}
		}
	}
	slices.Reverse(path)
	return path
}

func stageOf(js *model.JobSet, id model.StageID) *model.Stage {
	stage, _ := js.Stage(id)
	return stage
}
