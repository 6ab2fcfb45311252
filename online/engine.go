package online

import (
	"context"
	"fmt"
	"slices"

	"downbeat/model"
)

// Options of a run. The zero value is worst-case times without failures.
type Options struct {
	// Seed of durations and failures; the same seed gives every policy the same.
	Seed uint64
	// Durations draws how long tasks take in fact; nil: all of their worst case.
	Durations Durations
	// Faults lets slaves fail; nil: they do not.
	Faults *Faults
	// Trace records decisions, see Outcome.Trace.
	Trace bool
}

// Run plays a job set under a policy to its end; the outcome depends on its
// arguments only. It fails if the policy breaks the rules, if it never hands
// out some task, or when ctx ends.
func Run(ctx context.Context, js *model.JobSet, p Policy, opts Options) (out *Outcome, err error) {
	e := newEngine(js, p, opts)
	defer func() {
		switch broken := recover().(type) {
		case nil:
		case *cheat:
			out, err = nil, broken
		default:
			panic(broken)
		}
	}()
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	if e.broken != nil {
		return nil, e.broken // and the policy has recovered from it
	}
	return e.outcome(), nil
}

// cheat is what a policy did that it must not.
type cheat struct{ what string }

func (c *cheat) Error() string { return c.what }

// cheated ends the run.
func (e *engine) cheated(format string, args ...any) {
	e.broken = &cheat{fmt.Sprintf("at %d, policy %s %s", e.now, e.policy.Name(), fmt.Sprintf(format, args...))}
	panic(e.broken)
}

// engine is the state of a run.
type engine struct {
	js     *model.JobSet
	opts   Options
	now    model.Time
	queue  queue
	slaves []slave
	jobs   []Job
	// active and ready as View shows them.
	active, ready []*Job
	// idle lists the slaves with a free slot, in no order.
	idle []model.SlaveID
	// least caches quickest.
	least map[*model.Profile]model.Time
	view  View
	// offer is the one that is on the table, kept to spare an allocation.
	offer Offer

	policy     Policy
	asks       Asking
	watcher    Watcher
	controller Controller
	admitter   Admitter

	placed   model.Schedule
	ends     []model.Time // by task, Never until it has ended
	attempts []int32      // by task, how often it was lost
	faults   []faultStream
	lost     []Attempt
	failures []Failure
	rejected []model.JobID
	trace    []Decision
	events   int64
	// left counts jobs that are not finished or rejected, running the tasks
	// that slaves hold.
	left, running int
	// arrivals counts jobs that are still to be released.
	arrivals int
	// progress counts what was handed out, ended or became ready; weary the
	// slaves that have been asked maxAsked times since it was wearyAt, slotted
	// those that have a slot at all.
	progress, wearyAt int64
	weary, slotted    int
	// broken is what the policy did that it must not, nil so far.
	broken *cheat
}

func newEngine(js *model.JobSet, p Policy, opts Options) *engine {
	e := &engine{
		js: js, opts: opts, policy: p, asks: p.Asks(),
		slaves: make([]slave, len(js.Slaves)), jobs: make([]Job, len(js.Jobs)),
		placed: model.NewSchedule(len(js.Tasks)), ends: make([]model.Time, len(js.Tasks)),
		attempts: make([]int32, len(js.Tasks)),
		left:     len(js.Jobs), least: map[*model.Profile]model.Time{},
	}
	e.view.e, e.offer.e = e, e
	e.watcher, _ = p.(Watcher)
	e.controller, _ = p.(Controller)
	e.admitter, _ = p.(Admitter)
	for i := range e.ends {
		e.ends[i] = model.Never
	}
	for i := range e.slaves {
		spec, s := &js.Slaves[i], &e.slaves[i]
		for pool := range spec.Pools() {
			s.free[pool] = spec.PoolSize(pool)
		}
		s.coreFree = make([]model.Time, spec.Cores)
		s.beat, s.idleAt = model.Never, -1
		if e.markIdle(model.SlaveID(i)); s.idleAt >= 0 {
			e.slotted++
		}
		if e.asks == OnChange {
			for _, d := range spec.Down {
				e.push(d.Start, slaveTurns, i)
				e.push(d.End, slaveTurns, i)
			}
		}
	}
	for i := range e.jobs {
		e.jobs[i] = Job{id: model.JobID(i), spec: &js.Jobs[i], started: model.Never, finish: model.Never}
		e.push(js.Jobs[i].Release, jobArrives, i)
	}
	e.arrivals = len(js.Jobs)
	if opts.Faults != nil {
		e.startFaults()
	}
	return e
}

