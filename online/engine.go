package online

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/verify"
)

// Run plays a job set under a policy to its end; the outcome depends on its
// arguments only. It fails if the policy breaks the rules, if it never hands
// out some task, or when ctx ends.
func Run(ctx context.Context, js *model.JobSet, p Policy, opts Options) (*Outcome, error) {
	e := newEngine(js, p, opts)
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	return e.outcome(), nil
}

// engine is a run.
type engine struct {
	state
	opts  Options
	queue queue
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
}

func newEngine(js *model.JobSet, p Policy, opts Options) *engine {
	e := &engine{
		state: newState(js, p.Name()), opts: opts, policy: p, asks: p.Asks(),
		placed: model.NewSchedule(len(js.Tasks)), ends: make([]model.Time, len(js.Tasks)),
		attempts: make([]int32, len(js.Tasks)),
		left:     len(js.Jobs), arrivals: len(js.Jobs),
	}
	e.slotted = len(e.idle)
	e.view.st = &e.state
	e.offer = Offer{st: &e.state, give: e.give, tracing: opts.Trace}
	e.watcher, _ = p.(Watcher)
	e.controller, _ = p.(Controller)
	e.admitter, _ = p.(Admitter)
	for i := range e.ends {
		e.ends[i] = model.Never
	}
	e.plan()
	return e
}

// plan enters what will happen whatever the policy does.
func (e *engine) plan() {
	if e.asks == OnChange {
		for i := range e.slaves {
			for _, d := range e.js.Slaves[i].Down {
				e.push(d.Start, slaveTurns, i)
				e.push(d.End, slaveTurns, i)
			}
		}
	}
	for i := range e.jobs {
		e.push(e.js.Jobs[i].Release, jobArrives, i)
	}
	if e.opts.Faults != nil {
		e.startFaults()
	}
	if e.controller != nil {
		e.push(0, controlDue, 0)
	}
}

func (e *engine) push(at model.Time, class eventClass, number int) {
	e.queue.push(newEvent(at, class, number))
}

// checkEvery is how many events pass between looks at the context.
const checkEvery = 1 << 6

func (e *engine) run(ctx context.Context) error {
	if s, ok := e.policy.(Starter); ok {
		s.Start(&e.view)
	}
	for e.broken == nil && e.left > 0 {
		if e.events%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(e.queue) == 0 {
			return e.starved()
		}
		ev := e.queue.pop()
		e.now = ev.at
		e.events++
		if err := e.happen(ev); err != nil && e.broken == nil {
			return err
		}
	}
	return e.broken
}

