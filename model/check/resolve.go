package check

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// names finds the job set's items by name.
type names struct {
	jobs   map[string]model.JobID
	stages map[stageKey]*model.Stage
	slaves map[string]model.SlaveID
}

type stageKey struct {
	job   model.JobID
	stage string
}

func newNames(js *model.JobSet) *names {
	n := &names{
		jobs:   make(map[string]model.JobID, len(js.Jobs)),
		stages: make(map[stageKey]*model.Stage, len(js.Jobs)),
		slaves: make(map[string]model.SlaveID, len(js.Slaves)),
	}
	for i := range js.Slaves {
		n.slaves[js.Slaves[i].Name] = model.SlaveID(i)
	}
	for i := range js.Jobs {
		n.jobs[js.Jobs[i].Name] = model.JobID(i)
		for si := range js.Jobs[i].Stages {
			st := &js.Jobs[i].Stages[si]
			n.stages[stageKey{model.JobID(i), st.Name}] = st
		}
	}
	return n
}

// reject notes the rejected jobs of an executed plan.
func (c *checker) reject(jobs []string) { c.note(jobs, c.rejected, "rejected") }

// leaveOut notes the jobs that a plan leaves out.
func (c *checker) leaveOut(jobs []string) { c.note(jobs, c.leftOut, "left out") }

// note marks the jobs of a list of a plan.
func (c *checker) note(jobs []string, marked []bool, as string) {
	for _, job := range jobs {
		id, ok := c.names.jobs[job]
		switch {
		case !ok:
			c.add(Violation{Rule: "name", Message: fmt.Sprintf("there is no job %q in the job set, the plan lists it as %s", job, as)})
		case marked[id]:
			c.add(Violation{Rule: "duplicate", Message: fmt.Sprintf("job %q is listed as %s more than once", job, as)})
		default:
			marked[id] = true
		}
	}
}

// mayLeaveOut checks that the jobs which are left out are such as can be: confined to slaves
// that go for good, or after one that is left out; that jobs after them are left out too; and
// that none is hard, unless hard deadlines may be missed.
func (c *checker) mayLeaveOut() {
	if !slices.Contains(c.leftOut, true) {
		return
	}
	confined := c.js.Confined()
	for i := range c.js.Jobs {
		job := &c.js.Jobs[i]
		at := slices.IndexFunc(job.After, func(k model.JobID) bool { return c.leftOut[k] })
		switch {
		case !c.leftOut[i] && at >= 0 && !c.rejected[i]:
			c.add(Violation{Rule: "left out", Message: fmt.Sprintf(
				"job %q is not left out, but job %q is, which it comes after", job.Name, c.js.Jobs[job.After[at]].Name)})
		case !c.leftOut[i]:
		case at < 0 && (confined == nil || !confined[i]):
			c.add(Violation{Rule: "left out", Message: fmt.Sprintf(
				"job %q is left out, but each of its tasks can run on a machine that stays", job.Name)})
		case job.Kind == model.Hard && !c.relaxed && !c.executed:
			c.add(Violation{Rule: "C8", Message: fmt.Sprintf("hard job %s is left out", job.Name)})
		}
	}
}

// resolve turns the lines of a plan into attempts. Lines that make no sense
// are reported and left out.
func (c *checker) resolve(p *model.Plan) {
	c.attempts = make([]attempt, 0, len(p.Tasks)+len(p.Lost))
	for i := range p.Lost {
		c.resolveLine(&p.Lost[i], true)
	}
	for i := range p.Tasks {
		c.resolveLine(&p.Tasks[i], false)
	}
	// The verdict must not depend on the order of lines.
	slices.SortStableFunc(c.attempts, func(a, b attempt) int { return int(a.task) - int(b.task) })
	for _, i := range c.merged {
		v := &c.violations[i]
		v.Message += ": " + listNames(v.Tasks, v.More)
	}
}

func (c *checker) resolveLine(line *model.TaskResult, lost bool) {
	n := c.names
	label := fmt.Sprintf("%s/%s/%d", line.Job, line.Stage, line.Task)
	job, ok := n.jobs[line.Job]
	if !ok {
		c.addMerged("name", fmt.Sprintf("there is no job %q in the job set", line.Job), label)
		return
	}
	stage, ok := n.stages[stageKey{job, line.Stage}]
	if !ok {
		c.addMerged("name", fmt.Sprintf("job %q has no stage %q", line.Job, line.Stage), label)
		return
	}
	size := int(stage.End - stage.First)
	if line.Task < 1 || line.Task > size {
		c.addMerged("name", fmt.Sprintf("stage %s/%s has %s, numbered from 1", line.Job, line.Stage, count(size, "task")), label)
		return
	}
	task := stage.First + model.TaskID(line.Task-1)
	if c.rejected[job] {
		c.addMerged("rejected", fmt.Sprintf("job %q is listed as rejected and yet has tasks", line.Job), label)
	}
	if c.leftOut[job] && !c.executed && line.Assigned >= c.now {
		c.addMerged("left out", fmt.Sprintf("job %q is listed as left out and yet has tasks", line.Job), label)
	}
	if !lost {
		if c.given[task] {
			c.addMerged("duplicate", "tasks are given more than once, the first line counts", label)
			return
		}
		c.given[task] = true
	}
	slave, ok := n.slaves[line.Slave]
	if !ok {
		c.addMerged("name", fmt.Sprintf("there is no machine %q in the cluster", line.Slave), label)
		return
	}
	c.addIfSane(attempt{
		task: task, slave: slave, beat: line.Beat, assigned: line.Assigned,
		fetch: line.Fetch, start: line.Start, finish: line.Finish, duration: line.Duration, lost: lost,
	})
}

