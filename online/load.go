// Load has what a slave holds in a run, and when it will have done it.
//
// A slave behaves the same under every policy. It fetches the inputs of its tasks
// in the order in which it was given them, one at a time unless the job set
// says concurrent, and starts the tasks in that same order, each as soon as it
// is fetched and a core is free. A task never overtakes one that was given
// earlier, so what a slave promises for a task at its assignment ([Room.Finish])
// holds whatever it is given later, unless something overruns, and tasks
// that end early only bring others forward.

package online

import (
	"slices"

	"downbeat/model"
)

// slaveLoad is what one slave holds. When that starts and ends in fact is the simulator's
// knowledge; what a policy may expect is at declared worst-case times.
type slaveLoad struct {
	// stays are what tasks hold from their assignment on, runs while they run.
	stays, runs []model.Supply
	// demands is what tasks hold of stays and runs.
	demands *demands
	// line is set if inputs come one at a time.
	line bool
	// free has by model.ResourceID the units of stays that no task holds.
	free  []int64
	held  []heldTask
	ahead outlook
	// promise is what may be expected, nil if out of date.
	promise *promise
}

// heldTask is a task on a slave. All times are in ticks.
type heldTask struct {
	Task model.TaskID
	// Assigned is when it was given, at heartbeat Beat of the slave.
	Assigned, Beat model.Time
	// Fetch is when its input begins to come, which takes Transfer.
	Fetch, Transfer model.Time
	// WCET is its declared worst case. It runs from Start to End.
	WCET, Start, End model.Time
	// Turn counts what was handed out on all slaves; the tasks of a gang have one.
	Turn int64
	// By is when a task of a gang starts at the latest at declared times, for whatever its
	// slave and others hold; 0 for other tasks.
	By model.Time
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
	// stale is when a gang is to have started: what is promised behind it may have changed then.
	stale model.Time
	// room has an entry for each kind of demand, as policies ask about the same
	// kinds over and over until the slave changes.
	room []room
}

// room is when a slave can be given tasks that hold the same, and when they start, after
// all that it holds and at declared worst-case times.
type room struct {
	known bool
	// Free is when there is what they must have at once, model.Never if there never is.
	Free model.Time
	// fetched is when the fetch line has done, where there is one, start when there is what
	// they run on.
	fetched, start model.Time
}

