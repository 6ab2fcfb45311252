package online

import "downbeat/model"

// Offer is what a slave's heartbeat puts on the table: its free slots.
type Offer struct {
	e     *engine
	slave model.SlaveID
	// open is true while the policy answers the heartbeat.
	open       bool
	considered []Candidate
}

// Slave is the one that asks.
func (o *Offer) Slave() model.SlaveID { return o.slave }

// Free is the number of free slots for stages of kind k.
func (o *Offer) Free(k model.SlotKind) int { return o.e.view.Free(o.slave, k) }

// Full reports that no slot is left.
func (o *Offer) Full() bool { return o.e.slaves[o.slave].idleAt < 0 }

// Fits reports whether the slave can take a task of the batch now: a task is
// left, the slave is eligible, a slot of the kind is free, and at declared
// worst-case times the task ends before the next absence.
func (o *Offer) Fits(b *Batch) bool {
	if b.Len() == 0 || o.Free(b.slot) == 0 || !b.profile.Eligible(o.slave) {
		return false
	}
	away := o.e.js.Slaves[o.slave].UpUntil(o.e.now)
	return away == model.Never || o.Finish(b) <= away
}

// Finish is when a task of the batch ends at the latest if it is given now.
func (o *Offer) Finish(b *Batch) model.Time {
	p := o.e.slaves[o.slave].promised(o.e.now)
	return p.finish(o.e.now, b.profile.Transfer(o.slave), b.profile.WCET(o.slave), o.e.js.Fetch)
}

// Local is the first batch of a job that fits and whose input the slave holds,
// nil if there is none.
func (o *Offer) Local(j *Job) *Batch {
	for _, b := range j.nearTo(o.slave) {
		if o.Fits(b) {
			return b
		}
	}
	return nil
}

// Pick is Local, or else the first batch of a job that fits; nil if none does.
// It is what Hadoop does for the job whose turn it is.
func (o *Offer) Pick(j *Job) *Batch {
	if j.ReadyTasks() == 0 || o.Free(j.Slot()) == 0 {
		return nil
	}
	if b := o.Local(j); b != nil {
		return b
	}
	for _, b := range j.batches {
		if o.Fits(b) {
			return b
		}
	}
	return nil
}

// Tracing reports whether it is worth while to call Consider.
func (o *Offer) Tracing() bool { return o.e.opts.Trace }

// Consider records what the next Give was chosen from, best first.
func (o *Offer) Consider(c []Candidate) { o.considered = c }

// Give hands the first task of a batch to the slave. It must fit, and the
// heartbeat must not be over.
func (o *Offer) Give(b *Batch) model.TaskID {
	switch {
	case !o.open:
		o.e.cheated("hands out a task of job %q when no slave asks", b.job.spec.Name)
	case !o.Fits(b):
		o.e.cheated("gives slave %s a task of job %q that does not fit", o.e.js.Slaves[o.slave].Name, b.job.spec.Name)
	}
	return o.e.give(o.slave, b)
}

func (e *engine) give(id model.SlaveID, b *Batch) model.TaskID {
	j, s, spec := b.job, &e.slaves[id], &e.js.Slaves[id]
	t := j.take(b)
	beat, _ := e.js.BeatAtOrAfter(id, e.now)
	h := s.give(held{
		task: t, pool: spec.Pool(b.slot), assigned: e.now, beat: beat,
		transfer: b.profile.Transfer(id), wcet: b.profile.WCET(id),
	}, e.opts.length(t, e.attempts[t], b.profile.WCET(id)), e.js.Fetch)
	e.placed[t] = model.Placement{Slave: id, Beat: beat, Fetch: h.fetch, Start: h.start}
	e.push(h.end, taskEnds, int(t))
	e.running++
	e.progress++
	j.nRunning++
	if j.started == model.Never {
		j.started = e.now
	}
	if j.nReady == 0 {
		e.ready = without(e.ready, j)
	}
	e.markIdle(id)
	if e.opts.Trace {
		e.trace = append(e.trace, Decision{At: e.now, Task: t, Slave: id, Job: j.id, Accepted: true, Candidates: e.offer.considered})
		e.offer.considered = nil
	}
	e.watch(Assigned, j, t, id, model.Never)
	return t
}

// estimate is View.Estimate.
func (e *engine) estimate(id model.SlaveID, p *model.Profile, k model.SlotKind) (given, finish model.Time) {
	spec := &e.js.Slaves[id]
	pool := spec.Pool(k)
	if !p.Eligible(id) || spec.PoolSize(pool) == 0 || e.slaves[id].failed {
		return model.Never, model.Never
	}
	promise := e.slaves[id].promised(e.now)
	from := e.now
	if e.slaves[id].free[pool] == 0 {
		from = promise.slotFree[pool][0]
	}
	for {
		at := e.nextBeat(id, from)
		away := spec.UpUntil(at)
		if end := promise.finish(at, p.Transfer(id), p.WCET(id), e.js.Fetch); end <= away {
			return at, end
		}
		if away == model.Never {
			return model.Never, model.Never
		}
		from = spec.BackAt(away)
	}
}