func (e *engine) push(at model.Time, class eventClass, number int) {
	e.queue.push(newEvent(at, class, number))
}

// checkEvery is how many events pass between looks at the context.
const checkEvery = 1 << 12

func (e *engine) run(ctx context.Context) error {
	if s, ok := e.policy.(Starter); ok {
		s.Start(&e.view)
	}
	if e.controller != nil {
		e.push(0, controlDue, 0)
	}
	for e.left > 0 {
		if e.events%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(e.queue) == 0 {
			return e.starved()
		}
		ev := e.queue.pop()
		e.now = ev.at
		e.events++
		switch ev.class() {
		case taskEnds:
			e.end(model.TaskID(ev.number()))
		case slaveFails:
			if err := e.fail(model.SlaveID(ev.number())); err != nil {
				return err
			}
		case slaveReturns:
			e.recover(model.SlaveID(ev.number()))
		case slaveTurns:
			e.wakeAll()
		case jobArrives:
			e.arrive(&e.jobs[ev.number()])
		case controlDue:
			e.control()
		case slaveBeats:
			if err := e.heartbeat(model.SlaveID(ev.number())); err != nil {
				return err
			}
		}
	}
	return nil
}

// markIdle enters or removes a slave from the list of those with free slots.
func (e *engine) markIdle(id model.SlaveID) {
	s := &e.slaves[id]
	idle := s.totalFree() > 0 && !s.failed
	switch {
	case idle && s.idleAt < 0:
		s.idleAt = len(e.idle)
		e.idle = append(e.idle, id)
	case !idle && s.idleAt >= 0:
		last := e.idle[len(e.idle)-1]
		e.idle[s.idleAt] = last
		e.slaves[last].idleAt = s.idleAt
		e.idle = e.idle[:len(e.idle)-1]
		s.idleAt = -1
	}
}

// wake asks a slave at its first heartbeat at t or later.
func (e *engine) wake(id model.SlaveID, t model.Time) {
	s := &e.slaves[id]
	if s.idleAt < 0 || len(e.ready) == 0 || s.beat <= t {
		return
	}
	at := e.nextBeat(id, t)
	if at >= s.beat {
		return // model.Never too
	}
	// An earlier entry in the queue for a later beat finds s.beat changed.
	s.beat = at
	e.push(at, slaveBeats, int(id))
}

// nextBeat is the first heartbeat of a slave at t or later at which it is
// there, as far as is declared.
func (e *engine) nextBeat(id model.SlaveID, t model.Time) model.Time {
	spec := &e.js.Slaves[id]
	for {
		_, at := e.js.BeatAtOrAfter(id, t)
		if spec.UpUntil(at) > at {
			return at
		}
		t = spec.BackAt(at)
	}
}

func (e *engine) wakeAll() {
	for _, id := range e.idle {
		e.wake(id, e.now)
	}
}

func (e *engine) watch(kind EventKind, j *Job, t model.TaskID, s model.SlaveID, started model.Time) {
	if e.watcher != nil {
		e.watcher.Watch(&e.view, Event{kind, j, t, s, started})
	}
}

func (e *engine) arrive(j *Job) {
	e.arrivals--
	j.state = accepted
	if e.admitter != nil {
		ok, why := e.admitter.Admit(&e.view, j)
		if e.opts.Trace {
			e.trace = append(e.trace, Decision{At: e.now, Task: -1, Slave: model.NoSlave, Job: j.id, Accepted: ok, Why: why})
		}
		if !ok {
			j.state = rejected
			e.rejected = append(e.rejected, j.id)
			e.left--
			return
		}
	}
	e.progress++
	e.active = append(e.active, j)
	j.openStage(e.js)
	e.ready = append(e.ready, j)
	e.watch(Arrived, j, -1, model.NoSlave, model.Never)
	e.wakeAll()
}

// readyJob puts a job into its place among the ready ones.
func (e *engine) readyJob(j *Job) {
	at, found := slices.BinarySearchFunc(e.ready, j, byArrival)
	if !found {
		e.ready = slices.Insert(e.ready, at, j)
	}
}

