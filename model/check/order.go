package check

import (
	"fmt"

	"downbeat/model"
)

// waits checks what waits for what: C7 for stages, C10 for jobs.
func (c *checker) waits() {
	last := c.lastOfStages()
	c.stages(last)
	if c.js.JobsLinked() {
		c.afterJobs(last)
		c.takenAlong()
	}
}

// lastOfStages finds, by job and stage, the attempt that counts and finishes last; nil
// where there is none.
func (c *checker) lastOfStages() [][]*attempt {
	last := make([][]*attempt, len(c.js.Jobs))
	for i := range last {
		last[i] = make([]*attempt, len(c.js.Jobs[i].Stages))
	}
	for i := range c.attempts {
		a := &c.attempts[i]
		task := &c.js.Tasks[a.task]
		at := &last[task.Job][task.Stage]
		*at = later(*at, a)
	}
	return last
}

// later is the one of two attempts that counts and finishes last, the first among equals.
func later(a, b *attempt) *attempt {
	if b == nil || b.lost || a != nil && a.finish >= b.finish {
		return a
	}
	return b
}

// stages checks C7: every attempt is assigned once the stages that its own comes after
// are done.
func (c *checker) stages(last [][]*attempt) {
	for i := range c.attempts {
		a := &c.attempts[i]
		task := &c.js.Tasks[a.task]
		stages := c.js.Jobs[task.Job].Stages
		for _, k := range stages[task.Stage].After {
			before := last[task.Job][k]
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

// afterJobs checks C10: every attempt is assigned once the jobs that its own comes after
// are done. What one job is too early for with regard to another is one violation.
func (c *checker) afterJobs(last [][]*attempt) {
	for from := 0; from < len(c.attempts); {
		id, end := c.js.Tasks[c.attempts[from].task].Job, from
		for end < len(c.attempts) && c.js.Tasks[c.attempts[end].task].Job == id {
			end++
		}
		for _, k := range c.js.Jobs[id].After {
			var before *attempt
			for _, a := range last[k] {
				before = later(before, a)
			}
			if before != nil {
				c.afterJob(c.attempts[from:end], before)
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
		if c.rejected[i] || c.leftOut[i] {
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
