// Coarse states job sets in coarser ticks, where all their times allow it.

package model

import (
	"math"
	"slices"
	"time"
)

// CommonTick is the greatest time that divides every time of the job set. If
// all figures are minutes written in milliseconds, it is 60,000. Heartbeats may also
// come more often, many to each such time: every tick, say, where there are none to wait for.
//
// Planning in such coarse ticks loses nothing: in a valid schedule, round every
// fetch, start and heartbeat down to a multiple of the common tick, which is a heartbeat. Bounds between them
// are multiples, so all of C1–C8, the absences and equal starts still hold, two tasks that
// meet after rounding met before it (at the last tick of the multiple), and no
// task ends later.
func CommonTick(js *JobSet) Time {
	g := Time(0)
	take := func(t Time) {
		for t != 0 {
			g, t = t, g%t
		}
	}
	for i := range js.Slaves {
		take(js.Slaves[i].FirstBeat)
		for _, d := range js.Slaves[i].Down {
			take(d.Start)
			if d.End < Never {
				take(d.End)
			}
		}
		for _, k := range js.Slaves[i].Reservations {
			take(k.Start)
			take(k.End)
		}
	}
	hold := func(reserved []SharedHold) {
		for _, r := range reserved {
			take(r.Start)
			take(r.End)
		}
	}
	for i := range js.Pools {
		for _, l := range js.Pools[i].Levels {
			take(l.From)
		}
		hold(js.Pools[i].Reserved)
	}
	for i := range js.Jobs {
		take(js.Jobs[i].Release)
		take(js.Jobs[i].Deadline)
		hold(js.Jobs[i].Reserved)
		for k := range js.Jobs[i].Stages {
			take(js.Jobs[i].Stages[k].StartAt)
			hold(js.Jobs[i].Stages[k].Reserved)
		}
	}
	seen := map[*Profile]bool{}
	for t := range js.Tasks {
		if p := js.Tasks[t].Profile; g != 1 && !seen[p] {
			seen[p] = true
			p.EachRun(func(wcet, transfer Time, _ SlaveID) {
				take(wcet)
				take(transfer)
			})
		}
	}
	if g == 0 || g%js.Heartbeat > 0 {
		take(js.Heartbeat)
	}
	return g
}

// Measures reports whether all times can be stated in ticks of unit (see CommonTick).
func Measures(js *JobSet, unit Time) bool {
	return CommonTick(js)%unit == 0 && (js.Heartbeat%unit == 0 || unit%js.Heartbeat == 0)
}

// InTicksOf is the job set with all times divided by unit, rounded down where they are no multiples of it (see
// CommonTick); a heartbeat that comes more often comes each of these ticks. Slaves, jobs and tasks keep their numbers,
// and so do heartbeats that come no more often ([Schedule.InTicksOf]).
func InTicksOf(js *JobSet, unit Time) *JobSet {
	out := *js
	out.Heartbeat = max(1, js.Heartbeat/unit)
	out.TimeUnit = longer(js.TimeUnit, unit)
	out.Slaves = slices.Clone(js.Slaves)
	for i := range out.Slaves {
		s := &out.Slaves[i]
		s.FirstBeat /= unit
		s.Down = slices.Clone(s.Down)
		for k := range s.Down {
			s.Down[k].Start /= unit
			if s.Down[k].End < Never {
				s.Down[k].End /= unit
			}
		}
		s.Reservations = slices.Clone(s.Reservations)
		for k := range s.Reservations {
			s.Reservations[k].Start /= unit
			s.Reservations[k].End /= unit
		}
	}
	held := func(reserved []SharedHold) []SharedHold {
		reserved = slices.Clone(reserved)
		for k := range reserved {
			reserved[k].Start /= unit
			reserved[k].End /= unit
		}
		return reserved
	}
	out.Pools = slices.Clone(js.Pools)
	for i := range out.Pools {
		p := &out.Pools[i]
		p.Reserved, p.Levels = held(p.Reserved), slices.Clone(p.Levels)
		for k := range p.Levels {
			p.Levels[k].From /= unit
		}
	}
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		job.Release /= unit
		job.Deadline /= unit
		if !js.Coupled() {
			continue
		}
		job.Reserved, job.Stages = held(job.Reserved), slices.Clone(job.Stages)
		for k := range job.Stages {
			st := &job.Stages[k]
			st.StartAt, st.Reserved = st.StartAt/unit, held(st.Reserved)
		}
	}
	out.Tasks = slices.Clone(js.Tasks)
	by := func(t Time) Time { return t / unit }
	divided := NewMapper(by, by)
	for t := range out.Tasks {
		out.Tasks[t].Profile = divided.Profile(out.Tasks[t].Profile)
	}
	out.linkShared()
	out.SetHorizon()
	return &out
}

// InTicksOf is a schedule of js in ticks of unit, which measure js: what lies between two of them is rounded down, and that keeps it valid
// where it is (see CommonTick). A schedule of nothing stays nil.
func (s Schedule) InTicksOf(js *JobSet, unit Time) Schedule {
	out := slices.Clone(s)
	for t := range out {
		p := &out[t]
		p.Beat, p.Fetch, p.Start = p.Beat/beatsIn(js, unit), p.Fetch/unit, p.Start/unit
	}
	return out
}

// OutOfTicksOf is a schedule in ticks of unit as one of js, in its own ticks; nil for nil.
func (s Schedule) OutOfTicksOf(js *JobSet, unit Time) Schedule {
	out := slices.Clone(s)
	for t := range out {
		p := &out[t]
		p.Beat, p.Fetch, p.Start = p.Beat*beatsIn(js, unit), p.Fetch*unit, p.Start*unit
	}
	return out
}

// beatsIn is how many heartbeats make one in ticks of unit.
func beatsIn(js *JobSet, unit Time) Time { return max(1, unit/js.Heartbeat) }

// longer is the length of unit ticks, 0 where that is not known or too long.
func longer(tick time.Duration, unit Time) time.Duration {
	if tick > math.MaxInt64/time.Duration(unit) {
		return 0
	}
	return tick * time.Duration(unit)
}
