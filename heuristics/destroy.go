package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
)

const (
	// mostJobs is the number of whole jobs taken off in a step at most.
	mostJobs = 4
	// mostTasks is the number of tasks in a window taken off at most, not
	// counting those of later stages.
	mostTasks = 40
)

// destroy takes jobs or a window of tasks off the board.
func (n *neighbourhood) destroy() {
	pivot := n.pivot()
	if n.rng.IntN(2) == 0 {
		n.takeJobs(pivot)
	} else {
		n.takeWindow(pivot)
	}
	for _, stage := range n.stages {
		n.b.restage(stage)
	}
}

// pivot is the job that a step is about: often one in trouble.
func (n *neighbourhood) pivot() model.JobID {
	if n.rng.IntN(4) > 0 {
		chosen, seen := model.JobID(-1), 0
		for i := range n.js.Jobs {
			if n.troubled(model.JobID(i)) {
				if seen++; n.rng.IntN(seen) == 0 {
					chosen = model.JobID(i)
				}
			}
		}
		if chosen >= 0 {
			return chosen
		}
	}
	return model.JobID(n.rng.IntN(len(n.js.Jobs)))
}

// span is the time that a job takes up, or could if it is out.
func (n *neighbourhood) span(i model.JobID) model.Interval {
	job := &n.js.Jobs[i]
	if n.out[i] {
		return model.Interval{Start: job.Release, End: job.Due()}
	}
	return model.Interval{Start: job.Release, End: n.b.jobFinish(i)}
}

// takeJobs takes the pivot and up to three jobs that overlap it in time.
func (n *neighbourhood) takeJobs(pivot model.JobID) {
	span := n.span(pivot)
	n.takeOff(pivot)
	wanted := n.rng.IntN(mostJobs)
	for tries := 0; wanted > 0 && tries < 4*mostJobs; tries++ {
		i := model.JobID(n.rng.IntN(len(n.js.Jobs)))
		if i != pivot && !n.idleOutside(i) && n.span(i).Overlaps(span) {
			n.takeOff(i)
			wanted--
		}
	}
}

// idleOutside reports whether the job waits outside and may as well stay there.
func (n *neighbourhood) idleOutside(i model.JobID) bool {
	return n.out[i] && (n.late[i] || n.js.Jobs[i].Kind == model.BestEffort)
}

// takeOff takes a whole job off the board, or in from outside, to be placed anew.
func (n *neighbourhood) takeOff(i model.JobID) {
	if n.idleOutside(i) {
		return
	}
	for stage := n.fig.base[i]; stage < n.fig.base[i+1]; stage++ {
		for _, t := range n.fig.stages[stage].tasks {
			n.takeTask(t, stage)
		}
	}
	if n.out[i] {
		n.out[i] = false
		n.joined = append(n.joined, i)
	}
}

// takeTask takes a task off the board unless that is done already.
func (n *neighbourhood) takeTask(t model.TaskID, stage int32) {
	if n.marked[t] {
		return
	}
	n.marked[t] = true
	n.taken = append(n.taken, t)
	n.was[t] = n.b.place[t]
	if n.b.place[t].Slave != model.NoSlave {
		n.b.take(t)
	}
	if !n.touched[stage] {
		n.touched[stage] = true
		n.stages = append(n.stages, stage)
	}
}

// takeWindow takes the tasks off that some slaves hold around a task of the
// pivot, and in half of all cases all tasks of later stages of their jobs.
func (n *neighbourhood) takeWindow(pivot model.JobID) {
	window, centre := n.window(pivot)
	all := n.rng.IntN(3) == 0
	share := 1 + n.rng.IntN(3)
	slaves := len(n.js.Slaves)
	chosen := func(s model.SlaveID) bool { return all || s == centre }
	if !all && slaves > 1 {
		others := make([]model.SlaveID, share)
		for i := range others {
			others[i] = model.SlaveID(n.rng.IntN(slaves))
		}
		chosen = func(s model.SlaveID) bool { return s == centre || slices.Contains(others, s) }
	}
	if n.out[pivot] {
		n.takeOff(pivot)
	}
	first := n.rng.IntN(len(n.js.Tasks))
	for k := range n.js.Tasks {
		t := model.TaskID((first + k) % len(n.js.Tasks))
		p := n.b.place[t]
		if p.Slave == model.NoSlave || !chosen(p.Slave) || p.Start >= window.End || n.js.Finish(t, p) <= window.Start {
			continue
		}
		n.takeTask(t, n.b.stageOf(t))
		if len(n.taken) >= mostTasks {
			break
		}
	}
	if n.rng.IntN(2) == 0 {
		return
	}
	for k := 0; k < len(n.stages); k++ {
		stage := n.stages[k]
		if next := stage + 1; next < n.fig.base[n.fig.stages[stage].ref.Job+1] {
			for _, t := range n.fig.stages[next].tasks {
				n.takeTask(t, next)
			}
		}
	}
}

