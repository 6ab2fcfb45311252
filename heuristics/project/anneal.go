package project

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// every so many places of a list what is free before it is kept.
	every = 8
	// firstMoves are those of the first cooling; each of the next has twice as many, and after so many doublings it begins anew.
	firstMoves, doublings = 10_000, 6
	// Temperatures are parts of what a task costs on average when all of it is too late; where it begins anew it does from where lists are next to random.
	hottest, coldest, melting = 0.03, 0.003, 1
)

// Annealing is simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983) of lists of tasks, one for each slave: each
// task in turn starts as early as it can there. A move puts a task at another place, of its list or another's, or exchanges
// two; only lists that change are gone through, from where they do. Of the greatest finish it looks at how much is done after one below the best plan's: most moves
// change that, and few the greatest finish. It goes on from slice to slice. Not safe for concurrent use.
type Annealing struct {
	p     *separate
	rng   *rand.Rand
	lanes []*lane
	// on has the slave of each task, cost what all lists cost; spare are the lists that a move makes.
	on    []int
	cost  int64
	spare [2]*lane
	best  int64
	// unit is what a task costs on average, moves and length those of this cooling, made and all, count those before it.
	unit          float64
	moves, length int
	count         int
	work          int64
	improved      int64
	wanted        model.Schedule
	began         bool
}

// lane is the list of a slave, with the start of each task and, of so many first ones, what they cost and the
// greatest finish.
type lane struct {
	slave       int
	list, start []int32
	cost        []int64
	path        []int32
	marks       []profile // what is free before every so many places
	now         profile
}

// NewAnnealing prepares a search, which TreatsSeparate allows. Equal seeds give equal choices.
func NewAnnealing(js *model.JobSet, o model.Objective, seed uint64) *Annealing {
	s := &Annealing{p: newSeparate(js, o), rng: rand.New(rand.NewPCG(seed, 9)), best: math.MaxInt64, on: make([]int, len(js.Tasks)), length: firstMoves}
	n := len(js.Tasks)
	for i := range js.Slaves {
		s.lanes = append(s.lanes, newLane(i, n))
	}
	s.spare = [2]*lane{newLane(0, n), newLane(0, n)}
	return s
}

func newLane(slave, tasks int) *lane {
	return &lane{
		slave: slave, list: make([]int32, 0, tasks+1), start: make([]int32, tasks+1), cost: make([]int64, tasks+2), path: make([]int32, tasks+2),
		marks: make([]profile, tasks/every+2),
	}
}

// Best is the value of the best plan so far.
func (s *Annealing) Best() int64 { return s.best }

// Work counts placements: the measure of work.
func (s *Annealing) Work() int64 { return s.work }

// Improved is the work that had been done when the best plan so far was found.
func (s *Annealing) Improved() int64 { return s.improved }

// Consider takes a valid complete schedule into account.
func (s *Annealing) Consider(plan model.Schedule) { s.wanted = plan }

// Run does about so much work, or until ctx is done, and offers each plan that is better than all before.
func (s *Annealing) Run(ctx context.Context, work int64, offer func(model.Schedule)) {
	end := s.work + work
	if s.wanted != nil || !s.began {
		s.begin(offer)
	}
	for s.work < end && ctx.Err() == nil && s.best > 0 {
		s.move()
		if s.moves++; s.moves >= s.length {
			s.count++
			s.moves, s.length = 0, firstMoves<<(s.count%doublings)
		}
		s.look(offer)
	}
}

