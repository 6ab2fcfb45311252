package online

import (
	"slices"

	"downbeat/model"
)

// slave is the state of one machine. What lies ahead of now in it (starts and
// ends of what it holds) is the engine's knowledge, not the policy's.
type slave struct {
	js *model.JobSet
	id model.SlaveID
	// stays are what tasks hold from their assignment on, runs while they run.
	stays, runs []model.Supply
	// demands is what tasks hold of stays and runs.
	demands *demands
	// line is set if inputs come one at a time.
	line bool
	// free has by model.ResourceID the units of stays that no task holds.
	free   []int64
	failed bool
	held   []held
	ahead  outlook
	// beat is the heartbeat that is in the event queue, Never if none is.
	beat model.Time
	// promise is what policies may expect of the slave, nil if out of date.
	promise *promise
	idleAt  int  // place in state.idle, -1 if not there
	asleep  bool // in state.asleep
	// asked counts heartbeats since engine.progress was seen.
	asked int
	seen  int64
}

// held is a task on a slave.
type held struct {
	task           model.TaskID
	assigned       model.Time
	beat           model.Time
	fetch          model.Time
	transfer, wcet model.Time
	start, end     model.Time
}

// outlook is when a slave has done what it was given.
type outlook struct {
	// lastFetched is when the fetch line has done, lastStart when the task given
	// last starts.
	lastFetched, lastStart model.Time
	// done has for each of the slave's runs when each unit is done, ascending.
	done [][]model.Time
}

// promise is the outlook at declared worst-case times.
type promise struct {
	outlook
	ends []promisedEnd // ascending
	// room has an entry for each kind of demand, as policies ask about the same
	// kinds over and over until the slave changes.
	room []room
}

// room is when tasks of one kind of demand can be given and can start.
type room struct {
	known bool
	// free is when there is what they must have at once, Never if there never is,
	// start when there is what they run on.
	free, start model.Time
}

// promisedEnd is when a held task ends at the latest.
type promisedEnd struct {
	at   model.Time
	task model.TaskID
}

// demands says what tasks hold on slaves that supply the same. By
// [model.JobSet.Need] there are few kinds of tasks.
type demands struct {
	kind  []int // by task
	kinds []demand
}

// demand is the number of units that a task holds of each resource, but for the fetch line.
type demand [model.Resources]int64

func newDemands(js *model.JobSet, id model.SlaveID) *demands {
	d := &demands{kind: make([]int, len(js.Tasks))}
	supplies := js.Supplies(id)
	for t := range js.Tasks {
		var need demand
		for i := range supplies {
			if u := &supplies[i]; u.Hold != model.HoldFetch {
				need[u.Resource] = js.Need(&js.Tasks[t], id, u.Resource)
			}
		}
		if d.kind[t] = slices.Index(d.kinds, need); d.kind[t] < 0 {
			d.kind[t] = len(d.kinds)
			d.kinds = append(d.kinds, need)
		}
	}
	return d
}

// of is what a task holds.
func (d *demands) of(t model.TaskID) *demand { return &d.kinds[d.kind[t]] }

// newSlaves has all slaves with nothing on them.
func newSlaves(js *model.JobSet) []slave {
	slaves := make([]slave, len(js.Slaves))
	known := map[[model.Resources]bool]*demands{}
	for i := range slaves {
		id := model.SlaveID(i)
		var has [model.Resources]bool
		for _, u := range js.Supplies(id) {
			has[u.Resource] = true
		}
		if known[has] == nil {
			known[has] = newDemands(js, id)
		}
		slaves[i] = newSlave(js, id, known[has])
	}
	return slaves
}

func newSlave(js *model.JobSet, id model.SlaveID, d *demands) slave {
	s := slave{js: js, id: id, demands: d, beat: model.Never, idleAt: -1, free: make([]int64, model.ReduceSlots+1)}
	for _, u := range js.Supplies(id) {
		switch u.Hold {
		case model.HoldStay:
			s.stays = append(s.stays, u)
			s.free = append(s.free, make([]int64, max(0, int(u.Resource)+1-len(s.free)))...)
		case model.HoldRun:
			s.runs = append(s.runs, u)
		case model.HoldFetch:
			s.line = true
		}
	}
	s.empty(0)
	return s
}

// empty is for a slave that holds nothing at now, or has lost it.
func (s *slave) empty(now model.Time) {
	s.held, s.promise = nil, nil
	for _, u := range s.stays {
		s.free[u.Resource] = u.Units
	}
	s.ahead = s.idle()
	s.ahead.lastFetched, s.ahead.lastStart = now, now
}

// idle is the outlook of a slave that has been given nothing.
func (s *slave) idle() outlook {
	o := outlook{done: make([][]model.Time, len(s.runs))}
	for i, u := range s.runs {
		o.done[i] = make([]model.Time, u.Units)
	}
	return o
}

func (s *slave) freeSlots() int64 { return s.free[model.MapSlots] + s.free[model.ReduceSlots] }

