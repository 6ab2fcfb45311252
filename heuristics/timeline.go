package heuristics

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// timeline is what one slave does over time: how much of each resource is in use,
// absences and, with fifo, the order of starts.
type timeline struct {
	first, heartbeat model.Time
	fifo             bool

	// uses has an entry for each resource, of no units where the slave does not
	// supply it. Kept in place and together, as the innermost step of every search
	// over list schedules reads them.
	uses [model.NumResources]use
	// handouts lists hand-outs by (assigned, start); kept only with fifo, where
	// starts then ascend too.
	handouts []handout
	// layout numbers what the slave supplies, as [needsLookup] does.
	layout int
	// empty is the level of each resource with nothing placed: what others have taken. During absences all
	// units of what is held for the whole stay are in use: this keeps fetches and
	// runs out too, since both lie within it.
	empty [model.NumResources]steps
	// presences says where absences of slave leave room, nil where they are few.
	presences *window.Presences
	slave     model.SlaveID
}

// use is how many units of a resource are in use over time.
type use struct {
	units int64
	level steps
}

type handout struct{ assigned, start model.Time }

// request is what one task asks of a slave.
type request struct {
	// Ready is the earliest time of the heartbeat that hands the task out:
	// release, or the finish of the stage before.
	Ready model.Time
	// Transfer is C ≥ 0, WCET is E ≥ 1 on this slave.
	Transfer, WCET model.Time
	// needs are the units that the task holds of each resource on this slave.
	Needs *needs
}

// Fit is a place for a task on a slave, all in ticks.
type Fit struct {
	Assigned, Fetch, Start, Finish model.Time
}

// newTimeline is the timeline of slave s with nothing placed, beside others that ask the same
// presences.
func newTimeline(js *model.JobSet, s model.SlaveID, presences *window.Presences) *timeline {
	slave := &js.Slaves[s]
	tl := &timeline{first: slave.FirstBeat, heartbeat: js.Heartbeat, fifo: js.FIFO, slave: s}
	if presences.Many(s) {
		tl.presences = presences
	}
	for _, supply := range js.Supplies(s) {
		tl.uses[supply.Resource].units = supply.Units
		empty := steps{{}}
		if supply.Hold == model.HoldStay {
			empty = during(slave.Down, supply.Units)
		}
		for _, k := range slave.Reservations {
			if k.Resource == supply.Resource {
				empty = empty.add(k.Start, k.End, k.Units)
			}
		}
		tl.empty[supply.Resource] = empty
	}
	tl.Reset()
	return tl
}

// Reset takes all tasks out.
func (tl *timeline) Reset() {
	for i := range tl.uses {
		tl.uses[i].level = append(tl.uses[i].level[:0], tl.empty[i]...)
	}
	tl.handouts = tl.handouts[:0]
}

// limit is the level below which the resource must stay for a task to get what it
// needs.
func (u *use) limit(units int64) int64 { return u.units - units + 1 }

// free is the earliest t ≥ from such that the task gets what it needs of one
// resource during [t, t+length).
func (tl *timeline) free(n *need, from, length model.Time) model.Time {
	u := &tl.uses[n.resource]
	return u.level.firstFree(from, length, u.limit(n.units))
}

// firstFree is the earliest t ≥ from such that the task gets all these needs
// during [t, t+length).
func (tl *timeline) firstFree(needs []need, from, length model.Time) model.Time {
	for {
		before := from
		for _, n := range needs {
			from = tl.free(&n, from, length)
		}
		if len(needs) <= 1 || from == before {
			return from
		}
	}
}

// lastFree is the latest such t ≤ latest. The caller knows that there is one.
func (tl *timeline) lastFree(needs []need, latest, length model.Time) model.Time {
	for {
		before := latest
		for _, n := range needs {
			u := &tl.uses[n.resource]
			latest = u.level.lastFree(latest, length, u.limit(n.units))
		}
		if len(needs) <= 1 || latest == before {
			return latest
		}
	}
}

// shortUntil is the end of the last stretch that meets [from, to) in which one of
// these needs is not met, -1 if there is none.
func (tl *timeline) shortUntil(needs []need, from, to model.Time) model.Time {
	until := model.Time(-1)
	for _, n := range needs {
		u := &tl.uses[n.resource]
		until = max(until, u.level.fullUntil(from, to, u.limit(n.units)))
	}
	return until
}

