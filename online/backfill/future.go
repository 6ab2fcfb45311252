package backfill

import (
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// What the amounts of a slave are; named resources come after them.
const (
	slots = iota // map slots where slaves tell them apart
	reduceSlots
	cores
	named
)

// future is what is free on slaves and of pools from now on, at declared times.
type future struct {
	v      *online.View
	slaves []calendar
	pools  calendar
	// stale marks the slaves of which the calendar is out of date, stalePools the pools.
	stale      []bool
	stalePools bool
	// asOf and outages are when and after how many failures all were looked at.
	asOf    model.Time
	outages int
	// asked has by slave the tick after its last heartbeat, if it has told: what is reserved on it begins
	// then or later.
	asked []model.Time
	holds []*placement
	// needs and takes cache what tasks hold of slaves and of pools.
	needs map[needKey]amounts
	takes map[*model.Profile]amounts
}

// needKey is what the need of a task depends on: pool is that of its slot on the slave.
type needKey struct {
	profile *model.Profile
	pool    int
}

func newFuture(v *online.View) *future {
	n := len(v.Slaves())
	return &future{
		v: v, slaves: make([]calendar, n), stale: make([]bool, n), outages: -1,
		asked: make([]model.Time, n), needs: map[needKey]amounts{}, takes: map[*model.Profile]amounts{},
	}
}

// watch notes what a task that is handed out, ends or is lost changes.
func (f *future) watch(e online.Event) {
	switch e.Kind {
	case online.Assigned, online.Ended, online.Lost:
		f.stale[e.Slave], f.stalePools = true, true
	}
}

// refresh brings all calendars up to date.
func (f *future) refresh() {
	v := f.v
	if f.outages != v.Outages() || v.MayOverrun() && f.asOf != v.Now() {
		f.outages, f.stalePools = v.Outages(), true
		for s := range f.stale {
			f.stale[s] = true
		}
	}
	f.asOf = v.Now()
	for s, stale := range f.stale {
		if stale {
			f.renew(model.SlaveID(s))
		}
	}
	if f.stalePools && len(v.Pools()) > 0 {
		f.renewPools()
	}
	f.stalePools = false
}

// renew works out what is free on a slave.
func (f *future) renew(s model.SlaveID) {
	v, slave := f.v, &f.v.Slaves()[s]
	f.stale[s] = false
	all := make(amounts, named+len(v.ResourceNames()))
	for p := range slave.Pools() {
		all[slots+p] = int64(slave.PoolSize(p))
	}
	all[cores] = int64(slave.Cores)
	for i := range v.ResourceNames() {
		all[named+i] = slave.Offers(i)
	}
	if v.Failed(s) {
		f.slaves[s] = newCalendar(make(amounts, len(all))) // nobody knows when it is back
		return
	}
	f.slaves[s] = newCalendar(all)
	c := &f.slaves[s]
	for _, d := range slave.Down {
		c.take(d, all, 1)
	}
	for _, h := range v.Held(s) {
		task := v.Task(h.Task)
		c.take(model.Interval{End: h.Finish}, f.need(s, task.Profile, task.Slot), 1)
	}
	for _, p := range f.holds {
		for _, m := range p.members {
			if m.slave == s {
				c.take(m.iv, m.need, 1)
			}
		}
	}
}

func (f *future) renewPools() {
	v := f.v
	f.pools = newCalendar(make(amounts, len(v.Pools())))
	for i := range v.Pools() {
		only := make(amounts, len(v.Pools()))
		levels := v.Pools()[i].Levels
		for k, l := range levels {
			iv := model.Interval{Start: l.From, End: model.Never}
			if k+1 < len(levels) {
				iv.End = levels[k+1].From
			}
			only[i] = l.Amount
			f.pools.take(iv, only, -1)
		}
	}
	for s := range v.Slaves() {
		for _, h := range v.Held(model.SlaveID(s)) {
			f.pools.take(model.Interval{End: h.Finish}, f.pooled(v.Task(h.Task).Profile), 1)
		}
	}
	for _, p := range f.holds {
		for _, m := range p.members {
			f.pools.take(m.iv, m.pooled, 1)
		}
	}
}

// room reports whether the slave that asks has a slot and a core for anything now.
func (f *future) room(o *online.Offer) bool {
	c := f.slaves[o.Slave()]
	return !o.Full() && c[c.index(f.v.Now())].free[cores] > 0
}

// need is what a task holds of a slave. Its cores count from when it is handed out. It must not be
// written to.
func (f *future) need(s model.SlaveID, p *model.Profile, slot model.SlotKind) amounts {
	key := needKey{p, f.v.Slaves()[s].Pool(slot)}
	need := f.needs[key]
	if need == nil {
		need = make(amounts, named+len(f.v.ResourceNames()))
		need[slots+key.pool] = 1
		need[cores] = p.Cores()
		for i := range f.v.ResourceNames() {
			need[named+i] = p.Units(i)
		}
		f.needs[key] = need
	}
	return need
}

// pooled is what a task takes of pools; nil where there are none. It must not be written to.
func (f *future) pooled(p *model.Profile) amounts {
	if len(f.v.Pools()) == 0 {
		return nil
	}
	out := f.takes[p]
	if out == nil {
		out = make(amounts, len(f.v.Pools()))
		needs := p.Needs()
		for i := range out {
			out[i] = needs.Pooled(i)
		}
		f.takes[p] = out
	}
	return out
}

// member is a task with its place.
type member struct {
	task  model.TaskID
	slave model.SlaveID
	iv    model.Interval
	// need and pooled are what it holds of the slave and of pools.
	need, pooled amounts
}

// placement is a task, or a gang, with its place: it starts at a time.
type placement struct {
	start   model.Time
	members []member
}

// end is when the last of them ends.
func (p *placement) end() model.Time {
	end := model.Time(0)
	for _, m := range p.members {
		end = max(end, m.iv.End)
	}
	return end
}

// assignments are the slaves of a gang.
func (p *placement) assignments() []online.Assignment {
	var out []online.Assignment
	for _, m := range p.members {
		out = append(out, online.Assignment{Task: m.task, Slave: m.slave})
	}
	return out
}

// take takes what a placement holds off what is free (sign 1), or gives it back.
func (f *future) take(p *placement, sign int64) {
	for i := range p.members {
		f.takeOne(&p.members[i], sign)
	}
}

func (f *future) takeOne(m *member, sign int64) {
	f.slaves[m.slave].take(m.iv, m.need, sign)
	if m.pooled != nil {
		f.pools.take(m.iv, m.pooled, sign)
	}
}

// hold takes a placement until it is released, also while slaves change.
func (f *future) hold(p *placement) {
	f.take(p, 1)
	f.holds = append(f.holds, p)
}

func (f *future) release(p *placement) {
	at := slices.Index(f.holds, p)
	f.holds = slices.Delete(f.holds, at, at+1)
	f.take(p, -1)
}

func (f *future) releaseAll() {
	for _, p := range f.holds {
		f.take(p, -1)
	}
	f.holds = f.holds[:0]
}

// free reports whether a placement has room.
func (f *future) free(p *placement) bool {
	for i := range p.members {
		m := &p.members[i]
		length := m.iv.Len()
		if f.slaves[m.slave].first(m.iv.Start, length, m.need) != m.iv.Start ||
			m.pooled != nil && f.pools.first(m.iv.Start, length, m.pooled) != m.iv.Start {
			for k := range i {
				f.takeOne(&p.members[k], -1)
			}
			return false
		}
		f.takeOne(m, 1)
	}
	f.take(p, -1)
	return true
}

// at is a task on a slave for so long, from the first time on at which there is room; its start is
// model.Never if there never is.
func (f *future) at(s model.SlaveID, g *online.Group, t model.TaskID, from, length model.Time) member {
	m := member{task: t, slave: s, need: f.need(s, g.Profile(), g.Slot()), pooled: f.pooled(g.Profile())}
	start := from
	for {
		start = f.slaves[s].first(start, length, m.need)
		if start == model.Never || m.pooled == nil {
			break
		}
		there := f.pools.first(start, length, m.pooled)
		if there == start {
			break
		}
		if start = there; start == model.Never {
			break
		}
	}
	m.iv = model.Interval{Start: start, End: start + length}
	return m
}

// length is how long a task of a group holds a slave at declared times.
func length(g *online.Group, s model.SlaveID) model.Time {
	return g.Profile().Transfer(s) + g.Profile().WCET(s)
}

// single is the place of a task where it can start first from now on, of those where it ends first;
// nil if there is none. Slaves that are barred do not count.
func (f *future) single(g *online.Group, t model.TaskID, barred func(model.SlaveID) bool) *placement {
	best := member{iv: model.Interval{Start: model.Never, End: model.Never}}
	for s := range model.SlaveID(len(f.slaves)) {
		if !g.Profile().Eligible(s) || f.v.Apart(s, g) || barred(s) {
			continue
		}
		m := f.at(s, g, t, max(f.v.Now(), f.asked[s]), length(g, s))
		if m.iv.Start < best.iv.Start || m.iv.Start == best.iv.Start && m.iv.Start < model.Never && m.iv.End < best.iv.End {
			best = m
		}
	}
	if best.iv.Start == model.Never {
		return nil
	}
	return &placement{best.iv.Start, []member{best}}
}

// gangTask is a task of a gang.
type gangTask struct {
	task  model.TaskID
	group *online.Group
}

// gang lists the tasks of the gang of a group.
func gang(g *online.Group) (out []gangTask) {
	for _, other := range g.Job().Groups() {
		if other.Stage() != g.Stage() {
			continue
		}
		for _, t := range other.Tasks() {
			out = append(out, gangTask{t, other})
		}
	}
	return out
}

// together is the place of a gang where it can start first, at until at the latest; nil if there is
// none, or the context of the run has ended: where slaves are many it takes minutes.
func (f *future) together(g *online.Group, until model.Time) *placement {
	tasks := gang(g)
	lead := f.lead(tasks)
	for _, at := range f.changes(until) {
		if f.v.Context().Err() != nil {
			return nil
		}
		if p := f.togetherAt(g, tasks, lead, at); p != nil {
			return p
		}
	}
	return nil
}

// lead is how long the input of some task of a gang takes at most: from when it is handed out until
// it starts.
func (f *future) lead(tasks []gangTask) model.Time {
	lead := model.Time(0)
	var last *online.Group
	for _, t := range tasks {
		if t.group == last {
			continue
		}
		last = t.group
		for s := range model.SlaveID(len(f.slaves)) {
			if last.Profile().Eligible(s) {
				lead = max(lead, last.Profile().Transfer(s))
			}
		}
	}
	return lead
}

// changes lists the times from now to until at which something becomes free.
func (f *future) changes(until model.Time) []model.Time {
	now := f.v.Now()
	out := []model.Time{now}
	if until > now && slices.Max(f.asked) > now {
		out = append(out, now+1)
	}
	add := func(c calendar) {
		for i := range c {
			if c[i].at > now && c[i].at <= until {
				out = append(out, c[i].at)
			}
		}
	}
	if until > now {
		for _, c := range f.slaves {
			add(c)
		}
		add(f.pools)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// togetherAt gives each task of a gang the first slave with room from a time on.
func (f *future) togetherAt(g *online.Group, tasks []gangTask, lead, at model.Time) *placement {
	p := &placement{start: at}
	apart := g.Job().Spec().Stages[g.Stage()].Apart
	next := model.SlaveID(0)
	for i, t := range tasks {
		if i == 0 || t.group != tasks[i-1].group {
			next = 0
		}
		m, found := f.place(t, lead, at, next, func(s model.SlaveID) bool {
			return apart && slices.ContainsFunc(p.members, func(m member) bool { return m.slave == s })
		})
		if !found {
			f.take(p, -1)
			return nil
		}
		next = m.slave // none before it has room for another like it
		f.takeOne(&m, 1)
		p.members = append(p.members, m)
	}
	f.take(p, -1)
	return p
}

// place is a task of a gang on the first slave with room from a time on.
func (f *future) place(t gangTask, lead, at model.Time, next model.SlaveID, barred func(model.SlaveID) bool) (member, bool) {
	for s := next; int(s) < len(f.slaves); s++ {
		if !t.group.Profile().Eligible(s) || barred(s) || at < f.asked[s] || !f.slaves[s][f.slaves[s].index(at)].has(f.need(s, t.group.Profile(), t.group.Slot())) {
			continue
		}
		if m := f.at(s, t.group, t.task, at, lead+t.group.Profile().WCET(s)); m.iv.Start == at {
			return m, true
		}
	}
	return member{}, false
}
