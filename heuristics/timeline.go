package heuristics

import (
	"slices"

	"downbeat/model"
)

// Timeline is what one slave does over time: cores in use, slots in use per
// pool, fetch line, absences and, with fifo, the order of starts.
type Timeline struct {
	first, heartbeat model.Time
	exclusive, fifo  bool

	coreCount int32
	slotCount [2]int32
	// pool is the pool of slots for each kind of slot.
	pool  [2]int
	cores steps
	fetch steps
	slots [2]steps
	// held lists hand-outs by (assigned, start); kept only with fifo, where
	// starts then ascend too.
	held []handout
	// empty is what slots are with nothing placed: all held during absences,
	// which keeps fetches and runs out too, since both lie within a hold.
	empty [2]steps
}

type handout struct{ assigned, start model.Time }

// Request asks for room for one task on a slave.
type Request struct {
	// Ready is the earliest time of the heartbeat that hands the task out:
	// release, or the finish of the stage before.
	Ready model.Time
	// Transfer is C ≥ 0, WCET is E ≥ 1 on this slave.
	Transfer, WCET model.Time
	// Pool is the pool of slots that the task draws on.
	Pool int
}

// Fit is a place for a task on a slave, all in ticks.
type Fit struct {
	Assigned, Fetch, Start, Finish model.Time
}

// NewTimeline is the timeline of slave s with nothing placed.
func NewTimeline(js *model.JobSet, s model.SlaveID) *Timeline {
	slave := &js.Slaves[s]
	tl := &Timeline{
		first: slave.FirstBeat, heartbeat: js.Heartbeat,
		exclusive: js.Fetch == model.FetchExclusive, fifo: js.FIFO,
		coreCount: int32(slave.Cores),
		pool:      [2]int{slave.Pool(model.MapSlot), slave.Pool(model.ReduceSlot)},
	}
	for p := range slave.Pools() {
		tl.slotCount[p] = int32(slave.PoolSize(p))
		tl.empty[p] = steps{{}}
		for _, iv := range slave.Down {
			tl.empty[p] = tl.empty[p].add(iv.Start, iv.End, tl.slotCount[p])
		}
	}
	tl.Reset()
	return tl
}

// Reset takes all tasks out.
func (tl *Timeline) Reset() {
	tl.cores = append(tl.cores[:0], step{})
	tl.fetch = append(tl.fetch[:0], step{})
	tl.held = tl.held[:0]
	for p := range tl.slots {
		tl.slots[p] = append(tl.slots[p][:0], tl.empty[p]...)
	}
}

// beatAtOrAfter is the first heartbeat at t or later, absences not considered.
func (tl *Timeline) beatAtOrAfter(t model.Time) model.Time {
	if t <= tl.first {
		return tl.first
	}
	return t + tl.heartbeat - 1 - (t-tl.first+tl.heartbeat-1)%tl.heartbeat
}

// beatAtOrBefore is the last heartbeat at t or earlier, t ≥ the first one.
func (tl *Timeline) beatAtOrBefore(t model.Time) model.Time {
	return t - (t-tl.first)%tl.heartbeat
}

// Earliest finds the earliest finish that the task can have on this slave, and
// a place that attains it: fetched as early as possible and handed out at the
// last heartbeat before the fetch. Places that finish at limit or later do not
// count; ok is false if no other is left.
//
// Why it is exact: going through heartbeats A in ascending order, the earliest
// fetch and start after A give a finish that no later heartbeat can beat. If
// the slots are full somewhere in [A, F), a hold that finishes at F or later
// must begin after the last such time; if fifo forbids the start, only
// heartbeats that no earlier-starting task comes after are left. Both name the
// next heartbeat worth a try.
func (tl *Timeline) Earliest(r Request, limit model.Time) (fit Fit, ok bool) {
	at := tl.beatAtOrAfter(r.Ready)
	for {
		if at+r.Transfer+r.WCET >= limit {
			return Fit{}, false
		}
		fetch := at
		if tl.exclusive && r.Transfer > 0 {
			fetch = tl.fetch.firstFree(at, r.Transfer, 1)
		}
		ready := fetch + r.Transfer
		if tl.fifo {
			ready = max(ready, tl.startAfter(at))
		}
		if ready+r.WCET >= limit {
			return Fit{}, false
		}
		start := tl.cores.firstFree(ready, r.WCET, tl.coreCount)
		finish := start + r.WCET
		if finish >= limit {
			return Fit{}, false
		}
		assigned := at
		if tl.fifo {
			if next := tl.passedOver(start); next > at {
				at = next
				continue
			}
			assigned = min(tl.beatAtOrBefore(fetch), tl.beatBound(start))
		} else {
			assigned = tl.beatAtOrBefore(fetch)
		}
		free := tl.slots[r.Pool].fullUntil(assigned, finish, tl.slotCount[r.Pool])
		if free < 0 {
			return Fit{assigned, fetch, start, finish}, true
		}
		at = tl.beatAtOrAfter(free)
	}
}

