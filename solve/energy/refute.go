package energy

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
)

// maxSteps bounds the work of one Refute, about 0.3 s. The intervals tried are
// thinned and subsets left out beyond it.
const maxSteps = 1 << 25

// Refute finds a counting argument that the jobs cannot all finish by the
// absolute times due (one per job, model.Never for none), or nil if it knows
// of none. w must be window.ByJob(js, due), or window.TogetherUntil of them: then jobs are named, too, that press those that they come after. The argument found has the
// greatest overload of need over supply; its jobs are then cut down to as few as
// keep the need above the supply.
//
// Refute never refutes times that a valid schedule meets. That it finds
// nothing means nothing.
func Refute(js *model.JobSet, due []model.Time, w *window.Windows) *proof.Overload {
	sh, _, _ := refute(context.Background(), js, due, w, false, nil)
	return sh
}

// refute is Refute that also tells what it cost, in steps. It finds nothing where ctx ends,
// or has ended so that w is nil. Where idle is set, arguments count what is idle for the first fetches. It passes over
// subsets and resources in spared, and lists those that have no overload in any interval.
func refute(ctx context.Context, js *model.JobSet, due []model.Time, w *window.Windows, idle bool, spared map[string]bool) (sh *proof.Overload, none []string, steps int) {
	if w == nil {
		return nil, nil, 0
	}
	if len(w.Late) > 0 {
		return latest(due, w), nil, 1
	}
	p := newProblem(ctx, js, due, w)
	p.countsIdle = idle
	type found struct {
		g        subset
		r        proof.Resource
		shared   model.SharedID
		iv       model.Interval
		overload int64
	}
	var best found
	left := maxSteps
	better := func(overload int64, iv model.Interval) bool {
		return overload > best.overload || overload == best.overload && overload > 0 && iv.Len() < best.iv.Len()
	}
	for _, g := range p.subsets() {
		for _, r := range p.counted {
			if left <= 0 || ctx.Err() != nil {
				break
			}
			key := g.slaves.key() + string(rune(r))
			if spared[key] {
				continue
			}
			s := p.sweeper(g, r)
			iv, overload := s.most(ctx, left/4)
			if overload <= 0 && s.isWhole(left/4) {
				none = append(none, key)
			}
			left -= min(left/4, 2*s.steps(2*len(s.groups)))
			if better(overload, iv) {
				best = found{g: g, r: r, iv: iv, overload: overload}
			}
		}
	}
	limits := maxSteps
	for k := range p.limits {
		if limits <= 0 || ctx.Err() != nil {
			break
		}
		iv, overload, spent := p.short(ctx, &p.limits[k], limits/4)
		limits -= spent
		if better(overload, iv) {
			best = found{r: proof.SharedTicks, shared: p.limits[k].id, iv: iv, overload: overload}
		}
	}
	switch {
	case best.overload <= 0 || ctx.Err() != nil:
	case best.r == proof.SharedTicks:
		sh = p.tightenLimit(best.shared, best.iv)
	default:
		sh = p.tighten(best.g.slaves, best.r, best.iv)
	}
	if sh != nil {
		sh.Jobs = withPressing(js, sh.Jobs, due, w)
	}
	return sh, none, 2*maxSteps - left - limits
}

// Infeasible is a counting argument that the hard jobs cannot all meet their
// deadlines, or nil if Refute knows of none. Of sets too large for windows it
// looks at critical paths only. It looks as long as ctx lasts, at small sets in any case.
func Infeasible(ctx context.Context, js *model.JobSet) *proof.Overload {
	if pairs(js) > maxPairs {
		return lateAlone(js, criticalPaths(ctx, js))
	}
	ctx = unhurried(ctx, js)
	due := query.HardDues(js)
	sh, _, _ := refute(ctx, js, due, window.TogetherUntil(ctx, js, due), false, nil)
	return sh
}

