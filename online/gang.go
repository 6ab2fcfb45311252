// Gang has how tasks that start together (C12) get their slaves, all or none.
//
// A policy that hands one task of a gang to the slave that asks hands all of them out: the
// others go to the slaves where they are ready first. What they hold for their stay is taken
// from that moment on, on all slaves and of all pools and caps; on each slave its next heartbeat
// hands the task out. So a gang is handed out only if all of that is there now, and if at
// declared times every task ends before its slave goes away and before a pool falls below what
// is held of it.
//
// Each task waits in its slave's line with its cores, once it has its input, until all of its
// gang have theirs; none behind it overtakes. No two gangs wait for each other: whatever is ahead
// of a task in a line was handed out before its gang was, so that of all that wait what was
// handed out first waits for nothing. Nothing is held for a gang before all of it fits, so that
// neither do gangs that wait to be handed out; what fits goes past them meanwhile.

package online

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Assignment is a slave for a task of a gang.
type Assignment struct {
	Task  model.TaskID
	Slave model.SlaveID
}

// gangPlacement is a gang with slaves for all of its tasks.
type gangPlacement struct {
	members []member
	// start is when they start at the latest at declared times.
	start model.Time
}

// member is a task of a gang with a slave.
type member struct {
	Assignment
	// assigned is the slave's next heartbeat.
	assigned model.Time
}

// finish is when the task on a slave ends at the latest.
func (g *gangPlacement) finish(js *model.JobSet, s model.SlaveID) model.Time {
	for _, m := range g.members {
		if m.Slave == s {
			return g.start + js.Tasks[m.Task].WCET(s)
		}
	}
	return model.Never
}

// with is the gang with another task in place of one that is equal to it.
func (g *gangPlacement) with(was, t model.TaskID) *gangPlacement {
	for i := range g.members {
		switch m := &g.members[i]; m.Task {
		case was:
			m.Task = t
		case t:
			m.Task = was
		}
	}
	return g
}

// trial is the last search for slaves for a gang: policies ask first and give then. Between two
// heartbeats of a tick nothing changes but what is handed out.
type trial struct {
	now   model.Time
	turns int64
	group *Group
	at    model.SlaveID
	found *gangPlacement
}

// unschedulable notes the gangs for which slaves have no room, whichever asks, until something is free again.
type unschedulable struct {
	// freed is what the state counted when they were noted.
	freed int64
	gangs map[*model.Stage]bool
}

// has reports whether a gang is noted and nothing has been free again since.
func (c *unschedulable) has(gang *model.Stage, freed int64) bool {
	return c.freed == freed && c.gangs[gang]
}

// add notes a gang.
func (c *unschedulable) add(gang *model.Stage, freed int64) {
	if c.gangs == nil || c.freed != freed {
		c.freed, c.gangs = freed, map[*model.Stage]bool{}
	}
	c.gangs[gang] = true
}

// candidate is what a slave has left for tasks of a gang to which slaves are being allocated.
type candidate struct {
	slave model.SlaveID
	load  *slaveLoad
	// assigned is the slave's next heartbeat, away when it goes after that.
	assigned, away model.Time
	// free and look are the slave's own until a task is allocated.
	free      []int64
	look      *outlook
	allocated int
}

// ready is when a task would be ready to start, model.Never where it has no room.
func (c *candidate) ready(task *model.Task, t model.TaskID) model.Time {
	d := c.load.demands.of(t)
	for i := range c.load.stays {
		if r := c.load.stays[i].Resource; d[r] > c.free[r] {
			return model.Never
		}
	}
	fetched := c.load.fetchAt(c.look, c.assigned) + task.Transfer(c.slave)
	return max(fetched, c.load.startFrom(c.look, d))
}

