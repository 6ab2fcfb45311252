package mixed

import (
	"fmt"
	"maps"
	"slices"
)

// spelledSet is a set in which each slave, and each instance of a recurring job, stands by itself.
type spelledSet struct {
	*Set
	// classOf has the class of each slave, series the recurring job of each instance.
	classOf, series map[string]string
}

// spelled spells a set out. The first slave of a class that was one slave, lone, keeps its name.
func (s *Set) spelled(lone map[string]bool) *spelledSet {
	out := &spelledSet{s.copied(), map[string]string{}, map[string]string{}}
	out.Cluster.Slaves, out.Jobs = nil, nil
	for i := range s.Cluster.Slaves {
		c := &s.Cluster.Slaves[i]
		for k, name := range c.members() {
			if lone[c.Name] && k == 0 {
				name = c.Name
			}
			out.Cluster.Slaves = append(out.Cluster.Slaves, c.member(name, k))
			out.classOf[name] = c.Name
		}
	}
	for i := range s.Jobs {
		job := &s.Jobs[i]
		for n := range job.times() {
			out.Jobs = append(out.Jobs, s.instance(job, n, out))
			if job.Repeat != nil {
				out.series[out.Jobs[len(out.Jobs)-1].Name] = job.Name
			}
		}
	}
	return out
}

// member is slave number k of a class.
func (c *Class) member(name string, k int) Class {
	one := *c
	one.Name, one.Count, one.Beats = name, 0, nil
	if len(c.Beats) > 0 {
		one.Beats = []int64{c.Beats[k]}
	}
	one.Slots, one.MapSlots, one.ReduceSlots = cloneOf(c.Slots), cloneOf(c.MapSlots), cloneOf(c.ReduceSlots)
	one.Resources = mapOf(c.Resources, same)
	down := slices.Clone(c.Down[c.Name])
	if name != c.Name {
		down = append(down, c.Down[name]...)
	}
	one.Down = map[string][]Absence{name: down}
	return one
}

// instance is number n of a job, with all figures by slave.
func (s *Set) instance(job *Job, n int, all *spelledSet) Job {
	one := (&Set{Jobs: []Job{*job}}).copied().Jobs[0]
	one.Repeat = nil
	if job.Repeat != nil {
		one.Name, one.Release = instanceName(job, n), job.Release+int64(n)*job.Repeat.Every
	}
	one.After = nil
	for _, name := range job.After {
		one.After = append(one.After, s.instancesBefore(job, n, name)...)
	}
	for _, st := range one.stages() {
		for g := range st.Groups {
			st.Groups[g].spell(all)
		}
	}
	return one
}

func instanceName(job *Job, n int) string { return fmt.Sprintf("%s-%d", job.Name, n+1) }

// instancesBefore are those of the job of that name that instance n of a job comes after.
func (s *Set) instancesBefore(job *Job, n int, name string) (out []string) {
	at := slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Name == name })
	before := &s.Jobs[at]
	switch {
	case before.Repeat == nil:
		return []string{name}
	case job.Repeat != nil:
		return []string{instanceName(before, n)}
	}
	for k := range before.times() {
		out = append(out, instanceName(before, k))
	}
	return out
}

// spell has the tables of a group tell of each slave by itself.
func (g *Group) spell(all *spelledSet) {
	look := func(table map[string]int64, slave string) (int64, bool) {
		for _, key := range []string{slave, all.classOf[slave], "default"} {
			if v, ok := table[key]; ok {
				return v, true
			}
		}
		return 0, false
	}
	holds := map[string]bool{}
	for slave, class := range all.classOf {
		holds[slave] = slices.Contains(g.Data, slave) || slices.Contains(g.Data, class)
	}
	wcet, transfer := map[string]int64{}, map[string]int64{}
	for _, slave := range slices.Sorted(maps.Keys(all.classOf)) {
		v, can := look(g.WCET, slave)
		if !can {
			continue
		}
		wcet[slave] = v
		switch {
		case g.Data == nil:
			transfer[slave], _ = look(g.Transfer, slave)
		case holds[slave]:
			transfer[slave] = g.Transfer["local"]
		default:
			transfer[slave] = g.Transfer["remote"]
		}
	}
	g.WCET, g.Transfer, g.Data = wcet, transfer, nil
}
