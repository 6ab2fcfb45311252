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
func (st *state) outOfOrder(args []int64) error {
	t, err := st.task(args[0])
	if err != nil {
		return err
	}
	u, err := st.task(args[1])
	if err != nil {
		return err
	}
	switch {
	case st.js.FIFO:
		return errors.New("tasks are not ordered with fifo")
	case t >= u || !st.alikeTasks(t, u) && !st.alikeJobs(t, u):
		return fmt.Errorf("tasks %d and %d are not to be ordered", args[0], args[1])
	case !st.in(st.tasks[t].job) || !st.in(st.tasks[u].job):
		return errors.New("they need not be in")
	}
	if before, after := st.fetched(t), st.fetched(u); before.first <= after.last {
		return fmt.Errorf("task %d may be fetched at %d, task %d at %d", args[0], before.first, args[1], after.last)
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

// alikeTasks reports whether tasks can be exchanged: they have equal figures, and are of
// one stage, or of jobs of a single stage that are released together, have to be in by the
// same time, of which nothing else is asked, and that come before and after the same jobs.
func (st *state) alikeTasks(t, u int32) bool {
	of, other := &st.tasks[t], &st.tasks[u]
	if !st.alike(of.id, other.id) {
		return false
	}
	if of.stage == other.stage {
		return true
	}
	i, k := st.jobs[of.job].asked, st.jobs[other.job].asked
	a, b := &st.js.Jobs[i.job], &st.js.Jobs[k.job]
	return i.role != may && k.role != may && i.by == k.by && !st.measured(st.q, i) && !st.measured(st.q, k) &&
		len(a.Stages) == 1 && len(b.Stages) == 1 && a.Release == b.Release && st.sameLinks(a, b)
}

// alikeJobs reports whether tasks are the first ones of jobs that are equal in everything.
func (st *state) alikeJobs(t, u int32) bool {
	i, k := st.jobs[st.tasks[t].job].asked, st.jobs[st.tasks[u].job].asked
	a, b := &st.js.Jobs[i.job], &st.js.Jobs[k.job]
	if a.First != st.tasks[t].id || b.First != st.tasks[u].id || a.End-a.First != b.End-b.First ||
		i.role == may || i.role != k.role || i.by != k.by || a.Kind != b.Kind || a.Release != b.Release ||
		a.Deadline != b.Deadline || a.Weight != b.Weight || len(a.Stages) < 2 || len(a.Stages) != len(b.Stages) || !st.sameLinks(a, b) {
		return false
	}
	for n := range a.Stages {
		if !slices.Equal(a.Stages[n].After, b.Stages[n].After) {
			return false
		}
	}
	for n := range a.End - a.First {
		if st.js.Tasks[a.First+n].Stage != st.js.Tasks[b.First+n].Stage || !st.alike(a.First+n, b.First+n) {
			return false
		}
	}
	return true
}

// alike reports whether tasks have equal figures on all slaves, equal needs, and slots of
// the same kind.
func (st *state) alike(t, u model.TaskID) bool {
	a, b := &st.js.Tasks[t], &st.js.Tasks[u]
	if a.Slot != b.Slot || a.Profile != b.Profile && a.Needs() != b.Needs() {
		return false
	}
	for s := model.SlaveID(0); a.Profile != b.Profile && int(s) < len(st.slaves); s++ {
		if a.WCET(s) != b.WCET(s) || a.Eligible(s) && a.Transfer(s) != b.Transfer(s) {
			return false
		}
	}
	return true
}

// sameLinks reports whether the stages of two jobs with as many stages come before and
// after the same stages of other jobs.
func (st *state) sameLinks(a, b *model.Job) bool {
	for n := range len(a.Stages) {
		of, other := a.FirstStage+model.StageID(n), b.FirstStage+model.StageID(n)
		if !slices.Equal(outside(a, st.js.Before(of)), outside(b, st.js.Before(other))) ||
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
func (st *state) notFirst(args []int64) error {
	t, err := st.task(args[0])
	if err != nil {
		return err
	}
	s, err := st.slave(args[1])
	if err != nil {
		return err
	}
	s2, err := st.slave(args[2])
	if err != nil {
		return err
	}
	k := st.placeOn(t, s2)
	switch {
	case s >= s2 || !st.equalSlaves(s, s2):
		return fmt.Errorf("slaves %d and %d are not to be ordered", s, s2)
	case k < 0 || st.on(k) != yes:
		return fmt.Errorf("task %d need not be on slave %d", args[0], s2)
	}
	return st.nobody(s, st.lo[st.firstUse(s)], model.Time(args[0])-1)
}

// unused: the first task on s is one of those up to t, and none of them is on it.
func (st *state) unused(args []int64) error {
	s, err := st.slave(args[1])
	if err != nil {
		return err
	}
	use := st.firstUse(s)
	if st.hi[use] > model.Time(args[0]) {
		return fmt.Errorf("slave %d need not have a task up to %d", s, args[0])
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

// equalSlaves reports whether no task of the question can tell two slaves apart.
func (st *state) equalSlaves(s, s2 model.SlaveID) bool {
	a, b := &st.js.Slaves[s], &st.js.Slaves[s2]
	if st.slaves[s].absent || st.slaves[s2].absent || a.Cores != b.Cores || a.SplitSlots != b.SplitSlots || a.Slots != b.Slots ||
		a.MapSlots != b.MapSlots || a.ReduceSlots != b.ReduceSlots || a.FirstBeat != b.FirstBeat ||
		!slices.Equal(a.Down, b.Down) || !slices.Equal(a.Taken, b.Taken) {
		return false
	}
	for n := range st.js.Named {
		if a.Offers(n) != b.Offers(n) {
			return false
		}
	}
	for t := range st.tasks {
		if st.tasks[t].place == st.tasks[t].end {
			continue
		}
		run, fetch := st.lengths(st.tasks[t].id, s)
		run2, fetch2 := st.lengths(st.tasks[t].id, s2)
		if run != run2 || fetch != fetch2 {
			return false
		}
	}
	return true
}
