package trace

import (
	"fmt"
)

// Rumen reads a job trace of Hadoop's Rumen: a JSON object for each job, one after the
// other.
func Rumen(in *Input, t *Trace) error {
	return in.Values(t, "job", "a trace of Rumen is a JSON object for each job", func(d *JSON) error { return rumenJob(d, t) })
}

// rumenJob reads one job, task by task.
func rumenJob(d *JSON, t *Trace) error {
	j := newJob("", d.Place())
	err := d.Object("a job", func(name string) error {
		var n Int
		var text Text
		switch name {
		case "jobID":
			err := d.Decode(&text)
			j.id = Name(string(text))
			return err
		case "jobName":
			err := d.Decode(&text)
			j.name = Name(string(text))
			return err
		case "mapTasks", "reduceTasks":
			return d.Array(name, func() error { return t.PassOver("tasks that cannot be read", rumenTask(d, j, t)) })
		}
		to := map[string]*int64{
			"submitTime": &j.submit, "finishTime": &j.finish,
			"jobMapMB": &j.stages[mapTasks].memory, "jobReduceMB": &j.stages[reduceTasks].memory,
		}[name]
		if to == nil {
			return d.Skip()
		}
		err := d.Decode(&n)
		if v := n.Value(); v > 0 {
			*to = v
		}
		return err
	})
	if err != nil {
		return err
	}
	if j.id == "" {
		t.Unusable.Add("jobs without an id", Fault{Place: j.at, Message: "a job without a jobID"})
		return nil
	}
	j.add(t)
	return nil
}

// rumenTask reads a task with its attempts.
func rumenTask(d *JSON, j *job, t *Trace) error {
	var a struct {
		TaskID, TaskType   Text
		InputBytes         Int
		PreferredLocations []struct{ Layers []string }
		Attempts           []struct {
			AttemptID, Result, HostName                          Text
			StartTime, FinishTime, ShuffleFinished, SortFinished Int
			HDFSBytesRead                                        Int `json:"hdfsBytesRead"`
			ResourceUsageMetrics                                 struct{ PhysicalMemoryUsage Int }
		}
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	kind, ok := kindOf(string(a.TaskType), string(a.TaskID))
	if !ok {
		return nil
	}
	id := string(a.TaskID)
	if id == "" {
		id = fmt.Sprint(len(j.order))
	}
	tk := j.task(kind, id)
	tk.input = a.InputBytes.Value()
	for _, p := range a.PreferredLocations {
		if n := len(p.Layers); n > 0 && Name(p.Layers[n-1]) != "" {
			tk.holders = append(tk.holders, t.Host(Name(p.Layers[n-1])))
		}
	}
	for i, one := range a.Attempts {
		name := fmt.Sprintf("%d %s", i, one.AttemptID)
		at := tk.attempt(name)
		at.start, at.finish, at.shuffled = one.StartTime.Value(), one.FinishTime.Value(), one.ShuffleFinished.Value()
		at.host = t.Host(hostOf(string(one.HostName)))
		succeeded := one.Result == "SUCCESS" || one.Result == "SUCCEEDED"
		tk.end(name, succeeded)
		if succeeded {
			about := &j.stages[kind]
			about.usedMemory = max(about.usedMemory, one.ResourceUsageMetrics.PhysicalMemoryUsage.Value())
		}
	}
	return nil
}
