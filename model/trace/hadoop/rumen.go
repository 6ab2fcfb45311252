package hadoop

import (
	"fmt"

	"downbeat/model/trace"
)

// Rumen reads a job trace of Hadoop's Rumen: a JSON object for each job, one after the
// other.
func Rumen(in *trace.Input, t *trace.Trace) error {
	return in.Values(t, "job", "a trace of Rumen is a JSON object for each job", func(d *trace.JSON) error { return rumenJob(d, t) })
}

// rumenJob reads one job, task by task.
func rumenJob(d *trace.JSON, t *trace.Trace) error {
	j := newJob("", d.Place())
	err := d.Object("a job", func(name string) error {
		var n trace.Int
		var text trace.Text
		switch name {
		case "jobID":
			err := d.Decode(&text)
			j.id = trace.Name(string(text))
			return err
		case "jobName":
			err := d.Decode(&text)
			j.name = trace.Name(string(text))
			return err
		case "mapTasks", "reduceTasks":
			return d.Array(name, func() error { return t.PassOver("tasks that cannot be read", rumenTask(d, j, t)) })
		}
		to := map[string]*int64{
			"submitTime": &j.submit, "finishTime": &j.finish,
			"jobMapMB": &j.stages[maps].memory, "jobReduceMB": &j.stages[reduces].memory,
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
		t.Unusable.Add("jobs without an id", trace.Fault{Place: j.at, Message: "a job without a jobID"})
		return nil
	}
	j.add(t)
	return nil
}

// rumenTask reads a task with its attempts.
func rumenTask(d *trace.JSON, j *job, t *trace.Trace) error {
	var a struct {
		TaskID, TaskType   trace.Text
		InputBytes         trace.Int
		PreferredLocations []struct{ Layers []string }
		Attempts           []struct {
			AttemptID, Result, HostName                          trace.Text
			StartTime, FinishTime, ShuffleFinished, SortFinished trace.Int
			HDFSBytesRead                                        trace.Int `json:"hdfsBytesRead"`
			ResourceUsageMetrics                                 struct{ PhysicalMemoryUsage trace.Int }
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
		if n := len(p.Layers); n > 0 && trace.Name(p.Layers[n-1]) != "" {
			tk.holders = append(tk.holders, t.Host(trace.Name(p.Layers[n-1])))
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
