package night

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/check"
)

// Past is what happened to a job set before some time.
type Past struct {
	// Now is the time, in ticks.
	Now model.Time
	// Declared is the job set, and Set the one in which tasks of the past take as long as
	// they did, or are taken to.
	Declared, Set *model.JobSet
	// Place has, by TaskID, the places of the tasks that were handed out before Now, and
	// that keep them; NoSlave for all others.
	Place model.Schedule
	// Lost are tasks that were handed out before Now to slaves that have been absent since:
	// they are to be handed out anew.
	Lost []model.TaskID
	// Parted are tasks that were handed out before Now and are to be handed out anew with their gang, as
	// others of it are, or have no room at its start (C12).
	Parted []model.TaskID
	// Doomed are tasks that are on slaves which will go away before they end, Overdue those
	// that run for longer than declared. Only a run has them.
	Doomed, Overdue []model.TaskID
}

// Cut is the past of a plan, which may be partial, at a time: all goes as planned. A gang of which a
// task is lost with its slave, or for whose other tasks there is no room any more at its start, is lost as
// a whole (C12).
func Cut(js *model.JobSet, plan model.Schedule, now model.Time) *Past {
	p := &Past{Now: now, Declared: js, Set: js, Place: model.NewSchedule(len(js.Tasks))}
	for t, at := range plan {
		id := model.TaskID(t)
		switch {
		case at.Slave == model.NoSlave:
		case int(at.Slave) >= len(js.Slaves): // one that is not in the cluster
		case js.Assigned(at) >= now:
		case lostBy(js, id, at, now):
			p.Lost = append(p.Lost, id)
		default:
			p.Place[t] = at
		}
	}
	if js.Gangs() {
		p.loseGangs()
		p.loseRoomless()
	}
	return p
}

// lostBy reports whether a task is lost with its slave, absent since now or before.
func lostBy(js *model.JobSet, t model.TaskID, at model.Placement, now model.Time) bool {
	if js.Tasks[t].WCET(at.Slave) == 0 {
		return false
	}
	for _, d := range js.Slaves[at.Slave].Down {
		if d.Start <= now && d.Start < js.Finish(t, at) && js.Assigned(at) < d.End {
			return true
		}
	}
	return false
}

// Of reports whether task t is of the past.
func (p *Past) Of(t model.TaskID) bool { return p.Place[t].Slave != model.NoSlave }

// Tasks is the number of tasks of the past.
func (p *Past) Tasks() int { return len(p.tasks()) }

// tasks lists those of the past.
func (p *Past) tasks() (tasks []model.TaskID) {
	for t := range p.Place {
		if id := model.TaskID(t); p.Of(id) {
			tasks = append(tasks, id)
		}
	}
	return tasks
}

// Fault is what is wrong with a past.
type Fault struct {
	// Rule is that of the validator which is broken, empty for one of the past alone.
	Rule string
	// Task is one that is concerned.
	Task model.TaskID
	// Message says what is wrong, without the rule.
	Message string
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Rule == "" {
		return f.Message
	}
	return fmt.Sprintf("what was handed out before is not as the job set allows: %s: %s", f.Rule, f.Message)
}

// Check tells what is wrong with the past, as a *[Fault], nil if nothing is: a rule of the
// job set that it breaks, or a task without what it comes after. Late hard jobs are no fault
// of it.
func (p *Past) Check() error {
	js := p.Set
	if report := check.Part(js, p.Place); !report.OK() {
		v := &report.Violations[0]
		t := slices.IndexFunc(p.tasks(), func(t model.TaskID) bool { return slices.Contains(v.Tasks, js.TaskName(t)) })
		return &Fault{v.Rule, p.tasks()[max(0, t)], v.Message}
	}
	for _, t := range p.tasks() {
		for _, stage := range js.Before(js.StageOf(&js.Tasks[t])) {
			before, _ := js.Stage(stage)
			for k := before.First; k < before.End; k++ {
				if !p.Of(k) {
					return &Fault{Task: t, Message: fmt.Sprintf("%s was handed out before %s, which it comes after", js.TaskName(t), js.TaskName(k))}
				}
			}
		}
	}
	return nil
}

// Kept tells whether a plan is one with this past: its tasks are where they were, and no
// other one is handed out before Now.
func (p *Past) Kept(plan model.Schedule) error {
	js := p.Set
	for t, at := range plan {
		switch {
		case p.Of(model.TaskID(t)) && at != p.Place[t]:
			return fmt.Errorf("%s was handed out before, and has moved", js.TaskName(model.TaskID(t)))
		case !p.Of(model.TaskID(t)) && at.Slave != model.NoSlave && js.Assigned(at) < p.Now:
			return fmt.Errorf("%s is handed out in the past", js.TaskName(model.TaskID(t)))
		}
	}
	return nil
}
