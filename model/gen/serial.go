package gen

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// load is what one slave holds, tick by tick, and the placements behind it.
// Ticks beyond the end of a slice are free.
type load struct {
	cores, fetch []int
	slots        [2][]int // by pool
	placed       []model.Placement
}

// freeFrom is the first t ≥ from such that used stays below limit on [t, t+n).
func freeFrom(used []int, limit int, from, n model.Time) model.Time {
	start := from
	for t := from; t < start+n && int(t) < len(used); t++ {
		if used[t] >= limit {
			start = t + 1
		}
	}
	return start
}

// add counts one more on [from, to).
func add(used []int, from, to model.Time) []int {
	if missing := int(to) - len(used); missing > 0 {
		used = append(used, make([]int, missing)...)
	}
	for t := from; t < to; t++ {
		used[t]++
	}
	return used
}

// board is a schedule in the making.
type board struct {
	js    *model.JobSet
	loads []load
}

func newBoard(js *model.JobSet) *board {
	return &board{js: js, loads: make([]load, len(js.Slaves))}
}

// piece is a task as a board sees it: its figures on one slave and its pool of
// slots there.
type piece struct {
	slave          model.SlaveID
	wcet, transfer model.Time
	pool           int
}

func (b *board) piece(t model.TaskID, s model.SlaveID) piece {
	task := &b.js.Tasks[t]
	return piece{slave: s, wcet: task.WCET(s), transfer: task.Transfer(s), pool: b.js.Slaves[s].Pool(task.Slot)}
}

// fit places a piece at the first heartbeat at or after ready from which it
// goes through next to what is on the board. There always is one: after the
// last absence and the last finish the slave is free.
func (b *board) fit(p piece, ready model.Time) model.Placement {
	slave := &b.js.Slaves[p.slave]
	l := &b.loads[p.slave]
	gamma, at := b.js.BeatAtOrAfter(p.slave, ready)
	for ; ; gamma, at = gamma+1, at+b.js.Heartbeat {
		fetch := at
		if b.js.Fetch == model.FetchExclusive {
			fetch = freeFrom(l.fetch, 1, at, p.transfer)
		}
		ready := fetch + p.transfer
		if b.js.FIFO {
			for _, q := range l.placed {
				if q.Beat < gamma {
					ready = max(ready, q.Start)
				}
			}
		}
		place := model.Placement{
			Slave: p.slave, Beat: gamma, Fetch: fetch, Start: freeFrom(l.cores, slave.Cores, ready, p.wcet),
		}
		hold := model.Interval{Start: at, End: place.Start + p.wcet}
		held := freeFrom(l.slots[p.pool], slave.PoolSize(p.pool), at, hold.Len()) > at
		if !held && slave.Up(hold) && !b.overtakes(place) {
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

func (b *board) put(p piece, place model.Placement) {
	l := &b.loads[p.slave]
	finish := place.Start + p.wcet
	l.slots[p.pool] = add(l.slots[p.pool], b.js.BeatTime(p.slave, place.Beat), finish)
	l.fetch = add(l.fetch, place.Fetch, place.Fetch+p.transfer)
	l.cores = add(l.cores, place.Start, finish)
	l.placed = append(l.placed, place)
}

// serial is a valid schedule: job after job in the given order, stage after
// stage, each task on the slave where it finishes first, the first slave among
// equals.
func serial(js *model.JobSet, order []model.JobID) model.Schedule {
	b := newBoard(js)
	s := model.NewSchedule(len(js.Tasks))
	for _, id := range order {
		ready := js.Jobs[id].Release
		for _, st := range js.Jobs[id].Stages {
			end := ready
			for t := st.First; t < st.End; t++ {
				s[t] = b.best(t, ready)
				b.put(b.piece(t, s[t].Slave), s[t])
				end = max(end, js.Finish(t, s[t]))
			}
			ready = end
		}
	}
	return s
}

func (b *board) best(t model.TaskID, ready model.Time) model.Placement {
	best, finish := model.Placement{}, model.Never
	for s := range model.SlaveID(len(b.js.Slaves)) {
		if !b.js.Tasks[t].Eligible(s) {
			continue
		}
		place := b.fit(b.piece(t, s), ready)
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

// alone is when the job finishes in a serial schedule of nothing else.
func alone(js *model.JobSet, id model.JobID) model.Time {
	one := js.Subset([]model.JobID{id})
	return one.Finishes(serial(one, []model.JobID{0}))[0]
}
