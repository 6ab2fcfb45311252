package verify

import (
	"fmt"

	"downbeat/model"
)

// stages checks C7: every attempt is assigned once the stages that its own comes after
// are done.
func (c *checker) stages() {
	last := map[stageOf]*attempt{} // the one that counts and finishes last
	for i := range c.attempts {
		a := &c.attempts[i]
		task := &c.js.Tasks[a.task]
		key := stageOf{task.Job, task.Stage}
		if was := last[key]; !a.lost && (was == nil || a.finish > was.finish) {
			last[key] = a
		}
	}
	for i := range c.attempts {
		a := &c.attempts[i]
		task := &c.js.Tasks[a.task]
		stages := c.js.Jobs[task.Job].Stages
		for _, k := range stages[task.Stage].After {
			before := last[stageOf{task.Job, k}]
			if before == nil || a.assigned >= before.finish {
				continue
			}
			c.add(Violation{
				Rule: "C7", Tasks: []string{c.name(a), c.name(before)}, Slave: c.js.Slaves[a.slave].Name,
				At: model.Interval{Start: a.assigned, End: before.finish},
				Message: fmt.Sprintf("%s is assigned at %d, before %s finishes at %d: stage %s comes after stage %s",
					c.name(a), a.assigned, c.name(before), before.finish, stages[task.Stage].Name, stages[k].Name),
			})
		}
	}
}

type stageOf struct {
	job   model.JobID
	stage int32
}

// afterJobs checks C10: every attempt is assigned once the jobs that its own comes after
// are done. What one job is too early for with regard to another is one violation.
func (c *checker) afterJobs() {
	last := make([]*attempt, len(c.js.Jobs)) // the one that counts and finishes last
	for i := range c.attempts {
		a := &c.attempts[i]
		id := c.js.Tasks[a.task].Job
		if was := last[id]; !a.lost && (was == nil || a.finish > was.finish) {
			last[id] = a
		}
	}
	for from := 0; from < len(c.attempts); {
		id, end := c.js.Tasks[c.attempts[from].task].Job, from
		for end < len(c.attempts) && c.js.Tasks[c.attempts[end].task].Job == id {
			end++
		}
		for _, k := range c.js.Jobs[id].After {
			if last[k] != nil {
				c.afterJob(c.attempts[from:end], last[k])
			}
		}
		from = end
	}
}

// afterJob checks the attempts of a job against the one that finishes last of a job that
// it comes after.
func (c *checker) afterJob(attempts []attempt, before *attempt) {
	v := Violation{Rule: "C10", At: model.Interval{Start: before.finish, End: before.finish}}
	for i := range attempts {
		a := &attempts[i]
		if a.assigned >= before.finish {
			continue
		}
		v.At.Start = min(v.At.Start, a.assigned)
		if len(v.Tasks) < maxTasks {
			v.Tasks = append(v.Tasks, c.name(a))
		} else {
			v.More++
		}
	}
	if len(v.Tasks) == 0 {
		return
	}
	v.Message = fmt.Sprintf("job %s comes after job %s, whose %s finishes at %d; assigned before, from %d on: %s",
		c.js.Jobs[c.js.Tasks[attempts[0].task].Job].Name, c.js.Jobs[c.js.Tasks[before.task].Job].Name,
		c.name(before), before.finish, v.At.Start, listNames(v.Tasks, v.More))
	c.add(v)
}

// takenAlong checks that a job is rejected where one that it comes after is: it could
// never run.
func (c *checker) takenAlong() {
	for i := range c.js.Jobs {
		if c.rejected[i] {
			continue
		}
		for _, k := range c.js.Jobs[i].After {
			if c.rejected[k] {
				c.add(Violation{Rule: "rejected", Message: fmt.Sprintf(
					"job %q is not rejected, but job %q is, which it comes after", c.js.Jobs[i].Name, c.js.Jobs[k].Name)})
			}
		}
	}
}
