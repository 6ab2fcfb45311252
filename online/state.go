package online

import (
	"context"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// state is the cluster and the jobs as they are now: what a policy may look at,
// and what the engine changes.
type state struct {
	ctx    context.Context
	js     *model.JobSet
	name   string // of the policy
	now    model.Time
	slaves []slave
	// shown are the slaves as policies see them: with surprise without absences, which
	// then come as failures do.
	shown    []model.Slave
	surprise bool
	// overruns is whether tasks may take longer than declared.
	overruns bool
	// declared is when slaves are there, known when they are as shown.
	declared, known *window.Presences
	jobs            []Job
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
	// placed has by task where it is or was, with no slave as long as it waits.
	placed model.Schedule
	// coupled is whether anything ties tasks on different slaves, gangs whether gangs do, or tasks
	// that are apart.
	coupled, gangs bool
	limits         limits
	trial          trial
	unschedulable  unschedulable
	// freed counts events after which slaves may have more room than before.
	freed int64
	// turns counts what was handed out: tasks, and gangs as one.
	turns int64
	// confined marks jobs as [model.JobSet.Confined] does.
	confined []bool
	// durations are those of View.History.
	durations []*model.GroupDurations
	// least caches quickest; path is a buffer for the stages of one job.
	least map[*model.Profile]model.Time
	path  []model.Time
	// broken is the first thing that the policy did and must not, nil so far.
	broken error
}

// slave is what a slave holds, and whether and when it is asked.
type slave struct {
	slaveLoad
	failed bool
	// beat is the heartbeat that is in the event queue, Never if none is.
	beat   model.Time
	idleAt int  // place in state.idle, -1 if not there
	asleep bool // in state.asleep
	// asked counts heartbeats since engine.progress was seen and the next absence began
	// at away.
	asked int
	seen  int64
	away  model.Time
}

func newState(js *model.JobSet, policy string, opts *Options) state {
	st := state{
		js: js, name: policy, shown: js.Slaves, surprise: opts.Surprise || opts.Known != nil, least: map[*model.Profile]model.Time{},
		slaves: make([]slave, len(js.Slaves)), jobs: make([]Job, len(js.Jobs)),
	}
	if st.surprise {
		st.shown = slices.Clone(js.Slaves)
		for i := range st.shown {
			st.shown[i].Down = nil
			if opts.Known != nil {
				st.shown[i].Down = opts.Known.Slaves[i].Down
			}
		}
	}
	st.overruns = opts.overruns()
	st.durations = js.Durations()
	st.placed = model.NewSchedule(len(js.Tasks))
	st.coupled, st.gangs = js.Coupled(), js.Gangs()
	st.limits = newLimits(js)
	st.confined = js.Confined()
	st.declared = window.NewPresences(js)
	st.know()
	for i, s := range newSlaveLoads(js) {
		st.slaves[i] = slave{slaveLoad: s, beat: model.Never, idleAt: -1}
		st.markIdle(model.SlaveID(i))
	}
	stages := make([]progress, js.Stages())
	for i := range st.jobs {
		spec := &js.Jobs[i]
		n := len(spec.Stages)
		st.jobs[i] = Job{
			id: model.JobID(i), spec: spec, started: model.Never, finish: model.Never,
			stages: stages[spec.FirstStage:][:n:n], nLeft: n,
		}
		for k := range spec.Stages {
			s := &spec.Stages[k]
			waits := len(js.Before(spec.FirstStage + model.StageID(k)))
			st.jobs[i].stages[k] = progress{waits: int32(waits), left: int32(s.End - s.First)}
		}
	}
	return st
}

// know makes known anew, after a change of shown.
func (st *state) know() {
	st.known = st.declared
	if st.surprise {
		as := *st.js
		as.Slaves = st.shown
		st.known = window.NewPresences(&as)
	}
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
	return int(st.slaves[id].Free(model.MapSlots + model.ResourceID(st.js.Slaves[id].Pool(k))))
}

// markIdle enters or removes a slave from the list of those with free slots.
func (st *state) markIdle(id model.SlaveID) {
	s := &st.slaves[id]
	idle := s.FreeSlots() > 0 && !s.failed
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

// away reports whether a slave is within an absence that was declared.
func (st *state) away(id model.SlaveID) bool {
	return st.js.Slaves[id].UpUntil(st.now) <= st.now
}

// gone reports whether a slave has failed, or is away as nobody knew before.
func (st *state) gone(id model.SlaveID) bool {
	return st.slaves[id].failed || st.surprise && st.away(id) && st.shown[id].UpUntil(st.now) > st.now
}

// nextBeat is the first heartbeat of a slave at t or later at which it is
// there, as far as is declared.
func (st *state) nextBeat(id model.SlaveID, t model.Time) model.Time {
	return st.declared.First(id, t, 1)
}

// with enters a job in a list ordered by arrival, unless it is in it.
func with(list []*Job, j *Job) []*Job {
	at, found := slices.BinarySearchFunc(list, j, byArrival)
	if found {
		return list
	}
	return slices.Insert(list, at, j)
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

// remaining is View.Remaining.
func (st *state) remaining(j *Job) model.Time {
	st.path = append(st.path[:0], make([]model.Time, len(j.stages))...)
	for _, g := range j.groups {
		if g.Len() > 0 {
			st.path[g.stage] = max(st.path[g.stage], st.quickest(g.profile))
		}
	}
	longest := model.Time(0)
	for _, k := range j.spec.Order() {
		if !j.stages[k].opened {
			for _, g := range j.spec.Stages[k].Groups {
				st.path[k] = max(st.path[k], st.quickest(g.Profile))
			}
		}
		before := model.Time(0)
		for _, b := range j.spec.Stages[k].After {
			before = max(before, st.path[b])
		}
		st.path[k] += before
		longest = max(longest, st.path[k])
	}
	return longest
}

// work is View.Work.
func (st *state) work(j *Job) (sum int64) {
	add := func(p *model.Profile, tasks int) {
		sum += int64(st.quickest(p)) * p.Cores() * int64(tasks)
	}
	for _, g := range j.groups {
		add(g.profile, g.Len())
	}
	for k := range j.stages {
		if !j.stages[k].opened {
			for _, g := range j.spec.Stages[k].Groups {
				add(g.Profile, g.Count)
			}
		}
	}
	return sum
}

// wait is View.Wait; known has what has been worked out.
func (st *state) wait(j *Job, known map[*Job]model.Time) model.Time {
	if t, ok := known[j]; ok || len(j.spec.After) == 0 {
		return t
	}
	longest := model.Time(0)
	for _, k := range j.spec.After {
		if b := &st.jobs[k]; b.state == accepted {
			longest = max(longest, st.wait(b, known)+st.remaining(b))
		}
	}
	known[j] = longest
	return longest
}

// estimate is View.EstimateOf. What ends before an absence is given after all absences
// that begin before it could end.
func (st *state) estimate(id model.SlaveID, g *Group, transfer, wcet model.Time) (given, finish model.Time) {
	if wcet == 0 || st.gone(id) || st.gangs && g.spec().IsApart() && st.uses(g.spec(), id) {
		return model.Never, model.Never
	}
	room := st.slaves[id].Room(st.now, g.first)
	if room.Free == model.Never {
		return model.Never, model.Never
	}
	finish = room.Finish(0, transfer, wcet)
	from := max(st.now, room.Free, backBy(st.shown[id].Down, finish))
	given = st.known.First(id, from, transfer+wcet)
	return given, room.Finish(given, transfer, wcet)
}

// backBy is the end of the last absence that begins before t, 0 if there is none.
func backBy(down []model.Interval, t model.Time) model.Time {
	next, _ := slices.BinarySearchFunc(down, t, func(d model.Interval, t model.Time) int { return int(d.Start - t) })
	if next == 0 {
		return 0
	}
	return down[next-1].End
}
