package check

import (
	"fmt"

	"downbeat/model"
)

// checker holds one check in progress.
type checker struct {
	js                *model.JobSet
	executed, relaxed bool
	// now is when a plan was made during the night, 0 for others: tasks that it hands out
	// before may have taken another time than declared.
	now model.Time
	// begun lists by slave, ascending, when inputs began to come before now.
	begun [][]model.Time
	// names of the job set's items; nil when a schedule is checked.
	names *names
	// attempts that can be checked, ordered by task; lost ones first.
	attempts []attempt
	// given tells which tasks the plan gives, usable or not.
	given []bool
	// rejected tells which jobs an executed plan refused, leftOut which ones a plan leaves out.
	rejected, leftOut []bool
	// bySlave lists attempts (by index) per slave.
	bySlave [][]int32
	// finish is the last finish of each job, -1 where tasks are missing or unusable.
	finish   []model.Time
	hardLate []model.JobID

	violations []Violation
	// merged finds violations that are told once for many lines of a plan.
	merged map[string]int
}

// attempt is one run of a task on a slave, with its times as given.
type attempt struct {
	task          model.TaskID
	slave         model.SlaveID
	beat          model.Time
	assigned      model.Time
	fetch         model.Time
	start, finish model.Time
	// duration is the execution time in fact, 0 where the plan does not say it.
	duration model.Time
	lost     bool
}

func newChecker(js *model.JobSet) *checker {
	return &checker{
		js:       js,
		given:    make([]bool, len(js.Tasks)),
		rejected: make([]bool, len(js.Jobs)), leftOut: make([]bool, len(js.Jobs)),
		merged: map[string]int{},
	}
}

func (c *checker) add(v Violation) { c.violations = append(c.violations, v) }

// addAttempt records a violation of a single attempt.
func (c *checker) addAttempt(rule string, a *attempt, at model.Interval, format string, args ...any) {
	name := c.name(a)
	c.add(Violation{
		Rule: rule, Tasks: []string{name}, Slave: c.js.Slaves[a.slave].Name, At: at,
		Message: name + " " + fmt.Sprintf(format, args...),
	})
}

// addMerged records a violation once for all the lines of a plan that it
// concerns; sentence gets the list of tasks at its end.
func (c *checker) addMerged(rule, sentence, task string) {
	key := rule + ": " + sentence
	i, seen := c.merged[key]
	if !seen {
		i = len(c.violations)
		c.merged[key] = i
		c.add(Violation{Rule: rule, Message: sentence})
	}
	v := &c.violations[i]
	if len(v.Tasks) < maxTasks {
		v.Tasks = append(v.Tasks, task)
	} else {
		v.More++
	}
}

// name is what people call an attempt.
func (c *checker) name(a *attempt) string {
	if a.lost {
		return c.js.TaskName(a.task) + " (lost)"
	}
	return c.js.TaskName(a.task)
}