// Finish is when a task that is given at a time ends at the latest.
func (r *room) Finish(given, transfer, wcet model.Time) model.Time {
	return max(max(given, r.fetched)+transfer, r.start) + wcet
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
type demand [model.NumResources]int64

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

// newSlaveLoads has all slaves of a job set with nothing on them.
func newSlaveLoads(js *model.JobSet) []slaveLoad {
	slaves := make([]slaveLoad, len(js.Slaves))
	known := map[[model.NumResources]bool]*demands{}
	for i := range slaves {
		id := model.SlaveID(i)
		var has [model.NumResources]bool
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

func newSlave(js *model.JobSet, id model.SlaveID, d *demands) slaveLoad {
	s := slaveLoad{demands: d, free: make([]int64, model.ReduceSlots+1)}
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
	s.Empty(0)
	return s
}

// Empty is for a slave that holds nothing at now, or has lost it.
func (s *slaveLoad) Empty(now model.Time) {
	s.held, s.promise = nil, nil
	for _, u := range s.stays {
		s.free[u.Resource] = u.Units
	}
	s.ahead = s.idle()
	s.ahead.lastFetched, s.ahead.lastStart = now, now
}

// idle is the outlook of a slave that has been given nothing.
func (s *slaveLoad) idle() outlook {
	o := outlook{done: make([][]model.Time, len(s.runs))}
	for i, u := range s.runs {
		o.done[i] = make([]model.Time, u.Units)
	}
	return o
}

// heldTask lists the tasks in the order in which they were given. It must not be written to,
// and holds until one is given or ends.
func (s *slaveLoad) Held() []heldTask { return s.held }

// Free is the number of units of a resource that tasks hold for their stay, slots among
// them, that none holds; 0 of one that the slave does not have.
func (s *slaveLoad) Free(r model.ResourceID) int64 {
	if int(r) >= len(s.free) {
		return 0
	}
	return s.free[r]
}

// FreeSlots is the number of slots of all kinds that no task holds.
func (s *slaveLoad) FreeSlots() int64 { return s.free[model.MapSlots] + s.free[model.ReduceSlots] }

// Fits reports whether a task given now has what it must have at once.
func (s *slaveLoad) Fits(t model.TaskID) bool {
	d := s.demands.of(t)
	for i := range s.stays {
		if r := s.stays[i].Resource; d[r] > s.free[r] {
			return false
		}
	}
	return true
}

// Overran reports whether a task has run for all of its worst case, or waits for others of its
// gang although it was to have started.
func (s *slaveLoad) Overran(now model.Time) bool {
	return slices.ContainsFunc(s.held, func(h heldTask) bool {
		return h.Start+h.WCET <= now || h.By > 0 && h.By <= now && h.Start > now
	})
}

// hold takes what a task holds for its stay off the free units (+1), or gives
// it back (−1).
func (s *slaveLoad) hold(t model.TaskID, sign int64) {
	d := s.demands.of(t)
	for i := range s.stays {
		r := s.stays[i].Resource
		s.free[r] -= sign * d[r]
	}
	s.promise = nil
}

// fetchAt is when the input of a task that is given at a begins to come. Inputs
// come in the order of assignment; one of no length has its turn like others.
func (s *slaveLoad) fetchAt(o *outlook, a model.Time) model.Time {
	if s.line {
		return max(a, o.lastFetched)
	}
	return a
}

// startFrom is when there is what a task runs on, and the tasks given before it
// have started.
func (s *slaveLoad) startFrom(o *outlook, d *demand) model.Time {
	start := o.lastStart
	for i := range s.runs {
		if n := d[s.runs[i].Resource]; n > 0 {
			start = max(start, o.done[i][n-1])
		}
	}
	return start
}

// run enters a task that was given after all others.
func (s *slaveLoad) run(o *outlook, d *demand, fetched, start, end model.Time) {
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

// Give adds a task that takes length ticks in fact, and finds out its Fetch, Start and End.
func (s *slaveLoad) Give(h heldTask, length model.Time) *heldTask {
	d := s.demands.of(h.Task)
	h.Fetch = s.fetchAt(&s.ahead, h.Assigned)
	h.Start = max(h.Fetch+h.Transfer, s.startFrom(&s.ahead, d))
	h.End = h.Start + length
	s.run(&s.ahead, d, h.Fetch+h.Transfer, h.Start, h.End)
	return s.add(h)
}

// add adds a task to those that are held.
func (s *slaveLoad) add(h heldTask) *heldTask {
	s.hold(h.Task, 1)
	s.held = append(s.held, h)
	return &s.held[len(s.held)-1]
}

// Drop takes off a task that is lost alone. When those behind it start has to be worked out
// anew after that.
func (s *slaveLoad) Drop(t model.TaskID) heldTask {
	at := slices.IndexFunc(s.held, func(h heldTask) bool { return h.Task == t })
	h := s.held[at]
	s.hold(t, -1)
	s.held = slices.Delete(s.held, at, at+1)
	return h
}

// End takes off a task that ends at now, and reports whether it does. It must be held.
func (s *slaveLoad) End(t model.TaskID, now model.Time) bool {
	at := slices.IndexFunc(s.held, func(h heldTask) bool { return h.Task == t })
	if s.held[at].End != now {
		return false
	}
	s.hold(t, -1)
	s.held = slices.Delete(s.held, at, at+1)
	return true
}

// promised is what the slave is sure of at declared times. Tasks that run are
// taken to use up their worst case, and to end at the next tick if they have; tasks that
// wait start in their order.
func (s *slaveLoad) promised(now model.Time) *promise {
	if s.promise == nil || len(s.promise.ends) > 0 && s.promise.ends[0].at <= now || s.promise.stale <= now {
		s.promise = s.newPromise(now)
	}
	return s.promise
}

// newPromise is promised, worked out.
func (s *slaveLoad) newPromise(now model.Time) *promise {
	p := &promise{outlook: s.idle(), stale: model.Never, ends: make([]promisedEnd, 0, len(s.held)), room: make([]room, len(s.demands.kinds))}
	for i := range s.held {
		h := &s.held[i]
		d := s.demands.of(h.Task)
		start, fetched := h.Start, h.Fetch+h.Transfer
		if start > now {
			start = max(fetched, s.startFrom(&p.outlook, d))
			if h.By > 0 {
				start = max(start, h.By, now+1)
				p.stale = min(p.stale, start)
			}
		}
		end := max(start+h.WCET, now+1)
		s.run(&p.outlook, d, fetched, start, end)
		at, _ := slices.BinarySearchFunc(p.ends, end, func(e promisedEnd, t model.Time) int { return int(e.at - t) })
		p.ends = slices.Insert(p.ends, at, promisedEnd{end, h.Task})
	}
	return p
}

// room is what is to be expected for a task at now. It holds until the slave changes or
// time passes.
func (s *slaveLoad) Room(now model.Time, t model.TaskID) *room {
	p := s.promised(now)
	r := &p.room[s.demands.kind[t]]
	if !r.known {
		s.findRoom(p, s.demands.of(t), r)
	}
	return r
}

// findRoom works out what a promise comes to for one kind of demand.
func (s *slaveLoad) findRoom(p *promise, d *demand, r *room) {
	*r = room{known: true, fetched: s.fetchAt(&p.outlook, 0), start: s.startFrom(&p.outlook, d)}
	for i := range s.stays {
		id := s.stays[i].Resource
		if short := d[id] - s.free[id]; short > 0 {
			r.Free = max(r.Free, s.returned(p, id, short))
		}
	}
}

// returned is when held tasks have given back so many units of a resource.
func (s *slaveLoad) returned(p *promise, r model.ResourceID, units int64) model.Time {
	for _, e := range p.ends {
		if units -= s.demands.of(e.task)[r]; units <= 0 {
			return e.at
		}
	}
	return model.Never
}
