package ejection

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// trail remembers where tasks were, so that what came after can be undone.
type trail struct {
	tasks []model.TaskID
	was   model.Schedule // by task, valid for those listed
	known []bool         // by task, listed
}

func newTrail(js *model.JobSet) trail {
	return trail{was: make(model.Schedule, len(js.Tasks)), known: make([]bool, len(js.Tasks))}
}

// note remembers where a task was, unless that is known.
func (tr *trail) note(t model.TaskID, was model.Placement) {
	if !tr.known[t] {
		tr.known[t] = true
		tr.was[t] = was
		tr.tasks = append(tr.tasks, t)
	}
}

// forget makes what there is the base of the trail.
func (tr *trail) forget() {
	for _, t := range tr.tasks {
		tr.known[t] = false
	}
	tr.tasks = tr.tasks[:0]
}

// back puts all tasks of a trail where they were.
func (s *Search) back(tr *trail) {
	for _, t := range tr.tasks {
		if s.board.Place[t].Slave != model.NoSlave {
			s.remove(t)
		}
	}
	for _, t := range tr.tasks {
		if tr.was[t].Slave != model.NoSlave {
			s.put(t, tr.was[t])
		}
	}
	s.restage(tr)
	tr.forget()
}

// restage works out anew what depends on the finishes of the tasks of a trail.
func (s *Search) restage(tr *trail) {
	stages := s.step.stages[:0]
	for _, t := range tr.tasks {
		stages = append(stages, s.board.StageOf(t))
	}
	slices.Sort(stages)
	stages = slices.Compact(stages)
	for _, st := range stages {
		s.board.Restage(st)
		s.recount(s.fig.Stages[st].Ref.Job)
	}
	s.step.stages = stages
}

// index lists the tasks of each slave by start.
func (s *Search) index() {
	for k := range s.on {
		s.on[k] = s.on[k][:0]
	}
	for t, p := range s.board.Place {
		if p.Slave != model.NoSlave {
			s.on[p.Slave] = append(s.on[p.Slave], model.TaskID(t))
		}
	}
	for k := range s.on {
		slices.SortFunc(s.on[k], func(a, b model.TaskID) int {
			return cmp.Or(cmp.Compare(s.board.Place[a].Start, s.board.Place[b].Start), cmp.Compare(a, b))
		})
	}
}

// firstFrom is the place in the list of a slave of the first task that starts at a
// time or later.
func (s *Search) firstFrom(slave model.SlaveID, at model.Time) int {
	k, _ := slices.BinarySearchFunc(s.on[slave], at, func(t model.TaskID, at model.Time) int {
		return cmp.Compare(s.board.Place[t].Start, at)
	})
	return k
}

// put places a task as given.
func (s *Search) put(t model.TaskID, p model.Placement) {
	s.board.Put(t, p)
	s.added(t)
}

// added counts a task in that was placed.
func (s *Search) added(t model.TaskID) {
	p := s.board.Place[t]
	k := s.firstFrom(p.Slave, p.Start)
	s.on[p.Slave] = slices.Insert(s.on[p.Slave], k, t)
	s.charge(t, 1)
}

// remove takes a placed task off the board.
func (s *Search) remove(t model.TaskID) {
	p := s.board.Place[t]
	k := s.firstFrom(p.Slave, p.Start)
	for s.on[p.Slave][k] != t {
		k++
	}
	s.on[p.Slave] = slices.Delete(s.on[p.Slave], k, k+1)
	s.charge(t, -1)
	s.board.Take(t)
}