// Settle moves a fit to the last heartbeat that allows the same finish, over
// all positions of the fetch, and then to the earliest fetch from there.
func (tl *Timeline) Settle(fit Fit, r Request) Fit {
	latest := fit.Start - r.Transfer
	if tl.exclusive && r.Transfer > 0 {
		latest = tl.fetch.lastFree(latest, r.Transfer, 1)
	}
	fit.Assigned = tl.beatAtOrBefore(latest)
	if tl.fifo {
		fit.Assigned = min(fit.Assigned, tl.beatBound(fit.Start))
	}
	fit.Fetch = fit.Assigned
	if tl.exclusive && r.Transfer > 0 {
		fit.Fetch = tl.fetch.firstFree(fit.Assigned, r.Transfer, 1)
	}
	return fit
}

// Fits reports whether a task can be placed exactly there, as far as this slave
// is concerned (C2–C6, absences, fifo).
func (tl *Timeline) Fits(fit Fit, r Request) bool {
	switch {
	case fit.Assigned < r.Ready, fit.Fetch < fit.Assigned, fit.Start < fit.Fetch+r.Transfer:
		return false
	case tl.exclusive && r.Transfer > 0 && tl.fetch.fullUntil(fit.Fetch, fit.Fetch+r.Transfer, 1) >= 0:
		return false
	case tl.fifo && (fit.Assigned < tl.passedOver(fit.Start) || fit.Assigned > tl.beatBound(fit.Start)):
		return false
	}
	return tl.cores.fullUntil(fit.Start, fit.Finish, tl.coreCount) < 0 &&
		tl.slots[r.Pool].fullUntil(fit.Assigned, fit.Finish, tl.slotCount[r.Pool]) < 0
}

// Insert places a task; the fit must come from this timeline as it is now.
func (tl *Timeline) Insert(fit Fit, r Request) { tl.change(fit, r, 1) }

// Remove takes a task out again and leaves no trace of it.
func (tl *Timeline) Remove(fit Fit, r Request) { tl.change(fit, r, -1) }

func (tl *Timeline) change(fit Fit, r Request, delta int32) {
	tl.cores = tl.cores.add(fit.Start, fit.Finish, delta)
	tl.slots[r.Pool] = tl.slots[r.Pool].add(fit.Assigned, fit.Finish, delta)
	if tl.exclusive {
		tl.fetch = tl.fetch.add(fit.Fetch, fit.Fetch+r.Transfer, delta)
	}
	if tl.fifo {
		h := handout{fit.Assigned, fit.Start}
		i, _ := slices.BinarySearchFunc(tl.held, h, compareHandouts)
		if delta > 0 {
			tl.held = slices.Insert(tl.held, i, h)
		} else {
			tl.held = slices.Delete(tl.held, i, i+1)
		}
	}
}

func compareHandouts(a, b handout) int {
	if a.assigned != b.assigned {
		return int(a.assigned - b.assigned)
	}
	return int(a.start - b.start)
}

// startAfter is the latest start among tasks handed out before the heartbeat:
// with fifo, a task handed out then starts no earlier.
func (tl *Timeline) startAfter(beat model.Time) model.Time {
	i := searchFirst(len(tl.held), func(i int) bool { return tl.held[i].assigned >= beat })
	if i == 0 {
		return 0
	}
	return tl.held[i-1].start
}

// passedOver is the last heartbeat of the tasks that start before the given
// time, -1 if there is none: with fifo, a task that starts then is handed out
// no earlier.
func (tl *Timeline) passedOver(start model.Time) model.Time {
	i := searchFirst(len(tl.held), func(i int) bool { return tl.held[i].start >= start })
	if i == 0 {
		return -1
	}
	return tl.held[i-1].assigned
}

// beatBound is the first heartbeat of the tasks that start after the given
// time: with fifo, a task that starts then is handed out no later.
func (tl *Timeline) beatBound(start model.Time) model.Time {
	i := searchFirst(len(tl.held), func(i int) bool { return tl.held[i].start > start })
	if i == len(tl.held) {
		return model.Never
	}
	return tl.held[i].assigned
}

// searchFirst is the first i in [0, n) for which holds(i), n if there is none;
// holds is false up to some point and true from there.
func searchFirst(n int, holds func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
