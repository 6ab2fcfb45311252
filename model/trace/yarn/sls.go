// Package yarn reads what YARN's simulator of schedulers takes (SLS: jobs, nodes, and
// synthetic workloads) and requests for reservations.
package yarn

import (
	"fmt"
	"strings"

	"downbeat/model/trace"
)

// SLS reads a file of the simulator: JSON objects one after the other, of which each is a
// job, a rack with its nodes, or a synthetic workload.
func SLS(in *trace.Input, t *trace.Trace) error {
	const advice = `a job is an object like {"job.id": "a", "job.start.ms": 0, "job.tasks": […]}`
	return in.Values(t, "job", advice, func(d *trace.JSON) error { return object(d, t) })
}

// Names of tasks that go by their type.
const (
	mapTask    = "map"
	reduceTask = "reduce"
)

// slsJob is a job of SLS as it is read.
type slsJob struct {
	trace.Job
	count  int64
	stages map[string]*trace.Stage
	order  []string
}

// mostCopies bounds how often a job or a task can be there by a count.
const mostCopies = 100_000

// object reads one of the objects of a file.
func object(d *trace.JSON, t *trace.Trace) error {
	at := d.Place()
	j := &slsJob{Job: trace.NewJob("", at), count: 1, stages: map[string]*trace.Stage{}}
	w := &workload{at: at}
	rack := false
	err := d.Object("an object of the file", func(name string) error {
		var n trace.Int
		var text trace.Text
		number := func(to *int64) error {
			err := d.Decode(&n)
			*to = n.Value()
			return err
		}
		switch name {
		case "job.id":
			err := d.Decode(&text)
			j.ID = trace.Name(string(text))
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
func node(d *trace.JSON, t *trace.Trace) error {
	var a struct {
		Node   trace.Text
		Memory trace.Int `json:"memory-mb"`
		Cores  trace.Int `json:"vcores"`
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	name := hostOf(string(a.Node))
	if name == "" {
		t.Unusable.Add("nodes without a name", d.Fault("a node without a name", `write {"node": "node1"}`))
		return nil
	}
	m := trace.Machine{Name: name, Cores: defaultCores, Memory: defaultMemory}
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

// hostOf is the node of a path like /rack/node.
func hostOf(path string) string {
	return trace.Name(path[strings.LastIndexByte(path, '/')+1:])
}

// task reads a task, or a number of equal ones.
func (j *slsJob) task(d *trace.JSON, t *trace.Trace) error {
	var a struct {
		Host     trace.Text `json:"container.host"`
		Start    trace.Int  `json:"container.start.ms"`
		End      trace.Int  `json:"container.end.ms"`
		Duration trace.Int  `json:"duration.ms"`
		Count    trace.Int
		Type     trace.Text `json:"container.type"`
		Memory   trace.Int  `json:"container.memory"`
		Cores    trace.Int  `json:"container.vcores"`
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := trace.NewTask(a.Duration.Value())
	if tk.Time == trace.Unknown && a.Start.Value() != trace.Unknown && a.End.Value() >= a.Start.Value() {
		tk.Time, tk.Start = a.End.Value()-a.Start.Value(), a.Start.Value()
	}
	if n := a.Count.Value(); n != trace.Unknown {
		tk.Count = int32(min(n, mostCopies))
	}
	if tk.Time == trace.Unknown || tk.Count == 0 {
		t.Unusable.Add("tasks without a length", d.Fault("a task without a length", "write duration.ms, or container.start.ms and container.end.ms"))
		return nil
	}
	tk.Host = t.Host(hostOf(string(a.Host)))
	kind := string(a.Type)
	if kind == "" {
		kind = mapTask
	}
	st := j.stage(trace.Name(kind))
	st.Tasks = append(st.Tasks, tk)
	st.Cores = max(st.Cores, a.Cores.Value())
	if mb := a.Memory.Value(); mb != trace.Unknown {
		st.Memory = max(st.Memory, mb<<20)
	}
	return nil
}

// stage is the stage of that name.
func (j *slsJob) stage(name string) *trace.Stage {
	st, ok := j.stages[name]
	if !ok {
		one := trace.NewStage(name)
		one.Reduce = name == reduceTask
		st = &one
		j.stages[name] = st
		j.order = append(j.order, name)
	}
	return st
}

// add hands the job to the trace, as often as it is there.
func (j *slsJob) add(t *trace.Trace) {
	if j.Submit == trace.Unknown {
		j.Submit = 0
	}
	if j.ID == "" {
		j.ID = fmt.Sprintf("job %d", len(t.Jobs)+1)
	}
	last := trace.Unknown
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
		t.Unusable.Add("jobs without tasks", trace.Fault{Place: j.At, Message: fmt.Sprintf("job %s has no tasks", j.ID)})
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
