package lns

import (
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
		n.board.Restage(stage)
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
	return model.Interval{Start: job.Release, End: n.board.JobFinish(i)}
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
	for stage := n.fig.Base[i]; stage < n.fig.Base[i+1]; stage++ {
		for _, t := range n.fig.Stages[stage].Tasks {
			n.takeTask(t, stage)
		}
	}
	if n.out[i] {
		n.out[i] = false
		n.joined = append(n.joined, i)
	}
}

// takeWindow takes the tasks off that some slaves hold around a task of the
// pivot, or that take of a limit as a task of it does, and in half of all cases all tasks of later
// stages of their jobs.
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
	rivals, limited := n.rivals(pivot)
	if n.out[pivot] {
		n.takeOff(pivot)
	}
	first := n.rng.IntN(len(n.js.Tasks))
	for k := range n.js.Tasks {
		t := model.TaskID((first + k) % len(n.js.Tasks))
		p := n.board.Place[t]
		if p.Slave == model.NoSlave || p.Start >= window.End || n.js.Finish(t, p) <= window.Start {
			continue
		}
		if limited && !n.takesOf(t, rivals) || !limited && !chosen(p.Slave) {
			continue
		}
		n.takeTask(t, n.board.StageOf(t))
		if len(n.taken) >= mostTasks {
			break
		}
	}
	if n.rng.IntN(2) == 0 {
		return
	}
	for k := 0; k < len(n.stages); k++ {
		stage := n.stages[k]
		if next := stage + 1; next < n.fig.Base[n.fig.Stages[stage].Ref.Job+1] {
			for _, t := range n.fig.Stages[next].Tasks {
				n.takeTask(t, next)
			}
		}
	}
}

// rivals is in half of all cases a limit that a task of the pivot takes of, by chance (C11); any tells
// whether there is one.
func (n *neighbourhood) rivals(pivot model.JobID) (of model.SharedID, any bool) {
	if !n.js.Coupled() || n.rng.IntN(2) == 0 {
		return 0, false
	}
	job := &n.js.Jobs[pivot]
	takes := n.js.Takes(job.First + model.TaskID(n.rng.IntN(int(job.End-job.First))))
	if len(takes) == 0 {
		return 0, false
	}
	return takes[n.rng.IntN(len(takes))].Shared, true
}

// takesOf reports whether a task takes of a limit.
func (n *neighbourhood) takesOf(t model.TaskID, of model.SharedID) bool {
	return slices.ContainsFunc(n.js.Takes(t), func(take model.Take) bool { return take.Shared == of })
}

// window is a stretch of time and a slave: around a task of the pivot, or
// anywhere in its span if it is out.
func (n *neighbourhood) window(pivot model.JobID) (model.Interval, model.SlaveID) {
	job := &n.js.Jobs[pivot]
	t := job.First + model.TaskID(n.rng.IntN(int(job.End-job.First)))
	reach := max(1, n.fig.Best(t).Length()/[...]model.Time{1, 2, 4}[n.rng.IntN(3)])
	before, after := n.rng.Int64N(int64(2*reach)+1), n.rng.Int64N(int64(2*reach)+1)
	p := n.board.Place[t]
	if p.Slave == model.NoSlave {
		end := job.Release + n.fig.Jobs[pivot].Path
		if job.Kind != model.BestEffort {
			end = max(end, job.Due())
		}
		at := job.Release + model.Time(n.rng.Int64N(int64(end-job.Release)+1))
		slave := n.fig.Best(t).Slave
		return model.Interval{Start: at - model.Time(before), End: at + model.Time(after) + 1}, slave
	}
	return model.Interval{Start: p.Start - model.Time(before), End: n.js.Finish(t, p) + model.Time(after)}, p.Slave
}
