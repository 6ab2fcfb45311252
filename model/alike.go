// Alike states job sets in fewer slaves, where several are as good as one that has what all of them have.

package model

import (
	"cmp"
	"fmt"
	"slices"
)

// mostCompared bounds the slaves times the profiles that OneOfAlike goes over: a tenth of a second.
const mostCompared = 1 << 20

// Alike is a job set in which one slave stands for each group of slaves that are alike, with the cores and slots of all of them, named
// as these are to people.
type Alike struct {
	*JobSet
	of *JobSet
	// members are the slaves of the original for which each slave stands, ascending.
	members [][]SlaveID
}

// OneOfAlike is a job set with one slave for each group that are alike; nil where there is no such group. Slaves are alike if they
// offer the same, are there at the same times and no task can tell them apart, and if it can be said afterwards which task runs on
// which of them: each holds one unit of one thing for a stretch of time, and stretches of which no more meet anywhere than there
// are units can be handed out in the order in which they begin (interval graphs are perfect). So
//
//   - every task that may run there takes one core and no resource by name, is not apart from others, and fetches nothing,
//     unless slaves fetch several inputs at once;
//   - either slots are never short, be it that there are enough for all tasks or that a task is handed out at the very tick at
//     which it starts, or a slave has no more slots than cores: one of the two is the thing;
//   - there are no slots by kind, nothing is reserved, and tasks need not start in the order of their heartbeats.
func OneOfAlike(js *JobSet) *Alike {
	if js.FIFO {
		return nil
	}
	a := &Alike{of: js, members: js.alike()}
	if len(a.members) == len(js.Slaves) {
		return nil
	}
	out := *js
	out.Slaves = make([]Slave, len(a.members))
	first := make([]SlaveID, len(a.members))
	for i, members := range a.members {
		first[i] = members[0]
		s := js.Slaves[first[i]]
		if n := len(members); n > 1 {
			s.Name = js.MachineNames(members)
			s.Cores *= n
			s.Slots *= n
		}
		out.Slaves[i] = s
	}
	a.setApart(out.Slaves)
	selected := NewSelector(first)
	out.Tasks = slices.Clone(js.Tasks)
	for t := range out.Tasks {
		out.Tasks[t].Profile = selected.Profile(out.Tasks[t].Profile)
	}
	a.JobSet = &out
	return a
}

// setApart has slaves be of classes of their own where one stands for slaves of several classes: what is said of a class, all of
// whose slaves are meant, would leave some out.
func (a *Alike) setApart(slaves []Slave) {
	mixed := map[string]bool{}
	for _, members := range a.members {
		for _, s := range members[1:] {
			if first, class := a.of.Slaves[members[0]].Class, a.of.Slaves[s].Class; first != class {
				mixed[first], mixed[class] = true, true
			}
		}
	}
	for i := range slaves {
		if s := &slaves[i]; mixed[s.Class] {
			s.Class = s.Name
		}
	}
}

// alike are the groups, one by itself for each slave that is like no other, ordered by their first.
func (js *JobSet) alike() [][]SlaveID {
	kind := js.kindsOfSlaves()
	var members [][]SlaveID
	at := map[int32]int{}
	for s := range SlaveID(len(js.Slaves)) {
		i, seen := at[kind[s]]
		if !seen {
			i = len(members)
			at[kind[s]] = i
			members = append(members, nil)
		}
		members[i] = append(members[i], s)
	}
	return members
}

