// Package window computes, for each task and slave, the times between which
// the task can run if its job is to finish by a given due time. It looks at
// release, heartbeats, transfers, stages, absences and the due times of the job, of
// those that it comes after and of those that come after it; never at what jobs take
// from each other. So an empty window proves that the job is late in every schedule
// ("late alone").
package window

import (
	"context"
	"slices"
	"sort"

	"downbeat/model"
)

// Span bounds one task on one slave: its fetch starts at FirstFetch or later
// (FirstFetch is the heartbeat that can hand it out first) and it starts to
// run at LastStart or earlier. FirstFetch + C > LastStart means that the task
// cannot run on that slave in time. Both bounds are attained by some
// placement that respects absences, but not every time between is.
type Span struct {
	FirstFetch, LastStart model.Time
}

// Task bounds one task over all the slaves that are left to it.
type Task struct {
	// FirstFinish and LastFinish bound F, FirstAssign and LastAssign bound A.
	FirstFinish, LastFinish model.Time
	FirstAssign, LastAssign model.Time
}

// Windows holds the spans of every task of a job set.
type Windows struct {
	js    *model.JobSet
	spans []Span // task × slave
	// Tasks is indexed by TaskID; meaningless for tasks of jobs that are Late.
	Tasks []Task
	// Late lists, ascending, the jobs that cannot finish by their due time even
	// alone on the cluster (but for the jobs that they come after).
	Late []model.JobID
	// late is Late as a set.
	late []bool
	// CriticalPath is, per job, the earliest time at which it can finish alone,
	// whatever its due time.
	CriticalPath []model.Time
	// ends are, by stage, the earliest time at which all of its tasks can have
	// finished; handed the latest time by which all are handed out.
	ends, handed []model.Time
	presences    *Presences
}

// None is the span of a task on a slave where it cannot run.
var None = Span{FirstFetch: model.Never, LastStart: -1}

// Compute finds the windows of all jobs, job i to finish by due[i]
// (model.Never: no due time; windows are then open to the right). Its cost is
// tasks × slaves, and so is its memory (16 bytes each).
func Compute(js *model.JobSet, due []model.Time) *Windows {
	return ComputeWithout(js, due, nil)
}

// ComputeWithout is Compute where some jobs may be left out: they do not press those
// that they come after, while their own windows are those that they have if they are
// in. No other job comes after one of them. Without is by JobID; nil stands for no job.
func ComputeWithout(js *model.JobSet, due []model.Time, without []bool) *Windows {
	return compute(context.Background(), js, due, without)
}

