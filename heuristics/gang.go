package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// gang finds places for the tasks of a gang (C12): one start for all, and for each a slave with a
// heartbeat before it. It goes through starts in ascending order, from one at which something
// becomes free to the next.
//
// It is exact where the tasks are alike and no two of them wait for each other's input: at a start each
// slave takes as many as it can, and no start that is passed over has room for all. Else it may pass over
// some, and of those that it looks at it tries a bounded number of ways to share the slaves out.
type gang struct {
	b     *Board
	stage *StageFigures
	limit model.Time
	// kinds are the tasks that are not placed, by profile; those with the least room come first.
	kinds []gangKind
	// least is the least time for which one of them runs; shared is what they take together of what
	// is shared.
	least  model.Time
	shared []sharedNeed
	// start is the one that is looked at, members are those that have a place there.
	start   model.Time
	members []member
	used    map[model.SlaveID]bool // where they are apart
	// ways bounds how many places are still tried at the start; event is the next start that may
	// have room where this one has none.
	ways  int
	event model.Time
}

// gangKind are equal tasks of a gang.
type gangKind struct {
	tasks   []model.TaskID
	options []Option // by rank
	// first is, by option, the first start that one of them can have beside what was there before, from
	// some start on that was looked at. capacity is how many of them the slave can hold at most.
	first    []model.Time
	capacity []int
}

// member is a task of a gang with its place.
type member struct {
	task    model.TaskID
	slave   model.SlaveID
	fit     Fit
	request request
}

const (
	// mostWays is how many places are tried at a start for each task of a gang whose tasks differ, and
	// mostWaysLast when nothing else is there any more.
	mostWays, mostWaysLast = 8, 2000
	// patientStarts is the number of starts that are looked at one by one; from then on more and more
	// time is passed over.
	patientStarts = 64
	// unasked comes before all starts.
	unasked model.Time = -1
)

// insertGang places all tasks of a gang that are not placed yet, where the last of them finishes
// first, on some slaves only unless these are nil. That finish must come before limit; it is false,
// and nothing done, if it cannot.
func (b *Board) insertGang(stage int32, among []model.SlaveID, ready, limit model.Time) bool {
	g := newGang(b, stage, among, ready)
	members := g.search(limit)
	for _, m := range members {
		b.put(m.task, m.slave, m.fit, m.request)
	}
	return members != nil
}

func newGang(b *Board, stage int32, among []model.SlaveID, ready model.Time) *gang {
	g := &gang{b: b, stage: &b.fig.Stages[stage], start: ready, least: model.Never, used: map[model.SlaveID]bool{}}
	var last *options
	for _, t := range g.stage.Tasks {
		if b.Place[t].Slave != model.NoSlave {
			continue
		}
		for _, n := range b.needs.shared.of(t) {
			g.take(n)
		}
		if o := b.fig.options(t); o != last {
			last = o
			g.kinds = append(g.kinds, g.kindOf(t, o, among))
		}
		k := &g.kinds[len(g.kinds)-1]
		k.tasks = append(k.tasks, t)
	}
	for i := range g.kinds {
		g.bound(&g.kinds[i], ready)
	}
	slices.SortStableFunc(g.kinds, func(x, y gangKind) int {
		return cmp.Or(cmp.Compare(x.slack(), y.slack()), cmp.Compare(b.js.Tasks[y.tasks[0]].Cores(), b.js.Tasks[x.tasks[0]].Cores()))
	})
	return g
}

// take adds a need to what the gang takes together.
func (g *gang) take(n sharedNeed) {
	i := slices.IndexFunc(g.shared, func(m sharedNeed) bool { return m.line == n.line })
	if i < 0 {
		g.shared = append(g.shared, n)
	} else {
		g.shared[i].units += n.units
	}
}

// kindOf lists the slaves of a task, all or those among some.
func (g *gang) kindOf(t model.TaskID, o *options, among []model.SlaveID) gangKind {
	if among == nil && !o.more {
		return gangKind{options: o.list}
	}
	k, task := gangKind{}, &g.b.js.Tasks[t]
	add := func(s model.SlaveID) {
		if e := task.WCET(s); e > 0 {
			k.options = append(k.options, Option{s, int32(task.Transfer(s)), int32(e)})
		}
	}
	for _, s := range among {
		add(s)
	}
	if among == nil {
		for s := range model.SlaveID(len(g.b.Lines)) {
			add(s)
		}
	}
	slices.SortFunc(k.options, Option.compare)
	return k
}

