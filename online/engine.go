package online

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/check"
)

// Run plays a job set under a policy to its end; the outcome depends on its
// arguments only. It fails if the policy breaks the rules, if it never hands
// out some task, or when ctx ends.
func Run(ctx context.Context, js *model.JobSet, p Policy, opts Options) (*Outcome, error) {
	e := newEngine(js, p, opts)
	e.ctx = ctx
	if f, ok := p.(Ender); ok {
		defer f.End()
	}
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
	killer     Killer
	opened     []*Job // of which tasks became ready in this event, for the killer
	admitter   Admitter

	ends     []model.Time // by task, Never until it has ended
	attempts []int32      // by task, how often it was lost
	faults   []faultStream
	lost     []Attempt
	failures []Failure
	rejected []model.JobID
	// leftOut are the jobs that can run nowhere any more, of those which confined marks, and all
	// that come after these.
	leftOut []model.JobID
	trace   []Decision
	events  int64
	// left counts jobs that are not finished, rejected or left out, running the tasks
	// that slaves hold.
	left, running int
	// arrivals counts jobs that are still to be released.
	arrivals int
	// next lists by job those that come after it.
	next [][]model.JobID
	// progress counts what was handed out, ended, became ready or went for good; weary the
	// slaves that have been asked maxAsked times since it was wearyAt, slotted
	// those that have a slot at all and are not gone for good.
	progress, wearyAt int64
	weary, slotted    int
	// rounds counts how often all slaves were asked again since it was askedAt.
	rounds  int
	askedAt int64
}

func newEngine(js *model.JobSet, p Policy, opts Options) *engine {
	e := &engine{
		state: newState(js, p.Name(), &opts), opts: opts, policy: p,
		ends:     make([]model.Time, len(js.Tasks)),
		attempts: make([]int32, len(js.Tasks)),
		left:     len(js.Jobs), arrivals: len(js.Jobs),
	}
	e.slotted = len(e.idle)
	e.view.st = &e.state
	e.offer = Offer{st: &e.state, give: e.give, giveAll: e.giveTogether, tracing: opts.Trace}
	e.watcher, _ = p.(Watcher)
	e.controller, _ = p.(Controller)
	e.killer, _ = p.(Killer)
	e.admitter, _ = p.(Admitter)
	for i := range e.ends {
		e.ends[i] = model.Never
	}
	return e
}

