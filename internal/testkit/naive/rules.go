// Package naive evaluates the constraints of model/doc.go as they are written, for tests of
// the validator and of what recomputes arguments, and draws valid plans at random by them
// alone. It shares nothing with the validator.
package naive

import (
	"fmt"
	"math"
	"slices"

	"downbeat/model"
)

// line is a line of a plan in plain numbers.
type line struct {
	task                                 model.TaskID
	slave                                model.SlaveID
	beat, assigned, fetch, start, finish int64
	duration                             int64 // 0 where it is not said
	lost                                 bool
	// came is the longest that the input can have taken by what a plan made during the night
	// says of its past.
	came int64
}

// literal evaluates the constraints of model/doc.go as they are written, each
// by its formula over all pairs of lines or all ticks of an absence, and gives
// the set of rules that are broken. It is slow and shares nothing with the
// checker. C8 is left to literalLate.
func literal(js *model.JobSet, lines []line, executed bool) map[string]bool {
	broken := map[string]bool{}
	fail := func(rule string, bad bool) {
		if bad {
			broken[rule] = true
		}
	}
	for _, x := range lines {
		literalAlone(js, x, executed, fail)
		atStart, atAssigned, units := int64(0), 0, make([]int64, len(js.Named))
		for _, y := range lines {
			if x.slave == y.slave {
				if y.start <= x.start && x.start < y.finish {
					atStart += js.Tasks[y.task].Cores()
				}
				if held := y.assigned <= x.assigned && x.assigned < y.finish; held {
					if samePool(js, x, y) {
						atAssigned++
					}
					for k := range units {
						units[k] += js.Tasks[y.task].Units(k)
					}
				}
				fail("fifo", js.FIFO && ran(x) && ran(y) && y.beat < x.beat && y.start > x.start)
			}
			tx, ty := js.Tasks[x.task], js.Tasks[y.task]
			job, early := js.Jobs[tx.Job], !y.lost && x.assigned < y.finish
			fail("C7", early && tx.Job == ty.Job && slices.Contains(job.Stages[tx.Stage].After, ty.Stage))
			fail("C10", early && slices.Contains(job.After, ty.Job))
		}
		slave := js.Slaves[x.slave]
		slots := slave.Slots
		if slave.SplitSlots && js.Tasks[x.task].Slot == model.MapSlot {
			slots = slave.MapSlots
		} else if slave.SplitSlots {
			slots = slave.ReduceSlots
		}
		fail("C4", atStart > int64(slave.Cores))
		fail("C5", atAssigned > slots)
		for k := range units {
			// What is held grows at assignments alone.
			fail("C9", units[k] > slave.Offers(k))
		}
	}
	literalPairs(js, lines, executed, fail)
	literalShared(js, lines, fail)
	literalTogether(js, lines, fail)
	return broken
}

// literalShared evaluates C11, at all times at which more is held, or there is less, than before.
func literalShared(js *model.JobSet, lines []line, fail func(rule string, bad bool)) {
	var times []int64
	for _, x := range lines {
		times = append(times, x.assigned)
	}
	for _, p := range js.Pools {
		for _, l := range p.Levels {
			times = append(times, int64(l.From))
		}
	}
	for _, t := range times {
		pools := make([]int64, len(js.Pools))
		jobs, stages := map[model.JobID]int64{}, map[model.StageID]int64{}
		for _, x := range lines {
			if x.assigned > t || t >= x.finish {
				continue
			}
			task := &js.Tasks[x.task]
			needs := task.Needs()
			for _, need := range needs.Pools {
				if need.Pool > 0 {
					pools[need.Pool-1] += int64(need.Units)
				}
			}
			jobs[task.Job]++
			stages[js.StageOf(task)]++
			job := js.Jobs[task.Job]
			fail("C11", job.AtMost > 0 && jobs[task.Job] > job.AtMost)
			st := job.Stages[task.Stage]
			fail("C11", st.AtMost > 0 && stages[js.StageOf(task)] > st.AtMost)
		}
		for i, p := range js.Pools {
			there := int64(0)
			for _, l := range p.Levels {
				if int64(l.From) <= t {
					there = l.Amount
				}
			}
			fail("C11", t >= 0 && pools[i] > there)
		}
	}
}

