package night

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/verify"
)

// Past is what happened to a job set before some time.
type Past struct {
	// Now is the time, in ticks.
	Now model.Time
	// Place has, by TaskID, the places of the tasks that were handed out before Now, and
	// that keep them; NoSlave for all others.
	Place model.Schedule
	// Lost are tasks that were handed out before Now to slaves that have been absent since:
	// they are to be handed out anew.
	Lost []model.TaskID
}

// Cut is the past of a plan, which may be partial, at a time.
func Cut(js *model.JobSet, plan model.Schedule, now model.Time) *Past {
	p := &Past{Now: now, Place: model.NewSchedule(len(js.Tasks))}
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
func (p *Past) Tasks() int {
	n := 0
	for t := range p.Place {
		if p.Of(model.TaskID(t)) {
			n++
		}
	}
	return n
}

// Check tells which rules of the job set the past breaks. Late hard jobs are no fault of it.
func (p *Past) Check(js *model.JobSet) error {
	if report := verify.Part(js, p.Place); !report.OK() {
		return fmt.Errorf("what was handed out before is not as the job set allows: %w", errors.New(report.Violations[0].String()))
	}
	for t := range js.Tasks {
		if !p.Of(model.TaskID(t)) {
			continue
		}
		for _, stage := range js.Before(js.StageOf(&js.Tasks[t])) {
			before, _ := js.Stage(stage)
			for k := before.First; k < before.End; k++ {
				if !p.Of(k) {
					return fmt.Errorf("%s was handed out before %s, which it comes after", js.TaskName(model.TaskID(t)), js.TaskName(k))
				}
			}
		}
	}
	return nil
}

// Kept tells whether a plan is one with this past: its tasks are where they were, and no
// other one is handed out before Now.
func (p *Past) Kept(js *model.JobSet, plan model.Schedule) error {
	for t, at := range plan {
		switch {
		case p.Of(model.TaskID(t)) && at != p.Place[t]:
			return fmt.Errorf("%s was handed out before, and has moved", js.TaskName(model.TaskID(t)))
		case !p.Of(model.TaskID(t)) && js.Assigned(at) < p.Now:
			return fmt.Errorf("%s is handed out in the past", js.TaskName(model.TaskID(t)))
		}
	}
	return nil
}
