package inference

import (
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
)

// outOfOrder: t is fetched after u, where they are alike and t comes first. Of plans that
// differ in the places of such tasks or jobs only, one is meant in which the list of R by
// task is the least: exchange two tasks, or two jobs as wholes, that are not in order, and
// the list is less.
func (st *state) outOfOrder(a []int64) error {
	t, u := int32(a[0]), int32(a[1])
	of, other := &st.tasks[t], &st.tasks[u]
	switch {
	case t >= u || !st.alike(of, other):
		return fmt.Errorf("tasks %d and %d are not to be ordered", of.id, other.id)
	case !st.in(of.job) || !st.in(other.job):
		return errors.New("they need not be in")
	}
	before, _ := st.open(t, st.among)
	after, _ := st.open(u, st.among)
	if before.first <= after.last {
		return fmt.Errorf("task %d may be fetched at %d, task %d at %d", of.id, before.first, other.id, after.last)
	}
	return nil
}

// alike reports whether tasks can be exchanged: equal ones of a stage, or of stages between
// the same others whose jobs are in, are released and have to end together, and of whose
// ends nothing else is asked; or the first tasks of equal jobs, with all that follow.
func (st *state) alike(t, u *task) bool {
	x, y := &st.stages[t.stage], &st.stages[u.stage]
	equal := st.js.Tasks[t.id].Alike(&st.js.Tasks[u.id])
	if x == y {
		return equal
	}
	i, k := &st.jobs[t.job], &st.jobs[u.job]
	a, b := &st.js.Jobs[i.job], &st.js.Jobs[k.job]
	if i.role == may || k.role == may || i.by != k.by || a.Release != b.Release {
		return false
	}
	between := slices.Equal(x.before, y.before) && slices.Equal(x.next, y.next) && !limitsTasks(a) && !limitsTasks(b)
	measured := slices.ContainsFunc(limited, func(o model.Objective) bool {
		return st.q.limits[o] != noLimit && (i.by > min(a.Due(), o.Shape().From(a)) || k.by > min(b.Due(), o.Shape().From(b)))
	})
	return between && !measured && equal ||
		i.role == k.role && t.id == a.First && u.id == b.First && st.equalJobs(i.job, k.job)
}

// limitsTasks reports whether a job or a stage of it has a cap, or tasks that start together or are
// apart.
func limitsTasks(job *model.Job) bool {
	return job.AtMost > 0 || slices.ContainsFunc(job.Stages, func(s model.Stage) bool { return s.AtMost > 0 || s.Gang || s.Apart })
}

// equalJobs reports whether jobs are equal in all but their names.
func (st *state) equalJobs(i, k model.JobID) bool {
	a, b := &st.js.Jobs[i], &st.js.Jobs[k]
	if a.Kind != b.Kind || a.Release != b.Release || a.Deadline != b.Deadline || a.Weight != b.Weight || !slices.Equal(a.After, b.After) {
		return false
	}
	stages := a.AtMost == b.AtMost && slices.Equal(a.Reserved, b.Reserved) && slices.EqualFunc(a.Stages, b.Stages, func(x, y model.Stage) bool {
		return slices.Equal(x.After, y.After) && x.AtMost == y.AtMost && slices.Equal(x.Reserved, y.Reserved) &&
			x.Gang == y.Gang && x.Apart == y.Apart && x.StartAt == y.StartAt
	})
	tasks := slices.EqualFunc(st.js.Tasks[a.First:a.End], st.js.Tasks[b.First:b.End], func(t, u model.Task) bool { return t.Stage == u.Stage && t.Alike(&u) })
	return stages && tasks && !slices.ContainsFunc(st.js.Jobs, func(j model.Job) bool { return slices.Contains(j.After, i) != slices.Contains(j.After, k) })
}
