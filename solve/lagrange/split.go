package lagrange

import (
	"cmp"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// choosing keeps the best of splits.
type choosing struct {
	*shaving
	best   proof.Split
	appeal appeal
	some   bool
}

// splitGates chooses the end of a stage to be split, where its job pays more on
// either side: in the widest window if no job does anywhere.
func (s *shaving) splitGates() (proof.Split, bool) {
	c := choosing{shaving: s}
	for j := range s.m.jobs {
		b := &s.m.jobs[j]
		for k := range b.stages[:len(b.stages)-1] {
			first, last := s.m.gate(b, k)
			c.times(proof.Split{Kind: proof.StageEndsBy, Task: s.m.js.Jobs[b.id].Stages[k].First}, first, last)
		}
	}
	return c.best, c.some
}

// splitTasks does the same among the slaves and times of tasks that are alone in
// their class.
func (s *shaving) splitTasks() (proof.Split, bool) {
	c := choosing{shaving: s}
	for t := range s.at {
		id := model.TaskID(t)
		if s.at[t].job < 0 || s.class(id).count > 1 {
			continue
		}
		cl := s.class(id)
		c.slaves(id, cl)
		first, last := s.m.finishes(cl)
		c.times(proof.Split{Kind: proof.TaskEndsBy, Task: id}, first, last)
		first, last = s.m.fetches(cl)
		c.times(proof.Split{Kind: proof.FetchedBy, Task: id}, first, last)
	}
	return c.best, c.some
}

// slaves looks at where a task runs.
func (c *choosing) slaves(id model.TaskID, cl *class) {
	var on []model.SlaveID
	for k := range cl.options {
		if o := &cl.options[k]; c.m.possible(o) {
			on = append(on, model.SlaveID(o.slave))
		}
	}
	if len(on) < 2 {
		return
	}
	for _, slave := range on {
		split := proof.Split{Kind: proof.OnSlave, Task: id, Slave: slave}
		c.weigh(split, c.appealing(&split, model.Time(len(on))))
	}
}

// times looks at when something happens: the later the split, the less promise
// there is in what happens by then, and the more in what happens after. It is the
// first one at which the latter is as great, or the one before; the middle where
// there is no promise in either.
func (c *choosing) times(split proof.Split, first, last model.Time) {
	if last <= first {
		return
	}
	width := last - first
	at := func(t model.Time) appeal {
		split.At = t
		return c.appealing(&split, width)
	}
	k := sort.Search(int(width)-1, func(k int) bool { return at(first + model.Time(k)).rising })
	best, t := at(first+model.Time(k)), first+model.Time(k)
	if k > 0 {
		if a := at(t - 1); a.above(best) {
			best, t = a, t-1
		}
	}
	if split.At = t; best.most <= 0 {
		split.At = (first + last) / 2
	}
	c.weigh(split, best)
}

// weigh keeps the split with the most appeal.
func (c *choosing) weigh(split proof.Split, a appeal) {
	if !c.some || a.above(c.appeal) {
		c.best, c.appeal, c.some = split, a, true
	}
}

// appeal is what there is to a split: the lesser and the greater promise of its
// sides, and the width of the window.
type appeal struct {
	least, most float64
	width       model.Time
	// rising tells that there is no less promise in the side where it fails.
	rising bool
}

func (a appeal) above(b appeal) bool {
	return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.most, b.most), cmp.Compare(a.width, b.width)) > 0
}

func (c *choosing) appealing(split *proof.Split, width model.Time) appeal {
	holds, fails := c.promise(split, true), c.promise(split, false)
	return appeal{min(holds, fails), max(holds, fails), width, fails >= holds}
}
