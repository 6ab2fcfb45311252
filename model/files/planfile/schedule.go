package planfile

import (
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// Schedule is the schedule that the plan gives for a job set, which need not
// be the one that it was made for: tasks go by job, stage and number, slaves by
// name. It may be partial and may break any rule; a task on a slave that the
// set does not have is placed on the slave after the last. Where the beat and
// its time do not fit, as when heartbeats have changed, the last heartbeat at
// that time or before counts.
//
// The notes, for people, say what the job set does not know.
func Schedule(p *model.Plan, js *model.JobSet) (model.Schedule, []string) {
	m := newPlanMatch(js)
	for i := range p.Tasks {
		m.take(&p.Tasks[i])
	}
	var notes []string
	if p.Digest != "" && p.Digest != js.Digest() && slices.Equal(p.Changes, js.Changes) { // else flags tell what differs
		notes = append(notes, "the plan was made for another job set, or for an earlier form of this one")
	}
	note := func(l nameList, one, many string) {
		if len(l.names) > 0 {
			notes = append(notes, l.sentence(one, many))
		}
	}
	note(m.jobs, "there is no job %s: its tasks are left out", "%d jobs of the plan are not in the job set, their tasks are left out: %s")
	note(m.tasks, "there is no task %s: it is left out", "%d tasks of the plan are not in the job set and left out: %s")
	note(m.slaves, "there is no machine %s: its tasks are placed anew", "%d machines of the plan are not in the cluster, their tasks are placed anew: %s")
	note(m.again, "task %s is given more than once, the first line counts", "%d tasks are given more than once, the first line counts: %s")
	return m.schedule, notes
}

// planMatch finds the lines of a plan in a job set.
type planMatch struct {
	js       *model.JobSet
	schedule model.Schedule
	slaveIDs map[string]model.SlaveID
	stages   map[[2]string]*model.Stage // by the names of job and stage
	jobIDs   map[string]bool
	// What is not there, or there twice.
	jobs, tasks, slaves, again nameList
}

func newPlanMatch(js *model.JobSet) *planMatch {
	m := &planMatch{
		js: js, schedule: model.NewSchedule(len(js.Tasks)),
		slaveIDs: map[string]model.SlaveID{}, stages: map[[2]string]*model.Stage{}, jobIDs: map[string]bool{},
	}
	for s := range js.Slaves {
		m.slaveIDs[js.Slaves[s].Name] = model.SlaveID(s)
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		m.jobIDs[job.Name] = true
		for k := range job.Stages {
			m.stages[[2]string{job.Name, job.Stages[k].Name}] = &job.Stages[k]
		}
	}
	return m
}

// take places the task of a line.
func (m *planMatch) take(line *model.TaskResult) {
	if !m.jobIDs[line.Job] {
		m.jobs.add(line.Job)
		return
	}
	name := fmt.Sprintf("%s/%s/%d", line.Job, line.Stage, line.Task)
	stage := m.stages[[2]string{line.Job, line.Stage}]
	if stage == nil || line.Task < 1 || line.Task > int(stage.End-stage.First) {
		m.tasks.add(name)
		return
	}
	at := &m.schedule[stage.First+model.TaskID(line.Task-1)]
	if at.Slave != model.NoSlave {
		m.again.add(name)
		return
	}
	slave, known := m.slaveIDs[line.Slave]
	if !known {
		m.slaves.add(line.Slave)
		at.Slave = model.SlaveID(len(m.js.Slaves))
		return
	}
	*at = model.Placement{Slave: slave, Beat: m.beat(slave, line), Fetch: line.Fetch, Start: line.Start}
}

// beat is the heartbeat of a line, -1 if the slave has none by then.
func (m *planMatch) beat(s model.SlaveID, line *model.TaskResult) model.Time {
	since := line.Assigned - m.js.Slaves[s].FirstBeat
	if since < 0 {
		return -1
	}
	return since / m.js.Heartbeat
}

// nameList collects names, each once, in the order in which they come up.
type nameList struct {
	names []string
	seen  map[string]bool
}

func (l *nameList) add(name string) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[name] {
		l.seen[name] = true
		l.names = append(l.names, name)
	}
}

// mostNames bounds the names in a note.
const mostNames = 6

// sentence words the list: one takes a name, many a number and names.
func (l *nameList) sentence(one, many string) string {
	if len(l.names) == 1 {
		return fmt.Sprintf(one, l.names[0])
	}
	text := strings.Join(l.names[:min(len(l.names), mostNames)], ", ")
	if more := len(l.names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf(many, len(l.names), text)
}