// happen carries out one event.
func (e *engine) happen(ev event) error {
	switch ev.class() {
	case taskEnds:
		e.end(model.TaskID(ev.number()))
	case slaveFails:
		return e.fail(model.SlaveID(ev.number()))
	case slaveReturns:
		e.comeBack(model.SlaveID(ev.number()))
	case slaveTurns:
		e.wakeAll(model.NoSlave)
	case jobArrives:
		e.arrive(&e.jobs[ev.number()])
	case controlDue:
		e.control()
	case slaveBeats:
		return e.heartbeat(model.SlaveID(ev.number()))
	}
	return nil
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

// wakeAll wakes all slaves, at their first heartbeat after now those that have had
// the one of now: up to this one.
func (e *engine) wakeAll(upTo model.SlaveID) {
	if len(e.ready) == 0 {
		return
	}
	for _, id := range e.asleep {
		e.slaves[id].asleep = false
		at := e.now
		if id <= upTo {
			at++
		}
		e.wake(id, at)
	}
	e.asleep = e.asleep[:0]
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
	e.change(j)
	e.ready = append(e.ready, j)
	e.watch(Arrived, j, -1, model.NoSlave, model.Never)
	e.wakeAll(model.NoSlave)
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
	e.change(j)
	e.watch(Ended, j, t, place.Slave, place.Start)
	if st := &j.spec.Stages[j.stage]; j.nDone == int(st.End-st.First) {
		e.nextStage(j)
	}
	if e.asks == OnReady {
		e.wake(place.Slave, e.now)
	} else {
		e.wakeAll(model.NoSlave)
	}
}

func (e *engine) nextStage(j *Job) {
	j.stage++
	if j.stage < len(j.spec.Stages) {
		j.openStage(e.js)
		e.readyJob(j)
		e.wakeAll(model.NoSlave)
		return
	}
	j.state, j.finish = finished, e.now
	j.groups, j.near = nil, nil
	e.active = without(e.active, j)
	e.left--
	e.watch(Finished, j, -1, model.NoSlave, model.Never)
}

func (e *engine) control() {
	next := e.controller.Control(&e.view)
	switch {
	case next <= e.now:
		e.breach("wants control again at %d, which is not later", next)
	case next < model.Never:
		e.push(next, controlDue, 0)
	}
	e.wakeAll(model.NoSlave)
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
	e.sleep(id)
	if s.idleAt < 0 || len(e.ready) == 0 {
		return nil
	}
	before := e.progress
	e.offer.slave, e.offer.open, e.offer.considered = id, true, nil
	e.policy.Heartbeat(&e.view, &e.offer)
	e.offer.open = false
	if e.broken != nil {
		return nil
	}
	if e.progress > before && e.asks == OnChange {
		e.wakeAll(id)
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

// starved is the error of a run in which what is ready is never handed out.
func (e *engine) starved() error {
	j := e.ready[0]
	g := j.groups[slices.IndexFunc(j.groups, func(g *Group) bool { return g.Len() > 0 })]
	return fmt.Errorf("policy %s never hands out %s", e.name, e.js.TaskName(g.First()))
}

func (e *engine) give(id model.SlaveID, g *Group) model.TaskID {
	j, s := g.job, &e.slaves[id]
	t := j.take(g)
	beat, _ := e.js.BeatAtOrAfter(id, e.now)
	h := s.give(held{
		task: t, assigned: e.now, beat: beat,
		transfer: g.profile.Transfer(id), wcet: g.profile.WCET(id),
	}, e.opts.length(t, e.attempts[t], g.profile.WCET(id)))
	e.placed[t] = model.Placement{Slave: id, Beat: beat, Fetch: h.fetch, Start: h.start}
	e.push(h.end, taskEnds, int(t))
	e.running++
	e.progress++
	j.nRunning++
	e.change(j)
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

func (e *engine) outcome() *Outcome {
	out := &Outcome{
		Policy: e.name, JobSet: e.js, Schedule: e.placed, Ends: e.ends,
		Finishes: make([]model.Time, len(e.jobs)), Rejected: slices.Sorted(slices.Values(e.rejected)),
		Lost: e.lost, Failures: e.failures, Trace: e.trace, Events: e.events,
	}
	for i := range e.jobs {
		out.Finishes[i] = e.jobs[i].finish
	}
	return out
}

func (e *engine) startFaults() {
	e.faults = make([]faultStream, len(e.slaves))
	for i := range e.slaves {
		e.faults[i] = e.opts.faultStream(i)
		e.push(e.faults[i].after(e.opts.Faults.MTBF), slaveFails, i)
	}
}

func (e *engine) fail(id model.SlaveID) error {
	s := &e.slaves[id]
	s.failed = true
	e.outages++
	back := e.now + e.faults[id].after(e.opts.Faults.MTTR)
	e.push(back, slaveReturns, int(id))
	e.failures = append(e.failures, Failure{id, model.Interval{Start: e.now, End: back}})
	gone := s.held
	for _, h := range gone {
		e.lost = append(e.lost, Attempt{h.task, e.placed[h.task], e.now})
		e.placed[h.task] = model.Placement{Slave: model.NoSlave}
		e.attempts[h.task]++
		e.running--
	}
	s.empty(e.now)
	e.markIdle(id)
	for _, h := range gone {
		j := &e.jobs[e.js.Tasks[h.task].Job]
		j.nRunning--
		j.add(e.js, h.task)
		e.change(j)
		e.readyJob(j)
		started := h.start
		if started >= e.now {
			started = model.Never
		}
		e.watch(Lost, j, h.task, id, started)
	}
	if len(gone) > 0 || e.asks == OnChange {
		e.wakeAll(model.NoSlave)
	}
	return e.hopeless(gone)
}

// maxAttempts bounds how often a task may be lost.
const maxAttempts = 1000

// ErrHopeless is in the error of a run in which slaves fail so often that a
// task was lost 1000 times.
var ErrHopeless = errors.New("slaves fail too often for tasks as long as this")

// hopeless is the error of a task that failures will hardly ever let finish.
func (e *engine) hopeless(gone []held) error {
	for _, h := range gone {
		if e.attempts[h.task] == maxAttempts {
			return fmt.Errorf("%s has been lost %d times: %w", e.js.TaskName(h.task), maxAttempts, ErrHopeless)
		}
	}
	return nil
}

func (e *engine) comeBack(id model.SlaveID) {
	e.slaves[id].failed = false
	e.outages++
	e.push(e.now+e.faults[id].after(e.opts.Faults.MTBF), slaveFails, int(id))
	e.markIdle(id)
	if e.asks == OnChange {
		e.wakeAll(model.NoSlave)
	} else {
		e.wake(id, e.now)
	}
}

// Play is [Run] with the plan that was carried out handed to the validator,
// which knows nothing of the simulator. A run whose plan breaks a rule is an
// error, one of the program.
func Play(ctx context.Context, js *model.JobSet, p Policy, opts Options) (*Outcome, error) {
	out, err := Run(ctx, js, p, opts)
	if err != nil {
		return nil, err
	}
	if err := verify.Plan(js, out.Plan()).Err(); err != nil {
		return nil, err
	}
	return out, nil
}
