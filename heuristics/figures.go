package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// Figures are facts about each job by itself that orders and searches use. They
// are read-only once made.
type Figures struct {
	js *model.JobSet
	// byTask and profiles give a task's options.
	byTask   []int32
	profiles []options
	// Base is the index in Stages of each job's first stage; stages of a job are
	// consecutive. There is one more entry than jobs.
	Base   []int32
	Stages []StageFigures
	Jobs   []JobFigures
}

// StageRef names a stage of a job.
type StageRef struct {
	Job model.JobID
	// Stage indexes the job's Stages.
	Stage int32
}

// StageFigures are facts about a stage. Times are ticks.
type StageFigures struct {
	Ref StageRef
	// Head is a lower bound on the finish of the stage before, release for the
	// first; Length is the longest of the tasks' least C + E; Work is their sum.
	Head, Length, Work model.Time
	// Due is the latest finish of this stage that leaves the stages after it
	// enough time; Never for best-effort jobs.
	Due model.Time
	// Tail is the sum of the lengths of the stages after this one.
	Tail model.Time
	// Tasks in the order in which they are placed: longest first.
	Tasks []model.TaskID
}

// JobFigures are facts about a job.
type JobFigures struct {
	// Path is the least time from release to finish, heartbeats and absences
	// included where there are few enough pairs of profile and slave.
	Path model.Time
	// Work is the sum of the tasks' least C + E, in ticks.
	Work model.Time
}

// NewFigures works them out for a job set. It takes profiles × slaves steps.
func NewFigures(js *model.JobSet) *Figures {
	f := &Figures{js: js, byTask: make([]int32, len(js.Tasks)), Jobs: make([]JobFigures, len(js.Jobs))}
	f.listOptions()
	for i := range js.Jobs {
		job := &js.Jobs[i]
		f.Base = append(f.Base, int32(len(f.Stages)))
		for si := range job.Stages {
			f.Stages = append(f.Stages, f.stage(model.JobID(i), si))
		}
	}
	f.Base = append(f.Base, int32(len(f.Stages)))
	for i := range js.Jobs {
		f.forward(model.JobID(i))
		f.backward(model.JobID(i))
	}
	return f
}

// LateAlone reports whether the job cannot finish by its due time even with
// the cluster to itself. True is a proof; false is not.
func (f *Figures) LateAlone(i model.JobID) bool {
	job := &f.js.Jobs[i]
	return job.Release+f.Jobs[i].Path > job.Due()
}

func (f *Figures) options(t model.TaskID) *options { return &f.profiles[f.byTask[t]] }

// Best is the task's slave of least C + E.
func (f *Figures) Best(t model.TaskID) Option { return f.options(t).list[0] }

func (f *Figures) stage(job model.JobID, si int) StageFigures {
	st := &f.js.Jobs[job].Stages[si]
	out := StageFigures{Ref: StageRef{job, int32(si)}, Tasks: make([]model.TaskID, 0, st.End-st.First)}
	for t := st.First; t < st.End; t++ {
		out.Length = max(out.Length, f.Best(t).Length())
		out.Work += f.Best(t).Length()
		out.Tasks = append(out.Tasks, t)
	}
	slices.SortStableFunc(out.Tasks, func(a, b model.TaskID) int {
		return cmp.Compare(f.Best(b).Length(), f.Best(a).Length())
	})
	return out
}

func (f *Figures) at(st StageRef) *StageFigures { return &f.Stages[f.Base[st.Job]+st.Stage] }

func (f *Figures) jobOf(st StageRef) *model.Job { return &f.js.Jobs[st.Job] }

// stagesOf lists the stages of a job.
func (f *Figures) stagesOf(i model.JobID) []StageFigures {
	return f.Stages[f.Base[i]:f.Base[i+1]]
}

// forward sets heads, the job's path and its work.
func (f *Figures) forward(i model.JobID) {
	ready := f.js.Jobs[i].Release
	for si := range f.stagesOf(i) {
		st := &f.stagesOf(i)[si]
		st.Head = ready
		finish := ready
		f.eachProfile(st, func(o *options) {
			finish = max(finish, f.firstFinish(o, st.Head))
		})
		ready = finish
		f.Jobs[i].Work += st.Work
	}
	f.Jobs[i].Path = ready - f.js.Jobs[i].Release
}

// eachProfile calls yield once for each run of equal tasks of the stage.
func (f *Figures) eachProfile(st *StageFigures, yield func(*options)) {
	last := int32(-1)
	for _, t := range st.Tasks {
		if p := f.byTask[t]; p != last {
			last = p
			yield(&f.profiles[p])
		}
	}
}

// firstFinish is the least finish of a task alone that may be handed out at
// ready or later; a lower bound where not all its slaves are listed.
func (f *Figures) firstFinish(o *options, ready model.Time) model.Time {
	if o.more {
		return ready + o.list[0].Length()
	}
	finish := model.Never
	for _, c := range o.list {
		if ready+c.Length() < finish {
			finish = min(finish, window.FirstAssign(f.js, c.Slave, ready, c.Length())+c.Length())
		}
	}
	return finish
}

// backward sets dues and tails.
func (f *Figures) backward(i model.JobID) {
	stages := f.stagesOf(i)
	due, tail := f.js.Jobs[i].Due(), model.Time(0)
	for si := len(stages) - 1; si >= 0; si-- {
		st := &stages[si]
		st.Due, st.Tail = due, tail
		tail += st.Length
		assign := due
		f.eachProfile(st, func(o *options) {
			assign = min(assign, f.lastAssign(o, st.Due))
		})
		due = assign
	}
}

// lastAssign is the last heartbeat from which a task alone can finish by limit;
// an upper bound where not all its slaves are listed, and where none can.
func (f *Figures) lastAssign(o *options, limit model.Time) model.Time {
	bound := limit - o.list[0].Length()
	if o.more || limit >= model.Never-model.MaxTime {
		return bound
	}
	last := model.Time(-1)
	for _, c := range o.list {
		if limit-c.Length() > last {
			assign, _ := window.LastAssign(f.js, c.Slave, limit, model.Time(c.Transfer), model.Time(c.WCET))
			last = max(last, assign)
		}
	}
	if last < 0 {
		return bound
	}
	return last
}
