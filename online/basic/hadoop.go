package basic

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// jobQueue is FIFO as Hadoop's JobQueueTaskScheduler has it, from 0.20 to 1. At a heartbeat
//   - a slave takes no more tasks of a kind of slot than its share of those that are left, in
//     proportion to slots and rounded up, so that the last ones are spread;
//   - no more than one that takes a reduce slot;
//   - no more than one map that is not local, after all that are, and none after it.
//
// Hadoop takes maps for local whose input is in the same rack; there are no racks here. A task that is
// the same everywhere is local. It keeps slots for speculative tasks besides, of which there
// are none here.
type jobQueue struct{}

// Hadoop makes FIFO as Hadoop's JobQueueTaskScheduler has it.
func Hadoop() online.Policy { return jobQueue{} }

// Name implements online.Policy.
func (jobQueue) Name() string { return "fifo" }

// Asks implements online.Policy: what is held back when something was given is for the next heartbeat, and
// a share of what is left grows only when tasks become ready, end or are lost, or slaves go or come.
func (jobQueue) Asks() online.Asking { return online.OnChange }

// Heartbeat implements online.Policy.
func (jobQueue) Heartbeat(v *online.View, o *online.Offer) {
	for _, k := range []model.SlotKind{model.MapSlot, model.ReduceSlot} {
		for n := share(v, o.Slave(), k); n > 0; n-- {
			g, local := first(v, o, k)
			if g == nil {
				break
			}
			if o.Tracing() {
				o.Consider([]online.Candidate{g.Candidate(fmt.Sprintf("release %d", g.Job().Spec().Release))})
			}
			o.Give(g)
			if !local || k == model.ReduceSlot {
				break
			}
		}
	}
}

// first is what the earliest job that has something for a kind of slot starts on the offer's slave, nil
// if none has, and whether its input is there.
func first(v *online.View, o *online.Offer, k model.SlotKind) (g *online.Group, local bool) {
	for _, j := range v.Ready() {
		if g := o.PickFor(j, k); g != nil {
			near := g.Profile().Nearest()
			return g, near == nil || slices.Contains(near, o.Slave())
		}
	}
	return nil, false
}

// share is how many tasks of a kind a slave may take beside those that it holds: as many as its slots are
// of the cluster's, of the tasks that have not ended in stages that are open.
func share(v *online.View, s model.SlaveID, k model.SlotKind) int {
	left, slots := 0, 0
	for _, j := range v.Active() {
		for stage := range j.Spec().Stages {
			if j.Open(stage) && j.Spec().Stages[stage].Slot == k {
				left += j.Left(stage)
			}
		}
	}
	size := func(s *model.Slave) int { return s.PoolSize(s.Pool(k)) }
	for i := range v.Slaves() {
		if v.Up(model.SlaveID(i)) {
			slots += size(&v.Slaves()[i])
		}
	}
	if slots == 0 {
		return 0
	}
	n := (left*size(&v.Slaves()[s]) + slots - 1) / slots
	for _, h := range v.Held(s) {
		if v.Task(h.Task).Slot == k {
			n--
		}
	}
	return n
}
