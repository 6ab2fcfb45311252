package mixed

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"downbeat/model"
)

// errNothing tells of a name that stands for nothing.
var errNothing = errors.New("nothing has the name")

// under is what changes make of a set, and further ones, spelled out. Counts come first, of classes as
// the file has them; with further ones there may be none left of what the others are about. The error
// tells of a set that there cannot be.
func (s *Set) under(changes, further []model.Change) (*Set, error) {
	out := s.copied()
	lone := map[string]bool{} // names of slaves that have become classes
	for _, c := range slices.Concat(changes, further) {
		if c.Kind == model.ChangeCount {
			if err := out.resize(c.Name, int(c.N), s, lone); err != nil {
				return nil, err
			}
		}
	}
	spelled := out.spelled(lone)
	for _, c := range slices.Concat(changes, further) {
		if c.Kind == model.ChangeCount {
			continue
		}
		if err := spelled.change(c); err != nil && (len(further) == 0 || !errors.Is(err, errNothing)) {
			return nil, err
		}
	}
	return spelled.Set, nil
}

// class is where a class stands; -1 if there is none.
func (s *Set) class(name string) int {
	return slices.IndexFunc(s.Cluster.Slaves, func(c Class) bool { return c.Name == name })
}

// resize has the file say another count of a class, of a set that was read from a file.
func (s *Set) resize(name string, n int, file *Set, lone map[string]bool) error {
	at := s.class(name)
	if at < 0 {
		return fmt.Errorf("no class %s", name)
	}
	c := &s.Cluster.Slaves[at]
	before := c.members()
	if c.Count == 0 {
		lone[name] = true
	}
	if beats := file.Cluster.Slaves[file.class(name)].Beats; len(beats) > 0 {
		c.Beats = nil
		for k := range n {
			c.Beats = append(c.Beats, beats[k%len(beats)])
		}
	}
	c.Count = n
	if n == 0 {
		s.Cluster.Slaves = slices.Delete(s.Cluster.Slaves, at, at+1)
		s.forget(append(before, name))
		return nil
	}
	if !lone[name] {
		s.forget(before[min(n, len(before)):])
	}
	return nil
}

// forget leaves out what is said of slaves and classes that are no more.
func (s *Set) forget(names []string) {
	gone := func(name string) bool { return slices.Contains(names, name) }
	for i := range s.Cluster.Slaves {
		for _, name := range names {
			delete(s.Cluster.Slaves[i].Down, name)
		}
	}
	s.groups(func(_ *Job, _ *Stage, g *Group) {
		for _, name := range names {
			delete(g.WCET, name)
			delete(g.Transfer, name)
		}
		if g.Data = slices.DeleteFunc(g.Data, gone); g.Data != nil && len(g.Data) == 0 {
			g.Transfer, g.Data = map[string]int64{"default": g.Transfer["remote"]}, nil
		}
	})
}

// change makes any change but a count.
func (s *spelledSet) change(c model.Change) error {
	switch c.Kind {
	case model.ChangePool:
		if s.Cluster.Pools[c.Name] == nil {
			return fmt.Errorf("no pool %s", c.Name)
		}
		s.Cluster.Pools[c.Name] = []Level{{Amount: c.N}}
		return nil
	case model.ChangeDrop:
		return s.drop(c.Name)
	case model.ChangeWithout, model.ChangeCores, model.ChangeSlots, model.ChangeUnits, model.ChangeStay:
		found := false
		for i := range s.Cluster.Slaves {
			if one := &s.Cluster.Slaves[i]; one.Name == c.Name || s.classOf[one.Name] == c.Name {
				one.change(c)
				found = true
			}
		}
		return unless(found, c)
	}
	found := false
	for i := range s.Jobs {
		if job := &s.Jobs[i]; c.Name == "" || job.Name == c.Name || s.series[job.Name] == c.Name {
			if err := job.change(c); err != nil {
				return err
			}
			found = true
		}
	}
	return unless(found, c)
}