// with is the candidate with a task on it, which waits with its cores.
func (c *candidate) with(task *model.Task, t model.TaskID) candidate {
	d, next := c.load.demands.of(t), *c
	next.free, next.look = slices.Clone(c.free), c.look.clone()
	for i := range c.load.stays {
		r := c.load.stays[i].Resource
		next.free[r] -= d[r]
	}
	fetched := c.load.fetchAt(c.look, c.assigned) + task.Transfer(c.slave)
	c.load.run(next.look, d, fetched, c.ready(task, t), model.Never)
	next.allocated++
	return next
}

func (o *outlook) clone() *outlook {
	c := *o
	c.done = make([][]model.Time, len(o.done))
	for i := range o.done {
		c.done[i] = slices.Clone(o.done[i])
	}
	return &c
}

// allocation is a search for slaves for the tasks of a gang.
type allocation struct {
	js         *model.JobSet
	apart      bool
	candidates []candidate
	chosen     []member
	// latest is when the last of those that are chosen is ready.
	latest model.Time
	// steps is how many more a search may take that goes back.
	steps int
}

// searchWork bounds a search that goes back: candidates that are looked at, for each task at each step. It
// is for small gangs whose tasks take different amounts of several things.
const searchWork = 20_000

// ready is candidate.ready; Never as well where another of the gang may not be there.
func (x *allocation) ready(c *candidate, t model.TaskID) model.Time {
	task := &x.js.Tasks[t]
	if !task.Eligible(c.slave) || x.apart && c.allocated > 0 {
		return model.Never
	}
	return c.ready(task, t)
}

// allocate gives a task a slave, and gives back how to undo it.
func (x *allocation) allocate(i int, t model.TaskID) (undo func()) {
	was, latest := x.candidates[i], x.latest
	x.latest = max(x.latest, x.ready(&was, t))
	x.candidates[i] = was.with(&x.js.Tasks[t], t)
	x.chosen = append(x.chosen, member{Assignment{t, was.slave}, was.assigned})
	return func() {
		x.candidates[i], x.latest = was, latest
		x.chosen = x.chosen[:len(x.chosen)-1]
	}
}

// allocateAt gives a task that slave, if there is room for it.
func (x *allocation) allocateAt(s model.SlaveID, t model.TaskID) bool {
	at := slices.IndexFunc(x.candidates, func(c candidate) bool { return c.slave == s })
	if at < 0 || x.ready(&x.candidates[at], t) == model.Never {
		return false
	}
	x.allocate(at, t)
	return true
}

// allocateAll allocates slaves to tasks, each where it is ready first; where that does not do for all of them and
// they are different, as others make room for them, or as a search finds places.
func (x *allocation) allocateAll(tasks []model.TaskID) bool {
	candidates, chosen, latest := slices.Clone(x.candidates), len(x.chosen), x.latest
	if x.greedy(tasks) {
		return true
	}
	x.candidates, x.chosen, x.latest = candidates, x.chosen[:chosen], latest
	if !slices.ContainsFunc(tasks, func(t model.TaskID) bool { return x.js.Tasks[t].Profile != x.js.Tasks[tasks[0]].Profile }) {
		return false
	}
	x.steps = searchWork / max(1, len(tasks)*len(candidates))
	return x.match(tasks) || x.search(tasks)
}

// match allocates one task after the other, and where one has no room others make some (augmenting paths).
// Where each takes a unit of what is short, as of slaves of their own, it finds places if there are any.
func (x *allocation) match(tasks []model.TaskID) bool {
	placed := make([][]model.TaskID, len(x.candidates))
	for _, t := range tasks {
		if !x.find(t, placed, make([]bool, len(placed))) {
			return false
		}
	}
	for i, list := range placed {
		for _, t := range list {
			x.allocate(i, t)
		}
	}
	return true
}

// find finds a place for a task among those that have one already, on candidates that were not tried for it.
func (x *allocation) find(t model.TaskID, placed [][]model.TaskID, tried []bool) bool {
	for i := range placed {
		if more := append(slices.Clip(placed[i]), t); !tried[i] && x.holds(i, more) {
			placed[i] = more
			return true
		}
	}
	for i := range placed {
		if tried[i] || !x.js.Tasks[t].Eligible(x.candidates[i].slave) {
			continue
		}
		tried[i] = true
		for k, other := range placed[i] {
			if x.js.Tasks[other].Profile == x.js.Tasks[t].Profile {
				continue
			}
			instead := slices.Clone(placed[i])
			instead[k] = t
			if x.holds(i, instead) && x.find(other, placed, tried) {
				placed[i] = instead
				return true
			}
		}
	}
	return false
}

