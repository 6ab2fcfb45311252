package bench

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// candidate is a job set in a form that is easy to make smaller: figures are plain
// slices, and nothing is shared.
type candidate struct {
	heartbeat  model.Time
	fetch      model.FetchMode
	fifo       bool
	named      []string
	pools      []model.Pool
	slaves     []model.Slave
	jobs       []job
	objectives []model.Objective
}

type job struct {
	release, deadline model.Time
	kind              model.JobKind
	weight            int64
	// atMost is its cap, 0 for none.
	atMost int64
	// after lists the jobs that it comes after, by their places.
	after  []int32
	stages []stage
}

type stage struct {
	name string
	slot model.SlotKind
	// after lists the stages of the job that it comes after, by their places.
	after  []int32
	groups []huntGroup
	ties
}

// huntGroup is a number of equal tasks; a wcet of 0 bars the slave.
type huntGroup struct {
	count          int
	wcet, transfer []model.Time
	needs          model.Needs
}

// candidateOf takes an assembled job set apart. Names of jobs and slaves are lost.
func candidateOf(js *model.JobSet) *candidate {
	c := &candidate{heartbeat: js.Heartbeat, fetch: js.Fetch, fifo: js.FIFO, named: js.Named, objectives: js.Objectives, pools: clonePools(js.Pools)}
	for _, s := range js.Slaves {
		s.Down, s.Units = slices.Clone(s.Down), append(slices.Clone(s.Units), make([]int64, len(js.Named)-len(s.Units))...)
		c.slaves = append(c.slaves, s)
	}
	for i := range js.Jobs {
		j := &js.Jobs[i]
		out := job{release: j.Release, deadline: j.Deadline, kind: j.Kind, weight: j.Weight, atMost: j.AtMost}
		for _, before := range j.After {
			out.after = append(out.after, int32(before))
		}
		for si := range j.Stages {
			st := &j.Stages[si]
			s := stage{name: st.Name, slot: st.Slot, after: slices.Clone(st.After), ties: ties{st.AtMost, st.Gang, st.Apart}}
			for _, g := range st.Groups {
				s.groups = append(s.groups, groupOf(g, len(js.Slaves)))
			}
			out.stages = append(out.stages, s)
		}
		c.jobs = append(c.jobs, out)
	}
	return c
}

func groupOf(g model.Group, slaves int) huntGroup {
	out := huntGroup{count: g.Count, needs: g.Profile.Needs()}
	for s := range model.SlaveID(slaves) {
		transfer := model.Time(0)
		if g.Profile.Eligible(s) {
			transfer = g.Profile.Transfer(s)
		}
		out.wcet, out.transfer = append(out.wcet, g.Profile.WCET(s)), append(out.transfer, transfer)
	}
	return out
}

// clone copies all that steps write to.
func (c *candidate) clone() *candidate {
	out := *c
	out.slaves = slices.Clone(c.slaves)
	for i := range out.slaves {
		out.slaves[i].Down, out.slaves[i].Units = slices.Clone(c.slaves[i].Down), slices.Clone(c.slaves[i].Units)
	}
	out.named, out.pools = slices.Clone(c.named), clonePools(c.pools)
	out.jobs = slices.Clone(c.jobs)
	for i := range out.jobs {
		out.jobs[i].after = slices.Clone(c.jobs[i].after)
		stages := slices.Clone(c.jobs[i].stages)
		for si := range stages {
			groups := slices.Clone(stages[si].groups)
			for gi := range groups {
				groups[gi].wcet = slices.Clone(groups[gi].wcet)
				groups[gi].transfer = slices.Clone(groups[gi].transfer)
			}
			stages[si].groups, stages[si].after = groups, slices.Clone(stages[si].after)
		}
		out.jobs[i].stages = stages
	}
	return &out
}

// build makes the job set, with jobs a, b, … on slaves p1, p2, …; an error says
// that the candidate is none, because a task is barred everywhere for instance.
func (c *candidate) build(name string) (*model.JobSet, error) {
	js := &model.JobSet{
		Name: name, Heartbeat: c.heartbeat, Fetch: c.fetch, FIFO: c.fifo, Named: c.named, Pools: clonePools(c.pools), Objectives: c.objectives,
	}
	for i, s := range c.slaves {
		s.Name = fmt.Sprintf("p%d", i+1)
		s.Class = s.Name
		js.Slaves = append(js.Slaves, s)
	}
	for i, j := range c.jobs {
		out := model.Job{Name: jobName(i), Release: j.release, Deadline: j.deadline, Kind: j.kind, Weight: j.weight, AtMost: j.atMost}
		for _, before := range j.after {
			out.After = append(out.After, model.JobID(before))
		}
		for _, st := range j.stages {
			s := model.Stage{Name: st.name, Slot: st.slot, After: append([]int32{}, st.after...), AtMost: st.atMost, Gang: st.gang, Apart: st.apart}
			for _, g := range st.groups {
				p := model.NewProfile(model.DenseRow(g.wcet), model.DenseRow(g.transfer))
				s.Groups = append(s.Groups, model.Group{Count: g.count, Profile: p.Needing(g.needs)})
			}
			out.Stages = append(out.Stages, s)
		}
		js.Jobs = append(js.Jobs, out)
	}
	return js, js.Assemble()
}

// jobName is a, b, …, z, j27, j28, …
func jobName(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprintf("j%d", i+1)
}

// size adds up all that a reader has to take in: things, switches that are not
// at their default, and numbers. Every step makes it smaller.
func (c *candidate) size() int64 {
	n := int64(len(c.slaves)+len(c.jobs)) + int64(c.heartbeat)
	n += one(c.fifo) + one(c.fetch != model.FetchExclusive) + int64(len(c.named)) + sizeOfPools(c.pools)
	for i := range c.slaves {
		s := &c.slaves[i]
		n += int64(s.Cores+s.TotalSlots()) + int64(s.FirstBeat) + one(s.SplitSlots) + sum(s.Units)
		for _, away := range s.Down {
			n += 1 + int64(away.Start+away.End)
		}
	}
	for _, j := range c.jobs {
		n += int64(j.release+j.deadline) + j.weight + one(j.kind == model.Hard) + one(j.kind != model.BestEffort) + int64(len(j.after)) + j.atMost
		for _, st := range j.stages {
			n += 1 + one(st.slot == model.ReduceSlot) + int64(len(st.after)) + st.size()
			for _, g := range st.groups {
				n += 1 + int64(g.count) + g.needs.Cores + sum(g.needs.Units[:]) + g.pooled()
				for s := range g.wcet {
					n += int64(g.wcet[s] + g.transfer[s])
				}
			}
		}
	}
	return n
}

func sum(units []int64) (n int64) {
	for _, u := range units {
		n += u
	}
	return n
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
