package tabu

import (
	"slices"

	"downbeat/model"
)

// uncounted stands in place of the time that is left after a task from which no value
// counts; it is below all sums of times.
const uncounted = -1 << 29

const (
	// maxTime bounds all times together, so that sums of some of them fit an int32.
	maxTime = 1 << 27
	// maxArcs and maxOptions bound, per task on average, what memory and a move take.
	maxArcs, maxOptions = 16, 64
	// maxTasks is where a move takes tens of microseconds.
	maxTasks = 4000
)

// option is a machine that a task may run on: how long it keeps it, and how long it takes to its finish, which
// is less where a machine is handed tasks at heartbeats only.
type option struct {
	machine, length, run int32
}

// shop is a job set as machines, one for each core or slot, and the tasks that they do one at a time.
type shop struct {
	js *model.JobSet
	// slaves has the slave of each machine, first the first machine of each slave, and one more.
	slaves []model.SlaveID
	first  []int32
	// options of each task, those on a slave's machines side by side.
	options [][]option
	// release is the earliest start of each task, rounded up to a heartbeat; delivery is what is added to its finish to
	// compare with those of others, uncounted for all but the last ones of jobs that count. base is what all values are
	// greater by.
	release, delivery []int32
	base              int32
	// before and after are the tasks that wait for each other, by stages and jobs.
	before, after [][]int32
	// rank numbers tasks so that each comes behind those that it waits for.
	rank []int32
	// arcs: some task waits for more than one.
	arcs bool
}

// Treats reports whether the only objective of goal can be searched for: the greatest finish or lateness, over a
// set that is a shop.
func Treats(js *model.JobSet, goal []model.Objective) bool {
	return len(goal) == 1 && newShop(js, goal[0]) != nil
}

// newShop is a job set as a shop, nil if it is none.
func newShop(js *model.JobSet, o model.Objective) *shop {
	shape := o.Shape()
	if !shape.Max || shape.Measure != model.Delay && shape.Measure != model.Completion || len(js.Tasks) > maxTasks || len(js.Tasks) == 0 {
		return nil
	}
	if js.FIFO || js.Coupled() || !inStep(js) {
		return nil
	}
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			return nil
		}
	}
	sh := &shop{js: js}
	if !sh.addMachines() || !sh.addTasks(shape) || !sh.addArcs() {
		return nil
	}
	return sh
}

// inStep reports whether all slaves have heartbeats at the same times, and are never away.
func inStep(js *model.JobSet) bool {
	for i := range js.Slaves {
		s := &js.Slaves[i]
		if len(s.Down) > 0 || len(s.Reservations) > 0 || s.SplitSlots || s.FirstBeat >= maxTime ||
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

// addTasks finds what each task may do, from when on, and what counts of it.
func (sh *shop) addTasks(shape model.Shape) bool {
	js := sh.js
	var from, sum model.Time
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Release >= maxTime || shape.Jobs.Has(job.Kind) && shape.From(job) >= maxTime {
			return false
		}
		sum = max(sum, job.Release)
		if shape.Jobs.Has(job.Kind) {
			from = max(from, shape.From(job))
		}
	}
	sh.base = int32(from)
	options := 0
	for t := range js.Tasks {
		task := &js.Tasks[t]
		list, longest, ok := sh.optionsOf(task)
		if !ok {
			return false
		}
		options += len(list)
		sum += longest + js.Heartbeat
		job := &js.Jobs[task.Job]
		_, release := js.BeatAtOrAfter(0, job.Release)
		delivery := int32(uncounted)
		if shape.Jobs.Has(job.Kind) && slices.Contains(job.Ends(), js.StageOf(task)) {
			delivery = int32(from - shape.From(job))
		}
		sh.options, sh.release, sh.delivery = append(sh.options, list), append(sh.release, int32(release)), append(sh.delivery, delivery)
	}
	for i := range js.Slaves {
		sum = max(sum, sum+js.Slaves[i].FirstBeat)
	}
	return sum+from < maxTime && options <= maxOptions*len(js.Tasks)
}

// optionsOf lists the machines for a task; ok is false where it takes more of a slave than one machine.
func (sh *shop) optionsOf(task *model.Task) (list []option, longest model.Time, ok bool) {
	js := sh.js
	for i := range js.Slaves {
		s, slave := model.SlaveID(i), &js.Slaves[i]
		if !task.Eligible(s) {
			continue
		}
		if machines := sh.first[i+1] - sh.first[i]; machines > 1 || slave.Slots > 1 {
			if !sh.plain(task, s) {
				return nil, 0, false
			}
		}
		run := task.Transfer(s) + task.WCET(s)
		length := (run + js.Heartbeat - 1) / js.Heartbeat * js.Heartbeat
		longest = max(longest, length)
		if length >= maxTime {
			return nil, 0, false
		}
		for k := sh.first[i]; k < sh.first[i+1]; k++ {
			list = append(list, option{machine: k, length: int32(length), run: int32(run)})
		}
	}
	return list, longest, len(list) > 0
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

// addArcs lists what waits for what.
func (sh *shop) addArcs() bool {
	js := sh.js
	n := len(js.Tasks)
	sh.before, sh.after, sh.rank = make([][]int32, n), make([][]int32, n), make([]int32, n)
	arcs, rank := 0, int32(0)
	for _, id := range js.StageOrder() {
		stage, _ := js.Stage(id)
		for _, k := range js.Before(id) {
			before, _ := js.Stage(k)
			if arcs += int(before.End-before.First) * int(stage.End-stage.First); arcs > maxArcs*n {
				return false
			}
			for u := before.First; u < before.End; u++ {
				for v := stage.First; v < stage.End; v++ {
					sh.before[v], sh.after[u] = append(sh.before[v], int32(u)), append(sh.after[u], int32(v))
				}
			}
		}
		for v := stage.First; v < stage.End; v++ {
			sh.rank[v] = rank
			rank++
			sh.arcs = sh.arcs || len(sh.before[v]) > 1
		}
	}
	for v := range n {
		sh.arcs = sh.arcs || len(sh.after[v]) > 1
	}
	return true
}

// value is that of the objective where the longest path is so long.
func (sh *shop) value(length int32) int64 { return max(0, int64(length)-int64(sh.base)) }