// holds reports whether a candidate has room for all of some tasks.
func (x *allocation) holds(i int, tasks []model.TaskID) bool {
	c := x.candidates[i]
	for k, t := range tasks {
		if x.ready(&c, t) == model.Never {
			return false
		}
		if k+1 < len(tasks) {
			c = c.with(&x.js.Tasks[t], t)
		}
	}
	return true
}

// greedy allocates one task after the other where it is ready first.
func (x *allocation) greedy(tasks []model.TaskID) bool {
	for _, t := range tasks {
		best, first := -1, model.Never
		for i := range x.candidates {
			if at := x.ready(&x.candidates[i], t); at < first {
				best, first = i, at
			}
		}
		if best < 0 {
			return false
		}
		x.allocate(best, t)
	}
	return true
}

// search allocates that task next which has the fewest places, and goes back where one has none.
func (x *allocation) search(tasks []model.TaskID) bool {
	if len(tasks) == 0 {
		return true
	}
	next, places := 0, []int(nil)
	for k, t := range tasks {
		if k > 0 && x.js.Tasks[t].Profile == x.js.Tasks[tasks[k-1]].Profile {
			continue
		}
		if at := x.places(t); k == 0 || len(at) < len(places) {
			next, places = k, at
		}
	}
	rest := slices.Delete(slices.Clone(tasks), next, next+1)
	for _, i := range places {
		if x.steps--; x.steps < 0 {
			return false
		}
		undo := x.allocate(i, tasks[next])
		if x.search(rest) {
			return true
		}
		undo()
	}
	return false
}

