package energy

import (
	"context"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/window"
)

// Fewest is a counting argument of few jobs that the hard ones cannot all meet their deadlines, where [Infeasible] seeks the
// greatest overload: people are told of it. It is nil where none is found, or jobs are late alone. Of each set of slaves and each
// resource intervals on a grid of the starts and ends of tasks are tried, and from the best one others with the same
// left or right end.
func Fewest(ctx context.Context, js *model.JobSet) *proof.Overload {
	if pairs(js) > maxPairs {
		return nil
	}
	ctx = unhurried(ctx, js)
	due := query.HardDues(js)
	w := window.TogetherUntil(ctx, js, due)
	if w == nil || len(w.Late) > 0 {
		return nil
	}
	p := newProblem(ctx, js, due, w)
	f := &fewJobs{least: math.MaxInt, steps: maxSteps, need: make([]int64, len(js.Jobs))}
	var found func() *proof.Overload
	for _, g := range p.subsets() {
		for _, r := range p.counted {
			if f.search(ctx, p.groupsByJob(g, r), p.have(g, r)) {
				iv := f.iv
				found = func() *proof.Overload { return p.tighten(g.slaves, r, iv) }
			}
		}
	}
	f.steps = max(f.steps, maxSteps/2)
	for k := range p.limits {
		if f.search(ctx, p.takersByJob(&p.limits[k]), js.Shared()[p.limits[k].id].Ticks) {
			iv := f.iv
			found = func() *proof.Overload { return p.tightenLimit(p.limits[k].id, iv) }
		}
	}
	if found == nil || ctx.Err() != nil {
		return nil
	}
	sh := found()
	sh.Jobs = withPressing(js, sh.Jobs, due, w)
	return sh
}

// jobGroup is a group of equal tasks of one job.
type jobGroup struct {
	job model.JobID
	group
}

// groupsByJob are those of the tasks confined to a subset of slaves.
func (p *problem) groupsByJob(g subset, r proof.Resource) (all []jobGroup) {
	in := make([]bool, len(p.sets))
	for _, set := range g.sets {
		in[set] = true
	}
	for i := range p.tasks {
		if task := &p.tasks[i]; in[task.set] {
			it, units := task.of(r)
			all = p.withTask(all, task.id, it, units)
		}
	}
	return all
}

// takersByJob are those of the tasks that take of a limit.
func (p *problem) takersByJob(l *limit) (all []jobGroup) {
	for _, t := range l.takers {
		all = p.withTask(all, p.tasks[t.at].id, p.tasks[t.at].items[held], t.units)
	}
	return all
}

// withTask adds a task, which comes after those before it.
func (p *problem) withTask(all []jobGroup, t model.TaskID, it item, units int64) []jobGroup {
	job := p.js.Tasks[t].Job
	switch n := len(all) - 1; {
	case units == 0:
	case n >= 0 && all[n].job == job && all[n].item == it:
		all[n].count += units
	default:
		all = append(all, jobGroup{job, group{it, units}})
	}
	return all
}

// have is what a subset of slaves has in an interval.
func (p *problem) have(g subset, r proof.Resource) func(model.Interval) int64 {
	rate, changes := p.supplyRate(g.slaves, r)
	if len(changes) == 0 {
		return func(iv model.Interval) int64 { return rate * int64(iv.Len()) }
	}
	return func(iv model.Interval) int64 { return p.supply(g.slaves, r, iv) }
}

// fewJobs is a search for an interval in which few jobs need too much.
type fewJobs struct {
	// least is the fewest found so far, in iv.
	least int
	iv    model.Interval
	// steps are left.
	steps int
	// need is by job, some lists what jobs need that need any.
	need, some []int64
	byNeed     []model.JobID
}

// most and least ends of either kind on a grid.
const mostEnds, leastEnds = 64, 8

// search tries intervals, and tells whether one of them has fewer jobs than those before.
func (f *fewJobs) search(ctx context.Context, all []jobGroup, have func(model.Interval) int64) (better bool) {
	var lefts, rights []model.Time
	for i := range all {
		d := &all[i]
		lefts = append(lefts, d.firstEnd-d.length, d.lastStart)
		rights = append(rights, d.firstEnd, d.lastStart+d.length)
	}
	try := func(a, b model.Time) {
		if f.steps -= len(all); a < b && f.steps > 0 && ctx.Err() == nil && f.try(all, model.Interval{Start: a, End: b}, have) {
			better = true
		}
	}
	per := max(1, f.steps/4/max(1, len(all))) // intervals of one search
	n := max(leastEnds, min(mostEnds, int(math.Sqrt(float64(per)))))
	for _, a := range thinned(lefts, n) {
		for _, b := range thinned(rights, n) {
			try(a, b)
		}
	}
	for range 2 {
		if !better {
			break
		}
		for _, a := range thinned(lefts, max(mostEnds, per/4)) {
			try(a, f.iv.End)
		}
		for _, b := range thinned(rights, max(mostEnds, per/4)) {
			try(f.iv.Start, b)
		}
	}
	return better
}

// thinned are so many of the times at most, ascending, evenly by their number.
func thinned(times []model.Time, most int) []model.Time {
	slices.Sort(times)
	times = slices.Compact(times)
	if len(times) <= most {
		return times
	}
	out := make([]model.Time, most)
	for k := range out {
		out[k] = times[k*(len(times)-1)/(most-1)]
	}
	return out
}

// try takes an interval in which fewer jobs than those known need more than there is.
func (f *fewJobs) try(all []jobGroup, iv model.Interval, have func(model.Interval) int64) bool {
	total, most := int64(0), int64(0)
	f.byNeed = f.byNeed[:0]
	for i := range all {
		d := &all[i]
		inside := int64(d.inside(iv)) * d.count
		if inside == 0 {
			continue
		}
		if f.need[d.job] == 0 {
			f.byNeed = append(f.byNeed, d.job)
		}
		f.need[d.job] += inside
		total, most = total+inside, max(most, f.need[d.job])
	}
	f.some = f.some[:0]
	for _, i := range f.byNeed {
		f.some, f.need[i] = append(f.some, f.need[i]), 0
	}
	left := have(iv)
	if total <= left || float64(f.least-1)*float64(most) <= float64(left) {
		return false
	}
	slices.Sort(f.some)
	jobs := 0
	for k := len(f.some) - 1; left >= 0; k-- {
		left -= f.some[k]
		jobs++
	}
	if jobs >= f.least {
		return false
	}
	f.least, f.iv = jobs, iv
	return true
}
