package model

import "time"

// PlanVersion is the version of the plan format that this program writes.
const PlanVersion = 1

// ObjectiveValue is what a plan reaches and what is proved about it.
type ObjectiveValue struct {
	Name  string `json:"name" yaml:"name"`
	Value int64  `json:"value" yaml:"value"`
	// Bound is a proved lower bound; nil where none is claimed.
	Bound *int64 `json:"bound" yaml:"bound"`
	// Proof is the word of the argument for Bound (see Proof); empty where it is not said.
	Proof string `json:"proof,omitempty" yaml:"proof,omitempty"`
	// Certified is the bound that the certificate of the plan proves, if it has one; nil for
	// none. It may be less than Bound.
	Certified *int64 `json:"certified,omitempty" yaml:"certified,omitempty"`
}

// Is reports whether it is the value of an objective.
func (v *ObjectiveValue) Is(o Objective) bool { return v.Name == o.String() }

// JobResult is one job's line of a plan.
type JobResult struct {
	Job    string `json:"job" yaml:"job"`
	Finish Time   `json:"finish" yaml:"finish"`
	// Deadline is absolute; nil for a best-effort job.
	Deadline *Time `json:"deadline" yaml:"deadline"`
	// Late is max(0, Finish − Deadline); 0 for a best-effort job.
	Late Time `json:"late" yaml:"late"`
}

// TaskResult is one task's line of a plan, names spelled out.
type TaskResult struct {
	Job   string `json:"job" yaml:"job"`
	Stage string `json:"stage" yaml:"stage"`
	// Task counts from 1 within its stage.
	Task  int    `json:"task" yaml:"task"`
	Slave string `json:"slave" yaml:"slave"`
	// Beat is γ; Assigned is A = H + γh.
	Beat     Time `json:"beat" yaml:"beat"`
	Assigned Time `json:"assigned" yaml:"assigned"`
	Fetch    Time `json:"fetch" yaml:"fetch"`
	Start    Time `json:"start" yaml:"start"`
	Finish   Time `json:"finish" yaml:"finish"`
	// Duration is the execution time in fact, 0 where it is not said; of a lost attempt
	// what it would have been. Executed plans have it where tasks may overrun, plans made
	// during the night for tasks of the past that took, or are taken to take, another time
	// than declared.
	Duration Time `json:"duration,omitempty" yaml:"duration,omitempty"`
}

// SolverInfo says how a plan came about.
type SolverInfo struct {
	Seconds float64 `json:"seconds" yaml:"seconds"`
	// Proof is the word of the hardest argument that was needed (see Proof).
	Proof string `json:"proof" yaml:"proof"`
	Seed  uint64 `json:"seed" yaml:"seed"`
	// From tells what became of the plan that the search started from, nil if
	// it started from none.
	From *FromInfo `json:"from,omitempty" yaml:"from,omitempty"`
}

// CertificateInfo tells of the proof of what a plan file claims (docs/proof.md).
type CertificateInfo struct {
	// Digest is "sha256:" and the hash of the proof's text; empty where nothing had to be
	// proved, or could be.
	Digest string `json:"digest,omitempty" yaml:"digest,omitempty"`
	// Certified: a checker has found that all is proved that is said of bounds, or of there
	// being no plan.
	Certified bool `json:"certified" yaml:"certified"`
}

// FromInfo counts the tasks of a plan that was made from an earlier one. Kept,
// moved and new ones are all there are.
type FromInfo struct {
	// Kept tasks stayed as they were when the earlier plan was repaired, Moved
	// ones could not, New ones were not in it.
	Kept  int `json:"kept" yaml:"kept"`
	Moved int `json:"moved" yaml:"moved"`
	New   int `json:"new" yaml:"new"`
	// Unchanged tasks are as they were at the end of the search too.
	Unchanged int `json:"unchanged" yaml:"unchanged"`
}

// KindExecuted marks a plan left by a simulation: finishes may come early, or late where
// durations are given, jobs may be rejected, attempts lost, and C8 is a result, not a rule.
const KindExecuted = "executed"

