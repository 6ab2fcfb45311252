// Package federated has federated scheduling: Li, Chen, Agrawal, Lu, Gill and Saifullah, "Analysis of
// Federated and Global Scheduling for Parallel Real-Time Tasks" (ECRTS 2014), as an admission policy.
//
// A job with work C and critical path L that is due within D is given cores of its own if C > D, as
// many as any greedy schedule of it needs (Graham's bound):
//
//	n = ⌈(C − L)/(D − L)⌉
//
// A job with C ≤ D runs on one core, which it shares with others of its kind by EDF. The source shares
// cores out for periodic tasks once; here a job comes once, and is tested when it does. It is turned away if there are
// not n cores that are nobody's, or no core on which it and all that share it are in time. As all of these have
// arrived, the test of a shared core is to add up what is left of them in the order of their deadlines.
//
// # What the model adds
//
// A task counts with transfer, execution and a heartbeat interval on the slave where that takes
// longest, of those that may run all tasks of the job and are there until it is due: so long it is from when a
// core is free and the task ready until it has ended. A core stands for a slot of each kind with it. A job that comes after
// others counts from when these are due, and has cores of its own from its arrival on.
//
// What is accepted with a deadline is in time where slaves fetch side by side, transfers to a slave are all alike,
// and tasks take no longer than declared; a test holds random sets to that. Elsewhere inputs and starts may wait for
// each other. Jobs with tasks of several cores or of named resources are turned away, and pools, caps and gangs
// are not counted (online.SlotCounter). Jobs without a deadline, and those that are late or have lost a slave, run
// on cores that are nobody's; so do those with tasks that are to be apart from what all slaves of their cores have had, which
// give these up. Cores of jobs that come after these, and wait for them, are nobody's to them.
package federated

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Params are the policy's figures.
type Params struct {
	// NoBeat leaves the heartbeat interval out of the time of a task.
	NoBeat bool
}

// Policy is federated scheduling, for one run.
type Policy struct {
	params   Params
	slaves   [][]*core // by slave
	promises map[*online.Job]*promise
}

// core is one of a slave, with a slot.
type core struct {
	slave model.SlaveID
	// promises are those that it is to keep, by deadline: one of a job that it belongs to, or any
	// number of jobs that share it.
	promises []*promise
	// task is what it holds, noTask for nothing, and until when that ends at the latest.
	task  model.TaskID
	until model.Time
}

const noTask model.TaskID = -1

// promise is a job that is to be in time.
type promise struct {
	job   *online.Job
	due   model.Time
	cores []*core
	// own says that the cores are the job's alone.
	own bool
	// left is what its tasks that have not been handed out take, one after the other, on its core that is shared.
	left model.Time
}

// New is a policy that has not run.
func New(params Params) *Policy {
	return &Policy{params: params, promises: map[*online.Job]*promise{}}
}

// Name implements online.Policy.
func (p *Policy) Name() string { return "federated" }

// Asks implements online.Policy: cores stay free for the jobs that they belong to.
func (p *Policy) Asks() online.Asking { return online.OnChange }

// CountsSlots implements online.SlotCounter.
func (p *Policy) CountsSlots() {}

// Start implements online.Starter.
func (p *Policy) Start(v *online.View) {
	for s := range v.Slaves() {
		slave := &v.Slaves()[s]
		slots := slave.Slots
		if slave.SplitSlots {
			slots = min(slave.MapSlots, slave.ReduceSlots)
		}
		cores := make([]*core, min(int(slave.Cores), slots))
		for i := range cores {
			cores[i] = &core{slave: model.SlaveID(s), task: noTask}
		}
		p.slaves = append(p.slaves, cores)
	}
}

// Admit implements online.Admitter.
func (p *Policy) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	if !simple(v, j) {
		return false, "a task needs more than a core"
	}
	due := j.Spec().Due()
	if due == model.Never {
		return true, "no deadline"
	}
	from := v.Now()
	for _, b := range v.Before(j) {
		from = max(from, b.Spec().Due())
	}
	slaves := p.candidates(v, j, due)
	work, path := p.size(v, j, slaves)
	d := due - from
	switch {
	case len(slaves) == 0:
		return false, "no slave that can run all of it is there until it is due"
	case path > d || path == d && work > d:
		return false, fmt.Sprintf("its critical path of %d does not leave room until %d", path, due)
	case work <= d && from == v.Now():
		return p.share(v, j, slaves)
	}
	n := 1
	if work > path {
		n = int((work - path + d - path - 1) / (d - path))
	}
	return p.dedicate(j, slaves, n)
}

