package encode

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
	// stages stand behind those that they wait for.
	stages []disjunctiveStage
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

// disjunctiveStage is the range of activities of one stage; before are those listed that it
// waits for, end is when it can end first, and limit when it has to have ended.
type disjunctiveStage struct {
	from, to   int
	before     []int32
	end, limit model.Time
}

// relax collects the activities of a question. Slaves on which two of them may
// meet are stale.
func relax(l *query.Layout) *relaxation {
	r := &relaxation{
		js: l.JS, steps: maxSteps,
		users: make([][]int32, len(l.JS.Slaves)), stale: make([]bool, len(l.JS.Slaves)),
	}
	listed := map[model.StageID]int32{}
	for _, st := range l.JS.StageOrder() {
		stage, i := l.JS.Stage(st)
		if l.Role[i] != query.Must {
			continue
		}
		var before []int32
		for _, id := range l.Before(st) {
			before = append(before, listed[id])
		}
		listed[st] = int32(len(r.stages))
		r.addStage(l, stage, before)
	}
	for s, users := range r.users {
		if len(users) > mostUsers {
			r.users[s] = nil
		}
		r.stale[s] = len(r.users[s]) > 1
	}
	return r
}

// addStage lists a stage with its tasks that have one slave left.
func (r *relaxation) addStage(l *query.Layout, st *model.Stage, before []int32) {
	from := len(r.activities)
	for t := st.First; t < st.End; t++ {
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
	r.stages = append(r.stages, disjunctiveStage{from: from, to: len(r.activities), before: before})
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