// places lists where a task has room, by when it is ready there.
func (x *allocation) places(t model.TaskID) (out []int) {
	at := map[int]model.Time{}
	for i := range x.candidates {
		if ready := x.ready(&x.candidates[i], t); ready < model.Never {
			at[i] = ready
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return out
}

// candidatesNow are those of the slaves that can be handed something within a heartbeat interval, by
// number. Whoever waits longer for a slave that is away loses nothing by asking again. Slaves
// before the one that asks have had their heartbeat of this tick. all tells that no slave with a free
// slot is left out, which time alone could bring back.
func (st *state) candidatesNow(asks model.SlaveID) (out []candidate, all bool) {
	all = true
	ids := slices.Clone(st.idle)
	slices.Sort(ids)
	for _, s := range ids {
		from := st.now
		if s < asks {
			from++
		}
		beat := st.known.First(s, from, 1)
		if st.gone(s) || beat > st.now+st.js.Heartbeat {
			all = all && st.gone(s)
			continue
		}
		load := &st.slaves[s].slaveLoad
		out = append(out, candidate{
			slave: s, load: load, assigned: beat, away: st.shown[s].UpUntil(beat),
			free: load.free, look: &load.promised(st.now).outlook,
		})
	}
	return out, all
}

// markUnschedulable notes a gang for which some slaves have no room, if these are all.
func (st *state) markUnschedulable(stage *model.Stage, all bool) {
	if all {
		st.unschedulable.add(stage, st.freed)
	}
}

// short reports whether slaves have too few slots, or too few units of something, for a gang, all of
// them together, or are fewer than its tasks that have to be apart.
func (st *state) short(stage *model.Stage, candidates []candidate) bool {
	if stage.Apart && len(candidates) < int(stage.End-stage.First) {
		return true
	}
	var need, there demand // with slots of either kind
	for t := stage.First; t < stage.End; t++ {
		need[model.MapSlots]++
		for i := range st.js.Named {
			need[model.FirstNamed+model.ResourceID(i)] += st.js.Tasks[t].Units(i)
		}
	}
	for i := range candidates {
		for _, supply := range candidates[i].load.stays {
			r := supply.Resource
			if r == model.ReduceSlots {
				r = model.MapSlots
			}
			there[r] += candidates[i].free[supply.Resource]
		}
	}
	for r := range need {
		if need[r] > there[r] {
			return true
		}
	}
	return false
}

// together finds slaves for the gang of a group of which one task goes to the slave that asks;
// nil where it does not fit now.
func (st *state) together(g *Group, asks model.SlaveID) *gangPlacement {
	tr := &st.trial
	if tr.now != st.now || tr.turns != st.turns {
		*tr = trial{now: st.now, turns: st.turns}
	}
	switch {
	case st.unschedulable.has(g.spec(), st.freed):
		return nil
	case tr.group != g || tr.at != asks:
		tr.group, tr.at, tr.found = g, asks, st.allocate(g, asks)
	}
	return tr.found
}

// allocate is together, worked out.
func (st *state) allocate(g *Group, asks model.SlaveID) *gangPlacement {
	stage := g.spec()
	if !st.roomForGang(stage, st.now+1) {
		return nil
	}
	candidates, all := st.candidatesNow(asks)
	if st.short(stage, candidates) {
		st.markUnschedulable(stage, all)
		return nil
	}
	rest := make([]model.TaskID, 0, stage.End-stage.First)
	for t := stage.First; t < stage.End; t++ {
		if t != g.First() {
			rest = append(rest, t)
		}
	}
	for try := range mostTries {
		x := &allocation{js: st.js, apart: stage.Apart, candidates: slices.Clone(candidates)}
		if !x.allocateAt(asks, g.First()) {
			return nil
		}
		if !x.allocateAll(rest) {
			whole := &allocation{js: st.js, apart: stage.Apart, candidates: candidates}
			if try == 0 && !whole.allocateAll(append(rest, g.First())) {
				st.markUnschedulable(stage, all)
			}
			return nil
		}
		found := &gangPlacement{x.chosen, x.latest}
		late := st.tooLate(found, candidates)
		switch {
		case late == asks:
			return nil
		case late != model.NoSlave:
			candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.slave == late })
		case st.roomForGang(stage, st.lastFinish(found)):
			return found
		default:
			return nil
		}
	}
	return nil
}

// mostTries bounds how often a gang is allocated anew without a slave that goes away too early.
const mostTries = 16

// tooLate is a slave that may go away before its task of a gang has ended, model.NoSlave if none
// does.
func (st *state) tooLate(g *gangPlacement, candidates []candidate) model.SlaveID {
	for _, m := range g.members {
		at := slices.IndexFunc(candidates, func(c candidate) bool { return c.slave == m.Slave })
		if away := candidates[at].away; away < model.Never && g.start+st.js.Tasks[m.Task].WCET(m.Slave) > away {
			return m.Slave
		}
	}
	return model.NoSlave
}

// lastFinish is when the last task of a gang ends at the latest.
func (st *state) lastFinish(g *gangPlacement) model.Time {
	last := g.start
	for _, m := range g.members {
		last = max(last, g.start+st.js.Tasks[m.Task].WCET(m.Slave))
	}
	return last
}

// allocatedAs is together where the policy says who goes where; nil where that does not fit now.
func (st *state) allocatedAs(g *Group, asks model.SlaveID, assignments []Assignment) *gangPlacement {
	stage := g.spec()
	candidates, _ := st.candidatesNow(asks)
	x := &allocation{js: st.js, apart: stage.Apart, candidates: candidates}
	seen := map[model.TaskID]bool{}
	for _, s := range assignments {
		if s.Task < stage.First || s.Task >= stage.End || seen[s.Task] || !x.allocateAt(s.Slave, s.Task) {
			return nil
		}
		seen[s.Task] = true
	}
	found := &gangPlacement{x.chosen, x.latest}
	if len(seen) != int(stage.End-stage.First) || st.tooLate(found, x.candidates) != model.NoSlave || !st.roomForGang(stage, st.lastFinish(found)) {
		return nil
	}
	return found
}

