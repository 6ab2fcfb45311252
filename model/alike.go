// Alike states job sets in fewer slaves, where several are as good as one that has what all of them have.

package model

import (
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
	tasks, wait := make([]int, len(plain)), make([]bool, len(plain))
	for t := range js.Tasks {
		task := &js.Tasks[t]
		st := &js.Jobs[task.Job].Stages[task.Stage]
		much := task.Cores() > 1 || st.IsApart() || task.needs.Units != [MaxNamed]int64{}
		s := SlaveID(0)
		task.EachRun(func(wcet, transfer Time, count SlaveID) {
			for end := s + count; s < end; s++ {
				if wcet == 0 || !plain[s] {
					continue
				}
				tasks[s]++
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

// unit is a core or slot of a slave, and from when on it is free.
type unit struct {
	slave SlaveID
	from  Time
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
	var free []unit
	for _, s := range members {
		for range units {
			free = append(free, unit{slave: s})
		}
	}
	held := make(map[TaskID]Interval, len(tasks))
	for _, t := range tasks {
		p := &plan[t]
		p.Slave = members[0]
		if a.of.atOnce(a.of.Tasks[t].Transfer(p.Slave)) {
			p.Fetch, p.Beat = p.Start, p.Start-slave.FirstBeat
		}
		held[t] = a.of.Held(&a.of.Tasks[t], *p, hold)
	}
	slices.SortStableFunc(tasks, func(t, u TaskID) int { return int(held[t].Start - held[u].Start) })
	for _, t := range tasks {
		next, wanted := -1, NoSlave
		if near != nil {
			wanted = near[t].Slave
		}
		for i := range free {
			if free[i].from > held[t].Start {
				continue
			}
			if next < 0 || free[next].slave != wanted && (free[i].slave == wanted || free[i].from > free[next].from) {
				next = i
			}
		}
		plan[t].Slave, free[next].from = free[next].slave, held[t].End
	}
}
