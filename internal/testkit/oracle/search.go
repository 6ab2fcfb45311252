package oracle

import (
	"slices"

	"downbeat/model"
)

// phase is how far a task has come.
type phase uint8

const (
	waiting  phase = iota // not handed out
	held                  // handed out, not fetching yet
	fetching              // until: the end of the fetch
	fetched               // not running yet
	running               // until: the finish
	done
)

// taskState is the part of a task's history that its future depends on.
type taskState struct {
	phase phase
	slave uint8
	until int32
	// beat of tasks that hold back later ones; 0 without FIFO.
	beat int32
}

// state is the part of the cluster's history that the future depends on.
type state struct {
	tasks [MaxTasks]taskState
	// stirred slaves, a bit each, have seen an event since their last heartbeat
	// that may be a reason to hand them a task at the next.
	stirred uint64
}

const everything = ^uint64(0)

// key is a state at a time, with what the jobs that are done have cost.
type key struct {
	state
	now   int32
	spent [maxMeasures]int64
}

type search struct {
	js       *model.JobSet
	supplies [][]model.Supply // by SlaveID
	goal     []measure
	relaxed  bool
	// before are the tasks that each waits for (C7, C10), order are all tasks, each
	// behind those.
	before []taskSet
	order  []model.TaskID
	seen   map[key]struct{}
	steps  int // of hand-outs
	// past tasks have places already, all others are handed out at now or later.
	past model.Schedule
	now  model.Time
	// limits are what tasks on all slaves have in common (C11), gang and apart the tasks that
	// each starts with, itself among them, and may not share a slave with (C12).
	limits      []limit
	gang, apart []taskSet

	places model.Schedule // the current branch; of waiting tasks out of date
	best   model.Schedule
	values []int64

	finishes []model.Time         // scratch
	ends     [MaxTasks]model.Time // scratch
}

// taskSet is a set of tasks, a bit each.
type taskSet uint16

func (set taskSet) has(t model.TaskID) bool { return set>>t&1 == 1 }

func newSearch(js *model.JobSet, goal []measure, relaxed bool) *search {
	s := &search{
		js: js, goal: goal, relaxed: relaxed, seen: map[key]struct{}{},
		places:   model.NewSchedule(len(js.Tasks)),
		finishes: make([]model.Time, len(js.Jobs)),
	}
	for i := range js.Slaves {
		s.supplies = append(s.supplies, js.Supplies(model.SlaveID(i)))
	}
	for t := range js.Tasks {
		s.before = append(s.before, waitsFor(js, &js.Tasks[t]))
	}
	s.order = inOrder(s.before)
	s.limits = limits(js)
	for t := range js.Tasks {
		gang, apart := together(js, &js.Tasks[t])
		s.gang, s.apart = append(s.gang, gang), append(s.apart, apart)
	}
	return s
}

func (s *search) tooLarge() bool { return len(s.seen) > MostStates || s.steps/20 > MostStates }

// waitsFor is the set of tasks that are finished when the given one is handed out, by
// the letter of C7 and C10.
func waitsFor(js *model.JobSet, task *model.Task) (set taskSet) {
	add := func(from, to model.TaskID) {
		for t := from; t < to; t++ {
			set |= 1 << t
		}
	}
	job := &js.Jobs[task.Job]
	for _, k := range job.Stages[task.Stage].After {
		add(job.Stages[k].First, job.Stages[k].End)
	}
	for _, k := range job.After {
		add(js.Jobs[k].First, js.Jobs[k].End)
	}
	return set
}

// inOrder lists the tasks, each behind those before it.
func inOrder(before []taskSet) (order []model.TaskID) {
	for listed := taskSet(0); len(order) < len(before); {
		for t := range before {
			if id := model.TaskID(t); !listed.has(id) && before[t]&^listed == 0 {
				listed |= 1 << t
				order = append(order, id)
			}
		}
	}
	return order
}

func bit(s model.SlaveID) uint64 { return 1 << s }