// place turns a schedule into attempts.
func (c *checker) place(s model.Schedule) {
	if len(s) != len(c.js.Tasks) {
		c.add(Violation{Rule: "name", Message: fmt.Sprintf(
			"the schedule places %s, the job set has %d", count(len(s), "task"), len(c.js.Tasks))})
	}
	c.attempts = make([]attempt, 0, len(s))
	for t, p := range s[:min(len(s), len(c.js.Tasks))] {
		if p.Slave == model.NoSlave {
			continue
		}
		task := model.TaskID(t)
		c.given[task] = true
		if p.Slave < 0 || int(p.Slave) >= len(c.js.Slaves) {
			c.add(Violation{Rule: "name", Tasks: []string{c.js.TaskName(task)}, Message: fmt.Sprintf(
				"%s is on machine %d, the cluster has %s", c.js.TaskName(task), p.Slave, count(len(c.js.Slaves), "machine"))})
			continue
		}
		a := attempt{task: task, slave: p.Slave, beat: p.Beat, fetch: p.Fetch, start: p.Start}
		if !sane(p.Start) || !sane(p.Beat) || p.Beat > model.Never/c.js.Heartbeat {
			a.assigned, a.finish = p.Beat, p.Start // hγ or S + E might overflow
			c.outOfRange(&a)
			continue
		}
		a.assigned = c.js.Slaves[p.Slave].FirstBeat + c.js.Heartbeat*p.Beat
		a.finish = p.Start + c.js.Tasks[task].WCET(p.Slave)
		c.addIfSane(a)
	}
}

// sane tells times that sums cannot overflow with.
func sane(t model.Time) bool { return 0 <= t && t < model.Never }

// addIfSane takes an attempt up for checking unless a time is out of range.
func (c *checker) addIfSane(a attempt) {
	for _, t := range []model.Time{a.assigned, a.fetch, a.start, a.finish, a.duration} {
		if !sane(t) {
			c.outOfRange(&a)
			return
		}
	}
	c.attempts = append(c.attempts, a)
}

func (c *checker) outOfRange(a *attempt) {
	duration := ""
	if a.duration != 0 {
		duration = fmt.Sprintf(", duration %d", a.duration)
	}
	c.addAttempt("time", a, model.Interval{},
		"has a time below 0 or beyond all reach (beat %d, assigned %d, fetch %d, start %d, finish %d%s)",
		a.beat, a.assigned, a.fetch, a.start, a.finish, duration)
}

// missing reports the tasks that the plan leaves out, once per stage.
func (c *checker) missing() {
	for ji := range c.js.Jobs {
		if c.rejected[ji] || c.leftOut[ji] {
			continue
		}
		job := &c.js.Jobs[ji]
		for si := range job.Stages {
			st := &job.Stages[si]
			v := Violation{Rule: "missing"}
			for t := st.First; t < st.End; t++ {
				switch {
				case c.given[t]:
				case len(v.Tasks) < maxTasks:
					v.Tasks = append(v.Tasks, c.js.TaskName(t))
				default:
					v.More++
				}
			}
			if n := len(v.Tasks) + v.More; n > 0 {
				v.Message = fmt.Sprintf("the plan leaves out %d of %s of stage %s/%s: %s",
					n, count(int(st.End-st.First), "task"), job.Name, st.Name, listNames(v.Tasks, v.More))
				c.add(v)
			}
		}
	}
}

// order groups attempts by slave.
func (c *checker) order() {
	c.bySlave = make([][]int32, len(c.js.Slaves))
	for i := range c.attempts {
		s := c.attempts[i].slave
		c.bySlave[s] = append(c.bySlave[s], int32(i))
	}
}

// jobFinishes finds the last finish of each job that is given whole.
func (c *checker) jobFinishes() {
	c.finish = make([]model.Time, len(c.js.Jobs))
	usable := make([]model.TaskID, len(c.js.Jobs))
	for i := range c.attempts {
		a := &c.attempts[i]
		if a.lost {
			continue
		}
		job := c.js.Tasks[a.task].Job
		usable[job]++
		c.finish[job] = max(c.finish[job], a.finish)
	}
	for j := range c.js.Jobs {
		if usable[j] != c.js.Jobs[j].End-c.js.Jobs[j].First {
			c.finish[j] = -1
		}
	}
}