// plan enters what will happen whatever the policy does.
func (e *engine) plan() {
	if e.asks == OnChange || e.surprise || e.gangs {
		for i := range e.slaves {
			for _, d := range e.js.Slaves[i].Down {
				e.push(d.Start, slaveTurns, i)
				if d.End < model.Never {
					e.push(d.End, slaveTurns, i)
				}
			}
		}
	}
	for i := range e.slaves {
		if gone := e.js.Slaves[i].GoneFrom(); gone < model.Never {
			e.push(gone, slaveGoes, i)
		}
	}
	for i := range e.js.Shared() {
		for _, l := range e.js.Shared()[i].Levels[1:] {
			e.push(l.From, amountTurns, i)
		}
	}
	e.next = make([][]model.JobID, len(e.jobs))
	for i := range e.jobs {
		e.push(e.js.Jobs[i].Release, jobArrives, i)
		for _, k := range e.js.Jobs[i].After {
			e.next[k] = append(e.next[k], model.JobID(i))
		}
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
	e.asks = e.policy.Asks()
	e.plan()
	for e.broken == nil && (e.left > 0 || e.running > 0) {
		if e.events%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(e.queue) == 0 && !e.askAgain() {
			return e.starved()
		}
		ev := e.queue.pop()
		e.now = ev.at
		e.events++
		err := e.happen(ev)
		if err == nil && len(e.opened) > 0 {
			err = e.kill()
		}
		if err != nil && e.broken == nil {
			return err
		}
	}
	return e.broken
}

// kill lets the policy take back what slaves hold for the jobs of which tasks have become ready.
func (e *engine) kill() error {
	opened := e.opened
	e.opened = nil
	for _, j := range opened {
		var gone []forfeited
		for _, t := range e.killer.Kill(&e.view, j) {
			at := e.placed[t].Slave
			if at == model.NoSlave || e.ends[t] != model.Never || slices.ContainsFunc(gone, func(h forfeited) bool { return h.Task == t }) {
				return fmt.Errorf("policy %s kills %s, which no machine holds", e.policy.Name(), e.js.TaskName(t))
			}
			gone = append(gone, forfeited{at, e.slaves[at].Drop(t)})
			e.markIdle(at)
		}
		if len(gone) == 0 {
			continue
		}
		if !e.coupled { // else it is done with what goes with them
			e.lineUp()
		}
		if err := e.forfeit(gone); err != nil {
			return err
		}
	}
	return nil
}

// happen carries out one event.
func (e *engine) happen(ev event) error {
	switch ev.class() {
	case jobArrives, controlDue, slaveBeats: // nothing is free after them that was not before
	default:
		e.freed++
	}
	switch ev.class() {
	case taskEnds:
		e.end(model.TaskID(ev.number()))
	case slaveLeaves:
		return e.lose(model.SlaveID(ev.number()))
	case slaveFails:
		return e.fail(model.SlaveID(ev.number()))
	case slaveReturns:
		e.comeBack(model.SlaveID(ev.number()))
	case slaveTurns:
		e.turn(model.SlaveID(ev.number()))
	case slaveGoes:
		e.goes(model.SlaveID(ev.number()))
	case amountTurns:
		return e.fall(model.SharedID(ev.number()))
	case jobArrives:
		e.arrivals--
		e.jobs[ev.number()].state = awaiting
		e.release(&e.jobs[ev.number()])
	case controlDue:
		e.control()
	case slaveBeats:
		return e.heartbeat(model.SlaveID(ev.number()))
	}
	return nil
}

// turn is for a slave whose absence begins or ends. That it is for good is seen by then.
func (e *engine) turn(id model.SlaveID) {
	if e.surprise {
		e.outages++
	}
	if e.opts.Known != nil && e.away(id) && e.js.Slaves[id].BackAt(e.now) >= model.MaxTime {
		e.shown[id].Down = e.js.Slaves[id].Down
		e.know()
	}
	e.wakeAll(model.NoSlave)
}

// goes is for a slave that is gone for good from now on: it is not asked any more, and takes with it
// what could run nowhere else.
func (e *engine) goes(id model.SlaveID) {
	if e.js.Slaves[id].TotalSlots() > 0 {
		e.slotted--
	}
	e.progress++ // who was asked often enough is counted anew
	if e.confined == nil {
		return
	}
	e.leaveOutStranded()
	e.wakeAll(model.NoSlave)
}

// leaveOutStranded gives up the jobs that have a task which can run nowhere any more.
func (e *engine) leaveOutStranded() {
	for i := range slices.Backward(e.jobs) { // from behind: lists of jobs are in order
		if j := &e.jobs[i]; j.state == accepted && e.stranded(j) {
			e.leaveOut(j)
		}
	}
}

// fall is for an amount that changes. What tasks which overran hold beyond it is taken from those
// that were handed out last.
func (e *engine) fall(id model.SharedID) error {
	sh := &e.js.Shared()[id]
	e.limits.there[id] = sh.At(e.now)
	for n := len(e.limits.holders[id]); n > 0 && e.limits.used[id] > e.limits.there[id]; n = len(e.limits.holders[id]) {
		t := e.limits.holders[id][n-1]
		at := e.placed[t].Slave
		if err := e.forfeit([]forfeited{{at, e.slaves[at].Drop(t)}}); err != nil {
			return err
		}
	}
	e.progress++
	if e.confined != nil {
		e.leaveOutStranded()
	}
	e.wakeAll(model.NoSlave)
	return nil
}

// askAgain wakes all slaves where nothing else will happen, as what ties tasks on different slaves
// may let one have now what it could not when it was asked; not for ever.
func (e *engine) askAgain() bool {
	if !e.coupled {
		return false
	}
	if e.progress != e.askedAt {
		e.askedAt, e.rounds = e.progress, 0
	}
	e.rounds++
	for _, id := range e.idle {
		e.wake(id, e.now+1)
	}
	return e.rounds <= maxRounds && len(e.queue) > 0
}

// maxRounds bounds how often all slaves are asked again though nothing happens.
const maxRounds = 1000

// stranded reports whether a job has a task to hand out of which every slave is gone for good.
func (e *engine) stranded(j *Job) bool {
	if e.confined == nil || !e.confined[j.id] {
		return false
	}
	var stays *model.Profile // of the task before: the next one has the same mostly
	for t := j.spec.First; t < j.spec.End; t++ {
		p := e.js.Tasks[t].Profile
		if e.placed[t].Slave != model.NoSlave || p == stays {
			continue
		}
		if !e.somewhere(p) {
			return true
		}
		stays = p
	}
	return e.coupled && e.strandedTogether(j)
}

// strandedTogether is stranded for what ties tasks on different slaves.
func (e *engine) strandedTogether(j *Job) bool {
	for k := range j.spec.Stages {
		st := &j.spec.Stages[k]
		waits := -1
		for t := st.First; t < st.End; t++ {
			if e.placed[t].Slave != model.NoSlave {
				continue
			}
			waits = int(t)
			if !st.IsGang() && e.tooMuch(e.js.Takes(t)) {
				return true
			}
		}
		switch {
		case waits < 0:
		case st.IsGang():
			if e.tooMuch(e.limits.common[e.stageOf(st)]) || !e.canBeAllocated(st) {
				return true
			}
		case st.IsApart():
			stays := func(s model.SlaveID) bool { return e.js.Slaves[s].GoneFrom() > e.now }
			if !e.canBeApart(st, noTask, stays) {
				return true
			}
		}
	}
	return false
}

// tooMuch reports whether there is never so much again.
func (e *engine) tooMuch(takes []model.Take) bool {
	return slices.ContainsFunc(takes, func(take model.Take) bool {
		return take.Units > mostFrom(&e.js.Shared()[take.Shared], e.now)
	})
}

// somewhere reports whether a slave that a task may run on is not gone for good.
func (e *engine) somewhere(p *model.Profile) bool {
	for s := range e.js.Slaves {
		if p.Eligible(model.SlaveID(s)) && e.js.Slaves[s].GoneFrom() > e.now {
			return true
		}
	}
	return false
}

// leaveOut gives a job up, and all that have arrived and come after it: none of its tasks is handed
// out any more. Those that run go on to their ends, and then the job is over for policies, too.
func (e *engine) leaveOut(j *Job) {
	arrived := j.state == accepted
	j.state = leftOut
	if arrived {
		e.watch(GivenUp, j)
		if j.ReadyTasks() > 0 {
			j.close()
			e.change(j)
			e.ready = without(e.ready, j)
		}
		e.drained(j)
	}
	e.leftOut = append(e.leftOut, j.id)
	if e.opts.Trace {
		why := "can run nowhere any more, or comes after a job that cannot"
		e.trace = append(e.trace, Decision{At: e.now, Task: -1, Slave: model.NoSlave, Job: j.id, Why: why})
	}
	e.left--
	e.progress++
	for _, k := range e.next[j.id] {
		switch next := &e.jobs[k]; next.state {
		case accepted:
			e.leaveOut(next)
		case awaiting:
			e.release(next)
		}
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

// watch tells of a job as a whole.
func (e *engine) watch(kind EventKind, j *Job) { e.watchStage(kind, j, -1) }

func (e *engine) watchStage(kind EventKind, j *Job, stage int) {
	if e.watcher != nil {
		e.watcher.Watch(&e.view, Event{kind, j, stage, -1, model.NoSlave, model.Never, false})
	}
}

func (e *engine) watchTask(kind EventKind, t model.TaskID, s model.SlaveID, started model.Time) {
	if e.watcher != nil {
		task := &e.js.Tasks[t]
		e.watcher.Watch(&e.view, Event{kind, &e.jobs[task.Job], int(task.Stage), t, s, started, false})
	}
}

// drained takes a job that is left out off the active ones once none of its tasks runs.
func (e *engine) drained(j *Job) {
	if j.state == leftOut && j.nRunning == 0 {
		e.active = without(e.active, j)
		e.watch(Finished, j)
	}
}

// release lets a released job arrive once all have that it comes after, as nobody could
// say before when it may begin, or turns it away with one of them.
func (e *engine) release(j *Job) {
	after := j.spec.After
	gone := slices.IndexFunc(after, func(k model.JobID) bool { return e.jobs[k].state == rejected })
	switch {
	case slices.ContainsFunc(after, func(k model.JobID) bool { return e.jobs[k].state == leftOut }):
		e.leaveOut(j)
		return
	case gone >= 0:
		why := fmt.Sprintf("comes after job %s, which was rejected", e.js.Jobs[after[gone]].Name)
		e.admission(j, false, why)
	case !slices.ContainsFunc(after, func(k model.JobID) bool { return e.jobs[k].state <= awaiting }):
		e.arrive(j)
	default:
		return
	}
	for _, k := range e.next[j.id] {
		if e.jobs[k].state == awaiting {
			e.release(&e.jobs[k])
		}
	}
}

func (e *engine) arrive(j *Job) {
	if e.stranded(j) {
		e.leaveOut(j)
		return
	}
	j.state = accepted
	if e.admitter != nil {
		ok, why := e.admitter.Admit(&e.view, j)
		if e.admission(j, ok, why); !ok {
			return
		}
	}
	e.progress++
	e.active = with(e.active, j)
	e.watch(Arrived, j)
	for k := range j.stages {
		if j.stages[k].waits == 0 {
			e.openStage(j, k)
		}
	}
	e.wakeAll(model.NoSlave)
}

// admission notes whether a job was accepted.
func (e *engine) admission(j *Job, ok bool, why string) {
	if e.opts.Trace {
		e.trace = append(e.trace, Decision{At: e.now, Task: -1, Slave: model.NoSlave, Job: j.id, Accepted: ok, Why: why})
	}
	if !ok {
		j.state = rejected
		e.rejected = append(e.rejected, j.id)
		e.left--
	}
}

func (e *engine) openStage(j *Job, stage int) {
	j.open(e.js, stage)
	e.change(j)
	e.ready = with(e.ready, j)
	e.watchStage(Opened, j, stage)
	if e.killer != nil {
		e.opened = with(e.opened, j)
	}
}

// end is for the entry of an attempt that may have been lost meanwhile.
func (e *engine) end(t model.TaskID) {
	place := e.placed[t]
	if place.Slave == model.NoSlave || e.ends[t] != model.Never {
		return
	}
	s := &e.slaves[place.Slave]
	if !s.End(t, e.now) {
		return
	}
	e.ends[t] = e.now
	if e.coupled {
		e.limits.giveBack(e.js, t)
	}
	e.running--
	e.progress++
	e.markIdle(place.Slave)
	j := &e.jobs[e.js.Tasks[t].Job]
	j.nRunning--
	st := int(e.js.Tasks[t].Stage)
	j.stages[st].left--
	e.change(j)
	e.watchTask(Ended, t, place.Slave, place.Start)
	if j.stages[st].left == 0 && j.state == accepted {
		e.endStage(j, st)
	}
	e.drained(j)
	if e.asks == OnReady && !e.coupled {
		e.wake(place.Slave, e.now)
	} else {
		e.wakeAll(model.NoSlave)
	}
}

// endStage opens what comes after a stage, of other jobs too if it was their last.
func (e *engine) endStage(j *Job, stage int) {
	j.end(stage)
	if j.nLeft--; j.nLeft == 0 {
		j.state, j.finish = finished, e.now
		e.active = without(e.active, j)
		e.left--
		e.watch(Finished, j)
	}
	opened := false
	for _, id := range e.js.Next(j.spec.FirstStage + model.StageID(stage)) {
		_, of := e.js.Stage(id)
		next := &e.jobs[of]
		at := int(id - next.spec.FirstStage)
		next.stages[at].waits--
		if next.stages[at].waits == 0 && next.state == accepted {
			e.openStage(next, at)
			opened = true
		}
	}
	if opened {
		e.wakeAll(model.NoSlave)
	}
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

// maxAsked bounds the heartbeats of each slave, from one absence to the next, at which
// nothing is handed out although nothing else will ever happen.
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
	e.offer.slave, e.offer.away = id, e.shown[id].UpUntil(e.now)
	e.offer.open, e.offer.considered = true, nil
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
	if e.stuck(id) {
		return e.starved()
	}
	return nil
}

// stuck counts a heartbeat at which nothing was handed out, and reports whether
// there were so many of every slave that the policy must have given up.
func (e *engine) stuck(id model.SlaveID) bool {
	s, away := &e.slaves[id], e.js.Slaves[id].UpUntil(e.now)
	if e.progress != e.wearyAt {
		e.wearyAt, e.weary = e.progress, 0
	}
	if e.progress != s.seen || away != s.away {
		if e.progress == s.seen && s.asked >= maxAsked {
			e.weary-- // what did not fit before an absence may fit after it
		}
		s.seen, s.away, s.asked = e.progress, away, 0
	}
	s.asked++
	if s.asked == maxAsked {
		e.weary++
	}
	return e.weary == e.slotted && e.running == 0 && e.arrivals == 0
}

// StarvedError ends a run in which the policy never hands out what is ready.
type StarvedError struct {
	// Policy is its name, Task one that is ready.
	Policy, Task string
}

// Error implements error.
func (e *StarvedError) Error() string {
	return fmt.Sprintf("policy %s never hands out %s", e.Policy, e.Task)
}

func (e *engine) starved() error {
	j := e.ready[0]
	g := j.groups[slices.IndexFunc(j.groups, func(g *Group) bool { return g.Len() > 0 })]
	return &StarvedError{e.name, e.js.TaskName(g.First())}
}

// length is how long an attempt at a task takes.
func (e *engine) length(t model.TaskID, wcet model.Time) model.Time {
	return e.opts.lengthOf(e.durations, t, e.attempts[t], wcet)
}

func (e *engine) give(id model.SlaveID, g *Group, t model.TaskID) model.TaskID {
	e.turns++
	beat, _ := e.js.BeatAtOrAfter(id, e.now)
	h := e.slaves[id].Give(heldTask{
		Task: t, Assigned: e.now, Beat: beat, Turn: e.turns,
		Transfer: g.profile.Transfer(id), WCET: g.profile.WCET(id),
	}, e.length(t, g.profile.WCET(id)))
	e.given(id, g, h)
	e.watchTask(Assigned, t, id, model.Never)
	return t
}

// given is for a task of a group that a slave was just given.
func (e *engine) given(id model.SlaveID, g *Group, h *heldTask) {
	t, j := h.Task, g.job
	j.take(g, t)
	e.placed[t] = model.Placement{Slave: id, Beat: h.Beat, Fetch: h.Fetch, Start: h.Start}
	e.push(h.End, taskEnds, int(t))
	if away := e.leavesAfter(id, h.Assigned); h.End > away {
		e.push(away, slaveLeaves, int(id))
	}
	if e.coupled {
		e.limits.hold(e.js, t)
	}
	e.running++
	e.progress++
	j.nRunning++
	e.change(j)
	if j.started == model.Never {
		j.started = e.now
	}
	if j.ReadyTasks() == 0 {
		e.ready = without(e.ready, j)
	}
	e.markIdle(id)
	if e.opts.Trace {
		e.trace = append(e.trace, Decision{At: e.now, Task: t, Slave: id, Job: j.id, Accepted: true, Candidates: e.offer.considered})
		e.offer.considered = nil
	}
}

// leavesAfter is when a slave goes that is to be given something, now or at its next heartbeat:
// after that, unless it goes before by surprise.
func (e *engine) leavesAfter(id model.SlaveID, given model.Time) model.Time {
	away := e.js.Slaves[id].UpUntil(e.now)
	if away < given && !(e.surprise && e.shown[id].UpUntil(away) > away) {
		return e.js.Slaves[id].UpUntil(given)
	}
	return away
}

// giveTogether hands out a gang, of which g has a task.
func (e *engine) giveTogether(g *Group, all *gangPlacement) {
	e.turns++
	groups := map[*model.Profile]*Group{}
	for _, other := range g.job.groups {
		if other.stage == g.stage {
			groups[other.profile] = other
		}
	}
	held, lines := make([]heldTask, len(all.members)), make([]waiting, len(all.members))
	for i, m := range all.members {
		s, p := &e.slaves[m.Slave], e.js.Tasks[m.Task].Profile
		beat, _ := e.js.BeatAtOrAfter(m.Slave, m.assigned)
		held[i] = heldTask{
			Task: m.Task, Assigned: m.assigned, Beat: beat, Turn: e.turns, By: all.start,
			Fetch: s.fetchAt(&s.ahead, m.assigned), Transfer: p.Transfer(m.Slave), WCET: p.WCET(m.Slave),
		}
		s.ahead.lastFetched = held[i].Fetch + held[i].Transfer
		lines[i] = waiting{&s.slaveLoad, m.Task, s.ahead.lastFetched}
	}
	start, considered := meet(lines), e.offer.considered
	for i, m := range all.members {
		e.offer.considered = considered
		s, h := &e.slaves[m.Slave], &held[i]
		h.Start = start
		h.End = start + e.length(m.Task, h.WCET)
		s.run(&s.ahead, s.demands.of(m.Task), s.ahead.lastFetched, h.Start, h.End)
		e.given(m.Slave, groups[e.js.Tasks[m.Task].Profile], s.add(*h))
	}
	for _, m := range all.members {
		e.watchTask(Assigned, m.Task, m.Slave, model.Never)
	}
}

func (e *engine) outcome() *Outcome {
	out := &Outcome{
		Policy: e.name, JobSet: e.js, Schedule: e.placed, Ends: e.ends,
		Finishes: make([]model.Time, len(e.jobs)), Rejected: slices.Sorted(slices.Values(e.rejected)), LeftOut: slices.Sorted(slices.Values(e.leftOut)),
		Overruns: e.opts.overruns(), Lost: e.lost, Failures: e.failures, Trace: e.trace, Events: e.events,
	}
	_, counts := e.policy.(SlotCounter)
	out.Unpromised = counts && e.coupled
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
	e.slaves[id].failed = true
	e.outages++
	back := e.now + e.faults[id].after(e.opts.Faults.MTTR)
	e.push(back, slaveReturns, int(id))
	e.failures = append(e.failures, Failure{id, model.Interval{Start: e.now, End: back}})
	return e.lose(id)
}

// lose takes from a slave that is away from now on what it holds.
func (e *engine) lose(id model.SlaveID) error {
	s := &e.slaves[id]
	gone := make([]forfeited, len(s.Held()))
	for i, h := range s.Held() {
		gone[i] = forfeited{id, h}
	}
	s.Empty(e.now)
	e.markIdle(id)
	return e.forfeit(gone)
}

// forfeited is a task that a slave has just lost.
type forfeited struct {
	slave model.SlaveID
	heldTask
}

// forfeit is for what slaves have just lost: it is ready again, and the gangs of it are as a whole.
func (e *engine) forfeit(gone []forfeited) error {
	var undone []model.TaskID
	if e.coupled {
		gone, undone = e.dissolve(gone)
		e.lineUp()
	}
	for _, h := range gone {
		e.forget(h.Task, h.Assigned < e.now, e.now, h.End-h.Start)
		e.running--
	}
	for _, t := range undone {
		e.undo(t)
	}
	for _, h := range gone {
		j := &e.jobs[e.js.Tasks[h.Task].Job]
		j.nRunning--
		e.readyAgain(j, h.Task)
		started := h.Start
		if started >= e.now {
			started = model.Never
		}
		e.watchTask(Lost, h.Task, h.slave, started)
		e.drained(j)
	}
	if len(gone) > 0 || e.asks == OnChange {
		e.wakeAll(model.NoSlave)
	}
	return e.hopeless(gone)
}

// forget takes a task off where it was, and lists the attempt as lost if there was one by then.
func (e *engine) forget(t model.TaskID, attempted bool, end, length model.Time) {
	if attempted {
		e.lost = append(e.lost, Attempt{t, e.placed[t], end, length})
		e.attempts[t]++
	}
	e.placed[t] = model.Placement{Slave: model.NoSlave}
}

// readyAgain lets a task wait to be handed out, unless its job is left out.
func (e *engine) readyAgain(j *Job, t model.TaskID) {
	if j.state != leftOut {
		j.add(e.js, t)
		e.ready = with(e.ready, j)
	}
	e.change(j)
}

// dissolve adds to what is lost the others of its gangs, which their slaves lose with it, and
// lists those that have ended.
func (e *engine) dissolve(gone []forfeited) (all []forfeited, undone []model.TaskID) {
	all = gone
	var seen []*model.Stage
	for _, h := range gone {
		e.limits.giveBack(e.js, h.Task)
		e.markIdle(h.slave)
		stage, gang := e.js.GangOf(h.Task)
		if !gang || slices.Contains(seen, stage) {
			continue
		}
		seen = append(seen, stage)
		for t := stage.First; t < stage.End; t++ {
			at := e.placed[t].Slave
			switch {
			case slices.ContainsFunc(gone, func(h forfeited) bool { return h.Task == t }):
			case e.ends[t] < model.Never:
				undone = append(undone, t)
			default:
				e.limits.giveBack(e.js, t)
				all = append(all, forfeited{at, e.slaves[at].Drop(t)})
				e.markIdle(at)
			}
		}
	}
	return all, undone
}

// undo is for a task that has ended, of a gang that is lost: it has to run again with the others.
func (e *engine) undo(t model.TaskID) {
	task := &e.js.Tasks[t]
	at, end := e.placed[t], e.ends[t]
	e.forget(t, true, end, end-at.Start)
	e.ends[t] = model.Never
	j := &e.jobs[task.Job]
	j.stages[task.Stage].left++
	e.readyAgain(j, t)
	if e.watcher != nil {
		e.watcher.Watch(&e.view, Event{Lost, j, int(task.Stage), t, at.Slave, at.Start, true})
	}
}

// lineUp works out anew when tasks that have not begun do, after some were lost ahead of them.
// What is fetched or runs stays.
func (e *engine) lineUp() {
	var line []onSlave
	for i := range e.slaves {
		s := &e.slaves[i]
		s.promise = nil
		s.ahead = s.idle()
		s.ahead.lastFetched, s.ahead.lastStart = e.now, e.now
		for k := range s.held {
			line = append(line, onSlave{model.SlaveID(i), &s.held[k]})
		}
	}
	slices.SortStableFunc(line, func(a, b onSlave) int { return int(a.Turn - b.Turn) })
	for first, next := 0, 0; first < len(line); first = next {
		for next < len(line) && line[next].Turn == line[first].Turn {
			next++
		}
		e.begin(line[first:next])
	}
}

// onSlave is a task that a slave holds.
type onSlave struct {
	slave model.SlaveID
	*heldTask
}

// begin works out when tasks that were handed out at once begin, after all that were before.
func (e *engine) begin(tasks []onSlave) {
	lines := make([]waiting, len(tasks))
	for i, h := range tasks {
		s := &e.slaves[h.slave]
		if h.Fetch > e.now {
			h.Fetch = max(e.now, s.fetchAt(&s.ahead, h.Assigned))
		}
		s.ahead.lastFetched = max(s.ahead.lastFetched, h.Fetch+h.Transfer)
		lines[i] = waiting{&s.slaveLoad, h.Task, h.Fetch + h.Transfer}
	}
	start := tasks[0].Start
	if start > e.now {
		start = max(e.now, meet(lines))
	}
	for _, h := range tasks {
		s := &e.slaves[h.slave]
		if end := start + h.End - h.Start; end != h.End {
			h.Start, h.End = start, end
			e.push(end, taskEnds, int(h.Task))
		}
		s.run(&s.ahead, s.demands.of(h.Task), s.ahead.lastFetched, h.Start, h.End)
		e.placed[h.Task].Fetch, e.placed[h.Task].Start = h.Fetch, h.Start
	}
}

// maxAttempts bounds how often a task may be lost.
const maxAttempts = 1000

// ErrHopeless is in the error of a run in which slaves fail so often that a
// task was lost 1000 times.
var ErrHopeless = errors.New("machines fail too often for tasks as long as this")

// hopeless is the error of a task that failures will hardly ever let finish.
func (e *engine) hopeless(gone []forfeited) error {
	for _, h := range gone {
		if e.attempts[h.Task] == maxAttempts {
			return fmt.Errorf("%s has been lost %d times: %w", e.js.TaskName(h.Task), maxAttempts, ErrHopeless)
		}
	}
	return nil
}

func (e *engine) comeBack(id model.SlaveID) {
	e.slaves[id].failed = false
	e.outages++
	e.push(e.now+e.faults[id].after(e.opts.Faults.MTBF), slaveFails, int(id))
	e.markIdle(id)
	if e.asks == OnChange || e.gangs {
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
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		return nil, err
	}
	return out, nil
}
