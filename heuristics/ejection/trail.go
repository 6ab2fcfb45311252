package ejection

import "downbeat/model"

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