// Plan is the content of a plan file.
type Plan struct {
	Version int `json:"version" yaml:"version"`
	// Program is the version of downbeat that wrote the plan, empty where that is not said.
	Program string `json:"program,omitempty" yaml:"program,omitempty"`
	Kind    string `json:"kind,omitempty" yaml:"kind,omitempty"`
	JobSet  string `json:"jobset" yaml:"jobset"`
	// Digest is JobSet.Digest of the set that the plan was made for.
	Digest string `json:"digest" yaml:"digest"`
	// TimeUnit, Origin and Zone are those of the job set; see there.
	TimeUnit time.Duration `json:"time_unit,omitempty" yaml:"time_unit,omitempty"`
	Origin   time.Time     `json:"origin,omitzero" yaml:"origin,omitempty"`
	Zone     string        `json:"zone,omitempty" yaml:"zone,omitempty"`
	Status   string        `json:"status" yaml:"status"`
	// Relaxed marks the least bad plan of an infeasible set: hard deadlines
	// may be missed, and hard-misses leads the objectives.
	Relaxed    bool             `json:"relaxed,omitempty" yaml:"relaxed,omitempty"`
	Objectives []ObjectiveValue `json:"objectives" yaml:"objectives"`
	Jobs       []JobResult      `json:"jobs" yaml:"jobs"`
	Tasks      []TaskResult     `json:"tasks" yaml:"tasks"`
	// Now is the time, in ticks, at which a plan was made during the night, or up to which a
	// run is told; 0 for neither. What is handed out before it is past.
	Now Time `json:"now,omitempty" yaml:"now,omitempty"`
	// Changes are those by which the job set of the plan differs from its file.
	Changes []Change `json:"changes,omitempty" yaml:"changes,omitempty"`
	// LeftOut are jobs that can run nowhere any more, and those after them: they have no tasks
	// and no result.
	LeftOut []string `json:"left_out,omitempty" yaml:"left_out,omitempty"`
	// Rejected jobs and Lost attempts appear in executed plans only.
	Rejected []string     `json:"rejected,omitempty" yaml:"rejected,omitempty"`
	Lost     []TaskResult `json:"lost,omitempty" yaml:"lost,omitempty"`
	Solver   *SolverInfo  `json:"solver,omitempty" yaml:"solver,omitempty"`
	// Certificate tells of the proof of Status and bounds, nil where there is none.
	Certificate *CertificateInfo `json:"certificate,omitempty" yaml:"certificate,omitempty"`
}

// NewPlan is a plan for js that says nothing yet: no status, objectives, jobs or tasks.
func NewPlan(js *JobSet) *Plan {
	return &Plan{
		Version: PlanVersion, JobSet: js.Name, Digest: js.Digest(), TimeUnit: js.TimeUnit, Origin: js.Origin, Zone: js.Zone, Changes: js.Changes,
		Objectives: []ObjectiveValue{}, Jobs: []JobResult{}, Tasks: []TaskResult{},
	}
}

// FillTasks sets Jobs, Tasks and LeftOut from a complete schedule of js: jobs without a place
// are left out.
func (p *Plan) FillTasks(js *JobSet, s Schedule) {
	finishes := js.Finishes(s)
	p.Jobs, p.LeftOut = make([]JobResult, 0, len(js.Jobs)), nil
	for i := range js.Jobs {
		j := &js.Jobs[i]
		if finishes[i] == Never {
			p.LeftOut = append(p.LeftOut, j.Name)
			continue
		}
		result := JobResult{Job: j.Name, Finish: finishes[i], Late: j.Late(finishes[i])}
		if j.Kind != BestEffort {
			due := j.Due()
			result.Deadline = &due
		}
		p.Jobs = append(p.Jobs, result)
	}
	p.Tasks = make([]TaskResult, 0, len(js.Tasks))
	for t := range js.Tasks {
		task, place := &js.Tasks[t], s[t]
		if place.Slave == NoSlave {
			continue
		}
		job := &js.Jobs[task.Job]
		p.Tasks = append(p.Tasks, TaskResult{
			Job: job.Name, Stage: job.Stages[task.Stage].Name, Task: int(task.Number),
			Slave: js.Slaves[place.Slave].Name, Beat: place.Beat, Assigned: js.Assigned(place),
			Fetch: place.Fetch, Start: place.Start, Finish: js.Finish(TaskID(t), place),
		})
	}
}
