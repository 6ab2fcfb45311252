// Package enumerate looks at all schedules of a few tasks that are worth it, whatever
// the ticks: a branch and bound over events, for sets that no engine takes or settles
// (fifo, ticks without a common measure).
//
// # Events
//
// Keep, on every slave of a valid schedule, who is there and the order in which tasks
// are handed out, fetched and started (with fifo one order for the first and the last).
// Then every rule but deadlines bounds one of these times from below by others, so that
// there is a least solution, in which no task finishes later than in the schedule, and
// every time is an event or the first heartbeat after one: a release, a finish, the end
// of an absence or of a fetch. Objectives grow with finishes, so that it is enough to
// branch at events:
//
//   - a slave is handed tasks at its first heartbeat at or after a release, a finish
//     anywhere, or the end of one of its absences;
//   - it begins to fetch where it is handed a task or ends a fetch, but at once what
//     nothing waits for: empty and concurrent fetches;
//   - it starts tasks where a fetch or a task ends on it.
//
// What tasks hold of pools and caps they hold on all slaves: keep, too, who has finished
// when another is handed out wherever it is, and which tasks are handed out after a level has
// changed, which is an event as well. No other level is met by a task then than in the schedule: it
// begins no earlier than that of its first, and ends no later. What is held at a time
// of a level is held by tasks that all meet it, and of which none has finished
// when another is handed out in the schedule: so at some time of the same level they are all
// held there, and fit (intervals on a line that meet pairwise have a point in common). Levels that fall
// are deadlines, which finishes that are earlier keep.
//
// The tasks of a gang have one start, which is bounded from below by what bounds each of
// theirs: at any event slaves may start tasks where there are gangs. Who is apart stays so.
package enumerate

import (
	"context"
	"slices"

	"downbeat/model"
)

// MostTasks and MostSlaves bound the sets that are looked at.
const (
	MostTasks  = 10
	MostSlaves = 16
)

// phase is how far a task has come.
type phase uint8

const (
	waiting phase = iota
	handed
	fetching
	fetched
	running
	finished
)

// progress is that of a task, as far as the future depends on it: until is the end of
// its fetch or run, beat its heartbeat where those handed out later must not start
// before it.
type progress struct {
	phase phase
	slave uint8
	until model.Time
	beat  int64
}

// state is that of all tasks, and of the slaves, a bit each, that have a reason to be
// handed tasks at their next heartbeat.
type state struct {
	tasks   [MostTasks]progress
	stirred uint16
}

// seen is a state at a time, and what the jobs that have ended cost.
type seen struct {
	state
	now  model.Time
	cost [model.MaxGoal]int64
}

// search is one for a schedule.
type search struct {
	ctx  context.Context
	js   *model.JobSet
	want func(finishes []model.Time) bool
	// known are the states that were looked at, left is how many more may be.
	known map[seen]struct{}
	left  int
	over  bool

	supplies [][]model.Supply
	shared   []model.Shared
	objects  []model.Objective
	at       model.Schedule
	found    model.Schedule
	finishes []model.Time
	ends     []model.Time // of stages, scratch
	// shortest is the least time of a task from being handed out to its end.
	shortest []model.Time
}

// Fits reports whether a set is small enough, nothing of its slaves is reserved, and no gang under way.
func Fits(js *model.JobSet) bool {
	return len(js.Tasks) <= MostTasks && len(js.Slaves) <= MostSlaves && js.ReservedUntil() == 0 && !underWay(js)
}

// underWay reports whether there is a gang of which tasks were handed out before.
func underWay(js *model.JobSet) bool {
	for i := range js.Jobs {
		if slices.ContainsFunc(js.Jobs[i].Stages, func(st model.Stage) bool { return st.StartAt > 0 }) {
			return true
		}
	}
	return false
}

