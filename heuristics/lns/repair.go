package lns

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// repair puts the tasks back that destroy took, in a random choice of orders,
// a random charge on slow and remote slaves. Soft jobs that may stay out and
// turn out late are put outside.
func (n *neighbourhood) repair() {
	n.enqueue()
	n.board.Charge = [...]model.Time{0, 0, 1, 2, 4}[n.rng.IntN(5)]
	for _, q := range n.queue {
		if job := n.fig.Stages[q.stage].Ref.Job; !n.out[job] && q.stage < n.cut[job] {
			n.restore(q.task, q.stage)
		}
	}
	n.fig.SortJobs(n.cuts)
	for _, job := range n.cuts {
		for stage := n.cut[job]; stage < n.fig.Base[job+1]; stage++ {
			for _, t := range n.fig.Stages[stage].Tasks {
				// A job cut twice is listed twice, and its tasks are back already.
				if !n.out[job] && n.board.Place[t].Slave == model.NoSlave {
					n.restore(t, stage)
				}
			}
		}
	}
}

// restore places a task, with its gang if it has one. If it cannot end before tasks on the board that wait for it
// were handed out, all that may wait for it is taken off, to be placed last.
func (n *neighbourhood) restore(t model.TaskID, stage int32) {
	ready := n.board.Ready(stage)
	if !n.board.Insert(t, ready, n.board.NextAssigned(stage)+1) {
		for _, rest := range n.fig.Behind(stage) {
			n.cut[rest.Job] = rest.From
			n.cuts = append(n.cuts, rest.Job)
			n.clearStages(rest.From, n.fig.Base[rest.Job+1])
		}
		n.board.Insert(t, ready, model.Never)
	}
	job := n.fig.Stages[stage].Ref.Job
	if n.mayStayOut(job) && n.board.Finish[stage] > n.fig.Stages[stage].Due {
		n.clearStages(n.fig.Base[job], n.fig.Base[job+1])
		n.out[job] = true
		n.wasOut = append(n.wasOut, job)
	}
}

// clearStages takes off what is on the board of some stages of a job.
func (n *neighbourhood) clearStages(from, to int32) {
	for stage := from; stage < to; stage++ {
		if n.fig.Pinned(stage) {
			continue
		}
		for _, t := range n.fig.Stages[stage].Tasks {
			if !n.marked[t] {
				n.takeTask(t, stage)
			} else if n.board.Place[t].Slave != model.NoSlave {
				n.board.Take(t)
			}
		}
		n.board.Finish[stage] = 0
	}
}

// enqueue queues the tasks that were taken: in the order of a rule or at random,
// perhaps with some noise on the stages, perhaps with some on the tasks. Tasks
// of a stage come after all tasks of the stages that it waits for.
func (n *neighbourhood) enqueue() {
	rank := n.ranks[n.rng.IntN(len(n.ranks))]
	spread := int64(len(rank)) * rankStep
	noise := [...]int64{1, 1, spread / 4, spread}[n.rng.IntN(4)] + 1
	taskNoise := [...]int64{1, 1, rankStep, spread / 4}[n.rng.IntN(4)] + 1
	n.fig.SortStages(n.stages)
	n.queue = n.queue[:0]
	floor := int64(0)
	for k, stage := range n.stages {
		switch {
		case !n.fig.Chains():
			floor = n.behind(stage)
		case k == 0 || n.stages[k-1] != stage-1 || n.fig.Stages[stage].Ref.Stage == 0:
			floor = 0
		}
		key, from := rank[stage]+n.rng.Int64N(noise), len(n.queue)
		for _, t := range n.fig.Stages[stage].Tasks {
			if n.board.Place[t].Slave != model.NoSlave {
				continue
			}
			n.queue = append(n.queue, queued{max(floor, key+n.rng.Int64N(taskNoise)), stage, t})
			if n.fig.Stages[stage].Gang {
				break // the others go with it
			}
		}
		for _, q := range n.queue[from:] {
			floor = max(floor, q.key)
		}
		n.high[stage] = floor
	}
	slices.SortStableFunc(n.queue, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.stage, b.stage))
	})
}

// behind is a key beyond those of the queued stages that a stage waits for.
func (n *neighbourhood) behind(stage int32) int64 {
	floor := int64(0)
	for before := range n.fig.Before(stage) {
		if n.touched[before] {
			floor = max(floor, n.high[before]+1)
		}
	}
	return floor
}