// compute is ComputeWithout, and nil where ctx ends before all is done.
func compute(ctx context.Context, js *model.JobSet, due []model.Time, without []bool) *Windows {
	w := &Windows{
		js:           js,
		spans:        make([]Span, len(js.Tasks)*len(js.Slaves)),
		Tasks:        make([]Task, len(js.Tasks)),
		late:         make([]bool, len(js.Jobs)),
		CriticalPath: make([]model.Time, len(js.Jobs)),
		ends:         make([]model.Time, js.Stages()),
		handed:       slices.Repeat([]model.Time{model.Never}, js.Stages()),
		presences:    NewPresences(js),
	}
	for _, id := range js.JobOrder() {
		w.forward(ctx, id)
		w.late[id] = w.CriticalPath[id] > due[id]
	}
	for _, id := range slices.Backward(js.JobOrder()) {
		// What is late anyway does not press the jobs before it.
		w.late[id] = !w.backward(ctx, id, due[id]) && due[id] < model.Never || w.late[id]
		if without != nil && without[id] {
			w.release(id)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	for i, late := range w.late {
		if late {
			w.Late = append(w.Late, model.JobID(i))
		}
	}
	return w
}

// ByJob is Compute where no job presses those that it comes after: for arguments
// about some of the jobs, that hold whether or not the others are in time.
func ByJob(js *model.JobSet, due []model.Time) *Windows {
	return ByJobUntil(context.Background(), js, due)
}

// ByJobUntil is ByJob, and nil where ctx ends before all is done.
func ByJobUntil(ctx context.Context, js *model.JobSet, due []model.Time) *Windows {
	return compute(ctx, js, due, slices.Repeat([]bool{true}, len(js.Jobs)))
}

// TogetherUntil is Compute, and nil where ctx ends before all is done: for arguments that the jobs with due times cannot all be in
// time, which name those that press. A job without a due time presses those that it comes after by when it is pressed itself.
func TogetherUntil(ctx context.Context, js *model.JobSet, due []model.Time) *Windows {
	return compute(ctx, js, due, nil)
}

// Pressing is the job, other than its own, whose tasks press those of a stage most, as that job comes after the stage's, and by
// when these have to be done for it; [model.Never] where none does.
func (w *Windows) Pressing(st model.StageID) (by model.JobID, until model.Time) {
	_, own := w.js.Stage(st)
	until = model.Never
	for _, next := range w.js.Next(st) {
		if _, i := w.js.Stage(next); i != own && w.handed[next] < until {
			by, until = i, w.handed[next]
		}
	}
	return by, until
}

// IsLate reports whether job i is in Late.
func (w *Windows) IsLate(i model.JobID) bool { return w.late[i] }

// Span is the window of task t on slave s. Meaningless for tasks of late jobs.
func (w *Windows) Span(t model.TaskID, s model.SlaveID) Span {
	return w.spans[int(t)*len(w.js.Slaves)+int(s)]
}

func (w *Windows) span(t model.TaskID, s model.SlaveID) *Span {
	return &w.spans[int(t)*len(w.js.Slaves)+int(s)]
}

// Possible reports whether task t can run on slave s in time.
func (w *Windows) Possible(t model.TaskID, s model.SlaveID) bool {
	sp := w.Span(t, s)
	return sp.FirstFetch+w.js.Tasks[t].Transfer(s) <= sp.LastStart
}

// forward sets FirstFetch, FirstAssign and FirstFinish of the job's tasks and
// its critical path. Nothing of that holds where ctx has ended.
func (w *Windows) forward(ctx context.Context, id model.JobID) {
	job := &w.js.Jobs[id]
	for _, k := range job.Order() {
		st := job.FirstStage + model.StageID(k)
		ready := job.Release
		for _, before := range w.js.Before(st) {
			ready = max(ready, w.ends[before])
		}
		w.ends[st] = ready
		for t := job.Stages[k].First; t < job.Stages[k].End && ctx.Err() == nil; t++ {
			w.ends[st] = max(w.ends[st], w.earliest(t, ready))
		}
		w.CriticalPath[id] = max(w.CriticalPath[id], w.ends[st])
	}
}

// earliest sets the bounds of a task that is handed out at ready or later, and
// is the earliest time at which it can finish.
func (w *Windows) earliest(t model.TaskID, ready model.Time) model.Time {
	task := &w.js.Tasks[t]
	bound := Task{FirstFinish: model.Never, LastFinish: model.Never, FirstAssign: model.Never, LastAssign: model.Never}
	for s := range model.SlaveID(len(w.js.Slaves)) {
		wcet := task.WCET(s)
		if wcet == 0 {
			*w.span(t, s) = None
			continue
		}
		hold := task.Transfer(s) + wcet
		at := w.presences.First(s, ready, hold)
		w.span(t, s).FirstFetch = at
		bound.FirstAssign = min(bound.FirstAssign, at)
		bound.FirstFinish = min(bound.FirstFinish, at+hold)
	}
	w.Tasks[t] = bound
	return bound.FirstFinish
}

// backward sets LastStart, LastAssign and LastFinish of the job's tasks from
// the last stage back, drops slaves on which a task cannot end in time, and
// reports whether every task keeps a slave. Nothing of that holds where ctx has ended.
func (w *Windows) backward(ctx context.Context, id model.JobID, due model.Time) bool {
	job := &w.js.Jobs[id]
	for _, k := range slices.Backward(job.Order()) {
		st := job.FirstStage + model.StageID(k)
		limit := due
		for _, next := range w.js.Next(st) {
			limit = min(limit, w.handed[next])
		}
		// A stage's tasks must all be handed out after the stages before it end.
		handed := model.Never
		for t := job.Stages[k].First; t < job.Stages[k].End && ctx.Err() == nil; t++ {
			last := w.latest(t, limit)
			if last < 0 {
				return false
			}
			handed = min(handed, last)
		}
		w.handed[st] = handed
	}
	return true
}

// release has a job press none that it comes after.
func (w *Windows) release(id model.JobID) {
	job := &w.js.Jobs[id]
	for k := range job.Stages {
		w.handed[job.FirstStage+model.StageID(k)] = model.Never
	}
}

// latest bounds a task that finishes by limit, and is the latest time at which it
// is handed out; -1 if it has no place left.
func (w *Windows) latest(t model.TaskID, limit model.Time) model.Time {
	js, task, bound := w.js, &w.js.Tasks[t], &w.Tasks[t]
	bound.FirstAssign, bound.FirstFinish = model.Never, model.Never
	bound.LastAssign, bound.LastFinish = -1, -1
	for s := range model.SlaveID(len(js.Slaves)) {
		wcet := task.WCET(s)
		if wcet == 0 {
			continue
		}
		sp := w.span(t, s)
		transfer := task.Transfer(s)
		assign, finish := w.presences.Last(s, limit, transfer, wcet)
		if assign < sp.FirstFetch {
			*sp = None
			continue
		}
		sp.LastStart = finish - wcet
		bound.FirstAssign = min(bound.FirstAssign, sp.FirstFetch)
		bound.FirstFinish = min(bound.FirstFinish, sp.FirstFetch+transfer+wcet)
		bound.LastAssign = max(bound.LastAssign, assign)
		bound.LastFinish = max(bound.LastFinish, finish)
	}
	return bound.LastAssign
}

// FirstAssign is the first heartbeat of slave s at ready or later from which
// the slave stays up for hold ticks.
func FirstAssign(js *model.JobSet, s model.SlaveID, ready, hold model.Time) model.Time {
	slave := &js.Slaves[s]
	_, at := js.BeatAtOrAfter(s, ready)
	next := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > at })
	for _, down := range slave.Down[next:] {
		if down.End <= at {
			continue
		}
		if at+hold <= down.Start {
			break
		}
		_, at = js.BeatAtOrAfter(s, down.End)
	}
	return at
}

// LastAssign is the last placement of a task on slave s that finishes by
// limit: its heartbeat and finish. A limit of Never gives Never for both; -1
// means that there is no such placement.
func LastAssign(js *model.JobSet, s model.SlaveID, limit, transfer, wcet model.Time) (assign, finish model.Time) {
	if limit >= model.Never {
		return model.Never, model.Never
	}
	slave := &js.Slaves[s]
	finish = limit
	gamma, at := js.BeatAtOrBefore(s, finish-wcet-transfer)
	later := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].Start >= finish })
	for i := later - 1; i >= 0; i-- {
		// [at, finish) is the latest hold so far. If it meets an absence, every
		// finish after that absence's start does: an earlier finish only moves
		// the heartbeat further back.
		down := slave.Down[i]
		if down.Start >= finish {
			continue
		}
		if gamma < 0 || down.End <= at {
			break
		}
		finish = down.Start
		gamma, at = js.BeatAtOrBefore(s, finish-wcet-transfer)
	}
	if gamma < 0 {
		return -1, -1
	}
	return at, finish
}
