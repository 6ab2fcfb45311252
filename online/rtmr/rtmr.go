package rtmr

import (
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// Options of RTMR.
type Options struct {
	// Order of the jobs that wait.
	Order Order
	// Feedback switches the feedback controller on.
	Feedback bool
	// Delta is the threshold Δ ≥ 0 in ticks: feedback acts when a job ends that
	// much earlier or later than estimated. TypicalMap is the mean time that
	// finished map tasks held their slots (the paper sets Δ to a typical map
	// task's execution time); 0 before there is one.
	Delta model.Time
	// Keep lets feedback only lower the estimates of jobs that have started. The
	// paper's Algorithm V estimates them anew as if none of their tasks had run
	// yet, so that feedback can raise what was right. Where the guarantee holds
	// the lower figure is safe.
	Keep bool
	// Reserve says what is left of slots for jobs ahead.
	Reserve Reserve
	// NoBeat leaves the heartbeat interval out of the estimates. It belongs in
	// there as long as a slot can wait for its slave's next heartbeat; with
	// h = 1 it cannot.
	NoBeat bool
	Learning
}

// Reserve says what Algorithm IV leaves of free slots for the tasks that jobs ahead in the queue
// will have.
type Reserve uint8

const (
	// Full leaves one for each of them, which the guarantee needs.
	Full Reserve = iota
	// Printed reads line 10 as printed: a later job gets a slot although all free ones are
	// spoken for, as long as no more are. Deadlines of accepted jobs can then be missed.
	Printed
	// Strict leaves all: no stage starts until those of all jobs ahead have. It is the simple method of
	// section IV-C that the reservation improves on.
	Strict
)

// TypicalMap as [Options.Delta] is the mean time of finished map tasks.
const TypicalMap model.Time = -1

// Default are the options of the paper, with Algorithm IV's slip mended.
func Default() Options { return Options{Feedback: true, Delta: TypicalMap} }

// Policy is RTMR.
type Policy struct {
	opts    Options
	cluster cluster
	queue   queue
	history history
	// free has the free slots of the cluster by pool at freeAt (Ra).
	free   [2]int
	freeAt model.Time
}

// New makes RTMR, fit for one run.
func New(opts Options) *Policy {
	return &Policy{opts: opts, history: newHistory(opts.Learning), freeAt: -1}
}

// Name implements online.Policy.
func (p *Policy) Name() string { return "rtmr" }

// Asks implements online.Policy. What is reserved, and what is free, changes
// only when a task is handed out, ends or is lost, or a slave goes or comes.
func (p *Policy) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (p *Policy) Start(v *online.View) {
	p.cluster = newCluster(v.Slaves())
	p.queue.byID = map[model.JobID]*entry{}
	for pool, n := range p.cluster.slots {
		p.queue.last.free[pool] = uniform(n)
	}
}

// Watch implements online.Watcher.
func (p *Policy) Watch(v *online.View, ev online.Event) {
	e := p.queue.byID[ev.Job.ID()]
	switch ev.Kind {
	case online.Assigned:
		p.history.given[ev.Task] = v.Now()
		p.free[p.cluster.pool(v.Task(ev.Task).Slot)]--
		p.queue.begin(e)
	case online.Ended:
		pool := p.cluster.pool(v.Task(ev.Task).Slot)
		e.ends[pool] = append(e.ends[pool], v.Now())
		p.history.ended(v, &p.cluster, &e.seen, e.steps, ev.Task)
		p.freeAt = -1
	case online.Lost:
		delete(p.history.given, ev.Task)
		p.freeAt = -1
	case online.Finished:
		p.finished(v, e)
	}
}

// Admit implements online.Admitter: Algorithm I. The job is accepted if it is
// estimated to meet its deadline at its place in the queue, and all that come
// after it still meet theirs.
func (p *Policy) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	e := p.newEntry(v, j)
	at := p.queue.place(e.key)
	behind := append([]*entry{e}, p.queue.entries[at:]...)
	var kept []record
	before := p.queue.before(at)
	for _, b := range behind {
		kept = append(kept, b.record)
		b.record = p.estimate(v, b, before)
		if due := b.job.Spec().Due(); b.finish > due {
			why = fmt.Sprintf("job %s would finish by %d only and is due at %d", b.job.Spec().Name, b.finish, due)
			for i, r := range kept {
				behind[i].record = r
			}
			return false, why
		}
		before = b.record
	}
	p.queue.insert(at, e)
	return true, fmt.Sprintf("finishes by %d, as number %d in the queue", e.finish, at+1)
}

// CountsSlots implements online.SlotCounter.
func (p *Policy) CountsSlots() {}

// newEntry is for a job that asks. Its place is behind those that it comes after.
func (p *Policy) newEntry(v *online.View, j *online.Job) *entry {
	e := &entry{job: j, key: p.opts.Order.key(v, j), steps: p.cluster.steps(j.Spec())}
	e.order = inOrder(j.Spec(), e.steps)
	for _, b := range v.Before(j) {
		e.key = max(e.key, p.queue.byID[b.ID()].key)
	}
	return e
}

// Heartbeat implements online.Policy: Algorithm IV. Jobs are served in the
// order of the queue, and their stages in theirs; a task is handed out only if the free
// slots that it could take outnumber the tasks that stages ahead of it will have.
//
// With split slots nothing is ever reserved of map slots by jobs of a map and a
// reduce stage: maps go as in Hadoop.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	if p.freeAt != v.Now() {
		p.free, p.freeAt = p.cluster.free(v), v.Now()
	}
	var reserved [2]int
	for i, e := range p.queue.entries {
		for _, k := range e.order {
			pool := e.steps[k].pool
			switch {
			case e.job.Open(int(k)):
				p.serve(o, i, int(k), reserved[pool])
			case e.job.Left(int(k)) > 0:
				reserved[pool] += e.steps[k].tasks
				if p.opts.Reserve == Strict {
					reserved[pool] += p.cluster.slots[pool]
				}
			}
		}
		if o.Full() {
			return
		}
	}
}

// serve hands out tasks of a stage of the i-th job while more slots are free than
// reserved.
func (p *Policy) serve(o *online.Offer, i, stage, reserved int) {
	e := p.queue.entries[i]
	for p.spare(e.steps[stage].pool, reserved) {
		b := o.PickOf(e.job, stage)
		if b == nil {
			return
		}
		if o.Tracing() {
			o.Consider(p.candidates(i))
		}
		o.Give(b)
	}
}

// spare reports whether a slot of the pool can be given away while so many are
// reserved.
func (p *Policy) spare(pool, reserved int) bool {
	if p.opts.Reserve == Printed {
		return reserved <= p.free[pool]
	}
	return reserved < p.free[pool]
}

// candidates lists the jobs from this place on that have a task to hand out.
func (p *Policy) candidates(from int) []online.Candidate {
	var out []online.Candidate
	for i, e := range p.queue.entries[from:] {
		if e.job.ReadyTasks() == 0 {
			continue
		}
		key := fmt.Sprintf("place %d, estimated finish %d", from+i+1, e.finish)
		if due := e.job.Spec().Due(); due < model.Never {
			key += fmt.Sprintf(", due %d", due)
		}
		out = append(out, e.job.Candidate(key))
	}
	return out
}
