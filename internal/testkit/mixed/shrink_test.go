package mixed

import (
	"errors"
	"slices"
)

// shrunk is a smaller trial with a difference: without jobs, tasks, slaves, changes and features that it
// takes none of.
func (x *trial) shrunk() *trial {
	for again := true; again; {
		again = false
		for _, smaller := range x.smaller() {
			if err := smaller.run(); err != nil && !errors.Is(err, errSkip) {
				x, again = smaller, true
				break
			}
		}
	}
	return x
}

// smaller are trials with one thing less.
func (x *trial) smaller() (out []*trial) {
	for k := range x.changes {
		less := *x
		less.changes = slices.Delete(slices.Clone(x.changes), k, k+1)
		out = append(out, &less)
	}
	change := func(do func(s *Set) bool) {
		less := *x
		if less.set, less.file = x.set.copied(), nil; do(less.set) {
			out = append(out, &less)
		}
	}
	for i := range x.set.Jobs {
		change(func(s *Set) bool { return s.withoutJob(i) })
	}
	for i := range x.set.Jobs {
		for k := range x.set.Jobs[i].Stages {
			change(func(s *Set) bool { return s.Jobs[i].withoutStage(k) })
		}
		for _, less := range jobFeatures {
			change(func(s *Set) bool { return less(&s.Jobs[i]) })
		}
		for k := range x.set.Jobs[i].stages() {
			for _, less := range stageFeatures {
				change(func(s *Set) bool { return less(s.Jobs[i].stages()[k]) })
			}
			for g := range x.set.Jobs[i].stages()[k].Groups {
				for _, less := range groupFeatures {
					change(func(s *Set) bool { return less(&s.Jobs[i].stages()[k].Groups[g]) })
				}
			}
		}
	}
	for i := range x.set.Cluster.Slaves {
		change(func(s *Set) bool {
			c := s.Cluster.Slaves[i]
			s.Cluster.Slaves = slices.Delete(s.Cluster.Slaves, i, i+1)
			s.forget(append(c.members(), c.Name))
			return true
		})
		for _, less := range classFeatures {
			change(func(s *Set) bool { return less(&s.Cluster.Slaves[i]) })
		}
	}
	for _, less := range setFeatures {
		change(less)
	}
	for k := range x.set.Objective {
		change(func(s *Set) bool {
			s.Objective = slices.Delete(s.Objective, k, k+1)
			return len(s.Objective) > 0
		})
	}
	return out
}

func (s *Set) withoutJob(i int) bool {
	name := s.Jobs[i].Name
	s.Jobs = slices.Delete(s.Jobs, i, i+1)
	for k := range s.Jobs {
		s.Jobs[k].After = slices.DeleteFunc(s.Jobs[k].After, func(n string) bool { return n == name })
	}
	return true
}

func (j *Job) withoutStage(k int) bool {
	name := j.Stages[k].Name
	j.Stages = slices.Delete(j.Stages, k, k+1)
	for i := range j.Stages {
		if after := j.Stages[i].After; after != nil {
			*after = slices.DeleteFunc(*after, func(n string) bool { return n == name })
		}
	}
	return true
}

// zero makes a value that of nothing; false if it is so already.
func zero[T comparable](v *T) bool {
	var none T
	was := *v
	*v = none
	return was != none
}

func empty[K comparable, V any](m *map[K]V) bool {
	was := *m
	*m = nil
	return len(was) > 0
}

// Each makes something plainer, and is false where it is so already.
var (
	jobFeatures = []func(*Job) bool{
		func(j *Job) bool { return zero(&j.Release) }, func(j *Job) bool { return zero(&j.Hard) },
		func(j *Job) bool { return zero(&j.Weight) }, func(j *Job) bool { return zero(&j.AtMost) },
		func(j *Job) bool { return zero(&j.Repeat) }, func(j *Job) bool { return !j.Hard && zero(&j.Deadline) },
		func(j *Job) bool { was := j.After; j.After = nil; return was != nil },
		func(j *Job) bool { return j.Reduce != nil && zero(&j.Map) }, func(j *Job) bool { return j.Map != nil && zero(&j.Reduce) },
	}
	stageFeatures = []func(*Stage) bool{
		func(st *Stage) bool { return zero(&st.Gang) }, func(st *Stage) bool { return zero(&st.Apart) },
		func(st *Stage) bool { return zero(&st.AtMost) }, func(st *Stage) bool { return zero(&st.Slot) },
		func(st *Stage) bool {
			st.Groups = st.Groups[:len(st.Groups)-1]
			return len(st.Groups) > 0
		},
	}
	groupFeatures = []func(*Group) bool{
		func(g *Group) bool { g.Count--; return g.Count > 0 }, func(g *Group) bool { return zero(&g.Cores) },
		func(g *Group) bool { return empty(&g.Resources) }, func(g *Group) bool { return empty(&g.Pools) },
		func(g *Group) bool { g.Data = nil; return empty(&g.Transfer) },
		func(g *Group) bool {
			was := g.WCET
			g.WCET = map[string]int64{}
			for _, v := range was {
				g.WCET["default"] = max(g.WCET["default"], v)
			}
			return len(was) > 1
		},
		func(g *Group) bool {
			more := false
			g.WCET = mapOf(g.WCET, func(v int64) int64 { more = more || v > 1; return max(1, v-1) })
			return more
		},
	}
	classFeatures = []func(*Class) bool{
		func(c *Class) bool { return empty(&c.Down) }, func(c *Class) bool { return empty(&c.Resources) },
		func(c *Class) bool { was := c.Beats; c.Beats = nil; return was != nil },
		func(c *Class) bool {
			one := int64(2)
			split := c.Slots == nil
			c.Slots, c.MapSlots, c.ReduceSlots = &one, nil, nil
			return split
		},
	}
	setFeatures = []func(*Set) bool{
		func(s *Set) bool { return zero(&s.Cluster.FIFO) }, func(s *Set) bool { return zero(&s.Cluster.Fetch) },
		func(s *Set) bool { was := s.Cluster.Heartbeat; s.Cluster.Heartbeat = 1; return was > 1 },
		func(s *Set) bool { was := s.Objective; s.Objective = nil; return was != nil },
		func(s *Set) bool {
			s.groups(func(_ *Job, _ *Stage, g *Group) { g.Pools = nil })
			return empty(&s.Cluster.Pools)
		},
	}
)