// begin lays out the lists of the plan that is to be considered, or else in order, each task where most is left.
func (s *Annealing) begin(offer func(model.Schedule)) {
	p := s.p
	for _, l := range s.lanes {
		l.list = l.list[:0]
	}
	order := p.ordered()
	if s.wanted != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.wanted[a].Start, s.wanted[b].Start) })
	}
	load := make([]int64, len(s.lanes))
	for _, t := range order {
		to := -1
		for i := range s.lanes {
			switch {
			case p.at(t, i).length == 0:
			case s.wanted != nil && int(s.wanted[t].Slave) == i, s.wanted == nil && (to < 0 || load[i] < load[to]):
				to = i
			}
		}
		load[to] += p.tasks[t].weight * int64(p.at(t, to).length)
		s.lanes[to].list, s.on[t] = append(s.lanes[to].list, t), to
	}
	s.wanted, s.began = nil, true
	if p.paths != nil && s.best == math.MaxInt64 {
		p.aim(heuristics.MaxPath) // until a first plan is there, nothing costs
	}
	sum := 0.0
	for t := range p.tasks {
		cost := float64(p.tasks[t].weight)
		if !p.drops {
			cost *= float64(p.longest(int32(t)))
		}
		sum += cost
	}
	s.unit = sum / float64(len(p.tasks))
	s.evaluate()
	s.look(offer)
}

// evaluate lays all lists out anew.
func (s *Annealing) evaluate() {
	s.cost = 0
	for _, l := range s.lanes {
		l.marks[0].together = &s.p.together[l.slave]
		l.marks[0].clear()
		l.path[0] = heuristics.Uncounted
		s.lay(l, 0, math.MaxInt64)
		s.cost += l.cost[len(l.list)]
	}
}

// lay starts the tasks of a list from a place on as early as they can, unless all cost more than so much. What is before it is laid out already.
func (s *Annealing) lay(l *lane, from int, most int64) bool {
	p, k := s.p, from/every
	l.now.set(&l.marks[k])
	for i := k * every; i < from; i++ {
		if at := p.at(l.list[i], l.slave); l.start[i] >= 0 {
			l.now.take(l.now.at(l.start[i]), l.start[i], at.length, at.needs)
		}
	}
	for i := from; ; i++ {
		if i%every == 0 && i > from {
			l.marks[i/every].set(&l.now)
		}
		if i == len(l.list) {
			break
		}
		t := l.list[i]
		at, of := p.at(t, l.slave), &p.tasks[t]
		start, entry := l.now.earliest(at.release, at.length, at.needs)
		end := start + at.length
		cost := int64(0)
		switch {
		case end <= of.due:
		case p.drops:
			cost = of.weight
		default:
			cost = of.weight * int64(min(end-of.due, of.most))
		}
		if l.start[i] = start; p.drops && cost > 0 {
			l.start[i] = -1
		} else {
			l.now.take(entry, start, at.length, at.needs)
		}
		l.path[i+1] = l.path[i]
		if p.paths != nil {
			l.path[i+1] = max(l.path[i], end+p.paths.Delivery[t])
		}
		if l.cost[i+1] = l.cost[i] + cost; l.cost[i+1] > most {
			s.work += int64(i + 1 - from)
			return false
		}
	}
	s.work += int64(len(l.list) - from)
	return true
}

// set makes f as another is.
func (f *profile) set(of *profile) {
	f.together, f.times, f.free = of.together, append(f.times[:0], of.times...), append(f.free[:0], of.free...)
}

// copyUntil has a spare list begin as another one does until a place, and go on as is told.
func (l *lane) copyUntil(of *lane, place int) {
	l.slave = of.slave
	l.list = append(l.list[:0], of.list...)
	k := place / every
	copy(l.start[k*every:place], of.start[k*every:place])
	l.cost[place], l.path[place] = of.cost[place], of.path[place]
	l.marks[k].set(&of.marks[k])
}

// move tries one, and keeps it if what it costs is little enough for the temperature.
func (s *Annealing) move() {
	n := len(s.on)
	t, u := int32(s.rng.IntN(n)), s.rng.IntN(n+len(s.lanes))
	swap := s.rng.IntN(2) == 0
	a := s.lanes[s.on[t]]
	i := slices.Index(a.list, t)
	var b *lane
	k := 0
	if u < n {
		b = s.lanes[s.on[u]]
		k = slices.Index(b.list, int32(u))
	} else { // to the end of a list, which may be empty
		b, swap = s.lanes[u-n], false
		k = len(b.list)
	}
	s.work++
	switch {
	case s.p.at(t, b.slave).length == 0 || swap && s.p.at(int32(u), a.slave).length == 0:
	case a == b:
		s.within(a, i, min(k, len(a.list)-1), swap)
	case swap:
		s.between(a, b, i, k, int32(u))
	default:
		if u < n {
			k += s.rng.IntN(2)
		}
		s.between(a, b, i, k, none)
	}
}

