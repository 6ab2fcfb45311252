package online

import "downbeat/model"

// Outcome is what a run left.
type Outcome struct {
	// Policy is its name.
	Policy string
	JobSet *model.JobSet
	// Schedule has the attempt of each task that counts; tasks of rejected jobs
	// are not placed.
	Schedule model.Schedule
	// Ends are by task when it ended in fact, model.Never for rejected jobs.
	Ends []model.Time
	// Finishes are by job the last of its Ends.
	Finishes []model.Time
	// Rejected jobs, ascending.
	Rejected []model.JobID
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
	p := &model.Plan{
		Version: model.PlanVersion, Kind: model.KindExecuted, JobSet: js.Name, Digest: js.Digest(),
		Jobs: []model.JobResult{}, Tasks: []model.TaskResult{},
		Objectives: []model.ObjectiveValue{},
	}
	if o.HardMet() {
		p.Status = model.Feasible.String()
	}
	for _, obj := range js.Goal() {
		p.Objectives = append(p.Objectives, model.ObjectiveValue{Name: obj.String(), Value: o.Value(obj)})
	}
	for i := range js.Jobs {
		job, finish := &js.Jobs[i], o.Finishes[i]
		if finish == model.Never {
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
			p.Tasks = append(p.Tasks, o.line(model.TaskID(t), place, o.Ends[t]))
		}
	}
	for _, a := range o.Lost {
		p.Lost = append(p.Lost, o.line(a.Task, a.Placement, a.End))
	}
	return p
}

func (o *Outcome) line(t model.TaskID, place model.Placement, end model.Time) model.TaskResult {
	js := o.JobSet
	task := &js.Tasks[t]
	job := &js.Jobs[task.Job]
	return model.TaskResult{
		Job: job.Name, Stage: job.Stages[task.Stage].Name, Task: int(task.Number),
		Slave: js.Slaves[place.Slave].Name, Beat: place.Beat, Assigned: js.Assigned(place),
		Fetch: place.Fetch, Start: place.Start, Finish: end,
	}
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
	if len(o.Rejected) == 0 {
		return o.JobSet.Value(obj, o.Finishes)
	}
	kept := *o.JobSet
	kept.Jobs = nil
	var finishes []model.Time
	for i, f := range o.Finishes {
		if f != model.Never {
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
	// End is when the slave failed.
	End model.Time
}

// Candidate is a line of a traced decision: a job that could have been served,
// by which key.
type Candidate struct {
	// Job and Stage name what could have been served.
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

// Measures are the figures of one run by which schedulers are compared.
type Measures struct {
	// Jobs of the set, those accepted, and of these the Successful: finished
	// by their deadline, or at all if they have none.
	Jobs, Accepted, Successful int
	// AcceptRatio is Accepted over Jobs and SuccessRatio Successful over
	// Accepted, 1 of nothing (RTMR §V).
	AcceptRatio, SuccessRatio float64
	// Utilization is the slot time that successful jobs held, over the slot
	// time that was there from the first release to the last finish, declared
	// absences aside (RTMR §V). TotalUtilization counts all jobs, as the paper
	// does for FIFO.
	Utilization, TotalUtilization float64
	// HardMisses counts accepted hard jobs that were late, RejectedHard hard
	// jobs that were turned away.
	HardMisses, RejectedHard int64
	// Misses, MaxTardiness, WeightedTardiness and Makespan are the objectives
	// of the job set over the accepted jobs, in the units of model.Objective.
	Misses, MaxTardiness, WeightedTardiness, Makespan int64
	// Penalty is Σ ω (y − y_ref)/y_ref over late jobs, y the time from release
	// to finish and y_ref the relative deadline (RDS §III).
	Penalty float64
	// Locality is the share of tasks that ran on a slave with the least
	// transfer time, among those tasks for which slaves differ; 1 if none does.
	Locality float64
	// MeanResponse is the mean time from release to finish of accepted jobs.
	MeanResponse float64
}

// Measures computes the figures of the run.
func (o *Outcome) Measures() Measures {
	js := o.JobSet
	m := Measures{
		Jobs: len(js.Jobs), HardMisses: o.Value(model.HardMisses),
		Misses: o.Value(model.Misses), MaxTardiness: o.Value(model.Tardiness),
		WeightedTardiness: o.Value(model.WeightedTardiness), Makespan: o.Value(model.Makespan),
	}
	var held, useful float64
	span := model.Interval{Start: model.Never}
	for i := range js.Jobs {
		job, finish := &js.Jobs[i], o.Finishes[i]
		span.Start = min(span.Start, job.Release)
		if finish == model.Never {
			if job.Kind == model.Hard {
				m.RejectedHard++
			}
			continue
		}
		m.Accepted++
		span.End = max(span.End, finish)
		m.MeanResponse += float64(finish - job.Release)
		time := o.slotTime(job)
		held += time
		if late := job.Late(finish); late > 0 {
			m.Penalty += float64(job.Weight) * float64(late) / float64(job.Deadline)
		} else {
			m.Successful++
			useful += time
		}
	}
	m.AcceptRatio = share(float64(m.Accepted), float64(m.Jobs))
	m.SuccessRatio = share(float64(m.Successful), float64(m.Accepted))
	m.MeanResponse /= float64(max(1, m.Accepted))
	if there := slotTimeThere(js, span); there > 0 {
		m.Utilization, m.TotalUtilization = useful/there, held/there
	}
	m.Locality = o.locality()
	return m
}

// share is part over whole, 1 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

// slotTime is how long the tasks of a job held slots.
func (o *Outcome) slotTime(job *model.Job) float64 {
	sum := model.Time(0)
	for t := job.First; t < job.End; t++ {
		sum += o.Ends[t] - o.JobSet.Assigned(o.Schedule[t])
	}
	return float64(sum)
}

// slotTimeThere is slots times ticks within span, absences aside.
func slotTimeThere(js *model.JobSet, span model.Interval) float64 {
	sum := 0.0
	for i := range js.Slaves {
		s := &js.Slaves[i]
		there := span.Len()
		for _, d := range s.Down {
			there -= d.Intersect(span).Len()
		}
		sum += float64(there) * float64(s.TotalSlots())
	}
	return sum
}

func (o *Outcome) locality() float64 {
	type places map[model.SlaveID]bool
	near := map[*model.Profile]places{}
	local, all := 0, 0
	for t := range o.JobSet.Tasks {
		place := o.Schedule[t].Slave
		if place == model.NoSlave {
			continue
		}
		p := o.JobSet.Tasks[t].Profile
		at, ok := near[p]
		if !ok {
			at = places{}
			for _, s := range p.Nearest() {
				at[s] = true
			}
			near[p] = at
		}
		if len(at) == 0 {
			continue
		}
		all++
		if at[place] {
			local++
		}
	}
	return share(float64(local), float64(all))
}
