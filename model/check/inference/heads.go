package inference

import (
	"slices"

	"downbeat/model"
)

// heads are the earliest times that a job set allows by itself: each job alone on the
// cluster, but for the jobs that it comes after. What is asked twice is worked out once; they are
// not for several goroutines at once.
type heads struct {
	calendar
	// jobs are those that were asked for: most arguments name few.
	jobs map[model.JobID]*jobHeads
}

// jobHeads are those of a job, by stage.
type jobHeads struct{ ready, end []model.Time }

// newHeads works nothing out yet.
func newHeads(js *model.JobSet) *heads {
	return &heads{newCalendar(js), map[model.JobID]*jobHeads{}}
}

// ready is when a stage of a job can be handed out at the earliest.
func (h *heads) ready(id model.JobID, stage int) model.Time {
	return h.of(id).ready[stage]
}

// finish is when a job can finish at the earliest.
func (h *heads) finish(id model.JobID) model.Time {
	return slices.Max(h.of(id).end)
}

// of works out the heads of a job, once.
func (h *heads) of(id model.JobID) *jobHeads {
	if of := h.jobs[id]; of != nil {
		return of
	}
	job := &h.js.Jobs[id]
	begin := job.Release
	for _, before := range job.After {
		begin = max(begin, h.finish(before))
	}
	n := len(job.Stages)
	of := &jobHeads{make([]model.Time, n), make([]model.Time, n)}
	h.jobs[id] = of
	for k := range n {
		h.stage(job, of, k, begin)
	}
	return of
}

// stage works out a stage of a job that can begin at a time, and those that it comes after.
func (h *heads) stage(job *model.Job, of *jobHeads, k int, begin model.Time) {
	if of.end[k] > 0 {
		return
	}
	of.ready[k] = begin
	st := &job.Stages[k]
	for _, before := range st.After {
		h.stage(job, of, int(before), begin)
		of.ready[k] = max(of.ready[k], of.end[before])
	}
	of.end[k] = of.ready[k]
	for t := st.First; t < st.End; t++ {
		if t == st.First || h.js.Tasks[t].Profile != h.js.Tasks[t-1].Profile {
			of.end[k] = max(of.end[k], h.firstFinish(t, of.ready[k]))
		}
	}
}
