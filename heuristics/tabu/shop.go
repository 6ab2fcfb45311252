package tabu

import (
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// never is above the length of every path, and of what one is estimated as; mostCost bounds sums of costs.
	never, mostCost = math.MaxInt32, 1 << 30
	// maxArcs and maxOptions bound, per task on average, what memory and a move take.
	maxArcs, maxOptions = 16, 64
	// maxTasks is where a move takes milliseconds, maxFree, of sets in which tasks have a choice of machines, where it takes tens of microseconds.
	maxTasks, maxFree = 200_000, 4000
	// maxOrdered is that of flow shops whose jobs are put in order first: of 500 jobs on 20 machines an order is made, and descended from, within a
	// second.
	maxOrdered = 20_000
)

// option is a machine that a task may run on: how long it keeps it, and how long it takes to its finish, which
// is less where a machine is handed tasks at heartbeats only.
type option struct {
	machine, length, run int32
}

// shop is a job set as machines, one for each core or slot, and the tasks that they do one at a time.
type shop struct {
	*heuristics.Paths
	js *model.JobSet
	// slaves has the slave of each machine, first the first machine of each slave, and one more.
	slaves []model.SlaveID
	first  []int32
	// options of each task, those on a slave's machines side by side.
	options [][]option
	// sum is what jobs cost where the objective is a sum over them; else nil.
	sum *sum
}

// Treats reports whether an objective can be searched for: the greatest finish or lateness, a sum of lateness, or the weight of late jobs, over a
// set that is a shop.
func Treats(js *model.JobSet, o model.Objective) bool {
	return newShop(js, o) != nil
}

// newShop is a job set as a shop, nil if it is none.
func newShop(js *model.JobSet, o model.Objective) *shop {
	if len(js.Tasks) > maxTasks || js.FIFO || js.Coupled() || !inStep(js) {
		return nil
	}
	sh := &shop{js: js}
	longest := o
	if shape := o.Shape(); shape.Sums() || shape.Counts() {
		if sh.sum = newSum(js, o); sh.sum == nil {
			return nil
		}
		longest = greatest(o)
	}
	sh.Paths = heuristics.NewPaths(js, longest, maxArcs)
	most := maxOptions
	if len(js.Tasks) > maxFree {
		most = 1
	}
	if sh.Paths == nil || !sh.addMachines() || !sh.addOptions(most*len(js.Tasks)) {
		return nil
	}
	// All beats are in step: a release counts from the first one on.
	for v, r := range sh.Release {
		phase, h := int32(js.Slaves[0].FirstBeat%js.Heartbeat), int32(js.Heartbeat)
		sh.Release[v] = r + ((phase-r)%h+h)%h
	}
	return sh
}

// greatest is the objective of which each job has what the sum o has of it, or, where o counts late jobs, how late it is.
func greatest(o model.Objective) model.Objective {
	switch shape := o.Shape(); {
	case !shape.Counts():
		longest, _ := o.Greatest()
		return longest
	case shape.OfHard():
		return model.HardTardiness
	}
	return model.Tardiness
}

// inStep reports whether all slaves have heartbeats at the same times, and are never away.
func inStep(js *model.JobSet) bool {
	for i := range js.Slaves {
		s := &js.Slaves[i]
		if len(s.Down) > 0 || len(s.Reservations) > 0 || s.SplitSlots ||
			(s.FirstBeat-js.Slaves[0].FirstBeat)%js.Heartbeat != 0 {
			return false
		}
	}
	return true
}

// addMachines gives each slave as many as it does tasks at a time.
func (sh *shop) addMachines() bool {
	for i := range sh.js.Slaves {
		s := &sh.js.Slaves[i]
		n := min(s.Cores, s.Slots)
		// Tasks that wait in a slot for a core may be handed out when one is free, if that
		// is a heartbeat.
		if s.Cores < s.Slots && sh.js.Heartbeat > 1 || n > maxOptions {
			return false
		}
		sh.first = append(sh.first, int32(len(sh.slaves)))
		for range n {
			sh.slaves = append(sh.slaves, model.SlaveID(i))
		}
	}
	sh.first = append(sh.first, int32(len(sh.slaves)))
	return true
}

// addOptions finds what machines there are for each task; false where there are more than most of them together.
func (sh *shop) addOptions(most int) bool {
	options := 0
	for t := range sh.js.Tasks {
		list, ok := sh.optionsOf(&sh.js.Tasks[t])
		if !ok {
			return false
		}
		if options += len(list); options > most {
			return false // before the others are listed: it may be all pairs of thousands
		}
		sh.options = append(sh.options, list)
	}
	return true
}

// optionsOf lists the machines for a task; ok is false where it takes more of a slave than one machine.
func (sh *shop) optionsOf(task *model.Task) (list []option, ok bool) {
	js := sh.js
	s, whole := model.SlaveID(0), false
	task.EachRun(func(wcet, transfer model.Time, slaves model.SlaveID) {
		first := s
		s += slaves
		for i := first; wcet > 0 && i < s; i++ {
			machines := sh.first[i+1] - sh.first[i]
			whole = whole || (machines > 1 || js.Slaves[i].Slots > 1) && !sh.plain(task, i)
			run := transfer + wcet
			length := (run + js.Heartbeat - 1) / js.Heartbeat * js.Heartbeat
			for k := range machines {
				list = append(list, option{machine: sh.first[i] + k, length: int32(length), run: int32(run)})
			}
		}
	})
	return list, len(list) > 0 && !whole
}

// on is the option of a task for a machine, if it has one.
func (sh *shop) on(v, machine int32) (option, bool) {
	if len(sh.options[v]) == 1 && sh.options[v][0].machine == machine {
		return sh.options[v][0], true
	}
	i, ok := slices.BinarySearchFunc(sh.options[v], machine, func(o option, k int32) int { return int(o.machine - k) })
	if !ok {
		return option{}, false
	}
	return sh.options[v][i], true
}

// plain reports whether a task takes but a core and a slot of a slave that does others beside it: no
// named resource, and its input does not wait for theirs.
func (sh *shop) plain(task *model.Task, s model.SlaveID) bool {
	slave := &sh.js.Slaves[s]
	for i := range sh.js.Named {
		if task.Units(i) > 0 {
			return false
		}
	}
	own := slave.Slots <= slave.Cores && sh.js.Fetch == model.FetchConcurrent
	return task.Cores() == 1 && (task.Transfer(s) == 0 || own)
}