// simple reports whether all tasks of a job are of one core and no named resource.
func simple(v *online.View, j *online.Job) bool {
	for k := range j.Spec().Stages {
		for _, g := range j.Spec().Stages[k].Groups {
			needs := g.Profile.Needs()
			if needs.Cores > 1 || slices.ContainsFunc(needs.Units[:len(v.ResourceNames())], func(units int64) bool { return units > 0 }) {
				return false
			}
		}
	}
	return true
}

// candidates are the slaves that can run all tasks of a job, beat within an interval and are there until
// it is due.
func (p *Policy) candidates(v *online.View, j *online.Job, due model.Time) (out []model.SlaveID) {
	for s := range v.Slaves() {
		id, slave := model.SlaveID(s), &v.Slaves()[s]
		there := v.Up(id) && slave.FirstBeat <= v.Now()+v.Heartbeat() && slave.UpUntil(v.Now()) >= due
		if there && len(p.slaves[s]) > 0 && !slices.ContainsFunc(j.Spec().Stages, func(st model.Stage) bool {
			return slices.ContainsFunc(st.Groups, func(g model.Group) bool { return !g.Profile.Eligible(id) })
		}) {
			out = append(out, id)
		}
	}
	return out
}

// time is how long a task keeps a core of a slave at most, from when both are ready.
func (p *Policy) time(v *online.View, profile *model.Profile, s model.SlaveID) model.Time {
	t := profile.Transfer(s) + profile.WCET(s)
	if !p.params.NoBeat {
		t += v.Heartbeat()
	}
	return t
}

// size is the work and the critical path of a job, each task on the slave where it takes longest.
func (p *Policy) size(v *online.View, j *online.Job, slaves []model.SlaveID) (work, path model.Time) {
	stages := j.Spec().Stages
	ends := make([]model.Time, len(stages))
	for _, k := range j.Spec().Order() {
		longest, before := model.Time(0), model.Time(0)
		for _, g := range stages[k].Groups {
			most := model.Time(0)
			for _, s := range slaves {
				most = max(most, p.time(v, g.Profile, s))
			}
			work += most * model.Time(g.Count)
			longest = max(longest, most)
		}
		for _, b := range stages[k].After {
			before = max(before, ends[b])
		}
		ends[k] = before + longest
		path = max(path, ends[k])
	}
	return work, path
}

// dedicate gives a job n cores of its own, if there are so many that are nobody's and idle.
func (p *Policy) dedicate(j *online.Job, slaves []model.SlaveID, n int) (bool, string) {
	var free []*core
	for _, s := range slaves {
		for _, c := range p.slaves[s] {
			if len(c.promises) == 0 && c.task == noTask {
				free = append(free, c)
			}
		}
	}
	if len(free) < n {
		return false, fmt.Sprintf("needs %d cores of its own, %d are free", n, len(free))
	}
	p.keep(&promise{job: j, due: j.Spec().Due(), cores: free[:n], own: true})
	return true, fmt.Sprintf("%d cores of its own", n)
}

// share puts a job on the first core on which all are in time, of those that are shared before those
// that are nobody's.
func (p *Policy) share(v *online.View, j *online.Job, slaves []model.SlaveID) (bool, string) {
	for _, used := range []bool{true, false} {
		for _, s := range slaves {
			m := &promise{job: j, due: j.Spec().Due(), left: p.sequential(v, j, s)}
			for _, c := range p.slaves[s] {
				if len(c.promises) > 0 == used && !c.owned() && c.inTime(v.Now(), m) {
					m.cores = []*core{c}
					p.keep(m)
					return true, "shares a core of " + v.Slaves()[s].Name
				}
			}
		}
	}
	return false, "no core on which it and those that share it are in time"
}

// sequential is how long all of a job takes on a core of a slave.
func (p *Policy) sequential(v *online.View, j *online.Job, s model.SlaveID) (sum model.Time) {
	for k := range j.Spec().Stages {
		for _, g := range j.Spec().Stages[k].Groups {
			sum += p.time(v, g.Profile, s) * model.Time(g.Count)
		}
	}
	return sum
}

func (c *core) owned() bool { return len(c.promises) > 0 && c.promises[0].own }

// inTime reports whether all that share a core are in time with another one.
func (c *core) inTime(now model.Time, another *promise) bool {
	t := now
	if c.task != noTask {
		t = max(t, c.until)
	}
	for _, m := range byDue(c.promises, another) {
		if t += m.left; t > m.due {
			return false
		}
	}
	return true
}