// none stands for no task.
const none = -1

// within moves the task of a place of a list to another, or exchanges those of both.
func (s *Annealing) within(a *lane, i, k int, swap bool) {
	l, from := s.spare[0], min(i, k)
	if i == k {
		return
	}
	l.copyUntil(a, from)
	if swap {
		l.list[i], l.list[k] = l.list[k], l.list[i]
	} else {
		t := l.list[i]
		l.list = slices.Insert(slices.Delete(l.list, i, i+1), k, t)
	}
	if s.lay(l, from, s.most(a.cost[len(a.list)])) {
		s.keep(0, from)
	}
}

// between moves the task of a place of a list to a place of another, in exchange for the task there unless that is none.
func (s *Annealing) between(a, b *lane, i, k int, back int32) {
	first, second, t := s.spare[0], s.spare[1], a.list[i]
	first.copyUntil(a, i)
	second.copyUntil(b, k)
	if back == none {
		first.list, second.list = slices.Delete(first.list, i, i+1), slices.Insert(second.list, k, t)
	} else {
		first.list[i], second.list[k] = back, t
	}
	most := s.most(a.cost[len(a.list)] + b.cost[len(b.list)])
	if !s.lay(first, i, most) || !s.lay(second, k, most-first.cost[len(first.list)]) {
		return
	}
	s.keep(0, i)
	s.keep(1, k)
	s.on[t] = second.slave
	if back != none {
		s.on[back] = first.slave
	}
}

// most is what a move may cost at the temperature, by chance (Metropolis).
func (s *Annealing) most(was int64) int64 {
	hottest := hottest
	if s.count > 0 && s.count%doublings == 0 {
		hottest = melting
	}
	heat := hottest * math.Pow(coldest/hottest, float64(s.moves)/float64(s.length)) * s.unit
	return was + int64(min(mostCost, -heat*math.Log(1-s.rng.Float64())))
}

// keep has a spare list, which is another from a place on, in place of that of its slave.
func (s *Annealing) keep(n, from int) {
	l := s.spare[n]
	old := s.lanes[l.slave]
	k := from / every
	copy(l.start[:k*every], old.start)
	copy(l.cost[:from], old.cost)
	copy(l.path[:from], old.path)
	for i := range k {
		l.marks[i], old.marks[i] = old.marks[i], l.marks[i]
	}
	s.cost += l.cost[len(l.list)] - old.cost[len(old.list)]
	s.lanes[l.slave], s.spare[n] = l, old
}

// look offers what the lists are now if it is better than all before.
func (s *Annealing) look(offer func(model.Schedule)) {
	value := s.cost
	if s.p.paths != nil {
		longest := int32(heuristics.Uncounted)
		for _, l := range s.lanes {
			longest = max(longest, l.path[len(l.list)])
		}
		value = s.p.paths.Value(longest)
	}
	if value >= s.best {
		return
	}
	s.best, s.improved = value, s.work
	offer(s.plan())
	if s.p.paths != nil {
		s.p.aim(int32(value-1) + s.p.paths.Base)
		s.evaluate()
	}
}

// plan is the schedule of the lists, with tasks that they leave out behind all others.
func (s *Annealing) plan() model.Schedule {
	plan := model.NewSchedule(len(s.on))
	for _, l := range s.lanes {
		slave := model.SlaveID(l.slave)
		put := func(t, at int32) {
			plan[t] = model.Placement{Slave: slave, Beat: model.Time(at) - s.p.js.Slaves[slave].FirstBeat, Fetch: model.Time(at), Start: model.Time(at)}
		}
		s.lay(l, len(l.list), math.MaxInt64)
		for i, t := range l.list {
			at := s.p.at(t, l.slave)
			start := l.start[i]
			if start < 0 {
				var entry int
				start, entry = l.now.earliest(at.release, at.length, at.needs)
				l.now.take(entry, start, at.length, at.needs)
			}
			put(t, start)
		}
	}
	return plan
}