// bound works out what is known of the slaves of a kind at first.
func (g *gang) bound(k *gangKind, ready model.Time) {
	k.first, k.capacity = make([]model.Time, len(k.options)), make([]int, len(k.options))
	for i, o := range k.options {
		tl := &g.b.Lines[o.Slave]
		k.first[i] = unasked
		k.capacity[i] = 1
		if !g.stage.Apart {
			k.capacity[i] = tl.capacity(g.request(k, i, ready).Needs, len(k.tasks))
		}
		g.least = min(g.least, model.Time(o.WCET))
	}
}

// capacity is how many tasks with such needs the slave holds at once, up to most.
func (tl *timeline) capacity(needs *needs, most int) int {
	for _, list := range [...][]need{needs.run, needs.stay} {
		for _, n := range list {
			most = int(min(int64(most), tl.uses[n.resource].units/n.units))
		}
	}
	return most
}

// slack is how many more tasks of a kind slaves have room for than there are.
func (k *gangKind) slack() int {
	sum := -len(k.tasks)
	for _, n := range k.capacity {
		sum += n
	}
	return sum
}

// request is what a task of a kind asks of the slave of an option.
func (g *gang) request(k *gangKind, option int, ready model.Time) request {
	o := k.options[option]
	r := request{Ready: ready, Transfer: model.Time(o.Transfer), WCET: model.Time(o.WCET)}
	r.Needs = g.b.needs.Of(k.tasks[0], o.Slave, &g.b.Lines[o.Slave], r.Transfer)
	return r
}

// search finds places such that the last finish comes first, before limit; nil if there are none.
func (g *gang) search(limit model.Time) (best []member) {
	ready, tries := g.start, 0
	idle := g.idleFrom()
	g.limit = limit
	if at := g.stage.StartAt; at > 0 {
		g.start = at
	}
	for g.next(ready) {
		if at := g.stage.StartAt; at > 0 && g.start != at {
			return best
		}
		last := g.start >= idle
		if g.fill(ready, last) {
			best, g.limit = slices.Clone(g.members), g.finish()
			g.empty(0)
			continue // a later start may do on faster slaves
		}
		if last {
			return best
		}
		if tries++; tries > patientStarts {
			g.event += 1 << min(40, tries-patientStarts)
		}
		g.start = max(g.start+1, g.event)
	}
	return best
}

// idleFrom is a time from which on nothing is placed on the slaves, all of them have heartbeats, and all
// that there is at most is there.
func (g *gang) idleFrom() model.Time {
	last := g.start
	levels := func(uses []use) {
		for i := range uses {
			if n := len(uses[i].level); n > 0 {
				last = max(last, uses[i].level[n-1].at)
			}
		}
	}
	for i := range g.kinds {
		for _, o := range g.kinds[i].options {
			last = max(last, g.b.js.Slaves[o.Slave].FirstBeat)
			levels(g.b.Lines[o.Slave].uses[:])
		}
	}
	for _, n := range g.shared {
		last = max(last, n.line.level[len(n.line.level)-1].at)
	}
	for i := range g.kinds {
		most := model.Time(0)
		for _, o := range g.kinds[i].options {
			most = max(most, model.Time(o.Transfer))
		}
		last += model.Time(len(g.kinds[i].tasks)) * (most + g.b.js.Heartbeat)
	}
	return last
}

// finish is the last finish of the members.
func (g *gang) finish() (last model.Time) {
	for i := range g.members {
		last = max(last, g.members[i].fit.Finish)
	}
	return last
}

// next goes on to the first start, from the present one on, at which the slaves that could take a task
// have room for all, by each kind alone; false if there is none that ends before the limit.
func (g *gang) next(ready model.Time) bool {
	for {
		from := g.start
		if len(g.shared) > 0 {
			g.start = sharedFree(g.shared, g.start, g.least)
		}
		for i := range g.kinds {
			if g.start = g.enough(&g.kinds[i], ready); g.start == model.Never {
				return false
			}
		}
		if g.start == from {
			return true
		}
	}
}

