package query

import (
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// requireBefore makes every job Must that one which is not Out comes after, and every job that
// is confined to slaves which go for good: it can't be appended after everything else. Of such
// a job limits may ask nothing but that it is in time, or nothing at all; then it is
// called late here, and its cap is a time T' that no plan has to exceed.
//
// Let T be no earlier than the caps of the jobs that are not called late, and the releases and
// deadlines of those that are, the end of what is taken, and the times from which slaves are gone
// for good; and T' the end of all tasks of the latter that can run on slaves which stay, laid out
// from T on in an order that stages allow, one at a time and each where it finishes first, of
// some such slaves, if it has the cluster to itself. Take a plan within the limits, and of the
// jobs that are called late the tasks that finish after T: all that follow one of them are among
// them, for what is not called late finishes by T, and each can run on a slave that stays, as it
// does so. Lay these out from T on in the same order and way. That is valid, since everything
// else has finished by T, and ends by T', since a task that may begin no later finishes no later.
// A job that was in time still is: it finishes by T and does not move. So as many are missed as
// before, and lateness is limited only for jobs with caps of their own.
func (q *Question) requireBefore() {
	confined := q.JS.Confined()
	if !q.JS.JobsLinked() && confined == nil {
		return
	}
	late := q.late(confined)
	if !slices.Contains(late, true) {
		return
	}
	from := q.JS.SettledFrom()
	for i := range q.JS.Jobs {
		switch job := &q.JS.Jobs[i]; {
		case late[i] && job.Kind != model.BestEffort:
			from = max(from, job.Due())
		case late[i]:
			from = max(from, job.Release)
		case q.Role[i] != Out:
			from = max(from, q.Cap[i])
		}
	}
	end := q.layOut(late, from)
	q.Later, q.LaterBy = late, end
	for i := range late {
		if late[i] {
			q.Role[i], q.Cap[i] = Must, end
		}
	}
}

// late marks the jobs that have to be in, though no limit asks for them: for others, or
// because they are confined.
func (q *Question) late(confined []bool) []bool {
	needed, late := make([]bool, len(q.Role)), make([]bool, len(q.Role))
	for _, i := range slices.Backward(q.JS.JobOrder()) {
		needed[i] = needed[i] || confined != nil && confined[i]
		late[i] = needed[i] && q.Role[i] != Must
		if !needed[i] && q.Role[i] == Out {
			continue
		}
		for _, k := range q.JS.Jobs[i].After {
			needed[k] = true
		}
	}
	return late
}

// layOut lays the tasks of some jobs out one at a time on the empty cluster, and tells
// when the last one finishes.
func (q *Question) layOut(jobs []bool, from model.Time) model.Time {
	end := from
	for _, st := range q.JS.StageOrder() {
		stage, i := q.JS.Stage(st)
		if !jobs[i] {
			continue
		}
		for t := stage.First; t < stage.End; t++ {
			end = finishFirst(q.JS, t, end)
		}
	}
	return end
}

// triedSlaves is how many slaves a task is tried on: more make T' less, and take longer.
const triedSlaves = 50

// finishFirst is when a task finishes that has the cluster to itself from a time on; that time
// where no slave stays that can run it.
func finishFirst(js *model.JobSet, t model.TaskID, from model.Time) model.Time {
	task, first := &js.Tasks[t], model.Never
	tried := 0
	for s := model.SlaveID(0); int(s) < len(js.Slaves) && tried < triedSlaves; s++ {
		if wcet := task.WCET(s); wcet > 0 && js.Slaves[s].GoneFrom() == model.Never {
			hold := task.Transfer(s) + wcet
			first = min(first, window.FirstAssign(js, s, from, hold)+hold)
			tried++
		}
	}
	if tried == 0 {
		return from
	}
	return first
}
