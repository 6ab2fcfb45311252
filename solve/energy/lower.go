package energy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
)

// maxTotalSteps bounds the work of one lower bound, about 3 s; what is proved
// by then is returned.
const maxTotalSteps = 1 << 28

// prover asks for refutations until its work or its context ends.
type prover struct {
	ctx context.Context
	js  *model.JobSet
	// steps are left.
	steps int
	// longest is the critical path of each job.
	longest []model.Time
	// spared are subsets and resources that had no overload at a value that this climb has refuted, none those that had none at the last: at
	// greater values, where windows are no shorter, they have none either. Of 100 machines one or two are left after the first value.
	spared map[string]bool
	none   []string
	// idle tells that arguments count what stands idle for the first fetches; pressing that jobs press those that they come after, which
	// such arguments do not know, nor those that become cuts, but for charges.
	idle, pressing bool
}

// maxPairs is the number of pairs of task and slave above which no windows are
// kept, 16 bytes each: critical paths are then the only arguments.
const maxPairs = 20_000_000

func pairs(js *model.JobSet) int { return len(js.Tasks) * len(js.Slaves) }

func newProver(ctx context.Context, js *model.JobSet) *prover {
	p := &prover{ctx: ctx, js: js, steps: maxTotalSteps, longest: criticalPaths(ctx, js), pressing: true}
	if pairs(js) > maxPairs {
		p.steps = 0
	}
	return p
}

// criticalPaths are those of the jobs. Where ctx ends before a large set is done, the
// rest is 0.
func criticalPaths(ctx context.Context, js *model.JobSet) []model.Time {
	return window.CriticalPaths(unhurried(ctx, js), js)
}

// mostUnhurried is the number of pairs of task and slave, and of absences, up to which what is known at once
// is looked at whether or not ctx has ended: it takes milliseconds.
const mostUnhurried = 100_000

