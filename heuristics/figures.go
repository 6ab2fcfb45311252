package heuristics

import (
	"cmp"
	"iter"
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
	// consecutive, each behind those that it comes after. There is one more entry than
	// jobs.
	Base   []int32
	Stages []StageFigures
	// index is the place in Stages of each stage of the set.
	index []int32
	// chains: no job comes after another, and the stages of each come one after the other.
	chains bool
	Jobs   []JobFigures
	// confined marks the jobs with a task that has no place in the end, as slaves go for good, or pools
	// end; nil for none.
	confined []bool
	// pinned lists the stages that start at a given time; their jobs do not wait.
	pinned []int32
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
	// Head is a lower bound on the finish of the stages that it waits for, release if
	// there are none; Length is the longest of the tasks' least C + E; Work is their sum.
	Head, Length, Work model.Time
	// end is a lower bound on its own finish.
	end model.Time
	// Due is the latest finish of this stage that leaves the stages that wait for it
	// enough time; Never for best-effort jobs before no others.
	Due model.Time
	// Tail is the largest sum of the lengths of stages that wait for this one, each for
	// the one before.
	Tail model.Time
	// Tasks in the order in which they are placed: longest first.
	Tasks []model.TaskID
	// Gang: they start together, at StartAt if that is above 0 (C12).
	Gang    bool
	StartAt model.Time
	// Apart: no two of them are on the same slave (C12). Mixed: not all of these may run on the
	// same slaves, so that one can take the last that is left to another.
	Apart, Mixed bool
}

// JobFigures are facts about a job.
type JobFigures struct {
	// Path is the least time from release to finish, heartbeats and absences
	// included where there are few enough pairs of profile and slave.
	Path model.Time
	// Work is the sum of the tasks' least C + E, in ticks.
	Work model.Time
	// Due is the latest finish that keeps the deadline and leaves the jobs that come
	// after it enough time; Never if there is neither.
	Due model.Time
	// Next lists the jobs that come after it, ascending. A job before others has to run
	// in time for these whatever it is worth itself.
	Next []model.JobID
	// rank is its place in [model.JobSet.JobOrder].
	rank int32
}

// NewFigures works them out for a job set. It takes profiles × slaves steps.
func NewFigures(js *model.JobSet) *Figures {
	confined := js.Confined()
	js = js.Returning()
	f := &Figures{js: js, byTask: make([]int32, len(js.Tasks)), Jobs: make([]JobFigures, len(js.Jobs)), confined: confined}
	f.listOptions()
	f.index, f.chains = make([]int32, js.Stages()), !js.JobsLinked()
	for i := range js.Jobs {
		job := &js.Jobs[i]
		f.chains = f.chains && job.Chain()
		f.Base = append(f.Base, int32(len(f.Stages)))
		for _, k := range job.Order() {
			f.index[job.FirstStage+model.StageID(k)] = int32(len(f.Stages))
			f.Stages = append(f.Stages, f.stage(model.JobID(i), int(k)))
			if job.Stages[k].StartAt > 0 {
				f.pinned = append(f.pinned, int32(len(f.Stages)-1))
			}
		}
		for _, k := range job.After {
			f.Jobs[k].Next = append(f.Jobs[k].Next, model.JobID(i))
		}
	}
	f.Base = append(f.Base, int32(len(f.Stages)))
	presences := window.NewPresences(js)
	for at, i := range js.JobOrder() {
		f.Jobs[i].rank = int32(at)
		f.forward(i, presences)
	}
	for _, i := range slices.Backward(js.JobOrder()) {
		f.backward(i, presences)
	}
	return f
}

// Index is the place in Stages of a stage.
func (f *Figures) Index(st StageRef) int32 {
	return f.index[f.js.Jobs[st.Job].FirstStage+model.StageID(st.Stage)]
}

// Remainder is the stages of a job from one on, by index in [Figures.Stages], to the last.
type Remainder struct {
	Job  model.JobID
	From int32
}

// Behind lists what may wait for a stage, and so is to be placed anew where that can
// not end in time: the rest of its job, then the jobs that come after it, directly or
// not, each behind those that it comes after.
func (f *Figures) Behind(stage int32) []Remainder {
	out := []Remainder{{f.Stages[stage].Ref.Job, stage + 1}}
	if f.MayWait(out[0].Job) {
		return out
	}
	listed := map[model.JobID]bool{}
	for k := 0; k < len(out); k++ {
		for _, next := range f.Jobs[out[k].Job].Next {
			if !listed[next] {
				listed[next] = true
				out = append(out, Remainder{next, f.Base[next]})
			}
		}
	}
	slices.SortFunc(out, func(a, b Remainder) int { return cmp.Compare(f.Jobs[a.Job].rank, f.Jobs[b.Job].rank) })
	return out
}