// beatFree is the first heartbeat at t ≥ from such that the task gets all that it holds for its
// whole stay during [t, t+length). Where absences leave no room at thousands of heartbeats they are
// passed over in one go.
func (tl *timeline) beatFree(needs *needs, from, length model.Time) model.Time {
	at := tl.BeatAtOrAfter(from)
	for {
		before := at
		for _, n := range needs.stay {
			u := &tl.uses[n.resource]
			at = u.level.firstBeat(tl, at, length, u.limit(n.units))
		}
		if len(needs.shared) > 0 {
			at = tl.BeatAtOrAfter(sharedFree(needs.shared, at, length))
		}
		if len(needs.stay) <= 1 && len(needs.shared) == 0 || at == before {
			return at
		}
	}
}

// stayShort is the end of the last stretch that meets [from, to) in which the task does not get what
// it holds for its whole stay, -1 if there is none.
func (tl *timeline) stayShort(needs *needs, from, to model.Time) model.Time {
	until := tl.shortUntil(needs.stay, from, to)
	if len(needs.shared) > 0 {
		until = max(until, sharedShort(needs.shared, from, to))
	}
	return until
}

// add raises the levels by delta times the needs during [from, to).
func (tl *timeline) add(needs []need, from, to model.Time, delta int64) {
	for _, n := range needs {
		u := &tl.uses[n.resource]
		u.level = u.level.add(from, to, delta*n.units)
	}
}

// BeatAtOrAfter is the first heartbeat at t or later, absences not considered.
func (tl *timeline) BeatAtOrAfter(t model.Time) model.Time {
	if t <= tl.first {
		return tl.first
	}
	return t + tl.heartbeat - 1 - (t-tl.first+tl.heartbeat-1)%tl.heartbeat
}

// Beat numbers the heartbeat that falls at a time.
func (tl *timeline) Beat(at model.Time) model.Time { return (at - tl.first) / tl.heartbeat }

// beatAtOrBefore is the last heartbeat at t or earlier, t ≥ the first one.
func (tl *timeline) beatAtOrBefore(t model.Time) model.Time {
	return t - (t-tl.first)%tl.heartbeat
}

// Earliest finds the earliest finish that the task can have on this slave, and
// a place that attains it: fetched as early as possible and handed out at the
// last heartbeat before the fetch. Places that finish at limit or later do not
// count; ok is false if no other is left.
//
// Why it is exact: going through heartbeats A in ascending order, the earliest
// fetch and start after A give a finish that no later heartbeat can beat. If
// something that is held all of [A, F) is short somewhere in it, a hold that finishes at F or later
// must begin after the last such time, at a heartbeat from which on it is free for C + E at
// least; if fifo forbids the start, only
// heartbeats that no earlier-starting task comes after are left. Both name the
// next heartbeat worth a try.
func (tl *timeline) Earliest(r request, limit model.Time) (fit Fit, ok bool) {
	at := tl.BeatAtOrAfter(r.Ready)
	if len(r.Needs.shared) > 0 { // most often what there is least of
		at = tl.beatFree(r.Needs, at, r.Transfer+r.WCET)
	}
	for at+r.Transfer+r.WCET < limit {
		fetch := at
		for i := range r.Needs.fetch {
			n := &r.Needs.fetch[i]
			u := &tl.uses[n.resource]
			fetch = u.level.firstFree(fetch, r.Transfer, u.units-n.units+1)
		}
		if len(r.Needs.fetch) > 1 {
			fetch = tl.firstFree(r.Needs.fetch, fetch, r.Transfer)
		}
		ready := fetch + r.Transfer
		if tl.fifo {
			ready = max(ready, tl.startAfter(at))
		}
		if ready+r.WCET >= limit {
			return Fit{}, false
		}
		start := ready
		for i := range r.Needs.run {
			n := &r.Needs.run[i]
			u := &tl.uses[n.resource]
			start = u.level.firstFree(start, r.WCET, u.units-n.units+1)
		}
		if len(r.Needs.run) > 1 {
			start = tl.firstFree(r.Needs.run, start, r.WCET)
		}
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
		short := tl.shortUntil(r.Needs.stay, assigned, finish)
		if len(r.Needs.shared) > 0 {
			short = max(short, sharedShort(r.Needs.shared, assigned, finish))
		}
		if short < 0 {
			return Fit{assigned, fetch, start, finish}, true
		}
		at = tl.beatFree(r.Needs, short, r.Transfer+r.WCET)
	}
	return Fit{}, false
}