// unhurried is ctx, without its end where the set is small.
func unhurried(ctx context.Context, js *model.JobSet) context.Context {
	if pairs(js)+window.Absences(js) <= mostUnhurried {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// refute is nil also if there is no more time.
func (p *prover) refute(due []model.Time) *proof.Overload {
	if p.steps <= 0 || p.ctx.Err() != nil {
		return nil
	}
	windows := window.ByJobUntil
	if p.pressing {
		windows = window.TogetherUntil
	}
	sh, none, steps := refute(p.ctx, p.js, due, windows(p.ctx, p.js, due), p.idle, p.spared)
	p.none = none
	p.steps -= steps + len(p.js.Tasks)*len(p.js.Slaves)
	return sh
}

// refuteSoft is refute for claims about soft jobs: an argument on hard jobs
// alone, which feasible may have overlooked, is not what is asked for. It names no soft jobs but some of those given: where others,
// which are pressed without being due, would be named, no job presses another.
func (p *prover) refuteSoft(among []model.JobID, due []model.Time) *proof.Overload {
	sh := p.refute(due)
	if p.pressing && sh != nil && len(without(proof.SoftOf(p.js, sh.Jobs), among)) > 0 {
		p.pressing = false
		sh = p.refute(due)
		p.pressing = true
	}
	if sh == nil || len(proof.SoftOf(p.js, sh.Jobs)) == 0 {
		return nil
	}
	return sh
}

// secondStep is the part of a value that climb's second step is, after one of a tick: of large sets a test takes tenths of a second.
const secondStep = 256

// climb is [climb] by tests of which each is about windows that are no shorter the greater the value.
func (p *prover) climb(from model.Time, test func(v model.Time) *proof.Overload) (v model.Time, sh *proof.Overload) {
	p.spared = map[string]bool{}
	defer func() { p.spared = nil }()
	return climb(from, func(v model.Time) *proof.Overload {
		p.none = nil
		sh := test(v)
		if sh != nil {
			for _, key := range p.none {
				p.spared[key] = true
			}
		}
		return sh
	})
}

// mostGrace is the largest value that climb asks about: what is refuted with it has most likely no plan at all.
const mostGrace = 2 * model.MaxTime

// climb looks for the largest v at which test finds a overload, from v = from
// upwards, by steps that double, and halfway between then. nil: not even at from.
func climb(from model.Time, test func(v model.Time) *proof.Overload) (v model.Time, sh *proof.Overload) {
	sh = test(from)
	if sh == nil {
		return 0, nil
	}
	v = from
	none := mostGrace + 1
	for step := model.Time(1); v+step < none; step = max(2*step, from/secondStep) {
		higher := test(v + step)
		if higher == nil {
			none = v + step
			break
		}
		v, sh = v+step, higher
	}
	for none-v > 1 {
		at := v + (none-v)/2
		if higher := test(at); higher != nil {
			v, sh = at, higher
		} else {
			none = at
		}
	}
	return v, sh
}

// alone is the largest lateness of job i that its critical path proves, and
// the overload that does if that is positive: it refutes one tick less.
func (p *prover) alone(i model.JobID) (late model.Time, sh *proof.Overload) {
	late = p.js.Jobs[i].Late(p.longest[i])
	if late == 0 {
		return 0, nil
	}
	return late, criticalPath(i, p.longest[i], p.longest[i]-1)
}

// soft lists the soft jobs.
func (p *prover) soft() []model.JobID {
	all := make([]model.JobID, len(p.js.Jobs))
	for i := range all {
		all[i] = model.JobID(i)
	}
	return proof.SoftOf(p.js, all)
}

// feasible reports that no argument is known against the hard deadlines. Where
// there is one, bounds on objectives mean nothing and are given as 0.
func (p *prover) feasible() bool {
	return lateAlone(p.js, p.longest) == nil && p.refute(query.HardDues(p.js)) == nil
}

// lateAlone is the overload of the first hard job whose critical path is too
// long, or nil.
func lateAlone(js *model.JobSet, longest []model.Time) *proof.Overload {
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind == model.Hard && longest[i] > job.Due() {
			return criticalPath(model.JobID(i), longest[i], job.Due())
		}
	}
	return nil
}

// Tardiness is a lower bound on the largest lateness of a soft job, by the
// largest grace for all soft jobs that Refute still refutes. It is 0 with an
// empty certificate if the hard deadlines are refuted themselves. When ctx ends
// it returns what is proved by then.
func Tardiness(ctx context.Context, js *model.JobSet) (int64, *proof.EnergyBound) {
	c := &proof.EnergyBound{Objective: model.Tardiness}
	p := newProver(ctx, js)
	if !p.feasible() {
		return 0, c
	}
	from := model.Time(0)
	var alone *proof.Overload
	soft := p.soft()
	for _, i := range soft {
		if late, sh := p.alone(i); late-1 >= from {
			from, alone = late-1, sh
		}
	}
	grace, sh := p.climb(from, func(v model.Time) *proof.Overload { return p.refuteSoft(soft, query.AtMost(js, model.Tardiness, v)) })
	if sh == nil && alone != nil {
		grace, sh = from, alone
	}
	if sh != nil {
		c.Value = int64(grace) + 1
		c.Add(sh, grace)
	}
	return c.Value, c
}

// Makespan is a lower bound on the last finish of all jobs, hard ones in time.
// It is 0 with an empty certificate if the hard deadlines are refuted
// themselves. When ctx ends it returns what is proved by then.
func Makespan(ctx context.Context, js *model.JobSet) (int64, *proof.EnergyBound) {
	c := &proof.EnergyBound{Objective: model.Makespan}
	p := newProver(ctx, js)
	if len(js.Jobs) == 0 || !p.feasible() {
		return 0, c
	}
	last := slices.Index(p.longest, slices.Max(p.longest))
	from := max(0, p.longest[last]-1)
	refuted := func(v model.Time) *proof.Overload { return p.refute(query.AtMost(js, model.Makespan, v)) }
	end, sh := model.Time(0), (*proof.Overload)(nil)
	if busy := p.busiest() - 1; busy > from {
		end, sh = p.climb(busy, refuted)
	}
	if sh == nil {
		end, sh = p.climb(from, refuted)
	}
	if sh == nil && p.longest[last] > 0 {
		end, sh = from, criticalPath(model.JobID(last), p.longest[last], from)
	}
	if sh != nil {
		c.Value = int64(end) + 1
		c.Add(sh, 0)
	}
	return c.Value, c
}

// busiest is by when a slave has ended what it alone can run, at the earliest, and what comes before the first of this and after the last is done, or all slaves together
// have run all tasks: close to the bound of large sets, of which few values are asked about. It is 0 where nothing is asked.
func (p *prover) busiest() (end model.Time) {
	js := p.js
	if p.steps <= 0 {
		return 0
	}
	last := slices.Max(p.longest)
	w := window.ByJobUntil(p.ctx, js, query.AtMost(js, model.Makespan, last))
	if w == nil {
		return 0
	}
	work, all := make([]model.Time, len(js.Slaves)), model.Time(0)
	before, after := slices.Repeat([]model.Time{model.Never}, len(work)), slices.Repeat([]model.Time{model.Never}, len(work))
	for t := range js.Tasks {
		if t%1024 == 0 && p.ctx.Err() != nil {
			return 0
		}
		task := &js.Tasks[t]
		only, places, least := model.NoSlave, 0, model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if task.Eligible(s) {
				only, least = s, min(least, task.WCET(s))
				places++
			}
		}
		if places > 0 {
			all += least * model.Time(task.Cores())
		}
		if places == 1 && !w.IsLate(task.Job) {
			span := w.Span(model.TaskID(t), only)
			work[only] += task.WCET(only) * model.Time(task.Cores())
			before[only], after[only] = min(before[only], span.FirstFetch+task.Transfer(only)), min(after[only], last-span.LastStart-task.WCET(only))
		}
	}
	cores := model.Time(0)
	for s := range work {
		cores += model.Time(js.Slaves[s].Cores)
		if work[s] > 0 {
			end = max(end, before[s]+work[s]/model.Time(js.Slaves[s].Cores)+after[s])
		}
	}
	return max(end, all/max(1, cores)) // there may be no slaves
}

