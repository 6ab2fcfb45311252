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
	idleAt  int // place in state.idle, -1 if not there
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
}

// promisedEnd is when a held task ends at the latest.
type promisedEnd struct {
	at   model.Time
	task model.TaskID
}

func newSlave(js *model.JobSet, id model.SlaveID) slave {
	s := slave{js: js, id: id, beat: model.Never, idleAt: -1, free: make([]int64, model.ReduceSlots+1)}
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
func (s *slave) fits(task *model.Task) bool {
	for i := range s.stays {
		if r := s.stays[i].Resource; s.js.Need(task, s.id, r) > s.free[r] {
			return false
		}
	}
	return true
}

// hold takes what a task holds for its stay off the free units (+1), or gives
// it back (−1).
func (s *slave) hold(task *model.Task, sign int64) {
	for i := range s.stays {
		r := s.stays[i].Resource
		s.free[r] -= sign * s.js.Need(task, s.id, r)
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

// startAt is when a task starts whose input is there from fetched on.
func (s *slave) startAt(o *outlook, task *model.Task, fetched model.Time) model.Time {
	start := max(fetched, o.lastStart)
	for i := range s.runs {
		if n := s.js.Need(task, s.id, s.runs[i].Resource); n > 0 {
			start = max(start, o.done[i][n-1])
		}
	}
	return start
}

// run enters a task that was given after all others.
func (s *slave) run(o *outlook, task *model.Task, fetched, start, end model.Time) {
	o.lastFetched, o.lastStart = fetched, start
	for i := range s.runs {
		occupy(o.done[i], s.js.Need(task, s.id, s.runs[i].Resource), end)
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
	task := &s.js.Tasks[h.task]
	h.fetch = s.fetchAt(&s.ahead, h.assigned)
	h.start = s.startAt(&s.ahead, task, h.fetch+h.transfer)
	h.end = h.start + length
	s.run(&s.ahead, task, h.fetch+h.transfer, h.start, h.end)
	s.hold(task, 1)
	s.held = append(s.held, h)
	return &s.held[len(s.held)-1]
}

// drop removes the i-th held task and frees what it held.
func (s *slave) drop(i int) {
	s.hold(&s.js.Tasks[s.held[i].task], -1)
	s.held = slices.Delete(s.held, i, i+1)
}

// promised is what the slave is sure of at declared times. Tasks that run are
// taken to use up their worst case; tasks that wait start in their order.
func (s *slave) promised(now model.Time) *promise {
	if s.promise != nil {
		return s.promise
	}
	p := &promise{outlook: s.idle(), ends: make([]promisedEnd, 0, len(s.held))}
	for i := range s.held {
		h := &s.held[i]
		task := &s.js.Tasks[h.task]
		start, fetched := h.start, h.fetch+h.transfer
		if start > now {
			start = s.startAt(&p.outlook, task, fetched)
		}
		end := start + h.wcet
		s.run(&p.outlook, task, fetched, start, end)
		at, _ := slices.BinarySearchFunc(p.ends, end, func(e promisedEnd, t model.Time) int { return int(e.at - t) })
		p.ends = slices.Insert(p.ends, at, promisedEnd{end, h.task})
	}
	s.promise = p
	return p
}

// finish is when a task given at a ends at the latest.
func (s *slave) finish(now model.Time, task *model.Task, a model.Time) model.Time {
	o := &s.promised(now).outlook
	return s.startAt(o, task, s.fetchAt(o, a)+task.Transfer(s.id)) + task.WCET(s.id)
}

// freeAt is when there is what a task must have at once, at the latest; Never if
// the slave never has so much.
func (s *slave) freeAt(now model.Time, task *model.Task) model.Time {
	at := now
	for i := range s.stays {
		r := s.stays[i].Resource
		if short := s.js.Need(task, s.id, r) - s.free[r]; short > 0 {
			at = max(at, s.returned(now, r, short))
		}
	}
	return at
}

// returned is when held tasks have given back so many units of a resource.
func (s *slave) returned(now model.Time, r model.ResourceID, units int64) model.Time {
	for _, e := range s.promised(now).ends {
		if units -= s.js.Need(&s.js.Tasks[e.task], s.id, r); units <= 0 {
			return e.at
		}
	}
	return model.Never
}
