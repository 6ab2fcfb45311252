package heuristics

import (
	"cmp"
	"math"
	"slices"

	"downbeat/model"
)

// improve is large-neighbourhood search (Shaw, 1998) until the search is done:
// take some jobs, or the tasks of a time window on some slaves, off the board,
// put them back in another order, keep what is no worse. Jobs that stay in
// trouble grow in weight until something gives.
//
// Objectives are worked on one at a time, in turn; those before the current one
// are held at their best values.
func (s *searcher) improve() {
	if s.done() {
		return
	}
	n := newNeighbourhood(s)
	for level := 0; !s.done(); level = (level + 1) % max(1, len(s.opt.Objectives)) {
		if s.settled(level) {
			continue
		}
		n.begin(level)
		last := s.board.placed
		for !s.done() && !s.settled(level) && (len(s.opt.Objectives) < 2 || s.board.placed < last+s.patience()) {
			if n.step() {
				last = s.board.placed
			}
		}
	}
}

// settled reports whether the objective at level, and all before, are at their
// lower bounds. Some level is not, or the search would be done.
func (s *searcher) settled(level int) bool {
	return len(s.values) > 1 && slices.Equal(s.values[:level+2], s.floor[:level+2])
}

// patience is the number of placements without a better plan after which the
// next objective gets its turn.
func (s *searcher) patience() int64 { return 50_000 + 100*int64(len(s.js.Tasks)) }

const (
	// weighEvery is the number of steps without progress after which jobs in
	// trouble gain weight; restartEvery that after which the search goes back to
	// the best plan and to equal weights.
	weighEvery   = 200
	restartEvery = 20000
)

// cost is what a step is judged by, compared lexicographically: hard lateness,
// excess over the objectives held, and the current objective, weighted.
type cost [3]int64

func (c cost) compare(d cost) int { return slices.Compare(c[:], d[:]) }