// WeightedTardiness is a lower bound on Σ ω_i · late_i. Each soft job starts
// from a floor, how late it is alone. Then sets of soft jobs are sought that
// cannot all stay at their floors: a single job gets a higher floor, sets of
// several must be disjoint to be added up. The bound is 0 with an empty
// certificate if the hard deadlines are refuted themselves. When ctx ends it
// returns what is proved by then, and also when soft jobs have no plan however late they may be.
func WeightedTardiness(ctx context.Context, js *model.JobSet) (int64, *proof.EnergyBound) {
	c := &proof.EnergyBound{Objective: model.WeightedTardiness}
	p := newProver(ctx, js)
	if !p.feasible() {
		return 0, c
	}
	floors := make([]model.Time, len(js.Jobs))
	left := p.soft()
	for _, i := range left {
		if late, sh := p.alone(i); sh != nil {
			c.Add(sh, late-1)
			c.Value += js.Jobs[i].Weight * int64(late)
			floors[i] = late
		}
	}
	for {
		core, _ := p.core(left, floors)
		grace, sh := p.climb(0, func(v model.Time) *proof.Overload { return p.refuteSoft(core, p.dues(core, floors, v)) })
		if sh == nil {
			return c.Value, c
		}
		noPlan := grace == mostGrace
		core = proof.SoftOf(js, sh.Jobs)
		c.Value += lightest(js, core) * int64(grace+1)
		if len(core) == 1 {
			grace += floors[core[0]]
			floors[core[0]] = grace + 1
		} else {
			left = without(left, core)
		}
		if c.Add(sh, grace); noPlan {
			return c.Value, c
		}
	}
}

// lightest is the least weight among jobs.
func lightest(js *model.JobSet, jobs []model.JobID) int64 {
	least := js.Jobs[jobs[0]].Weight
	for _, i := range jobs {
		least = min(least, js.Jobs[i].Weight)
	}
	return least
}