// kindsOfSlaves numbers slaves by what they are for tasks: those with equal numbers are alike.
func (js *JobSet) kindsOfSlaves() []int32 {
	kind := make([]int32, len(js.Slaves))
	for s := range kind {
		kind[s] = int32(s)
	}
	plain := js.slavesOffering()
	profiles := js.profiles()
	if len(profiles)*len(kind) > mostCompared {
		return kind
	}
	// A slave is of the kind of the first one that it is like, as far as has been seen.
	offering := map[string]int32{}
	for s := range kind {
		if plain[s] {
			offers := js.Slaves[s].offers()
			if _, seen := offering[offers]; !seen {
				offering[offers] = int32(s)
			}
			kind[s] = offering[offers]
		}
	}
	type told struct {
		kind           int32
		wcet, transfer Time
	}
	for _, p := range profiles {
		first := map[told]int32{}
		s := SlaveID(0)
		p.EachRun(func(wcet, transfer Time, count SlaveID) {
			for end := s + count; s < end; s++ {
				key := told{kind[s], wcet, transfer}
				if _, ok := first[key]; !ok {
					first[key] = int32(s)
				}
				kind[s] = first[key]
			}
		})
	}
	return kind
}

// profiles lists those of all tasks, each once.
func (js *JobSet) profiles() (list []*Profile) {
	seen := map[*Profile]bool{}
	for t := range js.Tasks {
		if p := js.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	return list
}

// offers is what a slave offers, and when: the same text for the same.
func (s *Slave) offers() string { return fmt.Sprint(s.Cores, s.Slots, s.FirstBeat, s.Down, s.Units) }

// slavesOffering tells of which slaves each task takes one unit of one thing, and nothing else: see OneOfAlike.
func (js *JobSet) slavesOffering() []bool {
	plain := make([]bool, len(js.Slaves))
	for s := range plain {
		slave := &js.Slaves[s]
		plain[s] = !slave.SplitSlots && len(slave.Reservations) == 0
	}
	type kind struct {
		*Profile
		apart bool
	}
	count := map[kind]int{}
	for t := range js.Tasks {
		task := &js.Tasks[t]
		count[kind{task.Profile, js.Jobs[task.Job].Stages[task.Stage].IsApart()}]++
	}
	tasks, wait := make([]int, len(plain)), make([]bool, len(plain))
	for k, n := range count {
		much := k.Cores() > 1 || k.apart || k.needs.Units != [MaxNamed]int64{}
		s := SlaveID(0)
		k.EachRun(func(wcet, transfer Time, count SlaveID) {
			for end := s + count; s < end; s++ {
				if wcet == 0 || !plain[s] {
					continue
				}
				tasks[s] += n
				if much || transfer > 0 && js.Fetch != FetchConcurrent {
					plain[s] = false
				}
				wait[s] = wait[s] || !js.atOnce(transfer)
			}
		})
	}
	for s := range plain { // those that hold a slot and wait have it beside those that run at once
		if slave := &js.Slaves[s]; slave.Slots > slave.Cores && wait[s] && tasks[s] > slave.Slots {
			plain[s] = false
		}
	}
	return plain
}

// atOnce reports whether a task loses nothing by being handed out when it starts.
func (js *JobSet) atOnce(transfer Time) bool { return js.Heartbeat == 1 && transfer == 0 }

// Members are the slaves of the original for which a slave stands, ascending.
func (a *Alike) Members(s SlaveID) []SlaveID { return a.members[s] }

// Groups lists the slaves of the original that one stands for, where these are several; none of nil.
func (a *Alike) Groups() (groups [][]SlaveID) {
	if a == nil {
		return nil
	}
	for _, members := range a.members {
		if len(members) > 1 {
			groups = append(groups, members)
		}
	}
	return groups
}

// Gather is a valid plan of the original as one of the set. Tasks without a place stay so.
func (a *Alike) Gather(plan Schedule) Schedule {
	standsFor := make([]SlaveID, len(a.of.Slaves))
	for s, members := range a.members {
		for _, m := range members {
			standsFor[m] = SlaveID(s)
		}
	}
	out := slices.Clone(plan)
	for t := range out {
		if p := &out[t]; p.Slave != NoSlave {
			p.Slave = standsFor[p.Slave]
		}
	}
	return out
}

// Spread is a valid plan of the set as one of the original: tasks go to slaves in the order in which they begin to hold what may be
// short, each to the one where it is in near, a plan of the original, if that is free, else to the one that has been free for the least
// time: so what has been gathered from near goes back to where it was. Near may be nil. Tasks without a place stay so.
func (a *Alike) Spread(plan, near Schedule) Schedule {
	out := slices.Clone(plan)
	on := make([][]TaskID, len(a.members))
	for t, p := range plan {
		if p.Slave != NoSlave {
			on[p.Slave] = append(on[p.Slave], TaskID(t))
		}
	}
	for s, tasks := range on {
		if members := a.members[s]; len(members) == 1 {
			for _, t := range tasks {
				out[t].Slave = members[0]
			}
		} else {
			a.spreadOver(members, tasks, out, near)
		}
	}
	return out
}

// spreadOver hands tasks that are on the slave that stands for some to these.
func (a *Alike) spreadOver(members []SlaveID, tasks []TaskID, plan, near Schedule) {
	slave := &a.of.Slaves[members[0]]
	hold, units := HoldRun, slave.Cores
	if slave.Slots <= slave.Cores {
		hold, units = HoldStay, slave.Slots
	}
	held := make([]Interval, len(plan))
	for _, t := range tasks {
		p := &plan[t]
		p.Slave = members[0]
		if a.of.atOnce(a.of.Tasks[t].Transfer(p.Slave)) {
			p.Fetch, p.Beat = p.Start, p.Start-slave.FirstBeat
		}
		held[t] = a.of.Held(&a.of.Tasks[t], *p, hold)
	}
	slices.SortStableFunc(tasks, func(t, u TaskID) int { return int(held[t].Start - held[u].Start) })
	free := newUnits(len(members), units)
	for _, t := range tasks {
		wanted := -1
		if near != nil {
			if k, is := slices.BinarySearch(members, near[t].Slave); is {
				wanted = k
			}
		}
		plan[t].Slave = members[free.take(held[t], wanted)]
	}
}

// units are cores or slots of slaves, so many each, that are handed out in the order in which they are needed.
type units struct {
	each int
	// from is when each is free.
	from []Time
	// taken are free again later, the first of them from soonest on. idle are those that were free when the last one was
	// handed out, the one that has been free for the least time last; some are not so any more: see current.
	taken, idle []freeUnit
	soonest     Time
}

// freeUnit is a unit, and the time from which on it is free.
type freeUnit struct {
	from Time
	unit int
}

func newUnits(slaves, each int) *units {
	u := &units{each: each, from: make([]Time, slaves*each), soonest: Never}
	for k := range slices.Backward(u.from) {
		u.idle = append(u.idle, freeUnit{unit: k})
	}
	return u
}

// take hands a unit out for a time that begins no earlier than that of the one before, and tells of which slave it is: of the
// one that is wanted, -1 for none, if one of its units is free, else the one that has been free for the least time.
func (u *units) take(at Interval, wanted int) (slave int) {
	if u.soonest <= at.Start {
		u.giveBack(at.Start)
	}
	for !u.current(u.idle[len(u.idle)-1]) {
		u.idle = u.idle[:len(u.idle)-1]
	}
	unit := u.idle[len(u.idle)-1].unit
	for k := max(0, wanted) * u.each; k < (wanted+1)*u.each; k++ {
		if u.from[k] <= at.Start {
			unit = k
			break
		}
	}
	u.from[unit], u.soonest = at.End, min(u.soonest, at.End)
	u.taken = append(u.taken, freeUnit{at.End, unit})
	return unit / u.each
}

// giveBack has those idle that are free by a time, of those that are so at once the first one last.
func (u *units) giveBack(by Time) {
	known, taken := len(u.idle), u.taken[:0]
	u.soonest = Never
	for _, f := range u.taken {
		if f.from <= by {
			u.idle = append(u.idle, f)
		} else {
			taken, u.soonest = append(taken, f), min(u.soonest, f.from)
		}
	}
	u.taken = taken
	slices.SortFunc(u.idle[known:], func(a, b freeUnit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.unit, a.unit))
	})
}

// current reports whether the unit was not handed out since.
func (u *units) current(f freeUnit) bool { return u.from[f.unit] == f.from }
