package disjunctive

import (
	"downbeat/model"
	"downbeat/model/query"
)

const (
	// maxSteps bounds the work on one question, some 0.3 s.
	maxSteps = 60_000_000
	// mostUsers is the number of tasks above which a slave is left alone: a
	// look at it takes up to the third power.
	mostUsers = 100
)

// relaxation is what a question asks of the tasks that must run and have one
// slave left, with every other task left away.
type relaxation struct {
	js         *model.JobSet
	activities []activity
	stages     []stage
	// users are, per slave with one core, the indexes of its activities.
	users [][]int32
	// stale marks slaves with a window that changed since they were looked at.
	stale []bool
	// steps are left.
	steps int
	// byStart and starts are scratch space of push, saved is that of shaveEnd.
	byStart []int32
	starts  []model.Time
	saved   []activity
}

// activity is a task: it starts from first to last, at the earliest transfer after
// its assignment, and runs for wcet.
type activity struct {
	task           model.TaskID
	slave          model.SlaveID
	transfer, wcet model.Time
	first, last    model.Time
}

func (a *activity) firstEnd() model.Time { return a.first + a.wcet }
func (a *activity) lastEnd() model.Time  { return a.last + a.wcet }

// stage is the range of activities of one stage; follows tells that the stage
// listed before is the one before.
type stage struct {
	from, to int
	follows  bool
}

// relax collects the activities of a question. Slaves on which two of them may
// meet are stale.
func relax(l *query.Layout) *relaxation {
	r := &relaxation{
		js: l.JS, steps: maxSteps,
		users: make([][]int32, len(l.JS.Slaves)), stale: make([]bool, len(l.JS.Slaves)),
	}
	for i := range l.JS.Jobs {
		if l.Role[i] == query.Must {
			r.addJob(l, &l.JS.Jobs[i])
		}
	}
	for s, users := range r.users {
		if len(users) > mostUsers {
			r.users[s] = nil
		}
		r.stale[s] = len(r.users[s]) > 1
	}
	return r
}

func (r *relaxation) addJob(l *query.Layout, job *model.Job) {
	for si := range job.Stages {
		from := len(r.activities)
		for t := job.Stages[si].First; t < job.Stages[si].End; t++ {
			if len(l.Places[t]) != 1 {
				continue
			}
			p := &l.Places[t][0]
			if l.JS.Slaves[p.Slave].Cores == 1 {
				r.users[p.Slave] = append(r.users[p.Slave], int32(len(r.activities)))
			}
			r.activities = append(r.activities, activity{
				task: t, slave: p.Slave, transfer: p.Transfer, wcet: p.WCET,
				first: p.FirstStart(), last: p.LastStart,
			})
		}
		r.stages = append(r.stages, stage{from, len(r.activities), si > 0})
	}
}

func (r *relaxation) setFirst(a *activity, at model.Time) {
	if at > a.first {
		a.first = at
		r.stale[a.slave] = len(r.users[a.slave]) > 1
	}
}

func (r *relaxation) setLast(a *activity, at model.Time) {
	if at < a.last {
		a.last = at
		r.stale[a.slave] = len(r.users[a.slave]) > 1
	}
}
