package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

const (
	// denseLimit is the number of (profile, slave) pairs up to which every
	// eligible slave of a task is listed; at 12 bytes each that is 48 MB. Beyond
	// it only the best few are, and the others are sampled.
	denseLimit = 4_000_000
	// fewSlaves is how many of the best slaves are listed beyond denseLimit.
	fewSlaves = 4
	// samplable is the number of eligible slaves up to which all are listed
	// even beyond denseLimit: guessing would seldom hit one.
	samplable = 32
)

// Option is a slave that a task may run on.
type Option struct {
	Slave model.SlaveID
	// Transfer is C ≥ 0, WCET is E ≥ 1 there, in ticks.
	Transfer, WCET int32
}

// Length is C + E, in ticks.
func (o Option) Length() model.Time { return model.Time(o.Transfer) + model.Time(o.WCET) }

// options lists the slaves of a profile by (C + E, slave).
type options struct {
	list []Option
	// more tells that there are other eligible slaves, none of them better.
	more bool
}

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

func (f *Figures) listOptions() {
	number := map[*model.Profile]int32{}
	var distinct []*model.Profile
	for t := range f.js.Tasks {
		p := f.js.Tasks[t].Profile
		n, seen := number[p]
		if !seen {
			n = int32(len(distinct))
			number[p] = n
			distinct = append(distinct, p)
		}
		f.byTask[t] = n
	}
	keep := len(f.js.Slaves)
	if len(distinct)*len(f.js.Slaves) > denseLimit {
		keep = fewSlaves
	}
	f.profiles = make([]options, len(distinct))
	var l lister
	for i, p := range distinct {
		f.profiles[i] = l.list(p, len(f.js.Slaves), keep)
	}
}

// lister lists the slaves of profiles; its arrays are reused.
type lister struct {
	all []Option
	// keys sort by C + E, then slave: the sum above, the index in all below.
	keys []uint64
}

// list gives those of n slaves that a profile allows: all if they are no more
// than keep or samplable, else the keep best.
func (l *lister) list(p *model.Profile, n, keep int) options {
	l.all, l.keys = l.all[:0], l.keys[:0]
	for s := range model.SlaveID(n) {
		if e := p.WCET(s); e > 0 {
			o := Option{s, int32(p.Transfer(s)), int32(e)}
			l.keys = append(l.keys, uint64(o.Length())<<32|uint64(len(l.all)))
			l.all = append(l.all, o)
		}
	}
	best := l.keys
	if len(l.all) <= max(keep, samplable) {
		slices.Sort(best)
	} else {
		best = smallest(l.keys, keep)
	}
	out := options{list: make([]Option, len(best)), more: len(best) < len(l.all)}
	for i, key := range best {
		out.list[i] = l.all[uint32(key)]
	}
	return out
}

// smallest moves the n smallest keys to the front, sorted.
func smallest(keys []uint64, n int) []uint64 {
	slices.Sort(keys[:n])
	for i := n; i < len(keys); i++ {
		for k := i; k > 0 && keys[min(k, n)-1] > keys[k]; {
			at := min(k, n) - 1
			keys[at], keys[k] = keys[k], keys[at]
			k = at
		}
	}
	return keys[:n]
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
