package capacity

import (
	"context"
	"slices"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve"
	"downbeat/solve/budget"
	"downbeat/solve/certify"
	"downbeat/solve/event"
	"downbeat/solve/whatif"
)

// Limit is a value that an objective may not exceed.
type Limit struct {
	Objective model.Objective
	// Value ≥ 0, and at most model.MaxTime where the objective is a time.
	Value int64
}

// asker puts questions whether sets fit.
type asker struct {
	whatif.Engine
	// ctx has the limits on all questions together, caller that of who asks.
	ctx, caller context.Context
	// in keeps pieces, nil where the question is not asked in pieces, of which so many are worked
	// on side by side.
	in    Pieces
	side  int
	opt   solve.Options
	limit *Limit // nil for the hard jobs alone
	// certifies tells that a set does not fit once a checker has agreed to a proof.
	certifies bool
	// notes of solves, each once.
	notes []string
	// least is what is left out with the largest sizes, nil where that is not known, or
	// nothing may be; it is not looked for before leastRound.
	least      *leaving
	leastRound whatif.Round
}

// newAsker puts the limits of opt on all questions together. What it gives as well frees
// what they hold.
func newAsker(ctx context.Context, opt solve.Options, limit *Limit, in Pieces) (*asker, context.CancelFunc) {
	caller := ctx
	var stop context.CancelFunc
	switch {
	case opt.Budget > 0:
		ctx, stop = budget.With(ctx, opt.Budget)
	case opt.TimeLimit > 0:
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
	default:
		ctx, stop = context.WithCancel(ctx)
	}
	opt.NoConflict, opt.Relax, opt.Proof = true, false, false
	side := opt.NumWorkers()
	if opt.Workers, opt.Events = side, oneAtATime(opt.Events); in != nil {
		opt.Workers = 1
	}
	return &asker{ctx: ctx, caller: caller, in: in, side: side, opt: opt, limit: limit}, stop
}

// rounds bounds how often an edge is come back to. The last takes hours, unless
// nothing is left to be done about it.
const rounds = 9

// slice are the options for a question about a set. A single worker counts work in place
// of time, so that its answers repeat.
func (a *asker) slice(set *model.JobSet) solve.Options {
	opt := a.opt
	if opt.Budget > 0 || opt.Workers == 1 {
		opt.TimeLimit = 0
		opt.Budget = a.Round.Work(len(set.Tasks))
		return opt
	}
	opt.TimeLimit = a.Round.Time(whatif.OneOfFew)
	if end, limited := a.ctx.Deadline(); limited {
		opt.TimeLimit = max(1, min(opt.TimeLimit, time.Until(end)))
	}
	return opt
}

// pressing is the part of a set that decides whether it fits within a limit: with hard
// deadlines in place of soft ones where the limit is on a time, and without jobs that
// nothing of it depends on; in are the others. The objective is what is left to be held against
// the limit. False where a job cannot even be given such a deadline. Where plans may leave out
// jobs it is the whole set: a job without a place has no deadline, and which ones these are is
// decided by all.
func pressing(js *model.JobSet, limit *Limit) (set *model.JobSet, in []model.JobID, goal []model.Objective, possible bool) {
	if limit != nil && js.Leavable() != nil {
		return js, allJobs(js), []model.Objective{limit.Objective}, true
	}
	due, sum := query.HardDues(js), false
	if limit != nil {
		due = query.AtMost(js, limit.Objective, model.Time(limit.Value))
		sum = limit.Value > 0 && !limit.Objective.Shape().Max
	}
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		switch {
		case due[i] == model.Never:
			job.Kind, job.Deadline = model.BestEffort, 0
			continue
		case sum && job.Kind == model.Soft:
		case due[i] <= job.Release:
			return nil, nil, nil, false
		default:
			job.Kind, job.Deadline = model.Hard, due[i]-job.Release
		}
		in = append(in, model.JobID(i))
	}
	if sum {
		goal = []model.Objective{limit.Objective}
	}
	if limit != nil && (js.Horizon() < model.Never || js.Gangs()) { // with fewer slaves any job may be one that is left out
		return &out, allJobs(js), goal, true
	}
	in = out.WithBefore(in)
	return out.Subset(in), in, goal, true
}

// allJobs lists all jobs of a set.
func allJobs(js *model.JobSet) []model.JobID {
	in := make([]model.JobID, len(js.Jobs))
	for i := range in {
		in[i] = model.JobID(i)
	}
	return in
}

// answer is whether a set fits.
type answer struct {
	whatif.Answer
	// certificate is that of a solve, where proofs are asked for.
	certificate *certify.Certificate
}