// Settle moves a fit to the last heartbeat that allows the same finish, over
// all positions of the fetch, and then to the earliest fetch from there.
func (tl *timeline) Settle(fit Fit, r request) Fit {
	fit.Assigned = tl.beatAtOrBefore(tl.lastFree(r.Needs.fetch, fit.Start-r.Transfer, r.Transfer))
	if tl.fifo {
		fit.Assigned = min(fit.Assigned, tl.beatBound(fit.Start))
	}
	fit.Fetch = tl.firstFree(r.Needs.fetch, fit.Assigned, r.Transfer)
	return fit
}

// Fits reports whether a task can be placed exactly there, as far as this slave is concerned
// and what tasks on all slaves share (C2–C6, C9, C11, absences, fifo).
func (tl *timeline) Fits(fit Fit, r request) bool {
	switch {
	case fit.Assigned < r.Ready, fit.Fetch < fit.Assigned, fit.Start < fit.Fetch+r.Transfer:
		return false
	case tl.fifo && (fit.Assigned < tl.passedOver(fit.Start) || fit.Assigned > tl.beatBound(fit.Start)):
		return false
	}
	return tl.shortUntil(r.Needs.fetch, fit.Fetch, fit.Fetch+r.Transfer) < 0 &&
		tl.shortUntil(r.Needs.run, fit.Start, fit.Finish) < 0 &&
		tl.stayShort(r.Needs, fit.Assigned, fit.Finish) < 0
}

// Steps is the number of steps of all levels: how long the timeline is.
func (tl *timeline) Steps() int {
	n := 0
	for i := range tl.uses {
		n += len(tl.uses[i].level)
	}
	return n
}

// Insert places a task; the fit must come from this timeline as it is now.
func (tl *timeline) Insert(fit Fit, r request) { tl.change(fit, r, 1) }

// Remove takes a task out again and leaves no trace of it.
func (tl *timeline) Remove(fit Fit, r request) { tl.change(fit, r, -1) }

func (tl *timeline) change(fit Fit, r request, delta int64) {
	tl.add(r.Needs.run, fit.Start, fit.Finish, delta)
	tl.add(r.Needs.fetch, fit.Fetch, fit.Fetch+r.Transfer, delta)
	tl.add(r.Needs.stay, fit.Assigned, fit.Finish, delta)
	if len(r.Needs.shared) > 0 {
		addShared(r.Needs.shared, fit.Assigned, fit.Finish, delta)
	}
	if tl.fifo {
		h := handout{fit.Assigned, fit.Start}
		i, _ := slices.BinarySearchFunc(tl.handouts, h, compareHandouts)
		if delta > 0 {
			tl.handouts = slices.Insert(tl.handouts, i, h)
		} else {
			tl.handouts = slices.Delete(tl.handouts, i, i+1)
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
func (tl *timeline) startAfter(beat model.Time) model.Time {
	i := searchFirst(len(tl.handouts), func(i int) bool { return tl.handouts[i].assigned >= beat })
	if i == 0 {
		return 0
	}
	return tl.handouts[i-1].start
}

// passedOver is the last heartbeat of the tasks that start before the given
// time, -1 if there is none: with fifo, a task that starts then is handed out
// no earlier.
func (tl *timeline) passedOver(start model.Time) model.Time {
	i := searchFirst(len(tl.handouts), func(i int) bool { return tl.handouts[i].start >= start })
	if i == 0 {
		return -1
	}
	return tl.handouts[i-1].assigned
}

// beatBound is the first heartbeat of the tasks that start after the given
// time: with fifo, a task that starts then is handed out no later.
func (tl *timeline) beatBound(start model.Time) model.Time {
	i := searchFirst(len(tl.handouts), func(i int) bool { return tl.handouts[i].start > start })
	if i == len(tl.handouts) {
		return model.Never
	}
	return tl.handouts[i].assigned
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