// enough is the first start, from the present one on, from which slaves on which a task of a kind
// can have started by then have room for all of these; Never if there is none.
func (g *gang) enough(k *gangKind, ready model.Time) model.Time {
	wanted := len(k.tasks)
	for i := range k.options {
		if g.firstOf(k, i, ready) == g.start {
			if wanted -= k.capacity[i]; wanted <= 0 {
				return g.start
			}
		}
	}
	var later []int
	for i, first := range k.first {
		if first > g.start && first < model.Never {
			later = append(later, i)
		}
	}
	slices.SortFunc(later, func(x, y int) int { return cmp.Compare(k.first[x], k.first[y]) })
	for _, i := range later {
		if wanted -= k.capacity[i]; wanted <= 0 {
			return k.first[i]
		}
	}
	return model.Never
}

// firstOf is the first start, the present one or later, that a task of a kind can have on the slave of
// an option beside what was there before; Never if it would not end before the limit.
func (g *gang) firstOf(k *gangKind, option int, ready model.Time) model.Time {
	first := &k.first[option]
	switch e := model.Time(k.options[option].WCET); {
	case *first == model.Never:
	case max(*first, g.start)+e >= g.limit:
		*first = model.Never
	case *first < g.start:
		fit, ok := g.b.Lines[k.options[option].Slave].EarliestFrom(g.request(k, option, ready), g.start, g.limit)
		if *first = fit.Start; !ok {
			*first = model.Never
		}
	}
	return *first
}

// fill gives all tasks places at the start, and reports whether it did; last tells that nothing else is
// there any more.
func (g *gang) fill(ready model.Time, last bool) bool {
	g.ways, g.event = 0, 0
	clear(g.used)
	if len(g.kinds) > 1 {
		n := 0
		for i := range g.kinds {
			n += len(g.kinds[i].tasks)
		}
		if g.ways = n * mostWays; last {
			g.ways = n * mostWaysLast
		}
	}
	return g.place(0, 0, 0, ready)
}

// place gives a task of a kind, and all after it, places on slaves from an option on.
func (g *gang) place(kind, number, from int, ready model.Time) bool {
	k := &g.kinds[kind]
	if number == len(k.tasks) {
		if kind++; kind == len(g.kinds) {
			return true
		}
		k, number, from = &g.kinds[kind], 0, 0
	}
	for i := from; i < len(k.options); i++ {
		o := k.options[i]
		if k.first[i] > g.start || g.start+model.Time(o.WCET) >= g.limit || g.stage.Apart && g.used[o.Slave] {
			continue
		}
		r := g.request(k, i, ready)
		fit, ok, _ := g.b.Lines[o.Slave].FitAt(g.start, r)
		if !ok {
			continue
		}
		at := len(g.members)
		g.add(member{k.tasks[number], o.Slave, fit, r})
		if g.place(kind, number+1, i, ready) {
			return true
		}
		g.empty(at)
		if g.ways--; g.ways <= 0 {
			return false
		}
	}
	if g.event == 0 {
		g.event = g.nextEvent(ready)
	}
	return false
}

// add puts a member on its timeline.
func (g *gang) add(m member) {
	g.b.Lines[m.slave].Insert(m.fit, m.request)
	g.members = append(g.members, m)
	g.used[m.slave] = true
}

// empty takes the members from one on off their timelines again.
func (g *gang) empty(from int) {
	for _, m := range slices.Backward(g.members[from:]) {
		g.b.Lines[m.slave].Remove(m.fit, m.request)
		delete(g.used, m.slave)
	}
	g.members = g.members[:from]
}

// nextEvent is the next start at which a slave may have room for a task that has none now beside the
// members; 0 if none is known.
func (g *gang) nextEvent(ready model.Time) model.Time {
	next := g.limit
	for kind := range g.kinds {
		k := &g.kinds[kind]
		for i, o := range k.options {
			switch {
			case k.first[i] > g.start:
				next = min(next, k.first[i])
			case !g.stage.Apart || !g.used[o.Slave]:
				limit := min(g.limit, next+model.Time(o.WCET))
				if fit, ok := g.b.Lines[o.Slave].EarliestFrom(g.request(k, i, ready), g.start, limit); ok && fit.Start > g.start {
					next = fit.Start
				}
			}
		}
	}
	for i := range g.members {
		// One that starts later may be handed out later, and take of what is shared later.
		if m := &g.members[i]; len(g.shared) > 0 {
			if later := m.fit.Assigned + g.b.js.Heartbeat + m.request.Transfer; later > g.start {
				next = min(next, later)
			}
		}
	}
	if next == g.limit {
		return 0
	}
	return next
}