// Run looks for a schedule whose finishes, by JobID, are wanted, at no more than a
// number of states, of about 500 bytes. objectives are those that want looks at, and
// want must be monotone: false for finishes that are later if it is for earlier ones.
// over tells that there is no such schedule if none is found.
func Run(ctx context.Context, js *model.JobSet, objectives []model.Objective, want func(finishes []model.Time) bool, states int) (found model.Schedule, over bool) {
	s := &search{
		ctx: ctx, js: js, want: want, known: map[seen]struct{}{}, left: states, objects: objectives,
		shared: js.Shared(), at: model.NewSchedule(len(js.Tasks)), finishes: make([]model.Time, len(js.Jobs)),
		ends: make([]model.Time, js.Stages()),
	}
	for i := range js.Slaves {
		s.supplies = append(s.supplies, js.Supplies(model.SlaveID(i)))
	}
	for t := range js.Tasks {
		shortest := model.Never
		for i := range js.Slaves {
			if id := model.SlaveID(i); js.Tasks[t].Eligible(id) {
				shortest = min(shortest, js.Tasks[t].Transfer(id)+js.Tasks[t].WCET(id))
			}
		}
		s.shortest = append(s.shortest, shortest)
	}
	s.event(state{}, 0)
	return s.found, s.found != nil || !s.over
}

// stop ends the search where a schedule was found, or it has had its share.
func (s *search) stop() bool {
	if s.left--; s.left <= 0 || s.left%1024 == 0 && s.ctx.Err() != nil {
		s.over = true
	}
	return s.over || s.found != nil
}

// event ends what ends now and branches over what may begin.
func (s *search) event(st state, now model.Time) {
	if s.stop() || s.lost(&st, now) || s.again(&st, now) {
		return
	}
	left, fetch, start := false, uint16(0), uint16(0)
	for i := range s.js.Tasks {
		t := &st.tasks[i]
		switch ends := t.until == now; {
		case t.phase == fetching && ends:
			t.phase, t.until = fetched, 0
			fetch |= 1 << t.slave
			start |= 1 << t.slave
		case t.phase == running && ends:
			start |= 1 << t.slave
			st.stirred = ^uint16(0)
			*t = progress{phase: finished, slave: s.stays(i, t.slave)}
		}
		left = left || t.phase != finished
	}
	if !left {
		s.found = slices.Clone(s.at) // not nil, even without tasks
		return
	}
	for i := range s.js.Jobs {
		if s.js.Jobs[i].Release == now {
			st.stirred = ^uint16(0)
		}
	}
	switch changed, kept := s.levelsAt(&st, now); {
	case !kept:
		return
	case changed:
		st.stirred = ^uint16(0)
	}
	if s.js.Gangs() {
		start = ^uint16(0)
	}
	beats := uint16(0)
	for i := range s.js.Slaves {
		slave := &s.js.Slaves[i]
		for _, d := range slave.Down {
			if d.End == now {
				st.stirred |= 1 << i
			}
		}
		if now >= slave.FirstBeat && (now-slave.FirstBeat)%s.js.Heartbeat == 0 {
			beats |= 1 << i
		}
	}
	handing := beats & st.stirred
	st.stirred &^= beats
	s.hand(st, moment{now, handing, fetch, start}, 0)
}

// again notes a state, and reports whether it was looked at before.
func (s *search) again(st *state, now model.Time) bool {
	k := seen{state: *st, now: now}
	for i := range s.js.Jobs {
		job := &s.js.Jobs[i]
		s.finishes[i] = 0
		for t := job.First; t < job.End; t++ {
			if st.tasks[t].phase < running || st.tasks[t].phase == running && st.tasks[t].until > now {
				s.finishes[i] = 0
				break
			}
			s.finishes[i] = max(s.finishes[i], s.js.Finish(t, s.at[t]))
		}
	}
	for i, o := range s.objects {
		k.cost[i] = s.js.Value(o, s.finishes)
	}
	if _, found := s.known[k]; found {
		return true
	}
	s.known[k] = struct{}{}
	return false
}

// moment is an event, with the slaves that may be handed tasks, begin a fetch, or
// start tasks.
type moment struct {
	now                   model.Time
	handing, fetch, start uint16
}

// hand branches over which slave task i and those after it are handed to.
func (s *search) hand(st state, m moment, i int) {
	if i == len(s.js.Tasks) {
		s.fetch(st, m, 0)
		return
	}
	if st.tasks[i].phase == waiting && !s.twinWaits(&st, i) && s.ready(&st, &s.js.Tasks[i], m.now) {
		for id := range model.SlaveID(len(s.js.Slaves)) {
			task := &s.js.Tasks[i]
			if m.handing&(1<<id) == 0 || !task.Eligible(id) || s.away(id, m.now, m.now+task.Transfer(id)+task.WCET(id)) || !s.fits(&st, i, id, model.HoldStay) || !s.fitsAll(&st, i, id, m.now) {
				continue
			}
			next, after := st, m
			s.take(&next, &after, i, id)
			s.hand(next, after, i+1)
		}
	}
	s.hand(st, m, i+1)
}