// literalTogether evaluates C12.
func literalTogether(js *model.JobSet, lines []line, fail func(rule string, bad bool)) {
	for i, x := range lines {
		for _, y := range lines[:i] {
			tx, ty := js.Tasks[x.task], js.Tasks[y.task]
			if tx.Job != ty.Job || tx.Stage != ty.Stage {
				continue
			}
			st := js.Jobs[tx.Job].Stages[tx.Stage]
			overlap := max(x.assigned, y.assigned) < min(x.finish, y.finish)
			fail("C12", st.Apart && x.task != y.task && x.slave == y.slave && (!x.lost && !y.lost || overlap))
			if !st.Gang {
				continue
			}
			switch {
			case !x.lost && !y.lost:
				fail("C12", x.start != y.start)
			case x.lost && y.lost:
				fail("C12", x.finish == y.finish && ran(x) && ran(y) && x.start != y.start)
			case x.lost:
				fail("C12", y.assigned < x.finish)
			default:
				fail("C12", x.assigned < y.finish)
			}
		}
	}
}

// literalAlone evaluates what concerns one line.
func literalAlone(js *model.JobSet, x line, executed bool, fail func(rule string, bad bool)) {
	slave := js.Slaves[x.slave]
	wcet, transfer := literalFigures(js, x)
	timed := x.duration > 0
	fail("beat", x.beat < 0 || x.assigned != int64(slave.FirstBeat)+int64(js.Heartbeat)*x.beat)
	fail("C0", wcet == 0)
	for k := range js.Named {
		fail("C0", js.Tasks[x.task].Units(k) > slave.Offers(k))
	}
	fail("C0", js.Tasks[x.task].Cores() > int64(slave.Cores))
	if wcet > 0 {
		length := wcet
		if timed {
			length = x.duration
		}
		switch {
		case x.lost:
			fail("C1", x.finish > x.start+length)
			fail("lost", x.finish < x.assigned)
		case executed && !timed:
			fail("C1", x.finish > x.start+wcet || x.finish <= x.start)
		default:
			fail("C1", x.finish != x.start+length)
		}
	}
	fail("C2", ran(x) && x.start < x.fetch+transfer)
	fail("C3", x.fetch < x.assigned || x.assigned < int64(js.Jobs[js.Tasks[x.task].Job].Release))
	fetched := x.fetch + transfer
	if x.lost {
		fetched = min(fetched, x.finish)
	}
	for _, d := range slave.Down {
		for t := int64(d.Start); t < min(int64(d.End), max(x.assigned, x.finish, fetched)+1); t++ {
			fail("down", t == x.assigned || x.assigned <= t && t < x.finish ||
				x.fetch <= t && t < fetched || x.start <= t && t < x.finish)
		}
	}
}

// literalPairs evaluates what concerns unordered pairs.
func literalPairs(js *model.JobSet, lines []line, executed bool, fail func(rule string, bad bool)) {
	for i, x := range lines {
		for _, y := range lines[:i] {
			if x.slave == y.slave && js.Fetch == model.FetchExclusive {
				_, cx := literalFigures(js, x)
				_, cy := literalFigures(js, y)
				endX, endY := x.fetch+cx, y.fetch+cy
				if x.lost {
					endX = min(endX, x.finish)
				}
				if y.lost {
					endY = min(endY, y.finish)
				}
				empty := endX <= x.fetch || endY <= y.fetch
				fail("C6", !empty && endX > y.fetch && endY > x.fetch)
			}
			if x.task == y.task && executed {
				fail("lost", !inOrder(x, y) && !inOrder(y, x))
			}
		}
	}
}

