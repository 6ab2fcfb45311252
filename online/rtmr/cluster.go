package rtmr

import (
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// cluster is what estimates know of the slaves: how many slots there are.
type cluster struct {
	// shared: some slave has common slots, so that all slots are one pool.
	shared bool
	// slots by pool; the second is empty if shared.
	slots  [2]int
	slaves int
}

func newCluster(slaves []model.Slave) cluster {
	c := cluster{slaves: len(slaves)}
	for i := range slaves {
		c.shared = c.shared || !slaves[i].SplitSlots
	}
	for i := range slaves {
		s := &slaves[i]
		for p := range s.Pools() {
			c.slots[c.pool(model.SlotKind(p))] += s.PoolSize(p)
		}
	}
	return c
}

// pool is where tasks that take slots of kind k are counted.
func (c *cluster) pool(k model.SlotKind) int {
	if c.shared {
		return 0
	}
	return int(k)
}

// free counts the free slots of slaves that are there, by pool.
func (c *cluster) free(v *online.View) (free [2]int) {
	for i := range v.Slaves() {
		s := model.SlaveID(i)
		if !v.Up(s) {
			continue
		}
		for p := range v.Slaves()[i].Pools() {
			k := model.SlotKind(p)
			free[c.pool(k)] += v.Free(s, k)
		}
	}
	return free
}

// step is a stage of a job as estimates see it.
type step struct {
	kind  model.SlotKind
	pool  int
	tasks int
	// longest is the largest declared transfer and execution time of a task on
	// any of its slaves, total the sum of such figures over the tasks.
	longest, total model.Time
}

func (c *cluster) steps(j *model.Job) []step {
	out := make([]step, len(j.Stages))
	for i := range j.Stages {
		st := &j.Stages[i]
		s := step{kind: st.Slot, pool: c.pool(st.Slot)}
		for _, g := range st.Groups {
			l := c.longest(g.Profile)
			s.tasks += g.Count
			s.longest = max(s.longest, l)
			s.total += l * model.Time(g.Count)
		}
		out[i] = s
	}
	return out
}

// inOrder lists the stages of a job by when they could begin if each took its longest
// and nothing else, and behind those that they come after. It is the order of a job's
// stages in the queue.
func inOrder(j *model.Job, steps []step) []int32 {
	begin := make([]model.Time, len(steps))
	for _, k := range j.Order() {
		for _, b := range j.Stages[k].After {
			begin[k] = max(begin[k], begin[b]+steps[b].longest)
		}
	}
	order := slices.Clone(j.Order())
	slices.SortStableFunc(order, func(a, b int32) int { return int(begin[a] - begin[b]) })
	return order
}

// longest is the largest declared transfer and execution time over the slaves
// on which a task may run.
func (c *cluster) longest(p *model.Profile) model.Time {
	most := model.Time(0)
	for s := range model.SlaveID(c.slaves) {
		if p.Eligible(s) {
			most = max(most, p.Transfer(s)+p.WCET(s))
		}
	}
	return most
}