// window is a stretch of time and a slave: around a task of the pivot, or
// anywhere in its span if it is out.
func (n *neighbourhood) window(pivot model.JobID) (model.Interval, model.SlaveID) {
	job := &n.js.Jobs[pivot]
	t := job.First + model.TaskID(n.rng.IntN(int(job.End-job.First)))
	reach := max(1, n.fig.least(t)/[...]model.Time{1, 2, 4}[n.rng.IntN(3)])
	before, after := n.rng.Int64N(int64(2*reach)+1), n.rng.Int64N(int64(2*reach)+1)
	p := n.b.place[t]
	if p.Slave == model.NoSlave {
		end := job.Release + n.fig.jobs[pivot].path
		if job.Kind != model.BestEffort {
			end = max(end, job.Due())
		}
		at := job.Release + model.Time(n.rng.Int64N(int64(end-job.Release)+1))
		slave := n.fig.options(t).list[0].slave
		return model.Interval{Start: at - model.Time(before), End: at + model.Time(after) + 1}, slave
	}
	return model.Interval{Start: p.Start - model.Time(before), End: n.js.Finish(t, p) + model.Time(after)}, p.Slave
}

// repair puts the tasks back that destroy took, in a random choice of orders,
// slow and remote slaves charged at random. Soft jobs that may stay out and
// turn out late are put outside.
func (n *neighbourhood) repair() {
	n.rank()
	n.b.charge = [...]model.Time{0, 0, 1, 2, 4}[n.rng.IntN(5)]
	for _, q := range n.queue {
		if job := n.fig.stages[q.stage].ref.Job; !n.out[job] && q.stage < n.cut[job] {
			n.restore(q.task, q.stage)
		}
	}
	for _, job := range n.cuts {
		for stage := n.cut[job]; stage < n.fig.base[job+1]; stage++ {
			for _, t := range n.fig.stages[stage].tasks {
				// A job cut twice is listed twice, and its tasks are back already.
				if !n.out[job] && n.b.place[t].Slave == model.NoSlave {
					n.restore(t, stage)
				}
			}
		}
	}
}

// restore places a task. If it cannot end before tasks of the next stage that
// are on the board were handed out, the stages after it are taken off, to be
// placed last.
func (n *neighbourhood) restore(t model.TaskID, stage int32) {
	ready := n.b.ready(stage)
	if !n.b.insert(t, ready, n.b.nextAssigned(stage)+1) {
		job := n.fig.stages[stage].ref.Job
		n.cut[job] = stage + 1
		n.cuts = append(n.cuts, job)
		n.clearStages(stage+1, n.fig.base[job+1])
		n.b.insert(t, ready, model.Never)
	}
	job := n.fig.stages[stage].ref.Job
	if n.mayStayOut(job) && n.b.finish[stage] > n.fig.stages[stage].due {
		n.clearStages(n.fig.base[job], n.fig.base[job+1])
		n.out[job] = true
		n.wasOut = append(n.wasOut, job)
	}
}

// clearStages takes off what is on the board of some stages of a job.
func (n *neighbourhood) clearStages(from, to int32) {
	for stage := from; stage < to; stage++ {
		for _, t := range n.fig.stages[stage].tasks {
			if !n.marked[t] {
				n.takeTask(t, stage)
			} else if n.b.place[t].Slave != model.NoSlave {
				n.b.take(t)
			}
		}
		n.b.finish[stage] = 0
	}
}

// queued is a task that waits to be placed.
type queued struct {
	key   int64
	stage int32
	task  model.TaskID
}

// rank queues the tasks that were taken: in the order of a rule or at random,
// perhaps with some noise on the stages, perhaps with some on the tasks. Tasks
// of a stage come after all tasks of the stage before.
func (n *neighbourhood) rank() {
	rank := n.ranks[n.rng.IntN(len(n.ranks))]
	spread := int64(len(rank)) * rankStep
	noise := [...]int64{1, 1, spread / 4, spread}[n.rng.IntN(4)] + 1
	taskNoise := [...]int64{1, 1, rankStep, spread / 4}[n.rng.IntN(4)] + 1
	slices.Sort(n.stages)
	n.queue = n.queue[:0]
	floor := int64(0)
	for k, stage := range n.stages {
		if k == 0 || n.stages[k-1] != stage-1 || n.fig.stages[stage].ref.Stage == 0 {
			floor = 0
		}
		key, from := rank[stage]+n.rng.Int64N(noise), len(n.queue)
		for _, t := range n.fig.stages[stage].tasks {
			if n.b.place[t].Slave == model.NoSlave {
				n.queue = append(n.queue, queued{max(floor, key+n.rng.Int64N(taskNoise)), stage, t})
			}
		}
		for _, q := range n.queue[from:] {
			floor = max(floor, q.key)
		}
	}
	slices.SortStableFunc(n.queue, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.stage, b.stage))
	})
}

// rollback undoes the step.
func (n *neighbourhood) rollback() {
	for _, t := range n.taken {
		if n.b.place[t].Slave != model.NoSlave {
			n.b.take(t)
		}
	}
	for _, t := range n.taken {
		if n.was[t].Slave != model.NoSlave {
			n.b.put(t, n.was[t])
		}
	}
	for _, stage := range n.stages {
		n.b.restage(stage)
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