// inOrder tells whether attempt x of a task can be followed by y.
func inOrder(x, y line) bool { return x.lost && x.finish <= y.assigned && x.assigned <= y.assigned }

func ran(x line) bool { return !x.lost || x.start < x.finish }

func samePool(js *model.JobSet, x, y line) bool {
	return !js.Slaves[x.slave].SplitSlots || js.Tasks[x.task].Slot == js.Tasks[y.task].Slot
}

// literalFigures are E and C; where the task is barred both count as 0.
func literalFigures(js *model.JobSet, x line) (wcet, transfer int64) {
	wcet = int64(js.Tasks[x.task].WCET(x.slave))
	if wcet == 0 {
		return 0, 0
	}
	return wcet, min(int64(js.Tasks[x.task].Transfer(x.slave)), x.came)
}

// literalPast fills in how long inputs can have taken that began before now.
func literalPast(js *model.JobSet, lines []line, now int64) {
	for i := range lines {
		x := &lines[i]
		if x.start < now && x.start >= x.fetch {
			x.came = x.start - x.fetch
		}
		for _, y := range lines {
			if js.Fetch == model.FetchExclusive && x.slave == y.slave && x.fetch < y.fetch && y.fetch < now {
				x.came = min(x.came, y.fetch-x.fetch)
			}
		}
	}
}

// literalLate tells whether C8 is broken.
func literalLate(js *model.JobSet, lines []line) bool {
	for _, x := range lines {
		job := js.Jobs[js.Tasks[x.task].Job]
		if job.Kind == model.Hard && !x.lost && x.finish > int64(job.Release+job.Deadline) {
			return true
		}
	}
	return false
}

// Broken is the set of rules that the tasks of a plan break, claims left
// aside. Lines with unknown names or negative times, and all but the first of
// equal lines, count for that fault only.
func Broken(js *model.JobSet, p *model.Plan) map[string]bool {
	executed := p.Kind == model.KindExecuted
	tasks := map[string]model.TaskID{}
	for t := range js.Tasks {
		tasks[js.TaskName(model.TaskID(t))] = model.TaskID(t)
	}
	slaves := map[string]model.SlaveID{}
	for s := range js.Slaves {
		slaves[js.Slaves[s].Name] = model.SlaveID(s)
	}
	faults := map[string]bool{}
	given := map[model.TaskID]bool{}
	var lines []line
	take := func(r model.TaskResult, lost bool) {
		task, ok := tasks[fmt.Sprintf("%s/%s/%d", r.Job, r.Stage, r.Task)]
		slave, ok2 := slaves[r.Slave]
		switch {
		case !ok:
			faults["name"] = true
		case !lost && given[task]:
			faults["duplicate"] = true
		case !ok2:
			faults["name"] = true
		case r.Assigned < 0 || r.Fetch < 0 || r.Start < 0 || r.Finish < 0 || r.Duration < 0:
			faults["time"] = true
		default:
			if !executed && r.Assigned >= p.Now {
				r.Duration = 0
			}
			lines = append(lines, line{task, slave, int64(r.Beat), int64(r.Assigned),
				int64(r.Fetch), int64(r.Start), int64(r.Finish), int64(r.Duration), lost, math.MaxInt64})
		}
		if ok && !lost {
			given[task] = true
		}
	}
	for _, r := range p.Lost {
		take(r, true)
	}
	for _, r := range p.Tasks {
		take(r, false)
	}
	if !executed {
		literalPast(js, lines, int64(p.Now))
	}
	broken := literal(js, lines, executed)
	for rule := range faults {
		broken[rule] = true
	}
	if len(given) < len(js.Tasks) {
		broken["missing"] = true
	}
	if !executed && !p.Relaxed && literalLate(js, lines) {
		broken["C8"] = true
	}
	return broken
}