// moment is one tick with the slaves on which something happened at it.
type moment struct {
	now model.Time
	// handing slaves have a heartbeat now and a reason to use it. fetch and
	// start mark the slaves that may begin a fetch, or tasks.
	handing, fetch, start uint64
}

// tick ends what ends now and branches over what may begin now.
func (s *search) tick(st state, now model.Time) {
	k := key{state: st, now: int32(now), spent: s.spent(&st)}
	if _, again := s.seen[k]; again || s.tooLarge() {
		return
	}
	s.seen[k] = struct{}{}

	m := moment{now: now}
	left := false
	for i := range s.js.Tasks {
		t := &st.tasks[i]
		switch ends := model.Time(t.until) == now; {
		case t.phase == fetching && ends:
			t.phase, t.until = fetched, 0
			m.fetch |= bit(model.SlaveID(t.slave))
			m.start |= bit(model.SlaveID(t.slave))
		case t.phase == running && ends:
			m.start |= bit(model.SlaveID(t.slave))
			st.stirred = everything
			gone := taskState{phase: done}
			if s.apart[i] != 0 {
				gone.slave = t.slave
			}
			*t = gone
		}
		left = left || t.phase != done
	}
	if !left {
		s.record()
		return
	}
	if !s.within(&st, now) {
		return
	}
	for i := range s.past {
		if at, is := s.placed(i); is && at.Start == now {
			m.start |= bit(at.Slave) // with fifo others may have waited for it
		}
	}
	if m.start != 0 && slices.ContainsFunc(s.gang, func(set taskSet) bool { return set != 0 }) {
		m.start = everything // a gang starts when the last of it can, wherever that is
	}
	s.stir(&st, now)
	m.handing = s.beats(now) & st.stirred
	st.stirred &^= s.beats(now)
	s.handOut(st, m, 0)
}

// placed is the place that task i has already.
func (s *search) placed(i int) (at model.Placement, is bool) {
	if s.past == nil || s.past[i].Slave == model.NoSlave {
		return at, false
	}
	return s.past[i], true
}

// mayBegin reports whether task i may begin something now: what is placed already does so
// at a time that is given, all else where there is a reason.
func (s *search) mayBegin(i int, now model.Time, given func(model.Placement) model.Time, reason bool) bool {
	if at, is := s.placed(i); is {
		return given(at) == now
	}
	return reason
}

func fetchOf(p model.Placement) model.Time { return p.Fetch }
func startOf(p model.Placement) model.Time { return p.Start }

// stir marks the slaves that a release, the end of an absence or that of the past gives a
// reason.
func (s *search) stir(st *state, now model.Time) {
	if now == s.now {
		st.stirred = everything
	}
	for i := range s.js.Jobs {
		if s.js.Jobs[i].Release == now {
			st.stirred = everything
		}
	}
	for i := range s.limits {
		if s.limits[i].changes(now) {
			st.stirred = everything
		}
	}
	for i := range s.js.Slaves {
		for _, d := range s.js.Slaves[i].Down {
			if d.End == now {
				st.stirred |= bit(model.SlaveID(i))
			}
		}
	}
}

// beats is the set of slaves with a heartbeat now, absences not considered.
func (s *search) beats(now model.Time) uint64 {
	set := uint64(0)
	for i := range s.js.Slaves {
		if since := now - s.js.Slaves[i].FirstBeat; since >= 0 && since%s.js.Heartbeat == 0 {
			set |= bit(model.SlaveID(i))
		}
	}
	return set
}

// away reports whether the slave is absent at some time of [from, to).
func (s *search) away(slave model.SlaveID, from, to model.Time) bool {
	return slices.ContainsFunc(s.js.Slaves[slave].Down, func(d model.Interval) bool {
		return from < d.End && d.Start < to
	})
}

// holds reports whether a task in a phase holds what is held in the way of h.
func (p phase) holds(h model.Hold) bool {
	switch h {
	case model.HoldRun:
		return p == running
	case model.HoldFetch:
		return p == fetching
	default:
		return p != waiting && p != done
	}
}

