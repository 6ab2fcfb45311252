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

// option is a slave that a task may run on, with C and E there.
type option struct {
	slave          model.SlaveID
	transfer, wcet int32
}

func (o option) length() model.Time { return model.Time(o.transfer) + model.Time(o.wcet) }

// options lists the slaves of a profile by (C + E, slave).
type options struct {
	list []option
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
	// base is the index of each job's first stage; stages of a job are
	// consecutive. There is one more entry than jobs.
	base   []int32
	stages []stageFigures
	jobs   []jobFigures
}

type stageFigures struct {
	ref StageRef
	// head is a lower bound on the finish of the stage before, release for the
	// first; length is the longest of the tasks' least C + E; work is their sum.
	head, length, work model.Time
	// due is the latest finish of this stage that leaves the stages after it
	// enough time; Never for best-effort jobs.
	due model.Time
	// tail is the sum of the lengths of the stages after this one.
	tail model.Time
	// tasks in the order in which they are placed: longest first.
	tasks []model.TaskID
}

type jobFigures struct {
	// path is the least time from release to finish, heartbeats and absences
	// included where there are few enough pairs of profile and slave.
	path model.Time
	work model.Time
}

// NewFigures computes them. It takes profiles × slaves steps.
func NewFigures(js *model.JobSet) *Figures {
	f := &Figures{js: js, byTask: make([]int32, len(js.Tasks)), jobs: make([]jobFigures, len(js.Jobs))}
	f.listOptions()
	for i := range js.Jobs {
		job := &js.Jobs[i]
		f.base = append(f.base, int32(len(f.stages)))
		for si := range job.Stages {
			f.stages = append(f.stages, f.stage(model.JobID(i), si))
		}
	}
	f.base = append(f.base, int32(len(f.stages)))
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
	return job.Release+f.jobs[i].path > job.Due()
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
	all []option
	// keys sort by C + E, then slave: the sum above, the index in all below.
	keys []uint64
}

// list gives those of n slaves that a profile allows: all if they are no more
// than keep or samplable, else the keep best.
func (l *lister) list(p *model.Profile, n, keep int) options {
	l.all, l.keys = l.all[:0], l.keys[:0]
	for s := range model.SlaveID(n) {
		if e := p.WCET(s); e > 0 {
			o := option{s, int32(p.Transfer(s)), int32(e)}
			l.keys = append(l.keys, uint64(o.length())<<32|uint64(len(l.all)))
			l.all = append(l.all, o)
		}
	}
	best := l.keys
	if len(l.all) <= max(keep, samplable) {
		slices.Sort(best)
	} else {
		best = smallest(l.keys, keep)
	}
	out := options{list: make([]option, len(best)), more: len(best) < len(l.all)}
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

// least is the task's least C + E.
func (f *Figures) least(t model.TaskID) model.Time { return f.options(t).list[0].length() }

func (f *Figures) stage(job model.JobID, si int) stageFigures {
	st := &f.js.Jobs[job].Stages[si]
	out := stageFigures{ref: StageRef{job, int32(si)}, tasks: make([]model.TaskID, 0, st.End-st.First)}
	for t := st.First; t < st.End; t++ {
		out.length = max(out.length, f.least(t))
		out.work += f.least(t)
		out.tasks = append(out.tasks, t)
	}
	slices.SortStableFunc(out.tasks, func(a, b model.TaskID) int {
		return cmp.Compare(f.least(b), f.least(a))
	})
	return out
}

// jobStages lists the stages of a job.
func (f *Figures) jobStages(i model.JobID) []stageFigures {
	return f.stages[f.base[i]:f.base[i+1]]
}

// forward sets heads, the job's path and its work.
func (f *Figures) forward(i model.JobID) {
	ready := f.js.Jobs[i].Release
	for si := range f.jobStages(i) {
		st := &f.jobStages(i)[si]
		st.head = ready
		finish := ready
		f.eachProfile(st, func(o *options) {
			finish = max(finish, f.firstFinish(o, st.head))
		})
		ready = finish
		f.jobs[i].work += st.work
	}
	f.jobs[i].path = ready - f.js.Jobs[i].Release
}

// eachProfile calls yield once for each run of equal tasks of the stage.
func (f *Figures) eachProfile(st *stageFigures, yield func(*options)) {
	last := int32(-1)
	for _, t := range st.tasks {
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
		return ready + o.list[0].length()
	}
	finish := model.Never
	for _, c := range o.list {
		if ready+c.length() < finish {
			finish = min(finish, window.FirstAssign(f.js, c.slave, ready, c.length())+c.length())
		}
	}
	return finish
}

// backward sets dues and tails.
func (f *Figures) backward(i model.JobID) {
	stages := f.jobStages(i)
	due, tail := f.js.Jobs[i].Due(), model.Time(0)
	for si := len(stages) - 1; si >= 0; si-- {
		st := &stages[si]
		st.due, st.tail = due, tail
		tail += st.length
		assign := due
		f.eachProfile(st, func(o *options) {
			assign = min(assign, f.lastAssign(o, st.due))
		})
		due = assign
	}
}

// lastAssign is the last heartbeat from which a task alone can finish by limit;
// an upper bound where not all its slaves are listed, and where none can.
func (f *Figures) lastAssign(o *options, limit model.Time) model.Time {
	bound := limit - o.list[0].length()
	if o.more || limit >= model.Never-model.MaxTime {
		return bound
	}
	last := model.Time(-1)
	for _, c := range o.list {
		if limit-c.length() > last {
			assign, _ := window.LastAssign(f.js, c.slave, limit, model.Time(c.transfer), model.Time(c.wcet))
			last = max(last, assign)
		}
	}
	if last < 0 {
		return bound
	}
	return last
}
