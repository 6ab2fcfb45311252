package online

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// state is the cluster and the jobs as they are now: what a policy may look at,
// and what the engine changes.
type state struct {
	js     *model.JobSet
	name   string // of the policy
	now    model.Time
	slaves []slave
	jobs   []Job
	// active and ready as View shows them.
	active, ready []*Job
	// changed lists the jobs of which tasks became ready, were handed out, ended or
	// were lost since a Ranking took note.
	changed []*Job
	// outages counts failures and returns of slaves.
	outages int
	// idle lists the slaves with a free slot, in no order.
	idle []model.SlaveID
	// asleep lists those of the idle slaves that will not be asked at their first
	// heartbeat from now on, in no order; others may be among them.
	asleep []model.SlaveID
	// least caches quickest.
	least map[*model.Profile]model.Time
	// broken is the first thing that the policy did and must not, nil so far.
	broken error
}

func newState(js *model.JobSet, policy string) state {
	st := state{
		js: js, name: policy, least: map[*model.Profile]model.Time{},
		slaves: newSlaves(js), jobs: make([]Job, len(js.Jobs)),
	}
	for i := range st.slaves {
		st.markIdle(model.SlaveID(i))
	}
	for i := range st.jobs {
		st.jobs[i] = Job{id: model.JobID(i), spec: &js.Jobs[i], started: model.Never, finish: model.Never}
	}
	return st
}

// breach notes that the policy broke a rule. What it is answered after that
// does not matter, the engine ends the run once the policy returns.
func (st *state) breach(format string, args ...any) {
	if st.broken == nil {
		st.broken = fmt.Errorf("at %d, policy %s %s", st.now, st.name, fmt.Sprintf(format, args...))
	}
}

// free is the number of free slots of a slave for stages of kind k.
func (st *state) free(id model.SlaveID, k model.SlotKind) int {
	return int(st.slaves[id].free[model.MapSlots+model.ResourceID(st.js.Slaves[id].Pool(k))])
}

// markIdle enters or removes a slave from the list of those with free slots.
func (st *state) markIdle(id model.SlaveID) {
	s := &st.slaves[id]
	idle := s.freeSlots() > 0 && !s.failed
	switch {
	case idle && s.idleAt < 0:
		s.idleAt = len(st.idle)
		st.idle = append(st.idle, id)
		st.sleep(id)
	case !idle && s.idleAt >= 0:
		last := st.idle[len(st.idle)-1]
		st.idle[s.idleAt] = last
		st.slaves[last].idleAt = s.idleAt
		st.idle = st.idle[:len(st.idle)-1]
		s.idleAt = -1
	}
}

// sleep enters a slave in the list of those that are asleep.
func (st *state) sleep(id model.SlaveID) {
	if s := &st.slaves[id]; !s.asleep {
		s.asleep = true
		st.asleep = append(st.asleep, id)
	}
}

// nextBeat is the first heartbeat of a slave at t or later at which it is
// there, as far as is declared.
func (st *state) nextBeat(id model.SlaveID, t model.Time) model.Time {
	spec := &st.js.Slaves[id]
	for {
		_, at := st.js.BeatAtOrAfter(id, t)
		if spec.UpUntil(at) > at {
			return at
		}
		t = spec.BackAt(at)
	}
}

// readyJob puts a job into its place among the ready ones.
func (st *state) readyJob(j *Job) {
	at, found := slices.BinarySearchFunc(st.ready, j, byArrival)
	if !found {
		st.ready = slices.Insert(st.ready, at, j)
	}
}

// change notes that something of a job may be other than it was.
func (st *state) change(j *Job) {
	if !j.changed {
		j.changed = true
		st.changed = append(st.changed, j)
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

// quickest is the least transfer and execution time over the slaves.
func (st *state) quickest(p *model.Profile) model.Time {
	if t, ok := st.least[p]; ok {
		return t
	}
	least := model.Never
	for s := range model.SlaveID(len(st.js.Slaves)) {
		if wcet := p.WCET(s); wcet > 0 {
			least = min(least, wcet+p.Transfer(s))
		}
	}
	st.least[p] = least
	return least
}

// estimate is View.EstimateOf.
func (st *state) estimate(id model.SlaveID, g *Group, transfer, wcet model.Time) (given, finish model.Time) {
	spec, s := &st.js.Slaves[id], &st.slaves[id]
	if wcet == 0 || s.failed {
		return model.Never, model.Never
	}
	promise := s.promised(st.now)
	room := s.roomFor(promise, g.first)
	for from := max(st.now, room.free); from != model.Never; {
		at := st.nextBeat(id, from)
		away := spec.UpUntil(at)
		if end := s.finish(promise, room, at, transfer, wcet); end <= away {
			return at, end
		}
		if away == model.Never {
			break
		}
		from = spec.BackAt(away)
	}
	return model.Never, model.Never
}
