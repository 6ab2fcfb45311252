package night

import (
	"downbeat/model"
	"downbeat/model/compare"
)

// Told is the job set in which tasks take the times that a plan made during the night gives
// for its own past, where s has the place of each.
func Told(js *model.JobSet, plan *model.Plan, s model.Schedule) (*model.JobSet, error) {
	took, find := map[model.TaskID]model.Time{}, compare.NewFinder(js)
	for i := range plan.Tasks {
		line := &plan.Tasks[i]
		if line.Duration < 1 || line.Duration > model.MaxTime || line.Assigned >= plan.Now {
			continue
		}
		if t, known := find.Task(line); known && js.Tasks[t].Eligible(s[t].Slave) && line.Start == s[t].Start {
			took[t] = line.Duration
		}
	}
	return taking(js, took, s)
}
