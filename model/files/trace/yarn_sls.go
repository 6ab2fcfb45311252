// Yarn reads what YARN's simulator of schedulers takes (SLS: jobs, nodes, and
// synthetic workloads) and requests for reservations.

package trace

import (
	"fmt"
	"strings"
)

// SLS reads a file of the simulator: JSON objects one after the other, of which each is a
// job, a rack with its nodes, or a synthetic workload.
func SLS(in *Input, t *Trace) error {
	const advice = `a job is an object like {"job.id": "a", "job.start.ms": 0, "job.tasks": […]}`
	return in.Values(t, "job", advice, func(d *JSON) error { return object(d, t) })
}

// Names of tasks that go by their type.
const (
	mapTask    = "map"
	reduceTask = "reduce"
)

// slsJob is a job of SLS as it is read.
type slsJob struct {
	Job
	count  int64
	stages map[string]*Stage
	order  []string
}

// mostCopies bounds how often a job or a task can be there by a count.
const mostCopies = 100_000

// object reads one of the objects of a file.
func object(d *JSON, t *Trace) error {
	at := d.Place()
	j := &slsJob{Job: NewJob("", at), count: 1, stages: map[string]*Stage{}}
	w := &workload{at: at}
	rack := false
	err := d.Object("an object of the file", func(name string) error {
		var n Int
		var text Text
		number := func(to *int64) error {
			err := d.Decode(&n)
			*to = n.Value()
			return err
		}
		switch name {
		case "job.id":
			err := d.Decode(&text)
			j.ID = Name(string(text))
			return err
		case "job.start.ms":
			return number(&j.Submit)
		case "job.end.ms":
			return number(&j.Finish)
		case "job.count":
			return number(&j.count)
		case "job.tasks":
			return d.Array(name, func() error { return t.PassOver("tasks that cannot be used", j.task(d, t)) })
		case "nodes":
			rack = true
			return d.Array(name, func() error { return t.PassOver("nodes that cannot be used", node(d, t)) })
		case "num.nodes", "num.racks", "rack":
			rack = true
		case "num_jobs", "rand_seed", "workloads":
			return w.member(d, name)
		}
		return d.Skip()
	})
	switch {
	case err != nil:
		return err
	case w.given:
		w.add(t)
	case !rack:
		j.add(t)
	}
	return nil
}

// node reads a machine.
func node(d *JSON, t *Trace) error {
	var a struct {
		Node   Text
		Memory Int `json:"memory-mb"`
		Cores  Int `json:"vcores"`
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	name := yarnHostOf(string(a.Node))
	if name == "" {
		t.Unusable.Add("nodes without a name", d.Fault("a node without a name", `write {"node": "node1"}`))
		return nil
	}
	m := Machine{Name: name, Cores: defaultCores, Memory: defaultMemory}
	if a.Cores.Value() > 0 {
		m.Cores = a.Cores.Value()
	}
	if a.Memory.Value() > 0 {
		m.Memory = a.Memory.Value() << 20
	}
	t.AddMachine(m)
	return nil
}

// What a node and a container have where a file says nothing: the simulator's own
// configuration (sls-runner.xml).
const (
	defaultCores          = 10
	defaultMemory         = 10240 << 20
	containerMemory int64 = 1024 << 20
)

// yarnHostOf is the node of a path like /rack/node.
func yarnHostOf(path string) string {
	return Name(path[strings.LastIndexByte(path, '/')+1:])
}

// task reads a task, or a number of equal ones.
func (j *slsJob) task(d *JSON, t *Trace) error {
	var a struct {
		Host     Text `json:"container.host"`
		Start    Int  `json:"container.start.ms"`
		End      Int  `json:"container.end.ms"`
		Duration Int  `json:"duration.ms"`
		Count    Int
		Type     Text `json:"container.type"`
		Memory   Int  `json:"container.memory"`
		Cores    Int  `json:"container.vcores"`
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := NewTask(a.Duration.Value())
	if tk.Time == Unknown && a.Start.Value() != Unknown && a.End.Value() >= a.Start.Value() {
		tk.Time, tk.Start = a.End.Value()-a.Start.Value(), a.Start.Value()
	}
	if n := a.Count.Value(); n != Unknown {
		tk.Count = int32(min(n, mostCopies))
	}
	if tk.Time == Unknown || tk.Count == 0 {
		t.Unusable.Add("tasks without a length", d.Fault("a task without a length", "write duration.ms, or container.start.ms and container.end.ms"))
		return nil
	}
	tk.Host = t.Host(yarnHostOf(string(a.Host)))
	kind := string(a.Type)
	if kind == "" {
		kind = mapTask
	}
	st := j.stage(Name(kind))
	st.Tasks = append(st.Tasks, tk)
	st.Cores = max(st.Cores, a.Cores.Value())
	if mb := a.Memory.Value(); mb != Unknown {
		st.Memory = max(st.Memory, mb<<20)
	}
	return nil
}

// stage is the stage of that name.
func (j *slsJob) stage(name string) *Stage {
	st, ok := j.stages[name]
	if !ok {
		one := NewStage(name)
		one.Reduce = name == reduceTask
		st = &one
		j.stages[name] = st
		j.order = append(j.order, name)
	}
	return st
}

// add hands the job to the trace, as often as it is there.
func (j *slsJob) add(t *Trace) {
	if j.Submit == Unknown {
		j.Submit = 0
	}
	if j.ID == "" {
		j.ID = fmt.Sprintf("job %d", len(t.Jobs)+1)
	}
	last := Unknown
	for i, name := range j.order {
		if name == reduceTask {
			last = i
		}
	}
	if last >= 0 { // the last stage, whatever the order of the file
		j.order = append(append(j.order[:last:last], j.order[last+1:]...), reduceTask)
	}
	for _, name := range j.order {
		st := *j.stages[name]
		if st.Cores <= 0 {
			st.Cores = 1
		}
		if st.Memory <= 0 {
			st.Memory = containerMemory
		}
		j.Stages = append(j.Stages, st)
	}
	if len(j.Stages) == 0 {
		t.Unusable.Add("jobs without tasks", Fault{Place: j.At, Message: fmt.Sprintf("job %s has no tasks", j.ID)})
		return
	}
	for i := range min(max(1, j.count), mostCopies) {
		one := j.Job
		if j.count > 1 {
			one.ID = fmt.Sprintf("%s_%d", j.ID, i+1)
		}
		one.Name = j.ID
		t.Add(one, false)
	}
}
