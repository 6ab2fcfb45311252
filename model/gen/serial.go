package gen

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// load is what one slave holds, tick by tick, and the placements behind it.
// Ticks beyond the end of a slice are free.
type load struct {
	supplies []model.Supply
	used     [][]int64 // by supply
	placed   []model.Placement
}

// freeFrom is the first t ≥ from such that used stays at or below limit on [t, t+n).
func freeFrom(used []int64, limit int64, from, n model.Time) model.Time {
	start := from
	for t := from; t < start+n && int(t) < len(used); t++ {
		if used[t] > limit {
			start = t + 1
		}
	}
	return start
}

// add counts some more units on [from, to).
func add(used []int64, units int64, iv model.Interval) []int64 {
	if missing := int(iv.End) - len(used); missing > 0 {
		used = append(used, make([]int64, missing)...)
	}
	for t := iv.Start; t < iv.End; t++ {
		used[t] += units
	}
	return used
}

// freeFrom is the first t ≥ from such that all that a task holds in the way of h is
// free on [t, t+n).
func (b *board) freeFrom(task *model.Task, s model.SlaveID, h model.Hold, from, n model.Time) model.Time {
	l := &b.loads[s]
	for t := from; ; {
		start := t
		for i, supply := range l.supplies {
			if need := b.js.Need(task, s, supply.Resource); need > 0 && supply.Hold == h {
				start = freeFrom(l.used[i], supply.Units-need, start, n)
			}
		}
		if start == t {
			return t
		}
		t = start
	}
}

// board is a schedule in the making.
type board struct {
	js    *model.JobSet
	loads []load
}

func newBoard(js *model.JobSet) *board {
	b := &board{js: js, loads: make([]load, len(js.Slaves))}
	for s := range b.loads {
		supplies := js.Supplies(model.SlaveID(s))
		b.loads[s] = load{supplies: supplies, used: make([][]int64, len(supplies))}
	}
	return b
}

// fit places a task on slave s at the first heartbeat at or after ready from which it
// goes through next to what is on the board. There always is one: after the
// last absence and the last finish the slave is free.
func (b *board) fit(task *model.Task, s model.SlaveID, ready model.Time) model.Placement {
	l := &b.loads[s]
	gamma, at := b.js.BeatAtOrAfter(s, ready)
	for ; ; gamma, at = gamma+1, at+b.js.Heartbeat {
		place := model.Placement{Slave: s, Beat: gamma}
		place.Fetch = b.freeFrom(task, s, model.HoldFetch, at, task.Transfer(s))
		ready := place.Fetch + task.Transfer(s)
		if b.js.FIFO {
			for _, q := range l.placed {
				if q.Beat < gamma {
					ready = max(ready, q.Start)
				}
			}
		}
		place.Start = b.freeFrom(task, s, model.HoldRun, ready, task.WCET(s))
		stay := b.js.Held(task, place, model.HoldStay)
		held := b.freeFrom(task, s, model.HoldStay, at, stay.Len()) > at
		if !held && b.js.Slaves[s].Up(stay) && !b.overtakes(place) {
			return place
		}
	}
}

// overtakes reports whether, with FIFO, the placement starts after a task that
// was handed out later.
func (b *board) overtakes(p model.Placement) bool {
	return b.js.FIFO && slices.ContainsFunc(b.loads[p.Slave].placed, func(q model.Placement) bool {
		return p.Beat < q.Beat && p.Start > q.Start
	})
}

func (b *board) put(task *model.Task, place model.Placement) {
	l := &b.loads[place.Slave]
	for i, supply := range l.supplies {
		if need := b.js.Need(task, place.Slave, supply.Resource); need > 0 {
			l.used[i] = add(l.used[i], need, b.js.Held(task, place, supply.Hold))
		}
	}
	l.placed = append(l.placed, place)
}

// serial is a valid schedule of the given jobs and those that they come after: job
// after job in the given order, as far as they wait for each other behind them, stage
// after stage, each task on the slave where it finishes first, the first slave among
// equals.
func serial(js *model.JobSet, order []model.JobID) model.Schedule {
	b := newBoard(js)
	s := model.NewSchedule(len(js.Tasks))
	ends := make([]model.Time, js.Stages())
	placed := make([]bool, len(js.Jobs))
	var place func(model.JobID)
	place = func(id model.JobID) {
		if placed[id] {
			return
		}
		placed[id] = true
		job := &js.Jobs[id]
		for _, before := range job.After {
			place(before)
		}
		for _, k := range job.Order() {
			st := job.FirstStage + model.StageID(k)
			ready := job.Release
			for _, before := range js.Before(st) {
				ready = max(ready, ends[before])
			}
			ends[st] = ready
			for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
				s[t] = b.best(t, ready)
				b.put(&js.Tasks[t], s[t])
				ends[st] = max(ends[st], js.Finish(t, s[t]))
			}
		}
	}
	for _, id := range order {
		place(id)
	}
	return s
}

func (b *board) best(t model.TaskID, ready model.Time) model.Placement {
	best, finish := model.Placement{}, model.Never
	for s := range model.SlaveID(len(b.js.Slaves)) {
		if !b.js.Tasks[t].Eligible(s) {
			continue
		}
		place := b.fit(&b.js.Tasks[t], s, ready)
		if f := b.js.Finish(t, place); f < finish {
			best, finish = place, f
		}
	}
	return best
}

// hardFirst orders hard jobs before others, at random otherwise: by release or
// deadline, anyone's first list schedule would be the witness.
func (m *maker) hardFirst() []model.JobID {
	order := make([]model.JobID, len(m.js.Jobs))
	for i, id := range m.rng.Perm(len(order)) {
		order[i] = model.JobID(id)
	}
	slices.SortStableFunc(order, func(a, b model.JobID) int {
		return -cmp.Compare(m.js.Jobs[a].Kind, m.js.Jobs[b].Kind) // hard, soft, best-effort
	})
	return order
}

// alone is when the job finishes in a serial schedule of nothing else but the jobs that
// it comes after.
func alone(js *model.JobSet, id model.JobID) model.Time {
	s := serial(js, []model.JobID{id})
	end := model.Time(0)
	for t := js.Jobs[id].First; t < js.Jobs[id].End; t++ {
		end = max(end, js.Finish(t, s[t]))
	}
	return end
}