// byArrival orders jobs by release, then by the file.
func byArrival(a, b *Job) int {
	if a.spec.Release != b.spec.Release {
		return int(a.spec.Release - b.spec.Release)
	}
	return int(a.id - b.id)
}

// without removes a job from a list ordered by arrival.
func without(list []*Job, j *Job) []*Job {
	at, _ := slices.BinarySearchFunc(list, j, byArrival)
	return slices.Delete(list, at, at+1)
}

// end is for the entry of an attempt that may have been lost meanwhile.
func (e *engine) end(t model.TaskID) {
	place := e.placed[t]
	if place.Slave == model.NoSlave || e.ends[t] != model.Never {
		return
	}
	s := &e.slaves[place.Slave]
	at := slices.IndexFunc(s.held, func(h held) bool { return h.task == t })
	if s.held[at].end != e.now {
		return
	}
	s.drop(at)
	e.ends[t] = e.now
	e.running--
	e.progress++
	e.markIdle(place.Slave)
	j := &e.jobs[e.js.Tasks[t].Job]
	j.nRunning--
	j.nDone++
	e.watch(Ended, j, t, place.Slave, place.Start)
	if st := &j.spec.Stages[j.stage]; j.nDone == int(st.End-st.First) {
		e.nextStage(j)
	}
	if e.asks == OnReady {
		e.wake(place.Slave, e.now)
	} else {
		e.wakeAll()
	}
}

func (e *engine) nextStage(j *Job) {
	j.stage++
	if j.stage < len(j.spec.Stages) {
		j.openStage(e.js)
		e.readyJob(j)
		e.wakeAll()
		return
	}
	j.state, j.finish = finished, e.now
	j.batches, j.near = nil, nil
	e.active = without(e.active, j)
	e.left--
	e.watch(Finished, j, -1, model.NoSlave, model.Never)
}

func (e *engine) control() {
	next := e.controller.Control(&e.view)
	if next <= e.now {
		e.cheated("wants control again at %d, which is not later", next)
	}
	if next < model.Never {
		e.push(next, controlDue, 0)
	}
	e.wakeAll()
}

// maxAsked bounds the heartbeats of each slave at which nothing is handed out
// although nothing else will ever happen.
const maxAsked = 10_000

func (e *engine) heartbeat(id model.SlaveID) error {
	s := &e.slaves[id]
	if s.beat != e.now {
		return nil
	}
	s.beat = model.Never
	if s.idleAt < 0 || len(e.ready) == 0 {
		return nil
	}
	before := e.progress
	e.offer.slave, e.offer.open, e.offer.considered = id, true, nil
	e.policy.Heartbeat(&e.view, &e.offer)
	e.offer.open = false
	if e.progress > before && e.asks == OnChange {
		e.wakeAfter(id)
	}
	if s.idleAt < 0 || len(e.ready) == 0 {
		return nil
	}
	if e.asks == EveryBeat {
		e.wake(id, e.now+1)
	} else if spec := &e.js.Slaves[id]; len(spec.Down) > 0 {
		// What has no room before an absence may have some after it.
		if away := spec.UpUntil(e.now); away < model.Never {
			e.wake(id, away)
		}
	}
	if e.stuck(s) {
		return e.starved()
	}
	return nil
}

// wakeAfter is wakeAll within a tick: slaves up to the given one have had their
// heartbeat, if they had one now.
func (e *engine) wakeAfter(id model.SlaveID) {
	for _, other := range e.idle {
		at := e.now
		if other <= id {
			at++
		}
		e.wake(other, at)
	}
}

// stuck counts a heartbeat at which nothing was handed out, and reports whether
// there were so many of every slave that the policy must have given up.
func (e *engine) stuck(s *slave) bool {
	if e.progress != s.seen {
		s.seen, s.asked = e.progress, 0
	}
	if e.progress != e.wearyAt {
		e.wearyAt, e.weary = e.progress, 0
	}
	s.asked++
	if s.asked == maxAsked {
		e.weary++
	}
	return e.weary == e.slotted && e.running == 0 && e.arrivals == 0
}

func (e *engine) starved() error {
	j := e.ready[0]
	for _, b := range j.batches {
		if b.Len() > 0 {
			return fmt.Errorf("policy %s never hands out %s", e.policy.Name(), e.js.TaskName(b.First()))
		}
	}
	panic("a ready job without a ready task")
}