// ask tells whether a set of jobs that press fits, with what is left of the limit.
func (a *asker) ask(set *model.JobSet, goal []model.Objective) (out answer, err error) {
	out.Answer, err = a.Ask(a.ctx, &whatif.Question{
		Set: set,
		Holds: func(plan model.Schedule) bool {
			return len(goal) == 0 || set.Value(goal[0], set.Finishes(plan)) <= a.limit.Value
		},
		Find: func() (whatif.Answer, error) {
			if lateAlone(a.ctx, set) {
				return whatif.Answer{Status: model.Infeasible, Proof: model.EnergyProof}, nil
			}
			if a.ctx.Err() != nil {
				return whatif.Answer{Status: model.Unknown}, nil
			}
			if repairable(set) && len(goal) == 0 && set.Leavable() == nil {
				if plan := mended(a.ctx, set, a.Newest(set)); plan != nil {
					return whatif.Answer{Status: model.Feasible, Proof: model.WitnessProof, Plan: plan}, nil
				}
			}
			res, err := a.solve(set, goal)
			if err != nil {
				return whatif.Answer{}, err
			}
			a.note(res.Notes)
			out.certificate = res.Certificate
			status, proof := a.judge(res, goal, set.Leavable() != nil)
			if status == model.Infeasible && a.certifies {
				if agreed, err := res.Certificate.Agreed(a.ctx); !agreed {
					return whatif.Answer{Status: model.Unknown}, err
				}
			}
			return whatif.Answer{Status: status, Proof: proof, Plan: res.Schedule, LeftOut: res.LeftOut}, nil
		},
	})
	return out, err
}

// solve looks for a plan, no further than it takes to tell whether there is one within
// the limit.
func (a *asker) solve(set *model.JobSet, goal []model.Objective) (*solve.Result, error) {
	ctx, enough := context.WithCancel(a.ctx)
	defer enough()
	opt := a.slice(set)
	opt.Objectives = append([]model.Objective{}, goal...)
	tell := opt.Events
	opt.Events = func(p event.Event) {
		if tell != nil && (p.Kind == event.Phase || p.Kind == event.Strategy) {
			tell(event.Event{Kind: p.Kind, Elapsed: p.Elapsed, Phase: p.Phase, Slice: p.Slice}) // values are those of another set
		}
		if len(goal) == 0 || !p.HavePlan {
			return
		}
		if v := p.Objectives[0]; set.Leavable() == nil && (v.Value <= a.limit.Value || v.Bound != nil && *v.Bound > a.limit.Value) {
			enough() // else that is of one choice of jobs to leave out
		}
	}
	if repairable(set) {
		opt.From = a.Newest(set)
	}
	return solve.Plan(ctx, set, opt)
}

// judge holds a result against the limit; leaves tells that plans of its set may leave out jobs.
func (a *asker) judge(res *solve.Result, goal []model.Objective, leaves bool) (model.Status, model.Proof) {
	switch {
	case res.Status == model.Infeasible:
		return model.Infeasible, res.Proof
	case res.Schedule == nil:
		return model.Unknown, model.NoProof
	case len(goal) == 0:
		return model.Feasible, model.WitnessProof
	case leaves:
		return a.judgeLeaving(res)
	case res.Objectives[0].Value <= a.limit.Value:
		return model.Feasible, model.WitnessProof
	case res.Objectives[0].Bound != nil && *res.Objectives[0].Bound > a.limit.Value:
		return model.Infeasible, res.Proof
	default:
		return model.Unknown, model.NoProof
	}
}

// repairable reports whether plans of other sets are repaired for this one.
func repairable(set *model.JobSet) bool { return len(set.Tasks)*len(set.Slaves) <= mostPairs }

// mended is a plan, nil for none, repaired for a set: nil where that does not meet the hard deadlines, or takes too long.
func mended(ctx context.Context, set *model.JobSet, plan model.Schedule) model.Schedule {
	if plan == nil {
		return nil
	}
	plan = heuristics.NewFigures(set).Repair(ctx, plan)
	if plan == nil || !check.Schedule(set, plan, false).OK() {
		return nil
	}
	return plan
}

// mostPairs is the number of tasks times slaves up to which windows are looked at, and other
// plans repaired: of larger sets one is constructed in less time than repaired.
const mostPairs = 4_000_000

// lateAlone reports whether some hard job is late even alone on the cluster, by an
// argument that separate code has checked. A set that takes long is looked at until ctx ends.
func lateAlone(ctx context.Context, js *model.JobSet) bool {
	if len(js.Tasks)*len(js.Slaves) > mostPairs {
		return false
	}
	if !whatif.TakesLong(len(js.Tasks), int64(len(js.Slaves)), int64(window.Absences(js))) {
		ctx = context.WithoutCancel(ctx)
	}
	due := query.HardDues(js)
	w := window.ByJobUntil(ctx, js, due)
	if w == nil {
		return false
	}
	for _, id := range w.Late {
		sh := proof.Overload{
			Jobs: []model.JobID{id}, Resource: proof.CriticalPath, Need: int64(w.CriticalPath[id]), Have: int64(due[id]),
		}
		if inference.Overload(js, due, &sh) == nil {
			return true
		}
	}
	return false
}
