package online

import (
	"slices"

	"downbeat/model"
)

// Outcome is what a run left.
type Outcome struct {
	// Policy is its name.
	Policy string
	JobSet *model.JobSet
	// Schedule has the attempt of each task that counts; tasks of rejected jobs
	// are not placed.
	Schedule model.Schedule
	// Ends are by task when it ended in fact, model.Never if it never ran.
	Ends []model.Time
	// Finishes are by job the last of its Ends, model.Never for jobs that are rejected or left out.
	Finishes []model.Time
	// Rejected jobs, ascending.
	Rejected []model.JobID
	// LeftOut are the jobs, ascending, that could run nowhere any more, as slaves are gone for
	// good, and those after them; some of their tasks may have run.
	LeftOut []model.JobID
	// Unpromised is set if the policy's admission test counts slots alone, and knows nothing of the
	// pools, caps, gangs or tasks that are apart that there are.
	Unpromised bool
	// Overruns is set if tasks were told that they may take longer than declared.
	Overruns bool
	// Lost attempts in the order of their ends.
	Lost []Attempt
	// Failures of slaves in the order of their beginnings; the last ones may end
	// after the run.
	Failures []Failure
	// Trace is empty unless Options asked for it.
	Trace []Decision
	// Events is the number that the run took.
	Events int64
}

// Plan is the run as a plan file of kind executed. A run in which a hard job
// was late or rejected claims no status.
func (o *Outcome) Plan() *model.Plan {
	js := o.JobSet
	p := model.NewPlan(js)
	p.Kind = model.KindExecuted
	if o.HardMet() {
		p.Status = model.Feasible.String()
	}
	for _, obj := range js.Goal() {
		p.Objectives = append(p.Objectives, model.ObjectiveValue{Name: obj.String(), Value: o.Value(obj)})
	}
	for i := range js.Jobs {
		job, finish := &js.Jobs[i], o.Finishes[i]
		switch {
		case o.IsLeftOut(model.JobID(i)):
			p.LeftOut = append(p.LeftOut, job.Name)
			continue
		case finish == model.Never:
			p.Rejected = append(p.Rejected, job.Name)
			continue
		}
		line := model.JobResult{Job: job.Name, Finish: finish, Late: job.Late(finish)}
		if job.Kind != model.BestEffort {
			due := job.Due()
			line.Deadline = &due
		}
		p.Jobs = append(p.Jobs, line)
	}
	for t := range js.Tasks {
		if place := o.Schedule[t]; place.Slave != model.NoSlave {
			p.Tasks = append(p.Tasks, o.line(model.TaskID(t), place, o.Ends[t], o.Ends[t]-place.Start))
		}
	}
	for _, a := range o.Lost {
		p.Lost = append(p.Lost, o.line(a.Task, a.Placement, a.End, a.Length))
	}
	return p
}

// line is an attempt in a plan file; its duration stands there where it may be longer than
// declared.
func (o *Outcome) line(t model.TaskID, place model.Placement, end, length model.Time) model.TaskResult {
	js := o.JobSet
	task := &js.Tasks[t]
	job := &js.Jobs[task.Job]
	line := model.TaskResult{
		Job: job.Name, Stage: job.Stages[task.Stage].Name, Task: int(task.Number),
		Slave: js.Slaves[place.Slave].Name, Beat: place.Beat, Assigned: js.Assigned(place),
		Fetch: place.Fetch, Start: place.Start, Finish: end,
	}
	if o.Overruns {
		line.Duration = length
	}
	return line
}

// IsLeftOut reports whether a job is among LeftOut.
func (o *Outcome) IsLeftOut(i model.JobID) bool {
	_, out := slices.BinarySearch(o.LeftOut, i)
	return out
}

// HardMet reports whether every hard job was accepted and in time.
func (o *Outcome) HardMet() bool {
	for i := range o.JobSet.Jobs {
		if job := &o.JobSet.Jobs[i]; job.Kind == model.Hard && o.Finishes[i] > job.Due() {
			return false
		}
	}
	return true
}

// Value is an objective over the jobs that were not rejected.
func (o *Outcome) Value(obj model.Objective) int64 {
	if len(o.Rejected) == 0 && len(o.LeftOut) == 0 {
		return o.JobSet.Value(obj, o.Finishes)
	}
	kept := *o.JobSet
	kept.Jobs = nil
	var finishes []model.Time
	for i, f := range o.Finishes {
		if f != model.Never || o.IsLeftOut(model.JobID(i)) {
			kept.Jobs = append(kept.Jobs, o.JobSet.Jobs[i])
			finishes = append(finishes, f)
		}
	}
	return kept.Value(obj, finishes)
}

// Failure is a time that a slave was away without notice.
type Failure struct {
	Slave model.SlaveID
	model.Interval
}

// Attempt is a run of a task that came to nothing.
type Attempt struct {
	Task model.TaskID
	model.Placement
	// End is when the slave failed or went away.
	End model.Time
	// Length is the execution time that it would have had.
	Length model.Time
}

// Candidate is a line of a traced decision: a job that could have been served,
// by which key.
type Candidate struct {
	// Job and Stage name what could have been served; several stages have a plus
	// between them.
	Job, Stage string
	// Key is what the policy compared, for people: "due 120", "laxity 5".
	Key string
}

// Decision is one entry of a trace.
type Decision struct {
	At model.Time
	// Task and Slave of a handed out task. Task is -1 for an admission.
	Task  model.TaskID
	Slave model.SlaveID
	// Candidates as the policy ranked them, best first.
	Candidates []Candidate
	// Job, Accepted and Why tell of an admission.
	Job      model.JobID
	Accepted bool
	Why      string
}
