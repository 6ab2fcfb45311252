// Wfcommons reads workflows of WfCommons (WfFormat, versions 1.3 to 1.5): a JSON
// object with tasks, what they come after, and how long they ran.

package trace

import (
	"fmt"
	"math"
	"regexp"
	"slices"
)

// Workflow reads a workflow, which is a job. Its stages are tasks of one program that come
// after the same tasks and before the same: then a task waits for what it waited for in the
// workflow, and for nothing else.
func Workflow(in *Input, t *Trace) error {
	return in.Values(t, "workflow", `a workflow of WfCommons is an object like {"name": …, "workflow": {…}}`, func(d *JSON) error {
		w := &workflow{Job: NewJob("", d.Place()), index: map[string]int32{}, t: t}
		if err := w.read(d); err != nil {
			return err
		}
		w.add()
		return nil
	})
}

// workflow is one as it is read.
type workflow struct {
	Job
	t     *Trace
	tasks []wfcommonsTask
	index map[string]int32 // of tasks by their names
}

// wfcommonsTask is a task by what the specification and the execution say of it.
type wfcommonsTask struct {
	name    string
	told    bool // by the specification
	parents []int32
	time    float64 // in seconds, negative where it is not told
	cores   int64
	memory  int64
	machine string
}

// taskForm is a task in the file: its specification, its execution, or both in one.
type taskForm struct {
	ID, Name          Text
	Parents, Children []string
	RuntimeInSeconds  *float64
	Runtime           *float64
	CoreCount         *float64
	Cores             *float64
	MemoryInBytes     Int
	Machines          []string
	Machine           Text
}

func (w *workflow) read(d *JSON) error {
	return d.Object("the workflow", func(name string) error {
		switch name {
		case "name":
			var text Text
			err := d.Decode(&text)
			w.ID = Name(string(text))
			return err
		case "workflow":
			return d.Object(name, func(name string) error {
				if name == "specification" || name == "execution" {
					return d.Object(name, func(name string) error { return w.member(d, name) })
				}
				return w.member(d, name)
			})
		}
		return d.Skip()
	})
}

// member reads what matters of a workflow, its specification or its execution.
func (w *workflow) member(d *JSON, name string) error {
	switch name {
	case "tasks", "jobs":
		return d.Array(name, func() error { return w.t.PassOver("tasks that cannot be used", w.task(d)) })
	case "machines":
		return d.Array(name, func() error { return w.t.PassOver("machines that cannot be used", w.machine(d)) })
	case "makespanInSeconds", "makespan":
		var seconds *float64
		err := d.Decode(&seconds)
		if seconds != nil && *seconds >= 0 {
			w.Finish = wfcommonsMillis(*seconds)
		}
		return err
	}
	return d.Skip()
}

// number is the index of the task of that name.
func (w *workflow) number(name string) int32 {
	i, ok := w.index[name]
	if !ok {
		i = int32(len(w.tasks))
		w.index[name] = i
		w.tasks = append(w.tasks, wfcommonsTask{name: name, time: -1, cores: Unknown, memory: Unknown})
	}
	return i
}

func (w *workflow) task(d *JSON) error {
	var f taskForm
	if err := d.Decode(&f); err != nil {
		return err
	}
	name := string(f.ID)
	if name == "" {
		name = string(f.Name)
	}
	if name == "" {
		w.t.Unusable.Add("tasks without an id", d.Fault("a task without an id", ""))
		return nil
	}
	i := w.number(name)
	specifies := f.Parents != nil || f.Children != nil
	for _, p := range f.Parents {
		k := w.number(p)
		w.tasks[i].parents = append(w.tasks[i].parents, k)
	}
	for _, c := range f.Children {
		k := w.number(c)
		w.tasks[k].parents = append(w.tasks[k].parents, i)
	}
	tk := &w.tasks[i]
	tk.told = tk.told || specifies
	for _, seconds := range []*float64{f.Runtime, f.RuntimeInSeconds} {
		if seconds != nil {
			tk.time = *seconds
		}
	}
	for _, cores := range []*float64{f.Cores, f.CoreCount} {
		if cores != nil && *cores >= 0 {
			tk.cores = max(1, int64(math.Ceil(min(*cores, 1e6))))
		}
	}
	tk.memory = max(tk.memory, f.MemoryInBytes.Value())
	if tk.machine = string(f.Machine); len(f.Machines) > 0 {
		tk.machine = f.Machines[0]
	}
	return nil
}

