package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StageID numbers the stages of all jobs from 0, in the file's order.
type StageID int32

// graph says which stages wait for which, within jobs and between them.
type graph struct {
	refs []stageRef // by StageID
	// before and next are, by StageID, the stages that it waits for and those that
	// wait for it, ascending.
	before, next [][]StageID
	order        []StageID
	jobs         []JobID // predecessors first
	linked       bool    // some job comes after another
}

type stageRef struct {
	job   JobID
	stage int32
}

// Link numbers the stages and finds which waits for which. Assemble does it; so must
// whoever cuts a job set out of another.
//
// A job that comes after others waits for the stages that none of theirs follow, with
// those stages of its own that follow none: the rest is implied, as A < F.
func (js *JobSet) Link() error {
	if err := js.linkStages(); err != nil {
		return err
	}
	g := &js.graph
	for i := range js.Jobs {
		job := &js.Jobs[i]
		g.linked = g.linked || len(job.After) > 0
		for _, k := range job.After {
			for _, last := range js.Jobs[k].Ends() {
				for _, first := range job.begins() {
					g.link(last, first)
				}
			}
		}
	}
	g.jobs = Topological(len(js.Jobs), func(i JobID) []JobID { return js.Jobs[i].After })
	if g.jobs == nil {
		return fmt.Errorf("jobs wait for each other: %s", js.jobCycle())
	}
	g.order = make([]StageID, 0, len(g.refs))
	for _, i := range g.jobs {
		for _, k := range js.Jobs[i].order {
			g.order = append(g.order, js.Jobs[i].FirstStage+StageID(k))
		}
	}
	js.linkShared()
	js.SetHorizon()
	return nil
}

// linkStages numbers the stages, and links those of each job.
func (js *JobSet) linkStages() error {
	js.graph = graph{}
	g := &js.graph
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.FirstStage = StageID(len(g.refs))
		if err := job.orderStages(); err != nil {
			return fmt.Errorf("job %q: %w", job.Name, err)
		}
		for k := range job.Stages {
			g.refs = append(g.refs, stageRef{JobID(i), int32(k)})
		}
	}
	g.before, g.next = make([][]StageID, len(g.refs)), make([][]StageID, len(g.refs))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		for k := range job.Stages {
			for _, before := range job.Stages[k].After {
				g.link(job.FirstStage+StageID(before), job.FirstStage+StageID(k))
			}
		}
	}
	return nil
}

func (g *graph) link(from, to StageID) {
	g.before[to] = append(g.before[to], from)
	g.next[from] = append(g.next[from], to)
}

// orderStages writes out which stages come after the one before them, and finds an
// order.
func (j *Job) orderStages() error {
	j.chain = true
	for k := range j.Stages {
		st := &j.Stages[k]
		if st.After == nil {
			st.After = []int32{}
			if k > 0 {
				st.After = []int32{int32(k - 1)}
			}
		}
		j.chain = j.chain && j.Follows(k)
		for _, before := range st.After {
			if before < 0 || int(before) >= len(j.Stages) {
				return fmt.Errorf("stage %q comes after a stage that there is not", st.Name)
			}
		}
	}
	j.order = Topological(len(j.Stages), func(k int32) []int32 { return j.Stages[k].After })
	if j.order == nil && len(j.Stages) > 0 {
		cycle := FindCycle(len(j.Stages), func(k int32) []int32 { return j.Stages[k].After })
		names := make([]string, len(cycle))
		for i, k := range cycle {
			names[i] = j.Stages[k].Name
		}
		return errors.New("stages wait for each other: " + strings.Join(names, ", "))
	}
	return nil
}

func (js *JobSet) jobCycle() string {
	cycle := FindCycle(len(js.Jobs), func(i JobID) []JobID { return js.Jobs[i].After })
	names := make([]string, len(cycle))
	for i, k := range cycle {
		names[i] = js.Jobs[k].Name
	}
	return strings.Join(names, ", ")
}

// Ends lists, ascending, the stages of the job that no other one of it comes after: it
// has finished when they have.
func (j *Job) Ends() []StageID {
	followed := make([]bool, len(j.Stages))
	for k := range j.Stages {
		for _, before := range j.Stages[k].After {
			followed[before] = true
		}
	}
	var out []StageID
	for k := range j.Stages {
		if !followed[k] {
			out = append(out, j.FirstStage+StageID(k))
		}
	}
	return out
}

// begins lists the stages of the job that come after no other one of it.
func (j *Job) begins() []StageID {
	var out []StageID
	for k := range j.Stages {
		if len(j.Stages[k].After) == 0 {
			out = append(out, j.FirstStage+StageID(k))
		}
	}
	return out
}

// Stages is the number of stages of all jobs.
func (js *JobSet) Stages() int { return len(js.graph.refs) }

// Stage is the stage of that number, and its job.
func (js *JobSet) Stage(id StageID) (*Stage, JobID) {
	ref := js.graph.refs[id]
	return &js.Jobs[ref.job].Stages[ref.stage], ref.job
}

// StageOf is the stage of a task of the set.
func (js *JobSet) StageOf(task *Task) StageID {
	return js.Jobs[task.Job].FirstStage + StageID(task.Stage)
}

// Before lists the stages whose tasks have all to be finished when a task of the given
// one is handed out: those that it comes after (C7) and, of the jobs that its job
// comes after, their last ones (C10).
func (js *JobSet) Before(id StageID) []StageID { return js.graph.before[id] }

// Next lists the stages that wait for the given one; see Before.
func (js *JobSet) Next(id StageID) []StageID { return js.graph.next[id] }

// StageOrder lists all stages, each behind those that it waits for, the stages of a job
// side by side. Where the file's order is such an order it is that one.
func (js *JobSet) StageOrder() []StageID { return js.graph.order }

// JobOrder lists all jobs, each behind those that it comes after. Where the file's
// order is such an order it is that one.
func (js *JobSet) JobOrder() []JobID { return js.graph.jobs }

// JobsLinked reports whether any job comes after another (C10).
func (js *JobSet) JobsLinked() bool { return js.graph.linked }

// WithBefore lists, ascending, the given jobs and all that they come after, directly or
// not.
func (js *JobSet) WithBefore(jobs []JobID) []JobID {
	in := make([]bool, len(js.Jobs))
	for _, i := range jobs {
		in[i] = true
	}
	for _, i := range slices.Backward(js.JobOrder()) {
		for _, k := range js.Jobs[i].After {
			in[k] = in[k] || in[i]
		}
	}
	var out []JobID
	for i := range in {
		if in[i] {
			out = append(out, JobID(i))
		}
	}
	return out
}

// Order lists the stages of the job, each behind those that it comes after. Where the
// file's order is such an order it is that one.
func (j *Job) Order() []int32 { return j.order }

// Chain reports whether each stage comes after the one before it, and after it alone.
func (j *Job) Chain() bool { return j.chain }

// afterWithout is, for each of the jobs kept, those kept that it comes after when the
// others count as finished once those before them are. Numbers are those of js.
func (js *JobSet) afterWithout(kept []bool) [][]JobID {
	out := make([][]JobID, len(js.Jobs))
	for _, i := range js.JobOrder() {
		for _, k := range js.Jobs[i].After {
			if kept[k] {
				out[i] = append(out[i], k)
			} else {
				out[i] = append(out[i], out[k]...)
			}
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// Follows reports whether a stage comes after the one before it alone, the first one after
// none.
func (j *Job) Follows(stage int) bool {
	after := j.Stages[stage].After
	return len(after) == min(stage, 1) && (stage == 0 || after[0] == int32(stage-1))
}
