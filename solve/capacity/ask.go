package capacity

import (
	"context"
	"slices"
	"time"

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

// asker puts questions whether sets fit, and keeps the plans that answer them.
type asker struct {
	ctx   context.Context
	opt   solve.Options
	limit *Limit // nil for the hard jobs alone
	// round says how long a question may take.
	round int
	plans []witness // the newest last
	// notes of solves, each once.
	notes []string
	// least is what is left out with the largest sizes, nil where that is not known, or
	// nothing may be; it is not looked for before leastRound.
	least      *leaving
	leastRound int
}

// witness is a plan, and the set that it was found for.
type witness struct {
	set  *model.JobSet
	plan model.Schedule
}

// mostPlans is how many plans are kept: the newest, and the first of all.
const mostPlans = 12

// newAsker puts the limits of opt on all questions together. What it gives as well frees
// what they hold.
func newAsker(ctx context.Context, opt solve.Options, limit *Limit) (*asker, context.CancelFunc) {
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
	return &asker{ctx: ctx, opt: opt, limit: limit}, stop
}

// rounds bounds how often an edge is come back to: questions may take a quarter of a
// second at first, and four times as long in each round. The last takes hours, unless
// nothing is left to be done about it.
const rounds = 9

const firstSlice = 250 * time.Millisecond

// slice are the options for a question about a set. A single worker counts work in place
// of time, so that its answers repeat.
func (a *asker) slice(set *model.JobSet) solve.Options {
	opt := a.opt
	if opt.Budget > 0 || opt.Workers == 1 {
		opt.TimeLimit = 0
		opt.Budget = whatif.Work(len(set.Tasks), a.round)
		return opt
	}
	opt.TimeLimit = firstSlice << (2 * a.round)
	if end, limited := a.ctx.Deadline(); limited {
		opt.TimeLimit = max(1, min(opt.TimeLimit, time.Until(end)))
	}
	return opt
}

// pressing is the part of a set that decides whether it fits within a limit: with hard
// deadlines in place of soft ones where the limit is on a time, and without jobs that
// nothing of it hangs on; in are the others. The objective is what is left to be held against
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
		sum = limit.Value > 0 && (limit.Objective == model.Misses || limit.Objective == model.WeightedTardiness)
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
	if limit != nil && js.AnyGone() { // with fewer slaves any job may be one that is left out
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

// mostHurried is the number of tasks times slaves, and of absences, up to which what is known
// at once is looked at after the limit too: it takes milliseconds.
const mostHurried = 100_000

// over reports whether it is too late to begin with a set.
func (a *asker) over(set *model.JobSet) bool {
	return a.ctx.Err() != nil && long(len(set.Tasks), int64(len(set.Slaves)), int64(window.Absences(set)))
}

// long reports whether looking at a set of so many tasks, slaves and absences takes longer
// than milliseconds.
func long(tasks int, slaves, absences int64) bool {
	return int64(tasks)*slaves+absences > mostHurried
}

// answer is whether a set fits.
type answer struct {
	status model.Status // Feasible, Infeasible or Unknown
	proof  model.Proof
	plan   model.Schedule // where it fits
	// certificate is that of a solve, where proofs are asked for.
	certificate *certify.Certificate
}

// ask tells whether a set of jobs that press fits, with what is left of the limit.
func (a *asker) ask(set *model.JobSet, goal []model.Objective) (answer, error) {
	if a.over(set) {
		return answer{status: model.Unknown}, nil
	}
	if plan := a.known(set, goal); plan != nil {
		return answer{status: model.Feasible, proof: model.WitnessProof, plan: plan}, nil
	}
	if lateAlone(a.ctx, set) {
		return answer{status: model.Infeasible, proof: model.EnergyProof}, nil
	}
	if a.ctx.Err() != nil {
		return answer{status: model.Unknown}, nil
	}
	res, err := a.solve(set, goal)
	if err != nil {
		return answer{}, err
	}
	for _, n := range res.Notes {
		if !slices.Contains(a.notes, n) {
			a.notes = append(a.notes, n)
		}
	}
	out := answer{plan: res.Schedule, certificate: res.Certificate}
	if out.status, out.proof = a.judge(res, goal, set.Leavable() != nil); out.status == model.Feasible && len(res.LeftOut) == 0 {
		a.keep(set, res.Schedule)
	}
	return out, nil
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
	if n := len(a.plans); n > 0 && len(set.Tasks)*len(set.Slaves) <= mostPairs {
		opt.From = a.plans[n-1].on(set)
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

// known is a plan for the set that there is already, nil if none of them does.
func (a *asker) known(set *model.JobSet, goal []model.Objective) model.Schedule {
	for _, w := range slices.Backward(a.plans) {
		plan := w.on(set)
		if a.over(set) {
			return nil
		}
		if plan == nil || !plan.Complete() || len(goal) > 0 && set.Value(goal[0], set.Finishes(plan)) > a.limit.Value {
			continue
		}
		if check.Schedule(set, plan, false).OK() {
			return plan
		}
	}
	return nil
}

// keep remembers a plan.
func (a *asker) keep(set *model.JobSet, plan model.Schedule) {
	if len(a.plans) == mostPlans {
		a.plans = slices.Delete(a.plans, 1, 2)
	}
	a.plans = append(a.plans, witness{set, plan})
}

// on is the plan for a set with the same tasks and perhaps other slaves, which go by
// name; tasks of those that it does not have are not placed. It is nil where the set has other
// tasks, as with fewer slaves jobs may be left out.
func (w *witness) on(set *model.JobSet) model.Schedule {
	if len(w.plan) != len(set.Tasks) {
		return nil
	}
	number := make(map[string]model.SlaveID, len(set.Slaves))
	for s := range set.Slaves {
		number[set.Slaves[s].Name] = model.SlaveID(s)
	}
	plan := slices.Clone(w.plan)
	for t := range plan {
		s, there := number[w.set.Slaves[plan[t].Slave].Name]
		if !there || !set.Tasks[t].Eligible(s) {
			s = model.NoSlave
		}
		plan[t].Slave = s
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
	if !long(len(js.Tasks), int64(len(js.Slaves)), int64(window.Absences(js))) {
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