func unless(found bool, c model.Change) error {
	if !found {
		return fmt.Errorf("%w: %s", errNothing, c.Name)
	}
	return nil
}

// change changes a slave.
func (c *Class) change(by model.Change) {
	switch by.Kind {
	case model.ChangeWithout:
		c.Down[c.Name] = append(c.Down[c.Name], Absence{int64(by.At), never})
	case model.ChangeStay:
		c.Down[c.Name] = slices.DeleteFunc(merged(c.Down[c.Name]), func(a Absence) bool { return a[0] == int64(by.At) })
	case model.ChangeCores:
		c.Cores += by.N
	case model.ChangeSlots:
		for _, slots := range []*int64{c.Slots, c.MapSlots, c.ReduceSlots} {
			if slots != nil {
				*slots += by.N
			}
		}
	case model.ChangeUnits:
		if c.Resources == nil {
			c.Resources = map[string]int64{}
		}
		c.Resources[by.Resource] += by.N
	}
}

// merged are absences of which those that meet are one.
func merged(list []Absence) (out []Absence) {
	end := func(a Absence) int64 {
		if a[1] == never {
			return math.MaxInt64
		}
		return a[1]
	}
	list = slices.SortedFunc(slices.Values(list), func(a, b Absence) int { return cmp.Compare(a[0], b[0]) })
	for _, a := range list {
		switch last := len(out) - 1; {
		case last < 0 || end(out[last]) < a[0]:
			out = append(out, a)
		case end(out[last]) < end(a):
			out[last][1] = a[1]
		}
	}
	return out
}

// change changes a job.
func (j *Job) change(c model.Change) error {
	percent := func(wcet, transfer int64) {
		part := func(of int64) func(int64) int64 { return func(v int64) int64 { return (v*of + 99) / 100 } }
		for _, st := range j.stages() {
			for g := range st.Groups {
				x := &st.Groups[g]
				x.WCET, x.Transfer = mapOf(x.WCET, part(wcet)), mapOf(x.Transfer, part(transfer))
			}
		}
	}
	switch c.Kind {
	case model.ChangeDeadline:
		if j.Deadline = int64(c.At); j.Deadline < 1 {
			return fmt.Errorf("no deadline")
		}
	case model.ChangeRelease:
		if due := j.Release + j.Deadline; j.Deadline > 0 {
			if j.Deadline = due - int64(c.At); j.Deadline < 1 {
				return fmt.Errorf("released when it is due")
			}
		}
		j.Release = int64(c.At)
	case model.ChangeSoften:
		if !j.Hard {
			return fmt.Errorf("soft already")
		}
		j.Hard = false
	case model.ChangeMargin:
		percent(100+c.N, 100+c.N)
	case model.ChangeFetch:
		percent(100, c.N)
	default:
		return fmt.Errorf("what is %s?", c.Kind)
	}
	return nil
}

// drop leaves out a job, or all instances of one: those after it come after those before it.
func (s *spelledSet) drop(name string) error {
	before := len(s.Jobs)
	for i := 0; i < len(s.Jobs); i++ {
		gone := s.Jobs[i]
		if gone.Name != name && s.series[gone.Name] != name {
			continue
		}
		s.Jobs = slices.Delete(s.Jobs, i, i+1)
		for k := range s.Jobs {
			if job := &s.Jobs[k]; slices.Contains(job.After, gone.Name) {
				job.After = slices.DeleteFunc(job.After, func(n string) bool { return n == gone.Name })
				job.After = append(job.After, gone.After...)
				slices.SortFunc(job.After, strings.Compare)
				job.After = slices.Compact(job.After)
			}
		}
		i--
	}
	if len(s.Jobs) == 0 {
		return fmt.Errorf("no job is left")
	}
	return unless(len(s.Jobs) < before, model.Change{Name: name})
}
