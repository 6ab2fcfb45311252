package lns

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// improve is large-neighbourhood search (Shaw, 1998) until the search is done:
// take some jobs, or the tasks of a time window on some slaves, off the board,
// put them back in another order, keep what is no worse. Jobs that stay in
// trouble grow in weight until something gives.
//
// Objectives are worked on one at a time, in turn; those before the current one
// may not get worse than in the best plan.
func (s *search) improve() {
	if s.done() {
		return
	}
	n := newNeighbourhood(s)
	for level := 0; !s.done(); level = (level + 1) % max(1, len(s.opt.Objectives)) {
		if s.settled(level) {
			continue
		}
		n.begin(level)
		last := s.board.Placed
		for !s.done() && !s.settled(level) && (len(s.opt.Objectives) < 2 || s.board.Placed < last+s.patience()) {
			if n.step() {
				last = s.board.Placed
			}
		}
	}
}

// settled reports whether the objective at level, and all before, are at their
// lower bounds. Some level is not, or the search would be done.
func (s *search) settled(level int) bool {
	return len(s.values) > 1 && slices.Equal(s.values[:level+2], s.floor[:level+2])
}

// patience is the number of placements without a better plan after which the
// next objective gets its turn.
func (s *search) patience() int64 { return 50_000 + 100*int64(len(s.js.Tasks)) }

const (
	// weighEvery is the number of steps without progress after which jobs in
	// trouble gain weight; restartEvery that after which the search goes back to
	// the best plan and to equal weights.
	weighEvery   = 200
	restartEvery = 20000
)

// begin turns to the objective at level, starting from the best plan.
func (n *neighbourhood) begin(level int) {
	n.level = level
	n.restart()
}

// step tries one neighbour and reports whether it led to a better plan.
func (n *neighbourhood) step() (better bool) {
	n.destroy()
	if len(n.taken) == 0 && n.fig.AnyPinned() {
		n.board.Placed++ // where nothing may move a search ends, too
	}
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
	charge := n.board.Charge
	n.board.Charge = 0
	for _, i := range outside {
		n.board.InsertJob(i)
	}
	n.board.Charge = charge
	better := n.consider()
	for _, i := range outside {
		n.board.TakeJob(i)
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
			n.finishes[i] = n.board.JobFinish(model.JobID(i))
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