// byDue are promises with another one, which comes after its equals.
func byDue(promises []*promise, another *promise) []*promise {
	at := slices.IndexFunc(promises, func(m *promise) bool { return m.due > another.due })
	if at < 0 {
		at = len(promises)
	}
	return slices.Insert(slices.Clone(promises), at, another)
}

func (p *Policy) keep(m *promise) {
	p.promises[m.job] = m
	for _, c := range m.cores {
		c.promises = byDue(c.promises, m)
	}
}

// Watch implements online.Watcher.
func (p *Policy) Watch(v *online.View, e online.Event) {
	m := p.promises[e.Job]
	switch e.Kind {
	case online.Assigned:
		if m != nil && !m.own {
			m.left -= p.time(v, v.Task(e.Task).Profile, m.cores[0].slave)
		}
		if m != nil && m.isBarred(v) {
			p.release(m)
		}
	case online.Ended, online.Lost:
		for _, c := range p.slaves[e.Slave] {
			if c.task == e.Task {
				c.task = noTask
			}
		}
		if e.Kind == online.Lost && m != nil && !m.own {
			m.left += p.time(v, v.Task(e.Task).Profile, m.cores[0].slave)
		}
	case online.Finished, online.GivenUp:
		p.release(m)
	}
}

// release frees the cores of a job.
func (p *Policy) release(m *promise) {
	if m == nil {
		return
	}
	delete(p.promises, m.job)
	for _, c := range m.cores {
		c.promises = slices.DeleteFunc(slices.Clone(c.promises), func(other *promise) bool { return other == m })
	}
}

// Heartbeat implements online.Policy.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	for _, c := range p.slaves[o.Slave()] {
		if c.task != noTask {
			continue
		}
		g, why := c.pick(o)
		if g == nil {
			g, why = p.unpromised(v, o, c.promises)
		}
		if g != nil {
			c.until = v.Now() + p.time(v, g.Profile(), c.slave)
			c.task = give(o, g, why)
		}
	}
	if len(p.slaves[o.Slave()]) > 0 {
		return
	}
	for g, why := p.unpromised(v, o, nil); g != nil; g, why = p.unpromised(v, o, nil) {
		give(o, g, why)
	}
}

// pick is what a core is to run next for those whose it is.
func (c *core) pick(o *online.Offer) (*online.Group, string) {
	for _, m := range c.promises {
		if g := o.Pick(m.job); g != nil {
			return g, fmt.Sprintf("promised by %d", m.due)
		}
	}
	return nil, ""
}

// unpromised is a task of the job with the earliest deadline of those that have no promise, or one that
// cannot be kept, and for which all that have the core wait anyway.
func (p *Policy) unpromised(v *online.View, o *online.Offer, have []*promise) (*online.Group, string) {
	var jobs []*online.Job
	for _, j := range v.Ready() {
		if m := p.promises[j]; (m == nil || m.broken(v)) && !slices.ContainsFunc(have, func(m *promise) bool { return !waits(v, m.job, j, map[*online.Job]bool{}) }) {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b *online.Job) int { return cmp.Compare(a.Spec().Due(), b.Spec().Due()) })
	for _, j := range jobs {
		if g := o.Pick(j); g != nil {
			return g, "nothing is promised"
		}
	}
	return nil, ""
}

// waits reports whether a job comes after another one that has not finished, directly or not; those seen before do not.
func waits(v *online.View, j, other *online.Job, seen map[*online.Job]bool) bool {
	return slices.ContainsFunc(v.Before(j), func(b *online.Job) bool {
		if b == other {
			return true
		}
		known := seen[b]
		seen[b] = true
		return !known && waits(v, b, other, seen)
	})
}

// broken reports whether a job is late, or a slave of its cores is away.
func (m *promise) broken(v *online.View) bool {
	return v.Now() > m.due || slices.ContainsFunc(m.cores, func(c *core) bool { return !v.Up(c.slave) })
}

// isBarred reports whether tasks that wait are to be apart from one that each slave of its cores has had.
func (m *promise) isBarred(v *online.View) bool {
	return slices.ContainsFunc(m.job.Groups(), func(g *online.Group) bool {
		return g.Len() > 0 && !slices.ContainsFunc(m.cores, func(c *core) bool { return !v.Apart(c.slave, g) })
	})
}

// give hands out a task of a group.
func give(o *online.Offer, g *online.Group, why string) model.TaskID {
	if o.Tracing() {
		o.Consider([]online.Candidate{g.Candidate(why)})
	}
	return o.Give(g)
}
