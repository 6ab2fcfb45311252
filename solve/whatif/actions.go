package whatif

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
)

// action is a repair action: a change of which there may be more or less. More of it never does
// harm.
type action struct {
	kind           change.Kind
	name, resource string
	// from is what there is: a deadline, a release, a number of slaves, the start of an
	// absence, of a pool the greatest steady amount that does not help or is too little for some task.
	from int64
	// step is how many ticks a step of a deadline or a release has.
	step model.Time
	// most steps are as good as any amount where all is true.
	most int64
	all  bool
	// uneven tells of a pool that there is more of it at some times than at others: a steady amount
	// may be neither more nor less than that.
	uneven bool
	// jobs are changed, none if a slave is. series tells that they are the instances of a
	// recurring job, which is changed as one.
	jobs   []model.JobID
	series bool
	// A step is each parts of the whole that there is; see Repair.Cost.
	each, whole int64
}

// of is the change with n steps of it, 0 to most; with none of them what there is.
func (l *action) of(n int64) change.Change {
	c := change.Change{Kind: l.kind, Name: l.name, Resource: l.resource}
	switch l.kind {
	case change.Soften:
	case change.Deadline:
		c.At = model.Time(l.from) + model.Time(n)*l.step
	case change.Release:
		c.At = model.Time(l.from) - model.Time(n)*l.step
	case change.Stay:
		c.At = model.Time(l.from)
	case change.Fetch:
		c.N = 100 - n
	default:
		c.N = l.from + n
	}
	return c
}

// utmost is what helps wherever the action does. Where slaves or pools end, a job that is not hard may be
// left out, and one with a late deadline not.
func (l *action) utmost(js *model.JobSet) change.Change {
	if l.kind == change.Deadline && js.Horizon() == model.Never {
		return change.Change{Kind: change.Soften, Name: l.name}
	}
	return l.of(l.most)
}

// cost is what n steps cost, in millionths, rounded up.
func (l *action) cost(n int64) int64 {
	parts := float64(n) * float64(l.each) / float64(l.whole) * 1e6
	return int64(min(parts, 1e15)) + 1
}

// inTicks is the action with steps of one tick, where it has such.
func (l *action) inTicks() *action {
	fine := *l
	if l.step > 1 {
		fine.step, fine.most = 1, l.most*int64(l.step)
	}
	return &fine
}

// mostSteps bounds how many slaves, cores, slots or units of a resource more are tried.
const mostSteps = 64

// actions lists changes to recurring jobs, to single ones, to pools, and to slaves; fewer if ctx ends
// early.
func (x *search) actions(ctx context.Context, series []string, jobs []model.JobID) []action {
	var out []action
	for _, name := range series {
		out = append(out, x.ofSeries(ctx, name)...)
	}
	for _, i := range jobs {
		out = append(out, x.ofJob(ctx, i)...)
	}
	return append(append(out, x.ofPools()...), x.ofSlaves(ctx)...)
}

// ofPools lists changes to pools of which tasks take: the same amount at all times. As much as all
// tasks take together is as good as any amount.
func (x *search) ofPools() []action {
	var out []action
	for i := range x.js.Pools {
		pool := &x.js.Pools[i]
		least, most := pool.Levels[0].Amount, int64(0)
		for _, l := range pool.Levels {
			least, most = min(least, l.Amount), max(most, l.Amount)
		}
		wanted, from := Wanted(x.js, pool.Name), least
		if least < most {
			from = max(least, x.leastOf(pool.Name, least, most)-1)
		}
		if wanted > least {
			out = append(out, action{
				kind: change.Pool, name: pool.Name, from: from, most: max(wanted, most) - from, all: true, uneven: from < most,
				each: 1, whole: max(1, most),
			})
		}
	}
	return out
}

// ofSeries lists changes to all instances of a recurring job; none where they differ by more
// than their releases, as changes by flags may have made them.
func (x *search) ofSeries(ctx context.Context, name string) []action {
	jobs := x.instances(name)
	first := &x.js.Jobs[jobs[0]]
	for _, i := range jobs[1:] {
		if job := &x.js.Jobs[i]; job.Kind != first.Kind || job.Deadline != first.Deadline {
			return nil
		}
	}
	return x.ofJobs(ctx, name, jobs, true)
}

