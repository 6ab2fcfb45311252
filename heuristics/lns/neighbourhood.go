package lns

import (
	"context"
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// cost is what a step is judged by, compared lexicographically: hard lateness,
// how far objectives before it are above what they have reached, and the current objective, weighted.
type cost [3]int64

func (c cost) compare(d cost) int { return slices.Compare(c[:], d[:]) }

// neighbourhood is the state of large-neighbourhood search: a board with the
// jobs that are in, and what a step changed. Jobs that cost nothing more by being
// late wait outside (see mayStayOut), as in the request bank of Ropke & Pisinger
// (2006).
type neighbourhood struct {
	*search
	// level indexes the objective that is worked on.
	level int
	out   []bool // by job, waits outside
	// weight is what a job in trouble counts in the cost; it grows while that lasts.
	weight []int64
	now    cost
	// ranks are the positions of the stages in the orders of the rules.
	ranks [][]int64
	queue []queued
	// high is, by stage, the largest key of its tasks in the queue.
	high []int64
	// The undo log of the current step.
	taken   []model.TaskID
	was     model.Schedule // by task, valid for taken ones
	marked  []bool         // by task, in taken
	stages  []int32        // touched ones
	touched []bool         // by stage, in stages
	wasOut  []model.JobID
	joined  []model.JobID
	// cut is, for the jobs in cuts, the first stage that had to make way.
	cut  []int32 // by job, uncut for others
	cuts []model.JobID
	// idle counts steps since the cost fell, stale those since the last better plan.
	idle, stale int
}

// queued is a task that waits to be placed: smaller keys go first.
type queued struct {
	key   int64
	stage int32
	task  model.TaskID
}

func newNeighbourhood(s *search) *neighbourhood {
	n := &neighbourhood{
		search:  s,
		out:     make([]bool, len(s.js.Jobs)),
		weight:  make([]int64, len(s.js.Jobs)),
		was:     make(model.Schedule, len(s.js.Tasks)),
		marked:  make([]bool, len(s.js.Tasks)),
		touched: make([]bool, len(s.fig.Stages)),
		high:    make([]int64, len(s.fig.Stages)),
	}
	for range s.js.Jobs {
		n.cut = append(n.cut, uncut)
	}
	for _, rule := range heuristics.Rules() {
		rank := make([]int64, len(s.fig.Stages))
		s.rankBy(rank, rule.Order(s.fig))
		n.ranks = append(n.ranks, rank)
	}
	return n
}

// restart goes back to the best plan and to equal weights.
func (n *neighbourhood) restart() {
	for i := range n.weight {
		n.weight[i] = weightUnit
		n.out[i] = false
	}
	n.board.Load(context.Background(), n.incumbent)
	for i := range n.js.Jobs {
		if n.mayStayOut(model.JobID(i)) && (n.deferral.Last[i] || n.js.Jobs[i].Late(n.board.JobFinish(model.JobID(i))) > 0) {
			n.board.TakeJob(model.JobID(i))
			n.out[i] = true
		}
	}
	n.now = n.cost()
	n.idle, n.stale = 0, 0
}

const (
	weightUnit = 4
	// uncut lies after every stage.
	uncut = math.MaxInt32
)

// mayStayOut reports whether a late finish of the job costs no more than a
// slightly late one, and no other job waits for it: a soft job while misses are worked on first; a best-effort
// job, or a hard one that is late in every plan, unless it is looked at when it finishes.
func (n *neighbourhood) mayStayOut(i model.JobID) bool {
	kind := n.js.Jobs[i].Kind
	switch {
	case !n.fig.MayWait(i), kind == model.Hard && !n.late[i]:
		return false
	case kind == model.Soft:
		return n.level == 0 && n.deferral.Late
	case n.objective(n.level).Grows(kind):
		return false
	}
	return n.level == 0 || !slices.ContainsFunc(n.opt.Objectives, func(o model.Objective) bool { return o.Shape().Grows(kind) })
}

// cost judges the board as it is.
func (n *neighbourhood) cost() (c cost) {
	goal := n.objective(n.level)
	bound := int64(0)
	if goal.Max {
		bound = n.values[n.level+1] - 1
	}
	for i := range n.js.Jobs {
		job := &n.js.Jobs[i]
		concerned := goal.Jobs.Has(job.Kind)
		if n.out[i] {
			if concerned && goal.Counts() && !n.late[i] {
				c[2] += n.weight[i] * goal.Weight(job)
			}
			continue
		}
		finish := n.board.JobFinish(model.JobID(i))
		if job.Kind == model.Hard && !n.late[i] {
			c[0] += n.weight[i] * int64(job.Late(finish))
		}
		switch {
		case !concerned:
		case goal.Max:
			c[2] += n.weight[i] * max(0, goal.Cost(job, finish)-bound)
		case goal.Counts():
			c[2] += n.weight[i] * goal.Cost(job, finish)
		default:
			c[2] += goal.Cost(job, finish)
		}
	}
	if n.level > 0 {
		values := n.measure()
		for k := 1; k <= n.level; k++ {
			c[1] += max(0, values[k]-n.values[k])
		}
	}
	return c
}

// troubled reports whether the job adds to the cost, so that it keeps the value from falling: what
// is the greatest of all jobs keeps it there only where the job's is no less.
func (n *neighbourhood) troubled(i model.JobID) bool {
	job, goal := &n.js.Jobs[i], n.objective(n.level)
	if n.out[i] {
		return job.Kind == model.Soft && !n.late[i]
	}
	finish := n.board.JobFinish(i)
	late := job.Late(finish) > 0
	switch {
	case job.Kind == model.Hard && late:
		return !n.late[i]
	case goal.Max:
		return goal.Jobs.Has(job.Kind) && goal.Cost(job, finish) >= n.values[n.level+1]
	default:
		return late
	}
}

// takeTask takes a task off the board unless that is done already, and all others of a gang with it.
// Those that start at a given time stay.
func (n *neighbourhood) takeTask(t model.TaskID, stage int32) {
	if st := &n.fig.Stages[stage]; n.marked[t] || n.fig.Pinned(stage) {
		return
	} else if st.Gang {
		for _, t := range st.Tasks {
			n.takeOne(t, stage)
		}
		return
	}
	n.takeOne(t, stage)
}

func (n *neighbourhood) takeOne(t model.TaskID, stage int32) {
	n.marked[t] = true
	n.taken = append(n.taken, t)
	n.was[t] = n.board.Place[t]
	if n.board.Place[t].Slave != model.NoSlave {
		n.board.Take(t)
	}
	if !n.touched[stage] {
		n.touched[stage] = true
		n.stages = append(n.stages, stage)
	}
}

// rollback undoes the step.
func (n *neighbourhood) rollback() {
	for _, t := range n.taken {
		if n.board.Place[t].Slave != model.NoSlave {
			n.board.Take(t)
		}
	}
	for _, t := range n.taken {
		if n.was[t].Slave != model.NoSlave {
			n.board.Put(t, n.was[t])
		}
	}
	for _, stage := range n.stages {
		n.board.Restage(stage)
	}
	for _, i := range n.wasOut {
		n.out[i] = false
	}
	for _, i := range n.joined {
		n.out[i] = true
	}
	n.commit()
}

// commit forgets the undo log.
func (n *neighbourhood) commit() {
	for _, t := range n.taken {
		n.marked[t] = false
	}
	for _, stage := range n.stages {
		n.touched[stage] = false
	}
	n.taken, n.stages = n.taken[:0], n.stages[:0]
	for _, i := range n.cuts {
		n.cut[i] = uncut
	}
	n.wasOut, n.joined, n.cuts = n.wasOut[:0], n.joined[:0], n.cuts[:0]
}