// fits reports whether the slave has enough left of all that task i would hold in the
// way of h from now on (C4, C5, C6, C9).
func (s *search) fits(st *state, i int, slave model.SlaveID, h model.Hold) bool {
	for _, supply := range s.supplies[slave] {
		if supply.Hold != h {
			continue
		}
		left := supply.Units - s.js.Need(&s.js.Tasks[i], slave, supply.Resource)
		for k := range s.js.Tasks {
			if t := &st.tasks[k]; t.slave == uint8(slave) && t.phase.holds(h) {
				left -= s.js.Need(&s.js.Tasks[k], slave, supply.Resource)
			}
		}
		if left < 0 {
			return false
		}
	}
	return true
}

// handOut branches over where task i goes now, then the tasks after it.
func (s *search) handOut(st state, m moment, i int) {
	if s.steps++; s.tooLarge() {
		return
	}
	if i == len(s.js.Tasks) {
		if s.within(&st, m.now) {
			s.fetch(st, m, 0)
		}
		return
	}
	if st.tasks[i].phase == waiting && s.ready(&st, i, m.now) {
		for slave := range model.SlaveID(len(s.js.Slaves)) {
			if s.handedTo(i, slave, m) && s.mayHand(&st, i, slave, m.now) {
				s.hand(st, m, i, slave)
			}
		}
	}
	s.handOut(st, m, i+1)
}

// handedTo reports whether task i may be handed to the slave now, as far as others have
// nothing to do with it.
func (s *search) handedTo(i int, slave model.SlaveID, m moment) bool {
	if at, is := s.placed(i); is {
		return at.Slave == slave && s.js.Assigned(at) == m.now
	}
	return m.now >= s.now && m.handing&bit(slave) != 0
}

// ready is the right half of C3, C7 and C10.
func (s *search) ready(st *state, i int, now model.Time) bool {
	if now < s.js.Jobs[s.js.Tasks[i].Job].Release {
		return false
	}
	for t := range model.TaskID(len(s.js.Tasks)) {
		if s.before[i].has(t) && st.tasks[t].phase != done {
			return false
		}
	}
	return true
}

// mayHand is C0, absences, C5, C9 and, of tasks that are apart, C12; C11 is seen to where all that
// is handed out at a tick is.
func (s *search) mayHand(st *state, i int, slave model.SlaveID, now model.Time) bool {
	task := &s.js.Tasks[i]
	if !task.Eligible(slave) || s.away(slave, now, now+task.Transfer(slave)+task.WCET(slave)) {
		return false
	}
	for t := range model.TaskID(len(s.js.Tasks)) {
		if other := &st.tasks[t]; s.apart[i].has(t) && other.phase != waiting && other.slave == uint8(slave) {
			return false
		}
	}
	return s.fits(st, i, slave, model.HoldStay)
}

// hand gives task i to the slave now. A fetch that can be in nobody's way
// begins at once.
func (s *search) hand(st state, m moment, i int, slave model.SlaveID) {
	gamma := (m.now - s.js.Slaves[slave].FirstBeat) / s.js.Heartbeat
	s.places[i] = model.Placement{Slave: slave, Beat: gamma, Fetch: m.now}
	t := &st.tasks[i]
	t.phase, t.slave = held, uint8(slave)
	if s.js.FIFO {
		t.beat = int32(gamma)
	}
	transfer := s.js.Tasks[i].Transfer(slave)
	at, placed := s.placed(i)
	switch {
	case transfer == 0:
		t.phase = fetched
		m.start |= bit(slave)
		if placed {
			s.places[i].Fetch = at.Fetch
		}
	case placed:
	case s.js.Fetch == model.FetchConcurrent:
		t.phase, t.until = fetching, int32(m.now+transfer)
	default:
		m.fetch |= bit(slave)
	}
	s.handOut(st, m, i+1)
}

