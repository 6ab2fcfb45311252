package inference

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// alike reads slaves that count as one: the first of them has what they have together, the others are taken not to be there. Any
// schedule is one of that set, with the tasks of all of them on the first. What plans may leave out is not what has no room there: a
// gang has room on one slave that has it on no two.
func (c *checker) alike() {
	if c.apart == nil {
		c.apart = slices.Clone(c.js.Slaves)
	}
	var members []model.SlaveID
	for _, s := range c.ascending(len(c.js.Slaves), 2) {
		members = append(members, model.SlaveID(s))
	}
	if c.err != nil {
		return
	}
	first := members[0]
	for _, s := range members[1:] {
		if c.err = c.toldApart(first, s); c.err != nil || c.stoppedAfter(len(c.js.Tasks)+len(c.js.Slaves[s].Down)) {
			return
		}
		c.gone(s)
	}
	slave, n := &c.js.Slaves[first], len(members)
	slave.Cores, slave.Slots, slave.MapSlots, slave.ReduceSlots = n*slave.Cores, n*slave.Slots, n*slave.MapSlots, n*slave.ReduceSlots
	units := slave.Units
	slave.Units = nil
	for _, has := range units {
		slave.Units = append(slave.Units, times(has, int64(n)))
	}
	c.verdict.Alike = append(c.verdict.Alike, members)
}

// toldApart is why two slaves do not count as one: they differ, for a task too, or there is more to what tasks on one of them are to
// each other than what they hold.
func (c *checker) toldApart(s, s2 model.SlaveID) error {
	if c.js.FIFO || c.presences[s] == nil || c.presences[s2] == nil || !c.offerAlike(s, s2) || len(c.js.Slaves[s].Reservations) > 0 {
		return fmt.Errorf("slaves %d and %d do not count as one", s, s2)
	}
	for t := range c.js.Tasks {
		task := &c.js.Tasks[t]
		run, fetch := task.WCET(s), task.Transfer(s)
		apart := c.js.Jobs[task.Job].Stages[task.Stage].IsApart() || fetch > 0 && c.js.Fetch != model.FetchConcurrent
		if run != task.WCET(s2) || run > 0 && (fetch != task.Transfer(s2) || apart) {
			return fmt.Errorf("slaves %d and %d do not count as one for task %d", s, s2, t)
		}
	}
	return nil
}

// offerAlike reports whether two slaves offer the same at the same times.
func (f *figures) offerAlike(s, s2 model.SlaveID) bool {
	a, b := f.js.Slaves[s], f.js.Slaves[s2]
	for _, k := range []*model.Slave{&a, &b} {
		k.Name, k.Class, k.Cost, k.ClassDown, k.ClassBeats = "", "", 0, nil, nil
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}