// latest is the overload of the job that is late alone by the most.
func latest(due []model.Time, w *window.Windows) *proof.Overload {
	worst := slices.MaxFunc(w.Late, func(a, b model.JobID) int {
		return cmp.Compare(w.CriticalPath[a]-due[a], w.CriticalPath[b]-due[b])
	})
	return criticalPath(worst, w.CriticalPath[worst], due[worst])
}

// criticalPath is the overload of a job that alone needs until end and is due
// before.
func criticalPath(i model.JobID, end, due model.Time) *proof.Overload {
	return &proof.Overload{
		Jobs: []model.JobID{i}, Resource: proof.CriticalPath, Need: int64(end), Have: int64(due),
	}
}

// withPressing are jobs, ascending, and those that press them, in turn, so that all these have their windows by each other alone.
func withPressing(js *model.JobSet, jobs []model.JobID, due []model.Time, w *window.Windows) []model.JobID {
	if !js.JobsLinked() {
		return jobs
	}
	in := make([]bool, len(js.Jobs))
	for _, i := range jobs {
		in[i] = true
	}
	all := slices.Clone(jobs)
	for k := 0; k < len(all); k++ {
		i := all[k]
		for n := range js.Jobs[i].Stages {
			if by, until := w.Pressing(js.Jobs[i].FirstStage + model.StageID(n)); until < due[i] && !in[by] {
				in[by] = true
				all = append(all, by)
			}
		}
	}
	slices.Sort(all)
	return all
}

// part is what one job needs of a resource, or of a limit, inside an interval.
type part struct {
	job    model.JobID
	need   int64
	slaves mask // of its tasks that need any, of a resource
}

// tighten makes a overload of what the tasks confined to the given slaves need
// inside iv, leaving out the jobs with the least need while the rest is still
// too much, and slaves that none of the rest can use.
func (p *problem) tighten(slaves mask, r proof.Resource, iv model.Interval) *proof.Overload {
	parts, need := byNeed(p.parts(slaves, r, iv))
	for {
		have := p.supply(slaves, r, iv)
		parts, need = fewest(parts, need, have-p.idle(jobsOf(parts), slaves, r, iv))
		used := newMask(len(p.js.Slaves))
		for _, part := range parts {
			used.addAll(part.slaves)
		}
		if slaves.within(used) {
			jobs := jobsOf(parts)
			return &proof.Overload{
				Jobs: jobs, Slaves: slaves.slaves(len(p.js.Slaves)),
				Resource: r, Interval: iv, Need: need, Have: have, Idle: p.idle(jobs, slaves, r, iv),
			}
		}
		slaves = used
	}
}

// byNeed sorts parts, those with the greatest need first, and adds their needs up.
func byNeed(parts []part) (sorted []part, need int64) {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.need, a.need) })
	for _, part := range parts {
		need += part.need
	}
	return parts, need
}

// fewest leaves out the last parts as long as the rest needs more than there is.
func fewest(parts []part, need, have int64) ([]part, int64) {
	for last := len(parts) - 1; last > 0 && need-parts[last].need > have; last-- {
		need -= parts[last].need
		parts = parts[:last]
	}
	return parts, need
}

// jobsOf are those of parts, ascending.
func jobsOf(parts []part) []model.JobID {
	out := make([]model.JobID, len(parts))
	for k, part := range parts {
		out[k] = part.job
	}
	slices.Sort(out)
	return out
}

// parts lists the jobs with tasks that are confined to the given slaves and
// need some of r inside iv.
func (p *problem) parts(slaves mask, r proof.Resource, iv model.Interval) []part {
	var out []part
	for i := range p.tasks {
		task := &p.tasks[i]
		of := &p.js.Tasks[task.id]
		it, units := task.of(r)
		need := int64(it.inside(iv)) * units
		if need == 0 || !p.sets[task.set].within(slaves) {
			continue
		}
		if len(out) == 0 || out[len(out)-1].job != of.Job {
			out = append(out, part{job: of.Job, slaves: newMask(len(p.js.Slaves))})
		}
		last := &out[len(out)-1]
		last.need += need
		last.slaves.addAll(p.sets[task.set])
	}
	return out
}