// fetch branches over whether task i begins to fetch now (C6), then the tasks
// after it.
func (s *search) fetch(st state, m moment, i int) {
	for ; i < len(s.js.Tasks); i++ {
		slave := model.SlaveID(st.tasks[i].slave)
		if st.tasks[i].phase != held || !s.mayBegin(i, m.now, fetchOf, m.fetch&bit(slave) != 0) || !s.fits(&st, i, slave, model.HoldFetch) {
			continue
		}
		s.places[i].Fetch = m.now
		next := st
		next.tasks[i].phase = fetching
		next.tasks[i].until = int32(m.now + s.js.Tasks[i].Transfer(slave))
		s.fetch(next, m, i+1)
	}
	s.start(st, m, 0)
}

// start branches over whether task i begins to run now (C1, C2, C4), then the
// tasks after it, and goes on to the next tick.
func (s *search) start(st state, m moment, i int) {
	for ; i < len(s.js.Tasks); i++ {
		if s.gang[i] != 0 {
			if next, can := s.startGang(st, m, i); can {
				s.start(next, m, i+1)
			}
			continue
		}
		slave := model.SlaveID(st.tasks[i].slave)
		if st.tasks[i].phase != fetched || !s.mayBegin(i, m.now, startOf, m.start&bit(slave) != 0) {
			continue
		}
		finish := m.now + s.js.Tasks[i].WCET(slave)
		if s.fits(&st, i, slave, model.HoldRun) && !s.away(slave, s.js.Assigned(s.places[i]), finish) {
			s.places[i].Start = m.now
			next := st
			next.tasks[i] = taskState{phase: running, slave: uint8(slave), until: int32(finish)}
			s.start(next, m, i+1)
		}
	}
	s.leave(st, m.now)
}

// leave ends the tick and goes on to the next at which something can happen,
// unless FIFO is broken or the branch is hopeless.
func (s *search) leave(st state, now model.Time) {
	if s.js.FIFO && s.overtaken(&st) {
		return
	}
	next := s.nextTick(&st, now)
	if next == model.Never || s.hopeless(&st, next) {
		return
	}
	s.tick(st, next)
}

// overtaken reports whether a task runs although one that was handed to the
// same slave at an earlier heartbeat has not started.
func (s *search) overtaken(st *state) bool {
	for i := range s.js.Tasks {
		for k := range s.js.Tasks {
			a, b := &st.tasks[i], &st.tasks[k]
			unstarted := a.phase == held || a.phase == fetching || a.phase == fetched
			if unstarted && b.phase == running && a.slave == b.slave && s.places[i].Beat < s.places[k].Beat {
				return true
			}
		}
	}
	return false
}

// nextTick is the first time after now at which a task or a fetch ends, a job
// is released, an absence ends, or a slave with a reason has a heartbeat;
// Never if there is none.
func (s *search) nextTick(st *state, now model.Time) model.Time {
	next := model.Never
	consider := func(t model.Time) {
		if t > now {
			next = min(next, t)
		}
	}
	for i := range s.js.Tasks {
		if t := &st.tasks[i]; t.phase == fetching || t.phase == running {
			consider(model.Time(t.until))
		}
	}
	consider(s.now)
	for i := range s.past {
		if at, is := s.placed(i); is {
			consider(s.js.Assigned(at))
			consider(at.Fetch)
			consider(at.Start)
		}
	}
	for i := range s.js.Jobs {
		consider(s.js.Jobs[i].Release)
	}
	for i := range s.limits {
		for _, l := range s.limits[i].levels {
			consider(l.From)
		}
	}
	for i := range s.js.Slaves {
		for _, d := range s.js.Slaves[i].Down {
			consider(d.End)
		}
		if st.stirred&bit(model.SlaveID(i)) != 0 {
			consider(s.beatFrom(model.SlaveID(i), now+1))
		}
	}
	return next
}

// beatFrom is the first heartbeat of the slave at t or later.
func (s *search) beatFrom(slave model.SlaveID, t model.Time) model.Time {
	at := s.js.Slaves[slave].FirstBeat
	if t > at {
		h := s.js.Heartbeat
		at += (t - at + h - 1) / h * h
	}
	return at
}
