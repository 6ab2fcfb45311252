package certificate

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
	case st.js.FIFO || t >= u || !st.alike(of, other):
		return fmt.Errorf("tasks %d and %d are not to be ordered", of.id, other.id)
	case !st.in(of.job) || !st.in(other.job):
		return errors.New("they need not be in")
	}
	if before, after := st.fetched(t), st.fetched(u); before.first <= after.last {
		return fmt.Errorf("task %d may be fetched at %d, task %d at %d", of.id, before.first, other.id, after.last)
	}
	return nil
}

// fetched is when a task can be fetched, over the places that are left.
func (st *state) fetched(t int32) span {
	all := nowhere
	for at := st.tasks[t].place; at < st.tasks[t].end; at++ {
		if r, ok := st.reach(&st.places[at]); ok && st.on(at) != no {
			all.join(r.fetch)
		}
	}
	return all
}

// alike reports whether tasks are equal and can be exchanged, being of one stage, or of
// jobs of a single stage that are released together, have to be in by the same time, of
// which nothing else is asked, and that come before and after the same jobs; or whether
// they are the first tasks of jobs of several stages that are equal in all but names.
func (st *state) alike(t, u *task) bool {
	i, k := st.jobs[t.job].asked, st.jobs[u.job].asked
	a, b := &st.js.Jobs[i.job], &st.js.Jobs[k.job]
	switch {
	case t.stage == u.stage:
		return st.equal(t.id, u.id)
	case i.role == may || k.role == may || i.by != k.by || a.Release != b.Release || !st.equalStages(a, b):
		return false
	case len(a.Stages) == 1:
		return st.equal(t.id, u.id) && !st.measured(i) && !st.measured(k)
	case i.role != k.role || a.Kind != b.Kind || a.Deadline != b.Deadline || a.Weight != b.Weight ||
		t.id != a.First || u.id != b.First || a.End-a.First != b.End-b.First:
		return false
	}
	for n := range a.End - a.First {
		if st.js.Tasks[a.First+n].Stage != st.js.Tasks[b.First+n].Stage || !st.equal(a.First+n, b.First+n) {
			return false
		}
	}
	return true
}

// measured reports whether more is asked of the end of a job than to keep its time.
func (st *state) measured(a *asked) bool {
	return st.q.limits != unlimited && a.by > st.js.Jobs[a.job].Due()
}

// equal reports whether tasks have equal figures on all slaves, equal needs, and slots of
// the same kind.
func (st *state) equal(t, u model.TaskID) bool {
	a, b := &st.js.Tasks[t], &st.js.Tasks[u]
	if a.Slot != b.Slot || a.Needs() != b.Needs() {
		return false
	}
	for s := model.SlaveID(0); a.Profile != b.Profile && int(s) < len(st.slaves); s++ {
		if a.WCET(s) != b.WCET(s) || a.Eligible(s) && a.Transfer(s) != b.Transfer(s) {
			return false
		}
	}
	return true
}

// equalStages reports whether the stages of two jobs come after and before each other
// alike, and after and before the same stages of other jobs.
func (st *state) equalStages(a, b *model.Job) bool {
	for n := range a.Stages {
		of, other := a.FirstStage+model.StageID(n), b.FirstStage+model.StageID(n)
		if len(a.Stages) != len(b.Stages) || !slices.Equal(a.Stages[n].After, b.Stages[n].After) ||
			!slices.Equal(outside(a, st.js.Before(of)), outside(b, st.js.Before(other))) ||
			!slices.Equal(outside(a, st.js.Next(of)), outside(b, st.js.Next(other))) {
			return false
		}
	}
	return true
}

// outside are the stages of other jobs.
func outside(j *model.Job, stages []model.StageID) []model.StageID {
	return slices.DeleteFunc(slices.Clone(stages), func(st model.StageID) bool {
		return st >= j.FirstStage && st < j.FirstStage+model.StageID(len(j.Stages))
	})
}

// notFirst: t is on s2, and no task of a lower number is on s, which comes before s2 and is
// its equal. Equal slaves can be renamed in the order of their first tasks, which changes
// no time.
func (st *state) notFirst(a []int64) error {
	t, s, s2 := int32(a[0]), model.SlaveID(a[1]), model.SlaveID(a[2])
	k := st.placeOn(t, s2)
	switch {
	case s >= s2 || !st.equalSlaves(s, s2):
		return fmt.Errorf("slaves %d and %d are not to be ordered", s, s2)
	case k < 0 || st.on(k) != yes:
		return fmt.Errorf("task %d need not be on slave %d", st.tasks[t].id, s2)
	}
	return st.nobody(s, st.lo[st.firstUse(s)], model.Time(st.tasks[t].id)-1)
}

// unused: the first task on s is one of those up to t, and none of them is on it.
func (st *state) unused(a []int64) error {
	t, s := st.tasks[a[0]].id, model.SlaveID(a[1])
	use := st.firstUse(s)
	if st.hi[use] > model.Time(t) {
		return fmt.Errorf("slave %d need not have a task up to %d", s, t)
	}
	return st.nobody(s, st.lo[use], st.hi[use])
}

// nobody fails if one of the tasks numbered from first to last can be on slave s.
func (st *state) nobody(s model.SlaveID, first, last model.Time) error {
	for _, k := range st.onSlave[s] {
		if id := model.Time(st.tasks[st.places[k].task].id); id >= first && id <= last && st.on(k) != no {
			return fmt.Errorf("task %d may be on slave %d", id, s)
		}
	}
	return nil
}

// equalSlaves reports whether no task of the question that has a place can tell two
// slaves apart; none has one on a slave that is not there.
func (st *state) equalSlaves(s, s2 model.SlaveID) bool {
	a, b := *st.slaves[s].Slave, *st.slaves[s2].Slave
	for _, k := range []*model.Slave{&a, &b} {
		k.Name, k.Class, k.Cost = "", "", 0
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		return false
	}
	for t := range st.tasks {
		of := &st.tasks[t]
		run, fetch := st.lengths(of.id, s)
		if run2, fetch2 := st.lengths(of.id, s2); of.place < of.end && (run != run2 || fetch != fetch2) {
			return false
		}
	}
	return true
}
