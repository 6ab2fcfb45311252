package lns

import (
	"context"
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// cost is what a step is judged by, compared lexicographically: hard lateness,
// excess over what the objectives before have reached, and the current objective, weighted.
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
// job, or a hard one that is late in every plan, unless makespan counts.
func (n *neighbourhood) mayStayOut(i model.JobID) bool {
	if !n.fig.MayWait(i) {
		return false
	}
	if n.js.Jobs[i].Kind == model.Soft {
		return n.level == 0 && n.deferral.Late
	}
	if n.js.Jobs[i].Kind == model.Hard && !n.late[i] {
		return false
	}
	return n.objective(n.level) != model.Makespan && (n.level == 0 || !slices.Contains(n.opt.Objectives, model.Makespan))
}

// cost judges the board as it is.
func (n *neighbourhood) cost() (c cost) {
	goal := n.objective(n.level)
	bound := model.Time(0)
	if goal == model.Tardiness || goal == model.Makespan {
		bound = model.Time(n.values[n.level+1]) - 1
	}
	for i := range n.js.Jobs {
		job := &n.js.Jobs[i]
		if n.out[i] {
			if job.Kind == model.Soft && !n.late[i] {
				c[2] += n.weight[i] * job.Weight
			}
			continue
		}
		finish := n.board.JobFinish(model.JobID(i))
		late := job.Late(finish)
		soft := job.Kind == model.Soft
		switch {
		case job.Kind == model.Hard && late > 0 && !n.late[i]:
			c[0] += n.weight[i] * int64(late)
		case goal == model.Misses && soft && late > 0:
			c[2] += n.weight[i] * job.Weight
		case goal == model.Tardiness && soft:
			c[2] += n.weight[i] * int64(max(0, late-bound))
		case goal == model.WeightedTardiness && soft:
			c[2] += job.Weight * int64(late)
		}
		if goal == model.Makespan {
			c[2] += n.weight[i] * int64(max(0, finish-bound))
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

// troubled reports whether the job adds to the cost.
func (n *neighbourhood) troubled(i model.JobID) bool {
	job := &n.js.Jobs[i]
	if n.out[i] {
		return job.Kind == model.Soft && !n.late[i]
	}
	finish := n.board.JobFinish(i)
	late := job.Late(finish)
	switch {
	case job.Kind == model.Hard && late > 0:
		return !n.late[i]
	case n.objective(n.level) == model.Makespan:
		return int64(finish) >= n.values[n.level+1]
	case n.objective(n.level) == model.Tardiness:
		return job.Kind == model.Soft && int64(late) >= n.values[n.level+1]
	default:
		return late > 0
	}
}

// takeTask takes a task off the board unless that is done already.
func (n *neighbourhood) takeTask(t model.TaskID, stage int32) {
	if n.marked[t] {
		return
	}
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