// waiting is a task of a gang that is next in the line of its slave.
type waiting struct {
	load    *slaveLoad
	task    model.TaskID
	fetched model.Time
}

// meet is when tasks of a gang start as their slaves go on: when all have their input and cores,
// which they keep from then on.
func meet(list []waiting) (start model.Time) {
	looks := map[*slaveLoad]*outlook{}
	for _, w := range list {
		o := looks[w.load]
		if o == nil {
			o = w.load.ahead.clone()
			looks[w.load] = o
		}
		d := w.load.demands.of(w.task)
		ready := max(w.fetched, w.load.startFrom(o, d))
		w.load.run(o, d, w.fetched, ready, model.Never)
		start = max(start, ready)
	}
	return start
}

// canBeAllocated reports whether a gang could be on the slaves that are not gone for good, if these
// held nothing else.
func (st *state) canBeAllocated(stage *model.Stage) bool {
	x := &allocation{js: st.js, apart: stage.Apart}
	var tasks []model.TaskID
	for t := stage.First; t < stage.End; t++ {
		tasks = append(tasks, t)
	}
	for s := range st.slaves {
		id := model.SlaveID(s)
		if st.js.Slaves[s].GoneFrom() <= st.now {
			continue
		}
		load := newSlave(st.js, id, st.slaves[s].demands)
		x.candidates = append(x.candidates, candidate{slave: id, load: &load, free: load.free, look: &load.ahead})
	}
	return x.allocateAll(tasks)
}

// canBeApart reports whether the tasks of a stage that have no slave yet, but for one, find slaves of
// their own among those that the stage has not used and that a test passes: each in turn takes one, and others
// make room (augmenting paths).
func (st *state) canBeApart(stage *model.Stage, but model.TaskID, usable func(model.SlaveID) bool) bool {
	m := matching{js: st.js, owner: make([]model.TaskID, len(st.slaves))}
	for s := range m.owner {
		if m.owner[s] = noTask; usable(model.SlaveID(s)) && !st.uses(stage, model.SlaveID(s)) {
			m.slaves = append(m.slaves, model.SlaveID(s))
		}
	}
	for t := stage.First; t < stage.End; t++ {
		if t == but || st.placed[t].Slave != model.NoSlave {
			continue
		}
		m.tried = make([]bool, len(st.slaves))
		if !m.find(t) {
			return false
		}
	}
	return true
}

// keepsApart reports whether a slave can have a task of a stage whose tasks are apart (C12): it has
// had none, and the others still find slaves. These stay for good, unless the job is confined to
// slaves that do not. Absences that come by surprise count here, or else jobs that could run might
// never end.
func (st *state) keepsApart(g *Group, at model.SlaveID) bool {
	stage := g.spec()
	from := model.MaxTime
	if st.confined != nil && st.confined[g.job.id] {
		from = st.now + 1
	}
	return !st.uses(stage, at) && st.canBeApart(stage, g.First(), func(s model.SlaveID) bool {
		return s != at && st.js.Slaves[s].GoneFrom() >= from
	})
}

// uses reports whether a task of a stage is or was on a slave.
func (st *state) uses(stage *model.Stage, s model.SlaveID) bool {
	for t := stage.First; t < stage.End; t++ {
		if st.placed[t].Slave == s {
			return true
		}
	}
	return false
}

// matching gives tasks slaves of their own.
type matching struct {
	js     *model.JobSet
	slaves []model.SlaveID
	// owner has by slave the task that has it, tried those that were asked for the task at hand.
	owner []model.TaskID
	tried []bool
}

const noTask model.TaskID = -1

func (m *matching) find(t model.TaskID) bool {
	for _, s := range m.slaves {
		if m.tried[s] || !m.js.Tasks[t].Eligible(s) {
			continue
		}
		m.tried[s] = true
		if m.owner[s] == noTask || m.find(m.owner[s]) {
			m.owner[s] = t
			return true
		}
	}
	return false
}
