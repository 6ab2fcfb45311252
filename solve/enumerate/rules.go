package enumerate

import (
	"slices"

	"downbeat/model"
)

// ready reports whether the job of a task is released and all that it waits for has
// ended.
func (s *search) ready(st *state, task *model.Task, now model.Time) bool {
	if now < s.js.Jobs[task.Job].Release {
		return false
	}
	for _, id := range s.js.Before(s.js.StageOf(task)) {
		before, _ := s.js.Stage(id)
		for t := before.First; t < before.End; t++ {
			if st.tasks[t].phase != finished {
				return false
			}
		}
	}
	return true
}

// away reports whether a slave is absent at some time of [from, to).
func (s *search) away(id model.SlaveID, from, to model.Time) bool {
	return slices.ContainsFunc(s.js.Slaves[id].Down, func(d model.Interval) bool { return from < d.End && d.Start < to })
}

// lost reports whether a task waits on a slave that has been absent since it was handed
// out: a state does not tell it from one that was handed out after the absence.
func (s *search) lost(st *state, now model.Time) bool {
	for i := range s.js.Tasks {
		t := &st.tasks[i]
		waits := t.phase == handed || t.phase == fetching || t.phase == fetched
		if waits && s.away(model.SlaveID(t.slave), s.js.Assigned(s.at[i]), now) {
			return true
		}
	}
	return false
}

// holds reports whether a task in a phase holds what is held in the way of h.
func (p phase) holds(h model.Hold) bool {
	switch h {
	case model.HoldRun:
		return p == running
	case model.HoldFetch:
		return p == fetching
	default:
		return p != waiting && p != finished
	}
}

// fits reports whether a slave has enough left of all that task i holds in the way of h.
func (s *search) fits(st *state, i int, id model.SlaveID, h model.Hold) bool {
	for _, supply := range s.supplies[id] {
		if supply.Hold != h {
			continue
		}
		left := supply.Units - s.js.Need(&s.js.Tasks[i], id, supply.Resource)
		for k := range s.js.Tasks {
			if t := &st.tasks[k]; model.SlaveID(t.slave) == id && t.phase.holds(h) {
				left -= s.js.Need(&s.js.Tasks[k], id, supply.Resource)
			}
		}
		if left < 0 {
			return false
		}
	}
	return true
}

// fitsAll reports whether there is enough left for task i of what it takes of pools and caps, and
// none that it has to be apart from is, or was, on its slave.
func (s *search) fitsAll(st *state, i int, id model.SlaveID, now model.Time) bool {
	for _, take := range s.js.Takes(model.TaskID(i)) {
		if s.held(st, take.Shared)+take.Units > s.shared[take.Shared].At(now) {
			return false
		}
	}
	task := &s.js.Tasks[i]
	stage := &s.js.Jobs[task.Job].Stages[task.Stage]
	for t := stage.First; stage.IsApart() && t < stage.End; t++ {
		if other := &st.tasks[t]; other.phase != waiting && model.SlaveID(other.slave) == id {
			return false
		}
	}
	return true
}

// stays is the slave of a task that has finished as far as the future depends on it: 0 but where others
// have to be apart from it.
func (s *search) stays(i int, slave uint8) uint8 {
	task := &s.js.Tasks[i]
	if s.js.Jobs[task.Job].Stages[task.Stage].IsApart() {
		return slave
	}
	return 0
}

// held is what is held of a pool or a cap.
func (s *search) held(st *state, id model.SharedID) (sum int64) {
	for _, t := range s.shared[id].Tasks {
		if st.tasks[t].phase.holds(model.HoldStay) {
			sum += s.js.Taken(t, id)
		}
	}
	return sum
}

// levelsAt tells whether a pool or a cap has another level from now on, and whether no more is held
// of any than there is now.
func (s *search) levelsAt(st *state, now model.Time) (changed, kept bool) {
	for id := range s.shared {
		for _, l := range s.shared[id].Levels {
			if l.From != now {
				continue
			}
			changed = true
			if held := s.held(st, model.SharedID(id)); held > max(0, l.Amount) {
				return true, false
			}
		}
	}
	return changed, true
}

// overtaken reports whether a task runs although one that was handed to its slave
// before has not started.
func (s *search) overtaken(st *state) bool {
	for i := range s.js.Tasks {
		a := &st.tasks[i]
		if a.phase != handed && a.phase != fetching && a.phase != fetched {
			continue
		}
		for k := range s.js.Tasks {
			if b := &st.tasks[k]; b.phase == running && a.slave == b.slave && s.at[i].Beat < s.at[k].Beat {
				return true
			}
		}
	}
	return false
}

// next is the first event after now, model.Never if there is none.
func (s *search) next(st *state, now model.Time) model.Time {
	next := model.Never
	consider := func(t model.Time) {
		if t > now {
			next = min(next, t)
		}
	}
	for i := range s.js.Tasks {
		if t := &st.tasks[i]; t.phase == fetching || t.phase == running {
			consider(t.until)
		}
	}
	for i := range s.js.Jobs {
		consider(s.js.Jobs[i].Release)
	}
	for i := range s.shared {
		for _, l := range s.shared[i].Levels {
			consider(l.From)
		}
	}
	for i := range s.js.Slaves {
		for _, d := range s.js.Slaves[i].Down {
			consider(d.End)
		}
		if st.stirred&(1<<i) != 0 {
			_, beat := s.js.BeatAtOrAfter(model.SlaveID(i), now+1)
			consider(beat)
		}
	}
	return next
}

// hopeful reports whether finishes are wanted that are as early as they can be after
// the events before now.
func (s *search) hopeful(st *state, now model.Time) bool {
	clear(s.finishes)
	for _, id := range s.js.StageOrder() {
		stage, job := s.js.Stage(id)
		from, end := max(now, s.js.Jobs[job].Release), model.Time(0)
		for _, before := range s.js.Before(id) {
			from = max(from, s.ends[before])
		}
		for t := stage.First; t < stage.End; t++ {
			end = max(end, s.earliest(&st.tasks[t], t, from))
		}
		s.ends[id] = end
		s.finishes[job] = max(s.finishes[job], end)
	}
	return s.want(s.finishes)
}

// earliest is when a task ends at the earliest, if it is handed out from a time on
// unless it has been.
func (s *search) earliest(p *progress, t model.TaskID, from model.Time) model.Time {
	task, id := &s.js.Tasks[t], model.SlaveID(p.slave)
	switch p.phase {
	case waiting:
		return from + s.shortest[t]
	case handed:
		return from + task.Transfer(id) + task.WCET(id)
	case fetching:
		return p.until + task.WCET(id)
	case fetched:
		return from + task.WCET(id)
	case running:
		return p.until
	default:
		return s.js.Finish(t, s.at[t])
	}
}