// instances are those of a recurring job, ascending.
func (x *search) instances(series string) []model.JobID {
	var out []model.JobID
	for i := range x.js.Jobs {
		if x.js.Jobs[i].Series == series {
			out = append(out, model.JobID(i))
		}
	}
	return out
}

// leastOf is the least steady amount of a pool, of those between two of which the greater is one, with which
// no job of the whole set could never run.
func (x *search) leastOf(pool string, least, most int64) int64 {
	whole := cmp.Or(x.opt.LeftOf, x.whole)
	for least < most {
		mid := least + (most-least)/2
		if _, err := change.Apply(whole, []change.Change{{Kind: change.Pool, Name: pool, N: mid}}); err != nil {
			least = mid + 1
		} else {
			most = mid
		}
	}
	return most
}

// ofJob lists changes to a job.
func (x *search) ofJob(ctx context.Context, i model.JobID) []action {
	return x.ofJobs(ctx, x.js.Jobs[i].Name, []model.JobID{i}, false)
}

// ofJobs lists changes to a job, or to instances that are alike: to hard ones, a later deadline
// first. Instances are not released earlier together: over changes of clocks the file could
// not say so.
func (x *search) ofJobs(ctx context.Context, name string, jobs []model.JobID, series bool) []action {
	var out []action
	add := func(l action) {
		l.name, l.jobs, l.series, l.all = name, jobs, series, true
		l.each *= int64(len(jobs))
		out = append(out, l)
	}
	job := &x.js.Jobs[jobs[0]]
	window := int64(max(1, job.Deadline))
	if job.Kind == model.Hard {
		add(action{
			kind: change.Deadline, step: x.grain, from: int64(job.Deadline), most: int64((model.MaxTime - job.Deadline) / x.grain),
			each: int64(x.grain), whole: window,
		})
		add(action{kind: change.Soften, most: 1, each: 1, whole: 1})
	}
	if job.Release > 0 && !series {
		if job.Kind == model.BestEffort {
			window = int64(job.Release)
		}
		add(action{kind: change.Release, step: x.grain, from: int64(job.Release), most: int64(job.Release / x.grain), each: int64(x.grain), whole: window})
	}
	if fetches(ctx, x.js, job) {
		add(action{kind: change.Fetch, most: 100, each: 1, whole: 100})
	}
	return out
}

// meets reports whether the action changes a job of those, ascending.
func (l *action) meets(jobs []model.JobID) bool {
	return slices.ContainsFunc(l.jobs, func(i model.JobID) bool {
		_, in := slices.BinarySearch(jobs, i)
		return in
	})
}

// within reports whether the action changes what another does as well: an instance, or a whole
// recurring job, in the same way.
func (l *action) within(other *action) bool {
	return !l.series && other.series && l.kind == other.kind && other.meets(l.jobs)
}