func (w *workflow) machine(d *JSON) error {
	var f struct {
		NodeName Text
		Memory   Int `json:"memoryInBytes"`
		CPU      struct {
			CoreCount, Count Int
		}
	}
	if err := d.Decode(&f); err != nil {
		return err
	}
	if name := Name(string(f.NodeName)); name != "" {
		w.t.AddMachine(Machine{Name: name, Cores: max(f.CPU.CoreCount.Value(), f.CPU.Count.Value()), Memory: f.Memory.Value()})
	}
	return nil
}

// numbered is the end of a name that tells tasks of one program apart.
var numbered = regexp.MustCompile(`[_.-]?(ID|id)?[0-9]+$`)

// add makes stages of tasks and hands the job to the trace.
func (w *workflow) add() {
	if w.ID == "" {
		w.ID = fmt.Sprintf("workflow %d", len(w.t.Jobs)+1)
	}
	w.Name, w.Submit = w.ID, 0
	children := make([][]int32, len(w.tasks))
	for i := range w.tasks {
		tk := &w.tasks[i]
		slices.Sort(tk.parents)
		tk.parents = slices.Compact(tk.parents)
		for _, p := range tk.parents {
			children[p] = append(children[p], int32(i))
		}
	}
	stages := map[string]int32{}
	stageOf := make([]int32, len(w.tasks))
	names := map[string]int{}
	var first []int32 // wfcommonsTask of each stage
	for i := range w.tasks {
		tk := &w.tasks[i]
		program := numbered.ReplaceAllString(Name(tk.name), "")
		if program == "" {
			program = "task"
		}
		key := fmt.Sprint(program, tk.parents, children[i])
		k, known := stages[key]
		if !known {
			k = int32(len(w.Stages))
			stages[key] = k
			first = append(first, int32(i))
			names[program]++
			if n := names[program]; n > 1 {
				program = fmt.Sprintf("%s-%d", program, n)
			}
			w.Stages = append(w.Stages, NewStage(program))
		}
		stageOf[i] = k
		w.put(&w.Stages[k], tk)
	}
	for k := range w.Stages {
		after := []int32{}
		for _, p := range w.tasks[first[k]].parents {
			after = append(after, stageOf[p])
		}
		slices.Sort(after)
		w.Stages[k].After = slices.Compact(after)
	}
	if len(w.Stages) == 0 {
		w.t.Unusable.Add("workflows without tasks", Fault{Place: w.At, Message: fmt.Sprintf("workflow %s has no tasks", w.ID)})
		return
	}
	w.t.Add(w.Job, false)
}

// put puts a task into its stage.
func (w *workflow) put(st *Stage, tk *wfcommonsTask) {
	out := NewTask(Unknown)
	if tk.time >= 0 {
		out.Time = wfcommonsMillis(tk.time)
	} else {
		w.t.Remarks.Add("tasks without a time", Fault{Place: w.At, Message: fmt.Sprintf("nothing tells how long task %s of %s ran", tk.name, w.ID), Advice: "it is taken to be like others of its stage"})
	}
	if name := Name(tk.machine); name != "" {
		out.Host = w.t.Host(name)
	}
	st.Cores, st.Memory = max(st.Cores, tk.cores), max(st.Memory, tk.memory)
	st.Tasks = append(st.Tasks, out)
}

// wfcommonsMillis rounds up: tasks of less than a millisecond have one.
func wfcommonsMillis(seconds float64) int64 {
	return int64(math.Ceil(min(seconds*1000, float64(Most))))
}