// fits reports whether a task given now has what it must have at once.
func (s *slave) fits(t model.TaskID) bool {
	d := s.demands.of(t)
	for i := range s.stays {
		if r := s.stays[i].Resource; d[r] > s.free[r] {
			return false
		}
	}
	return true
}

// hold takes what a task holds for its stay off the free units (+1), or gives
// it back (−1).
func (s *slave) hold(t model.TaskID, sign int64) {
	d := s.demands.of(t)
	for i := range s.stays {
		r := s.stays[i].Resource
		s.free[r] -= sign * d[r]
	}
	s.promise = nil
}

// fetchAt is when the input of a task that is given at a begins to come. Inputs
// come in the order of assignment; one of no length has its turn like others.
func (s *slave) fetchAt(o *outlook, a model.Time) model.Time {
	if s.line {
		return max(a, o.lastFetched)
	}
	return a
}

// startFrom is when there is what a task runs on, and the tasks given before it
// have started.
func (s *slave) startFrom(o *outlook, d *demand) model.Time {
	start := o.lastStart
	for i := range s.runs {
		if n := d[s.runs[i].Resource]; n > 0 {
			start = max(start, o.done[i][n-1])
		}
	}
	return start
}

// run enters a task that was given after all others.
func (s *slave) run(o *outlook, d *demand, fetched, start, end model.Time) {
	o.lastFetched, o.lastStart = fetched, start
	for i := range s.runs {
		occupy(o.done[i], d[s.runs[i].Resource], end)
	}
}

// occupy lets the n units that are done first be done at until, which is no
// earlier.
func occupy(done []model.Time, n int64, until model.Time) {
	i, _ := slices.BinarySearch(done[n:], until)
	copy(done[:i], done[n:])
	for k := range n {
		done[int64(i)+k] = until
	}
}

// give adds a task that takes length ticks in fact.
func (s *slave) give(h held, length model.Time) *held {
	d := s.demands.of(h.task)
	h.fetch = s.fetchAt(&s.ahead, h.assigned)
	h.start = max(h.fetch+h.transfer, s.startFrom(&s.ahead, d))
	h.end = h.start + length
	s.run(&s.ahead, d, h.fetch+h.transfer, h.start, h.end)
	s.hold(h.task, 1)
	s.held = append(s.held, h)
	return &s.held[len(s.held)-1]
}

// drop removes the i-th held task and frees what it held.
func (s *slave) drop(i int) {
	s.hold(s.held[i].task, -1)
	s.held = slices.Delete(s.held, i, i+1)
}

// promised is what the slave is sure of at declared times. Tasks that run are
// taken to use up their worst case, and to end at the next tick if they have; tasks that
// wait start in their order.
func (s *slave) promised(now model.Time) *promise {
	if s.promise == nil || len(s.promise.ends) > 0 && s.promise.ends[0].at <= now {
		s.promise = s.newPromise(now)
	}
	return s.promise
}

// newPromise is promised, worked out.
func (s *slave) newPromise(now model.Time) *promise {
	p := &promise{outlook: s.idle(), ends: make([]promisedEnd, 0, len(s.held)), room: make([]room, len(s.demands.kinds))}
	for i := range s.held {
		h := &s.held[i]
		d := s.demands.of(h.task)
		start, fetched := h.start, h.fetch+h.transfer
		if start > now {
			start = max(fetched, s.startFrom(&p.outlook, d))
		}
		end := max(start+h.wcet, now+1)
		s.run(&p.outlook, d, fetched, start, end)
		at, _ := slices.BinarySearchFunc(p.ends, end, func(e promisedEnd, t model.Time) int { return int(e.at - t) })
		p.ends = slices.Insert(p.ends, at, promisedEnd{end, h.task})
	}
	return p
}

// finish is when a task given at a ends at the latest.
func (s *slave) finish(p *promise, r *room, a, transfer, wcet model.Time) model.Time {
	return max(s.fetchAt(&p.outlook, a)+transfer, r.start) + wcet
}

// roomFor is what a promise comes to for a task.
func (s *slave) roomFor(p *promise, t model.TaskID) *room {
	r := &p.room[s.demands.kind[t]]
	if !r.known {
		s.findRoom(p, s.demands.of(t), r)
	}
	return r
}

// findRoom works out what a promise comes to for one kind of demand.
func (s *slave) findRoom(p *promise, d *demand, r *room) {
	*r = room{known: true, start: s.startFrom(&p.outlook, d)}
	for i := range s.stays {
		id := s.stays[i].Resource
		if short := d[id] - s.free[id]; short > 0 {
			r.free = max(r.free, s.returned(p, id, short))
		}
	}
}

// returned is when held tasks have given back so many units of a resource.
func (s *slave) returned(p *promise, r model.ResourceID, units int64) model.Time {
	for _, e := range p.ends {
		if units -= s.demands.of(e.task)[r]; units <= 0 {
			return e.at
		}
	}
	return model.Never
}