// fetches reports whether a task of the job has input to fetch on some slave; it says no if
// ctx ends before that is known.
func fetches(ctx context.Context, js *model.JobSet, job *model.Job) bool {
	var last *model.Profile
	for t := job.First; t < job.End; t++ {
		p := js.Tasks[t].Profile
		if p == last {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		for s := range model.SlaveID(len(js.Slaves)) {
			if p.Eligible(s) && p.Transfer(s) > 0 {
				return true
			}
		}
		last = p
	}
	return false
}

// ofSlaves lists changes to classes, and to slaves: of those that are alike, to the first.
func (x *search) ofSlaves(ctx context.Context) []action {
	var out []action
	more := x.more()
	members := map[string]int64{}
	for s := range x.js.Slaves {
		members[x.js.Slaves[s].Class]++
	}
	for _, class := range slices.Sorted(maps.Keys(members)) {
		out = append(out, x.moreSlaves(class, members[class]))
		if members[class] > 1 {
			out = append(out, moreOn(more, class, members[class])...)
		}
	}
	for _, s := range x.kinds(ctx) {
		slave := &x.js.Slaves[s]
		out = append(out, moreOn(more, slave.Name, 1)...)
		for _, d := range slave.Down {
			out = append(out, x.stay(slave, d))
		}
	}
	return out
}

// stay is for an absence less.
func (x *search) stay(slave *model.Slave, d model.Interval) action {
	away := min(d.End, x.last) - min(d.Start, x.last)
	return action{
		kind: change.Stay, name: slave.Name, from: int64(d.Start), most: 1, all: true,
		each: int64(away), whole: int64(x.last) * int64(len(x.js.Slaves)),
	}
}

// moreOn are such actions on a slave, or on each one of a class.
func moreOn(more []action, name string, members int64) []action {
	out := slices.Clone(more)
	for k := range out {
		out[k].name, out[k].each = name, members
	}
	return out
}

// more is for more cores, slots and units, wherever that may be: as many more as all tasks
// need are as good as any number.
func (x *search) more() []action {
	var out []action
	more := func(kind change.Kind, resource string, need func(*model.Task) int64, has func(*model.Slave) int64) {
		needed, there := int64(0), int64(0)
		for t := range x.js.Tasks {
			needed += need(&x.js.Tasks[t])
		}
		for s := range x.js.Slaves {
			there += has(&x.js.Slaves[s])
		}
		if needed > 0 {
			out = append(out, action{
				kind: kind, resource: resource, most: min(mostSteps, needed), all: needed <= mostSteps,
				whole: max(1, there),
			})
		}
	}
	more(change.Cores, "", (*model.Task).Cores, func(s *model.Slave) int64 { return int64(s.Cores) })
	more(change.Slots, "", func(*model.Task) int64 { return 1 }, func(s *model.Slave) int64 { return int64(s.TotalSlots() / s.Pools()) })
	for k, resource := range x.js.Named {
		more(change.Units, resource, func(t *model.Task) int64 { return t.Units(k) }, func(s *model.Slave) int64 { return s.Offers(k) })
	}
	return out
}

// moreSlaves is for more slaves of a class: as many more as there are tasks are as good as
// any number.
func (x *search) moreSlaves(class string, members int64) action {
	tasks := int64(len(x.js.Tasks))
	each, whole := int64(0), int64(0)
	for s := range x.js.Slaves {
		slave := &x.js.Slaves[s]
		whole += slave.Cost
		if slave.Class == class {
			each = slave.Cost
		}
	}
	if whole == 0 {
		each, whole = 1, int64(len(x.js.Slaves))
	}
	return action{
		kind: change.Count, name: class, from: members, most: min(mostSteps, tasks), all: tasks <= mostSteps,
		each: each, whole: whole,
	}
}

// kinds are slaves, the first of each kind: those alike have the same class, the same of
// everything, and the same times for each task, on those that have too little for it as well.
// There are none if ctx ends before all is told apart.
func (x *search) kinds(ctx context.Context) []model.SlaveID {
	all := make([]model.SlaveID, len(x.js.Slaves))
	for s := range all {
		all[s] = model.SlaveID(s)
	}
	groups := split([][]model.SlaveID{all}, func(s model.SlaveID) string {
		slave := x.js.Slaves[s]
		slave.Name = ""
		return fmt.Sprint(slave)
	})
	var out []model.SlaveID
	for _, p := range x.profiles() {
		if ctx.Err() != nil {
			return nil
		}
		groups = slices.DeleteFunc(groups, func(g []model.SlaveID) bool {
			if len(g) == 1 {
				out = append(out, g[0])
			}
			return len(g) == 1
		})
		groups = split(groups, func(s model.SlaveID) [2]model.Time { return [2]model.Time{p.WCET(s), p.Transfer(s)} })
	}
	for _, g := range groups {
		out = append(out, g[0])
	}
	slices.Sort(out)
	return out
}

// split makes groups of slaves finer: those stay together of which the same is told. The
// order within a group stays.
func split[T comparable](groups [][]model.SlaveID, told func(model.SlaveID) T) [][]model.SlaveID {
	var out [][]model.SlaveID
	for _, g := range groups {
		first := told(g[0])
		if !slices.ContainsFunc(g, func(s model.SlaveID) bool { return told(s) != first }) {
			out = append(out, g)
			continue
		}
		at := map[T]int{}
		for _, s := range g {
			k, known := at[told(s)]
			if !known {
				k = len(out)
				at[told(s)], out = k, append(out, nil)
			}
			out[k] = append(out[k], s)
		}
	}
	return out
}

// profiles are those declared, each once.
func (x *search) profiles() []*model.Profile {
	var out []*model.Profile
	seen := map[*model.Profile]bool{}
	for i := range x.js.Jobs {
		for k := range x.js.Jobs[i].Stages {
			groups := x.js.Jobs[i].Stages[k].Groups
			for g := range groups {
				if p := groups[g].Declared(); !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
			}
		}
	}
	return out
}
