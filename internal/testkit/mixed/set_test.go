package mixed

import (
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// Set is a job set as its file has it.
type Set struct {
	Version   int      `yaml:"version"`
	Cluster   Cluster  `yaml:"cluster"`
	Jobs      []Job    `yaml:"jobs"`
	Objective []string `yaml:"objective,omitempty,flow"`
}

type Cluster struct {
	Heartbeat int64              `yaml:"heartbeat"`
	Fetch     string             `yaml:"fetch,omitempty"`
	FIFO      bool               `yaml:"fifo,omitempty"`
	Pools     map[string][]Level `yaml:"pools,omitempty,flow"`
	Slaves    []Class            `yaml:"slaves"`
}

type Level struct {
	From   int64 `yaml:"from"`
	Amount int64 `yaml:"amount"`
}

// Class is a class of slaves, or one slave where it has no count.
type Class struct {
	Name        string           `yaml:"name"`
	Count       int              `yaml:"count,omitempty"`
	Cores       int64            `yaml:"cores"`
	Slots       *int64           `yaml:"slots,omitempty"`
	MapSlots    *int64           `yaml:"map_slots,omitempty"`
	ReduceSlots *int64           `yaml:"reduce_slots,omitempty"`
	Beats       []int64          `yaml:"first_heartbeat,omitempty,flow"`
	Resources   map[string]int64 `yaml:"resources,omitempty,flow"`
	// Down has absences by slave and class.
	Down map[string][]Absence `yaml:"down,omitempty,flow"`
}

// Absence is [from, to); never where there is no second time.
type Absence [2]int64

const never = -1

// MarshalYAML implements yaml.Marshaler.
func (a Absence) MarshalYAML() (any, error) {
	n := yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	to := "never"
	if a[1] != never {
		to = fmt.Sprint(a[1])
	}
	for _, text := range []string{fmt.Sprint(a[0]), to} {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: text})
	}
	return &n, nil
}

type Job struct {
	Name     string   `yaml:"name"`
	Release  int64    `yaml:"release,omitempty"`
	Deadline int64    `yaml:"deadline,omitempty"`
	Hard     bool     `yaml:"hard,omitempty"`
	Weight   int64    `yaml:"weight,omitempty"`
	After    []string `yaml:"after,omitempty,flow"`
	AtMost   int64    `yaml:"at_most,omitempty"`
	Repeat   *Repeat  `yaml:"repeat,omitempty,flow"`
	Map      *Stage   `yaml:"map,omitempty"`
	Reduce   *Stage   `yaml:"reduce,omitempty"`
	Stages   []Stage  `yaml:"stages,omitempty"`
}

type Repeat struct {
	Every int64 `yaml:"every"`
	Times int   `yaml:"times"`
}

type Stage struct {
	Name   string    `yaml:"name,omitempty"`
	Slot   string    `yaml:"slot,omitempty"`
	After  *[]string `yaml:"after,omitempty,flow"`
	AtMost int64     `yaml:"at_most,omitempty"`
	Gang   bool      `yaml:"gang,omitempty"`
	Apart  bool      `yaml:"apart,omitempty"`
	Groups []Group   `yaml:"tasks"`
}

type Group struct {
	Count     int              `yaml:"count"`
	Cores     int64            `yaml:"cores,omitempty"`
	Resources map[string]int64 `yaml:"resources,omitempty,flow"`
	Pools     map[string]int64 `yaml:"pools,omitempty,flow"`
	// WCET and Transfer are by slave, class and default, Transfer by local and remote where
	// there is data.
	WCET     map[string]int64 `yaml:"wcet,flow"`
	Transfer map[string]int64 `yaml:"transfer,omitempty,flow"`
	Data     []string         `yaml:"data,omitempty,flow"`
}

// text is the file of a set.
func (s *Set) text() string {
	b, err := yaml.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	return string(b)
}

// load reads the file of a set.
func (s *Set) load() (*model.JobSet, error) { return jobfile.Load("mixed.yaml", []byte(s.text())) }

// copied is a set that shares nothing with s.
func (s *Set) copied() *Set {
	out := *s
	out.Cluster.Slaves = slices.Clone(s.Cluster.Slaves)
	for i := range out.Cluster.Slaves {
		c := &out.Cluster.Slaves[i]
		c.Slots, c.MapSlots, c.ReduceSlots = cloneOf(c.Slots), cloneOf(c.MapSlots), cloneOf(c.ReduceSlots)
		c.Beats, c.Resources = slices.Clone(c.Beats), mapOf(c.Resources, same)
		down := map[string][]Absence{}
		for name, list := range c.Down {
			down[name] = slices.Clone(list)
		}
		c.Down = down
	}
	pools := map[string][]Level{}
	for name, levels := range s.Cluster.Pools {
		pools[name] = slices.Clone(levels)
	}
	out.Cluster.Pools, out.Objective = pools, slices.Clone(s.Objective)
	out.Jobs = slices.Clone(s.Jobs)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		job.After, job.Stages, job.Repeat = slices.Clone(job.After), slices.Clone(job.Stages), cloneOf(job.Repeat)
		job.Map, job.Reduce = cloneOf(job.Map), cloneOf(job.Reduce)
		for _, st := range job.stages() {
			if st.After != nil {
				after := slices.Clone(*st.After)
				st.After = &after
			}
			st.Groups = slices.Clone(st.Groups)
			for g := range st.Groups {
				x := &st.Groups[g]
				x.Resources, x.Pools, x.WCET, x.Transfer = mapOf(x.Resources, same), mapOf(x.Pools, same), mapOf(x.WCET, same), mapOf(x.Transfer, same)
				x.Data = slices.Clone(x.Data)
			}
		}
	}
	return &out
}

func cloneOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func same(v int64) int64 { return v }

// mapOf is a map with other values; nil of none.
func mapOf(m map[string]int64, to func(int64) int64) map[string]int64 {
	if m == nil {
		return nil
	}
	out := make(map[string]int64, len(m))
	for k, v := range m {
		out[k] = to(v)
	}
	return out
}

// stages are those of a job, of either form.
func (j *Job) stages() (out []*Stage) {
	for _, st := range []*Stage{j.Map, j.Reduce} {
		if st != nil {
			out = append(out, st)
		}
	}
	for k := range j.Stages {
		out = append(out, &j.Stages[k])
	}
	return out
}

// groups are those of all jobs.
func (s *Set) groups(do func(job *Job, st *Stage, g *Group)) {
	for i := range s.Jobs {
		for _, st := range s.Jobs[i].stages() {
			for g := range st.Groups {
				do(&s.Jobs[i], st, &st.Groups[g])
			}
		}
	}
}

// tasks is how many there are, those of all instances counted.
func (s *Set) tasks() (n int) {
	s.groups(func(job *Job, _ *Stage, g *Group) { n += g.Count * job.times() })
	return n
}

// times is how often a job is released.
func (j *Job) times() int {
	if j.Repeat == nil {
		return 1
	}
	return j.Repeat.Times
}

// members are the names of the slaves of a class.
func (c *Class) members() (out []string) {
	if c.Count == 0 {
		return []string{c.Name}
	}
	for k := range c.Count {
		out = append(out, fmt.Sprintf("%s-%d", c.Name, k+1))
	}
	return out
}
