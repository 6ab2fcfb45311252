package online

import (
	"context"
	"slices"

	"downbeat/model"
)

// View is what a policy may know: the clock, the cluster with its declared
// absences, jobs that have arrived, and what slaves have been given and have finished.
type View struct{ st *state }

// Context ends when the run is to end: for a policy that waits for something outside.
func (v *View) Context() context.Context { return v.st.ctx }

// Fail ends the run with an error, once the policy returns: for one that cannot go on.
// The first error stays.
func (v *View) Fail(err error) {
	if v.st.broken == nil {
		v.st.broken = err
	}
}

// Now is the time in ticks.
func (v *View) Now() model.Time { return v.st.now }

// Slaves is the cluster, indexed by SlaveID. With Options.Surprise it has no absences.
func (v *View) Slaves() []model.Slave { return v.st.shown }

// Heartbeat is the interval h in ticks.
func (v *View) Heartbeat() model.Time { return v.st.js.Heartbeat }

// FetchMode says whether slaves fetch one input at a time.
func (v *View) FetchMode() model.FetchMode { return v.st.js.Fetch }

// Coupled reports whether anything ties tasks on different slaves to each other: pools, caps,
// gangs or tasks that are apart. What a slave has room for then need not fit ([Offer.Fits]).
func (v *View) Coupled() bool { return v.st.coupled }

// Apart reports whether a slave cannot have a task of a group because it has had another of its
// stage, whose tasks are apart (C12).
func (v *View) Apart(s model.SlaveID, g *Group) bool {
	return v.st.gangs && g.spec().IsApart() && v.st.uses(g.spec(), s)
}

// Pools are what tasks on all slaves share (C11).
func (v *View) Pools() []model.Pool { return v.st.js.Pools }

// PoolUnused is the number of units of a pool, by its place in Pools, that there are now and no
// task holds.
func (v *View) PoolUnused(pool int) int64 {
	return v.st.js.Shared()[pool].At(v.st.now) - v.st.limits.used[pool]
}

// Goal is what is to be minimised, in lexicographic order (model.JobSet.Goal).
func (v *View) Goal() []model.Objective { return v.st.js.Goal() }

// Active lists the accepted jobs that are not finished, in the order of release
// and of the file within a tick. It holds until the next event.
func (v *View) Active() []*Job { return v.st.active }

// Ready lists the active jobs that have a task to hand out, in the same order.
// It holds until the next task is given away.
func (v *View) Ready() []*Job { return v.st.ready }

// Job is a job that has arrived, accepted or not. A policy cannot know of others:
// asking for one gives nil and ends the run with an error.
func (v *View) Job(id model.JobID) *Job {
	if id < 0 || int(id) >= len(v.st.jobs) || v.st.jobs[id].state <= awaiting {
		v.st.breach("looks at job %d, which has not arrived", id)
		return nil
	}
	return &v.st.jobs[id]
}

// Task is the declared task of a job that has arrived; nil and the end of the run for
// others, as with Job.
func (v *View) Task(t model.TaskID) *model.Task {
	if t < 0 || int(t) >= len(v.st.js.Tasks) || v.st.jobs[v.st.js.Tasks[t].Job].state <= awaiting {
		v.st.breach("looks at task %d, whose job has not arrived", t)
		return nil
	}
	return &v.st.js.Tasks[t]
}

// History is what the job set tells of how long a task of a job that has arrived takes, nil where
// it tells nothing.
func (v *View) History(t model.TaskID) *model.GroupDurations {
	if v.Task(t) == nil || v.st.durations == nil {
		return nil
	}
	return v.st.durations[t]
}

// Up reports whether a slave is there now.
func (v *View) Up(s model.SlaveID) bool {
	return !v.st.slaves[s].failed && !v.st.away(s)
}

// Failed reports whether a slave has failed and not come back yet, absences
// that were declared aside, unless those come by surprise.
func (v *View) Failed(s model.SlaveID) bool { return v.st.gone(s) }

// Free is the number of free slots of a slave for stages of kind k, whether or
// not it is there now.
func (v *View) Free(s model.SlaveID, k model.SlotKind) int {
	return v.st.free(s, k)
}