// neighbourhood is the state of the search: a board with the jobs that are in.
// Jobs that cost nothing more by being late wait outside (see mayStayOut).
type neighbourhood struct {
	*searcher
	b *board
	// level indexes the objective that is worked on.
	level  int
	out    []bool
	weight []int64
	now    cost
	// ranks are the positions of the stages in the orders of the rules.
	ranks [][]int64
	queue []queued
	// undo log of the current step.
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

func newNeighbourhood(s *searcher) *neighbourhood {
	n := &neighbourhood{
		searcher: s, b: s.board,
		out:     make([]bool, len(s.js.Jobs)),
		weight:  make([]int64, len(s.js.Jobs)),
		was:     make(model.Schedule, len(s.js.Tasks)),
		marked:  make([]bool, len(s.js.Tasks)),
		touched: make([]bool, len(s.fig.stages)),
	}
	for range s.js.Jobs {
		n.cut = append(n.cut, uncut)
	}
	for _, rule := range Rules() {
		rank := make([]int64, len(s.fig.stages))
		s.rankBy(rank, rule.Order(s.fig))
		n.ranks = append(n.ranks, rank)
	}
	return n
}

// begin turns to the objective at level, starting from the best plan.
func (n *neighbourhood) begin(level int) {
	n.level = level
	n.restart()
}

// restart goes back to the best plan and to equal weights.
func (n *neighbourhood) restart() {
	for i := range n.weight {
		n.weight[i] = weightUnit
		n.out[i] = false
	}
	n.b.load(n.best)
	for i := range n.js.Jobs {
		if n.mayStayOut(model.JobID(i)) && (n.policy.last[i] || n.js.Jobs[i].Late(n.b.jobFinish(model.JobID(i))) > 0) {
			n.b.takeJob(model.JobID(i), n.fig.base[i+1])
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
// slightly late one: a soft job while misses are worked on first; a best-effort
// job, or a hard one that is late in every plan, unless makespan counts.
func (n *neighbourhood) mayStayOut(i model.JobID) bool {
	if n.js.Jobs[i].Kind == model.Soft {
		return n.level == 0 && n.policy.deferLate
	}
	if n.js.Jobs[i].Kind == model.Hard && !n.late[i] {
		return false
	}
	return n.goal() != model.Makespan && (n.level == 0 || !slices.Contains(n.opt.Objectives, model.Makespan))
}

// goal is the objective that is worked on; misses stands in where there is none.
func (n *neighbourhood) goal() model.Objective {
	if len(n.opt.Objectives) == 0 {
		return model.Misses
	}
	return n.opt.Objectives[n.level]
}

// cost judges the board as it is.
func (n *neighbourhood) cost() (c cost) {
	goal := n.goal()
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
		finish := n.b.jobFinish(model.JobID(i))
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

// step tries one neighbour and reports whether it led to a better plan.
func (n *neighbourhood) step() (better bool) {
	n.destroy()
	n.repair()
	after := n.cost()
	if after.compare(n.now) > 0 {
		n.rollback()
	} else {
		if after != n.now {
			n.idle = 0
		}
		n.now = after
		better = n.report()
		n.commit()
	}
	n.idle++
	n.stale++
	switch {
	case better:
		n.idle, n.stale = 0, 0
		n.now = n.cost()
	case n.stale%restartEvery == 0:
		n.restart()
	case n.idle%weighEvery == 0:
		n.weigh()
	}
	return better
}

// weigh adds weight to the jobs in trouble.
func (n *neighbourhood) weigh() {
	for i := range n.js.Jobs {
		if n.troubled(model.JobID(i)) {
			n.weight[i]++
		}
	}
	n.now = n.cost()
}

// troubled reports whether the job adds to the cost.
func (n *neighbourhood) troubled(i model.JobID) bool {
	job := &n.js.Jobs[i]
	if n.out[i] {
		return job.Kind == model.Soft && !n.late[i]
	}
	finish := n.b.jobFinish(i)
	late := job.Late(finish)
	switch {
	case job.Kind == model.Hard && late > 0:
		return !n.late[i]
	case n.goal() == model.Makespan:
		return int64(finish) >= n.values[n.level+1]
	case n.goal() == model.Tardiness:
		return job.Kind == model.Soft && int64(late) >= n.values[n.level+1]
	default:
		return late > 0
	}
}

// report completes the board with the jobs outside, offers the plan, and takes
// them off again. It does so only where the plan could be better.
func (n *neighbourhood) report() bool {
	if !n.promising() {
		return false
	}
	var outside []model.JobID
	for i := range n.out {
		if n.out[i] {
			outside = append(outside, model.JobID(i))
		}
	}
	slices.SortStableFunc(outside, func(a, b model.JobID) int {
		return cmp.Compare(n.js.Jobs[a].Due(), n.js.Jobs[b].Due())
	})
	charge := n.b.charge
	n.b.charge = 0
	for _, i := range outside {
		n.b.insertJob(i)
	}
	n.b.charge = charge
	better := n.consider()
	for _, i := range outside {
		n.b.takeJob(i, n.fig.base[i+1])
	}
	return better
}

// promising reports whether the jobs that are in leave room for a plan better
// than the best, be the jobs outside as little late as they may. What soft jobs
// outside do to objectives after the first is not looked at: the search turns
// to those later.
func (n *neighbourhood) promising() bool {
	known := len(n.values)
	for i := range n.js.Jobs {
		job := &n.js.Jobs[i]
		switch {
		case !n.out[i]:
			n.finishes[i] = n.b.jobFinish(model.JobID(i))
		case job.Kind == model.BestEffort:
			n.finishes[i] = 0
		default:
			n.finishes[i] = job.Due() + 1
			if job.Kind == model.Soft {
				known = min(known, 2)
			}
		}
	}
	return slices.Compare(n.valuesOf(n.finishes)[:known], n.values[:known]) < 0
}
