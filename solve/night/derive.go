package night

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// derive finds the heartbeats of tasks whose line does not say them: those of a plan, which may
// be nil, where a task was begun as that says, else the last before it was begun. Where something
// that it had to wait for ended only after that one, it is taken to have begun at the next, as
// machines of the model do, if it had not ended by then. With force it is so all the same: then it
// ends a tick after it, and is taken not to have begun if that would be after now.
func (r *Record) derive(plan model.Schedule, force bool) {
	copy(r.attempts, r.told)
	r.Moved, r.Fresh = nil, nil
	d := derivation{Record: r, force: force, ends: map[model.StageID]model.Time{}, freed: make([][]model.Time, len(r.js.Slaves))}
	for t := range r.attempts {
		d.note(model.TaskID(t))
	}
	for _, list := range d.freed {
		slices.Sort(list)
	}
	slices.SortStableFunc(r.derived, func(a, b model.TaskID) int { return cmp.Compare(d.begun(a), d.begun(b)) })
	for _, t := range r.derived {
		a := &r.attempts[t]
		if plan != nil && plan[t].Slave == a.Slave && plan[t].Start == a.Start && a.Fetch == a.Start && r.js.Assigned(plan[t]) < r.now {
			a.Placement = plan[t]
			continue
		}
		d.place(t)
	}
	slices.Sort(r.Moved)
	slices.Sort(r.Fresh)
}

// derivation is what is known of a run while heartbeats are found, in the order in which tasks
// were begun.
type derivation struct {
	*Record
	force bool
	// ends has, by stage, when the last of its tasks ended, and freed, by slave and ascending,
	// when tasks ended there.
	ends  map[model.StageID]model.Time
	freed [][]model.Time
}

// note notes when a task ended, if it has.
func (d *derivation) note(t model.TaskID) {
	a := &d.attempts[t]
	if a.Slave == model.NoSlave || a.Finish > d.now {
		return
	}
	stage := d.js.StageOf(&d.js.Tasks[t])
	d.ends[stage] = max(d.ends[stage], a.Finish)
	d.freed[a.Slave] = append(d.freed[a.Slave], a.Finish)
}

// begun is when a task was begun, or handed out if it waits.
func (d *derivation) begun(t model.TaskID) model.Time {
	a := &d.attempts[t]
	if begun := min(a.Fetch, a.Start); begun < d.now {
		return begun
	}
	return d.js.Assigned(a.Placement)
}

// place gives a task a heartbeat.
func (d *derivation) place(t model.TaskID) {
	a, begun := &d.attempts[t], d.begun(t)
	ready := d.js.Jobs[d.js.Tasks[t].Job].Release
	for _, stage := range d.js.Before(d.js.StageOf(&d.js.Tasks[t])) {
		ready = max(ready, d.ends[stage])
	}
	var at model.Time
	a.Beat, at = d.js.BeatAtOrBefore(a.Slave, begun)
	up := d.js.Slaves[a.Slave].UpUntil(at) > begun
	if a.Beat >= 0 && at >= ready && (at == begun || up && !endsWithin(d.freed[a.Slave], at, begun)) {
		return
	}
	beat, next := d.js.BeatAtOrAfter(a.Slave, max(begun, ready))
	switch {
	case next == begun, ready > begun+d.js.Heartbeat: // the validator has its say
	case next < d.now && (d.force || next < a.Finish):
		d.move(t, beat, next)
	case d.force && next >= d.now && a.Finish > d.now:
		a.Slave = model.NoSlave
		d.Fresh = append(d.Fresh, t)
	}
}

// move puts a task off to a heartbeat.
func (d *derivation) move(t model.TaskID, beat, at model.Time) {
	a := &d.attempts[t]
	a.Beat = beat
	if a.Fetch < model.Never {
		a.Fetch = max(a.Fetch, at)
	}
	if a.Start < model.Never {
		a.Start = max(a.Start, at)
	}
	if a.Finish <= a.Start {
		a.Finish = a.Start + 1
		stage := d.js.StageOf(&d.js.Tasks[t])
		d.ends[stage] = max(d.ends[stage], a.Finish)
		i, _ := slices.BinarySearch(d.freed[a.Slave], a.Finish)
		d.freed[a.Slave] = slices.Insert(d.freed[a.Slave], i, a.Finish)
	}
	d.Moved = append(d.Moved, t)
}

// endsWithin reports whether one of the ascending times is after one and no later than another.
func endsWithin(times []model.Time, after, until model.Time) bool {
	at, _ := slices.BinarySearch(times, after+1)
	return at < len(times) && times[at] <= until
}