// twinWaits tells that an equal task of lower number is still to be handed out.
func (s *search) twinWaits(st *state, i int) bool {
	if i == 0 || st.tasks[i-1].phase != waiting {
		return false
	}
	a, b := &s.js.Tasks[i-1], &s.js.Tasks[i]
	return a.Job == b.Job && a.Stage == b.Stage && a.Profile == b.Profile
}

// take hands a task to a slave.
func (s *search) take(st *state, m *moment, i int, id model.SlaveID) {
	gamma := (m.now - s.js.Slaves[id].FirstBeat) / s.js.Heartbeat
	s.at[i] = model.Placement{Slave: id, Beat: gamma, Fetch: m.now}
	t := &st.tasks[i]
	t.phase, t.slave = handed, uint8(id)
	if s.js.FIFO {
		t.beat = int64(gamma)
	}
	transfer := s.js.Tasks[i].Transfer(id)
	switch {
	case transfer == 0:
		t.phase = fetched
		m.start |= 1 << id
	case s.js.Fetch == model.FetchConcurrent:
		t.phase, t.until = fetching, m.now+transfer
	default:
		m.fetch |= 1 << id
	}
}

// fetch branches over whether task i and those after it begin to fetch.
func (s *search) fetch(st state, m moment, i int) {
	if i == len(s.js.Tasks) {
		s.start(st, m, 0)
		return
	}
	if t := st.tasks[i]; t.phase == handed && m.fetch&(1<<t.slave) != 0 && s.fits(&st, i, model.SlaveID(t.slave), model.HoldFetch) {
		next := st
		next.tasks[i].phase = fetching
		next.tasks[i].until = m.now + s.js.Tasks[i].Transfer(model.SlaveID(t.slave))
		s.at[i].Fetch = m.now
		s.fetch(next, m, i+1)
	}
	s.fetch(st, m, i+1)
}

// start branches over whether task i and those after it begin to run, and goes on to
// the next event.
func (s *search) start(st state, m moment, i int) {
	if i == len(s.js.Tasks) {
		s.leave(st, m.now)
		return
	}
	if stage, gang := s.js.GangOf(model.TaskID(i)); gang {
		if model.TaskID(i) == stage.First {
			s.startAll(st, m, stage)
		}
		s.start(st, m, i+1)
		return
	}
	id := model.SlaveID(st.tasks[i].slave)
	if st.tasks[i].phase == fetched && m.start&(1<<id) != 0 {
		end := m.now + s.js.Tasks[i].WCET(id)
		if s.fits(&st, i, id, model.HoldRun) && !s.away(id, s.js.Assigned(s.at[i]), end) {
			next := st
			next.tasks[i] = progress{phase: running, slave: uint8(id), until: end, beat: st.tasks[i].beat}
			was := s.at[i].Start
			s.at[i].Start = m.now
			s.start(next, m, i+1)
			s.at[i].Start = was
		}
	}
	s.start(st, m, i+1)
}

// startAll goes on with the tasks of a gang running, if all can.
func (s *search) startAll(st state, m moment, stage *model.Stage) {
	for t := stage.First; t < stage.End; t++ {
		p := &st.tasks[t]
		id := model.SlaveID(p.slave)
		end := m.now + s.js.Tasks[t].WCET(id)
		if p.phase != fetched || !s.fits(&st, int(t), id, model.HoldRun) || s.away(id, s.js.Assigned(s.at[t]), end) {
			return
		}
		p.phase, p.until = running, end
	}
	was := slices.Clone(s.at[stage.First:stage.End])
	for t := stage.First; t < stage.End; t++ {
		s.at[t].Start = m.now
	}
	s.start(st, m, int(stage.First)+1)
	copy(s.at[stage.First:stage.End], was)
}

// leave goes on to the next event, unless a task has overtaken another against fifo, or
// nothing that is wanted is left.
func (s *search) leave(st state, now model.Time) {
	if s.found != nil || s.over || s.js.FIFO && s.overtaken(&st) {
		return
	}
	for i := range s.js.Tasks {
		if st.tasks[i].phase == running {
			st.tasks[i].beat = 0 // it is no longer in anybody's way
		}
	}
	if next := s.next(&st, now); next < model.Never && s.hopeful(&st, next) {
		s.event(st, next)
	}
}
