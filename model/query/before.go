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
//
// What tasks have in common does not change from T on either, and those that are laid out have it to
// themselves; what takes more of a pool than there is in the end has finished by T. A task that may
// not share a slave with others keeps its own, so that it may be on the worst of them. A gang is laid
// out as a whole if one of its tasks finishes after T. For that T is so late that a gang of which one
// task begins before nothing changes any more, absences included, ends by T: all tasks of
// one that is laid out were held at once by slaves that stay, and so can be again, on the same
// slaves: handed out at the first heartbeats, fetched one after the other at worst, and
// started together.
func (q *Question) requireBefore() {
	confined := q.JS.Confined()
	if !q.JS.JobsLinked() && confined == nil && !q.JS.Gangs() {
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
	from = max(from, q.gangsSettled(late))
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
		needed[i] = needed[i] || confined != nil && confined[i] || q.JS.Gangs() && q.underWay(i)
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

// underWay reports whether a job has a gang of which tasks were handed out before: it may not be
// appended.
func (q *Question) underWay(i model.JobID) bool {
	return slices.ContainsFunc(q.JS.Jobs[i].Stages, func(st model.Stage) bool { return st.StartAt > 0 })
}

// layOut lays the tasks of some jobs out one at a time on the empty cluster, and tells
// when the last one finishes.
func (q *Question) layOut(jobs []bool, from model.Time) model.Time {
	end := from
	for _, st := range q.JS.StageOrder() {
		stage, i := q.JS.Stage(st)
		switch {
		case !jobs[i]:
		case stage.IsGang():
			end = finishTogether(q.JS, stage, end)
		default:
			for t := stage.First; t < stage.End; t++ {
				end = finishAlone(q.JS, t, end, stage.IsApart())
			}
		}
	}
	return end
}

// gangsSettled is a time by which gangs of some jobs have ended of which a task is handed out
// before all slaves stay as they are, and all that tasks have in common; 0 where there are none.
func (q *Question) gangsSettled(jobs []bool) model.Time {
	if !q.JS.Gangs() {
		return 0
	}
	longest, settled := model.Time(0), q.JS.SettledFrom()
	for i := range q.JS.Jobs {
		for k := range q.JS.Jobs[i].Stages {
			if stage := &q.JS.Jobs[i].Stages[k]; jobs[i] && stage.IsGang() {
				_, run := longestOf(q.JS, stage)
				longest = max(longest, run)
			}
		}
	}
	if longest == 0 {
		return 0
	}
	for s := range q.JS.Slaves {
		for _, d := range q.JS.Slaves[s].Down {
			if d.End < model.Never {
				settled = max(settled, d.End)
			}
		}
	}
	return settled + longest
}

// longestOf is the sum of what the tasks of a stage take to be fetched at the most, and the most
// that one of them runs.
func longestOf(js *model.JobSet, stage *model.Stage) (fetches, run model.Time) {
	for t := stage.First; t < stage.End; t++ {
		fetch := model.Time(0)
		js.Tasks[t].EachRun(func(wcet, transfer model.Time, _ model.SlaveID) {
			if wcet > 0 {
				fetch, run = max(fetch, transfer), max(run, wcet)
			}
		})
		fetches += fetch
	}
	return fetches, run
}

// finishTogether is by when a gang has finished that has the cluster to itself from a time on, when
// no slave comes or goes any more.
func finishTogether(js *model.JobSet, stage *model.Stage, from model.Time) model.Time {
	fetches, run := longestOf(js, stage)
	start := from
	for s := range model.SlaveID(len(js.Slaves)) {
		if js.Slaves[s].GoneFrom() == model.Never {
			_, beat := js.BeatAtOrAfter(s, from)
			start = max(start, beat)
		}
	}
	return start + fetches + run
}

// triedSlaves is how many slaves a task is tried on: more make T' less, and take longer.
const triedSlaves = 50

// finishAlone is when a task finishes that has the cluster to itself from a time on: where it does
// first, or on any slave. It is that time where no slave stays that can run it, or where too
// little of a pool does.
func finishAlone(js *model.JobSet, t model.TaskID, from model.Time, anywhere bool) model.Time {
	for _, take := range js.Takes(t) {
		if take.Units > js.Shared()[take.Shared].Last() {
			return from
		}
	}
	task, first, last := &js.Tasks[t], model.Never, from
	tried := 0
	for s := model.SlaveID(0); int(s) < len(js.Slaves) && (anywhere || tried < triedSlaves); s++ {
		if wcet := task.WCET(s); wcet > 0 && js.Slaves[s].GoneFrom() == model.Never {
			hold := task.Transfer(s) + wcet
			end := window.FirstAssign(js, s, from, hold) + hold
			first, last = min(first, end), max(last, end)
			tried++
		}
	}
	switch {
	case tried == 0:
		return from
	case anywhere:
		return last
	}
	return first
}