// Chains reports whether no job of the set comes after another, and the stages of each
// come one after the other.
func (f *Figures) Chains() bool { return f.chains }

// Before yields the stages that a stage waits for, by index in [Figures.Stages].
func (f *Figures) Before(stage int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, id := range f.js.Before(f.ID(stage)) {
			if !yield(f.index[id]) {
				return
			}
		}
	}
}

// After yields the stages that wait for a stage, by index in [Figures.Stages].
func (f *Figures) After(stage int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, id := range f.js.Next(f.ID(stage)) {
			if !yield(f.index[id]) {
				return
			}
		}
	}
}

// SortJobs orders jobs so that each stands behind those that it comes after; where no job
// comes after another it leaves them as they are.
func (f *Figures) SortJobs(jobs []model.JobID) {
	if !f.chains {
		slices.SortFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(f.Jobs[a].rank, f.Jobs[b].rank) })
	}
}

// SortStages orders stages, given by index in [Figures.Stages], so that each stands
// behind those that it waits for, and those of a job side by side.
func (f *Figures) SortStages(stages []int32) {
	rank := func(stage int32) int32 { return f.Jobs[f.Stages[stage].Ref.Job].rank }
	slices.SortFunc(stages, func(a, b int32) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
}

// ID is the number that the set has for a stage, given by index in [Figures.Stages].
func (f *Figures) ID(stage int32) model.StageID {
	ref := f.Stages[stage].Ref
	return f.js.Jobs[ref.Job].FirstStage + model.StageID(ref.Stage)
}

// LateAlone reports whether the job cannot finish by its due time even with
// the cluster to itself. True is a proof; false is not.
func (f *Figures) LateAlone(i model.JobID) bool {
	job := &f.js.Jobs[i]
	return job.Release+f.Jobs[i].Path > job.Due()
}

// MayWait reports whether a job can be placed after all others: no job comes after it, its slaves and
// what it takes of pools are still there, and it has no stage that starts at a given time.
func (f *Figures) MayWait(i model.JobID) bool {
	return len(f.Jobs[i].Next) == 0 && (f.confined == nil || !f.confined[i]) && !f.hasPinned(i)
}

// Pinned reports whether a stage starts at a given time, so that it is left where it is.
func (f *Figures) Pinned(stage int32) bool { return f.Stages[stage].StartAt > 0 }

// AnyPinned reports whether there is such a stage.
func (f *Figures) AnyPinned() bool { return len(f.pinned) > 0 }

// hasPinned reports whether a job has such a stage.
func (f *Figures) hasPinned(i model.JobID) bool {
	return slices.ContainsFunc(f.pinned, func(stage int32) bool { return f.Stages[stage].Ref.Job == i })
}

// endsBy is when what a stage takes of pools ends, Never if enough stays.
func (f *Figures) endsBy(st *StageFigures) model.Time {
	by := model.Never
	shared, sum := f.js.Shared(), map[model.SharedID]int64{} // the least that has to be there
	for _, t := range st.Tasks {
		for _, take := range f.js.Takes(t) {
			if st.Gang {
				sum[take.Shared] += take.Units
			} else {
				sum[take.Shared] = max(sum[take.Shared], take.Units)
			}
		}
	}
	for id, units := range sum {
		end := f.js.Horizon()
		for _, l := range slices.Backward(shared[id].Levels) {
			if l.From < f.js.Horizon() && l.Amount >= units {
				break
			}
			end = l.From
		}
		if end < f.js.Horizon() {
			by = min(by, end)
		}
	}
	return by
}

// goneBy is when the last slave that can run a task goes for good, Never if one stays.
func (f *Figures) goneBy(o *options) model.Time {
	if o.more {
		return model.Never
	}
	by := model.Time(0)
	for _, c := range o.list {
		s := &f.js.Slaves[c.Slave]
		if n := len(s.Down); n == 0 || s.Down[n-1].End < f.js.Horizon() {
			return model.Never
		}
		by = max(by, s.Down[len(s.Down)-1].Start)
	}
	return by
}

func (f *Figures) options(t model.TaskID) *options { return &f.profiles[f.byTask[t]] }

// Best is the task's slave of least C + E.
func (f *Figures) Best(t model.TaskID) Option { return f.options(t).list[0] }

func (f *Figures) stage(job model.JobID, si int) StageFigures {
	st := &f.js.Jobs[job].Stages[si]
	out := StageFigures{
		Ref: StageRef{job, int32(si)}, Tasks: make([]model.TaskID, 0, st.End-st.First),
		Gang: st.IsGang(), StartAt: st.StartAt, Apart: st.IsApart(),
	}
	out.Mixed = out.Apart && f.mixed(st)
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

// mixed reports whether not all tasks of a stage may run on the same slaves.
func (f *Figures) mixed(st *model.Stage) bool {
	first := f.js.Tasks[st.First].Profile
	for t := st.First + 1; t < st.End; t++ {
		p := f.js.Tasks[t].Profile
		if p == f.js.Tasks[t-1].Profile {
			continue
		}
		for s := range model.SlaveID(len(f.js.Slaves)) {
			if p.Eligible(s) != first.Eligible(s) {
				return true
			}
		}
	}
	return false
}

func (f *Figures) at(st StageRef) *StageFigures { return &f.Stages[f.Index(st)] }

func (f *Figures) jobOf(st StageRef) *model.Job { return &f.js.Jobs[st.Job] }

// stagesOf lists the stages of a job.
func (f *Figures) stagesOf(i model.JobID) []StageFigures {
	return f.Stages[f.Base[i]:f.Base[i+1]]
}

// forward sets heads, the job's path and its work.
func (f *Figures) forward(i model.JobID, presences *window.Presences) {
	release := f.js.Jobs[i].Release
	end := release
	for si := range f.stagesOf(i) {
		st := &f.stagesOf(i)[si]
		st.Head = release
		for _, before := range f.js.Before(f.ID(f.Base[i] + int32(si))) {
			st.Head = max(st.Head, f.Stages[f.index[before]].end)
		}
		st.end = st.Head
		f.eachProfile(st, func(o *options) {
			st.end = max(st.end, f.firstFinish(o, st.Head, presences))
		})
		end = max(end, st.end)
		f.Jobs[i].Work += st.Work
	}
	f.Jobs[i].Path = end - release
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
func (f *Figures) firstFinish(o *options, ready model.Time, presences *window.Presences) model.Time {
	if o.more {
		return ready + o.list[0].Length()
	}
	finish := model.Never
	for _, c := range o.list {
		if ready+c.Length() < finish {
			finish = min(finish, presences.First(c.Slave, ready, c.Length())+c.Length())
		}
	}
	return finish
}

// backward sets dues and tails.
func (f *Figures) backward(i model.JobID, presences *window.Presences) {
	stages, own := f.stagesOf(i), f.js.Jobs[i].Due()
	f.Jobs[i].Due = own
	for si := len(stages) - 1; si >= 0; si-- {
		st := &stages[si]
		st.Due = own
		if f.confined != nil && f.confined[i] {
			f.eachProfile(st, func(o *options) { st.Due = min(st.Due, f.goneBy(o)) })
			st.Due = min(st.Due, f.endsBy(st))
		}
		last := true
		for _, id := range f.js.Next(f.ID(f.Base[i] + int32(si))) {
			next := &f.Stages[f.index[id]]
			st.Due = min(st.Due, f.HandedBy(f.index[id], next.Due, presences))
			st.Tail = max(st.Tail, next.Length+next.Tail)
			last = last && next.Ref.Job != i
		}
		if last {
			f.Jobs[i].Due = min(f.Jobs[i].Due, st.Due)
		}
	}
}

// HandedBy is the latest time by which all tasks of a stage, by index in [Figures.Stages], are to be handed
// out, if they are to have finished by due.
func (f *Figures) HandedBy(stage int32, due model.Time, presences *window.Presences) model.Time {
	assign := due
	f.eachProfile(&f.Stages[stage], func(o *options) {
		assign = min(assign, f.lastAssign(o, due, presences))
	})
	return assign
}

// lastAssign is the last heartbeat from which a task alone can finish by limit;
// an upper bound where not all its slaves are listed, and where none can.
func (f *Figures) lastAssign(o *options, limit model.Time, presences *window.Presences) model.Time {
	bound := limit - o.list[0].Length()
	if o.more || limit >= model.Never-model.MaxTime {
		return bound
	}
	last := model.Time(-1)
	for _, c := range o.list {
		if limit-c.Length() > last {
			assign, _ := presences.Last(c.Slave, limit, model.Time(c.Transfer), model.Time(c.WCET))
			last = max(last, assign)
		}
	}
	if last < 0 {
		return bound
	}
	return last
}