// Unused is the number of units of a resource, cores or one that tasks hold for their
// stay, that no task of a slave holds now; 0 of others. Tasks that wait on the slave
// hold no cores yet.
func (v *View) Unused(s model.SlaveID, r model.ResourceID) int64 {
	sl := &v.st.slaves[s]
	switch {
	case r.Hold() == model.HoldStay:
		return sl.Free(r)
	case r != model.Cores:
		return 0
	}
	units := int64(v.st.js.Slaves[s].Cores)
	for _, h := range sl.Held() {
		if h.Start <= v.st.now {
			units -= v.st.js.Tasks[h.Task].Cores()
		}
	}
	return units
}

// ResourceNames lists the resources beside cores and slots that slaves offer: the first
// is model.FirstNamed.
func (v *View) ResourceNames() []string { return v.st.js.Named }

// Remaining is the least time that what is left of a job takes: the critical path of
// its stages, where a stage counts as its longest task that has not been handed out,
// on the slave where it is quickest. It is a lower bound but for tasks that run
// already. A job that has not been admitted has all of its stages left. Jobs that it
// comes after do not count; see Wait.
func (v *View) Remaining(j *Job) model.Time { return v.st.remaining(j) }

// Work is what the tasks of a job that have not been handed out take together at the least, in
// ticks of a core: each its transfer and execution on the slave where it is quickest, times its
// cores.
func (v *View) Work(j *Job) int64 { return v.st.work(j) }

// Wait is the least time until tasks of a job may be ready, for the jobs that it comes
// after: the longest way over what remains of them and of those that they come after.
// It is 0 once they have finished.
func (v *View) Wait(j *Job) model.Time { return v.st.wait(j, map[*Job]model.Time{}) }

// Before lists the jobs that a job comes after and that have not finished.
func (v *View) Before(j *Job) []*Job {
	var out []*Job
	for _, k := range j.spec.After {
		if b := &v.st.jobs[k]; b.state == accepted {
			out = append(out, b)
		}
	}
	return out
}

// Held is a task that a slave has been given and has not finished.
type Held struct {
	Task model.TaskID
	// Assigned may be still to come for a task of a gang of which another was handed out.
	Assigned model.Time
	// By is when a task of a gang starts at the latest at declared times, 0 for other tasks.
	By model.Time
	// Fetched is when its input is there, known from the assignment on.
	Fetched model.Time
	// Started is when it began to run, model.Never if it has not.
	Started model.Time
	// Finish is when it ends at the latest at declared times: the next tick once it has overrun.
	Finish model.Time
}

// Held lists what a slave holds, in the order of assignment.
func (v *View) Held(s model.SlaveID) []Held {
	held, ends := v.st.slaves[s].Held(), v.st.slaves[s].promised(v.st.now).ends
	out := make([]Held, len(held))
	for i, h := range held {
		at := slices.IndexFunc(ends, func(e promisedEnd) bool { return e.task == h.Task })
		out[i] = Held{Task: h.Task, Assigned: h.Assigned, By: h.By, Fetched: h.Fetch + h.Transfer, Started: model.Never, Finish: ends[at].at}
		if h.Start <= v.st.now {
			out[i].Started = h.Start
		}
	}
	return out
}

// Overran reports whether a slave holds a task that has run for all of its worst case.
// What is to be expected of it is then later at each tick.
func (v *View) Overran(s model.SlaveID) bool {
	return v.st.slaves[s].Overran(v.st.now)
}

// MayOverrun reports whether tasks of this run may take longer than declared, so that
// estimates may get later though nothing happens.
func (v *View) MayOverrun() bool { return v.st.overruns }

// Outages counts how often slaves have failed or come back, absences that were
// declared aside, unless those come by surprise.
func (v *View) Outages() int { return v.st.outages }

// Estimate is when a task of the group would finish on slave s at declared
// worst-case times if s got it, before anything else, at its first heartbeat
// from now on with room for it, before an absence too; and that heartbeat. What else ties it to
// tasks on other slaves does not count: pools, caps, its gang; but for a stage whose tasks are
// apart slaves that have had another of it are barred. Both
// are model.Never where the task is barred or the slave never has the room. As
// long as nothing happens to s and given has not passed, the answer stays; after
// that, and once something on s overruns, it is later, not earlier.
func (v *View) Estimate(s model.SlaveID, g *Group) (given, finish model.Time) {
	return v.st.estimate(s, g, g.profile.Transfer(s), g.profile.WCET(s))
}

// EstimateOf is Estimate for a task that holds what those of the group do, but
// whose transfer and execution times on s are these; a wcet of 0 bars it.
func (v *View) EstimateOf(s model.SlaveID, g *Group, transfer, wcet model.Time) (given, finish model.Time) {
	return v.st.estimate(s, g, transfer, wcet)
}
