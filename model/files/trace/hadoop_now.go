package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// HadoopNow reads what MapReduce's application masters, and the history server for jobs that
// have ended, answer of jobs, their tasks and their attempts: what is told of them now. A job
// goes by its name, its stages are map and reduce, and tasks count from 1.
type HadoopNow struct {
	names map[string]*hadoopRun // by the id of the job
	tasks map[string]*hadoopTask
	order []*hadoopTask
}

// hadoopRun is a job by its id.
type hadoopRun struct {
	id, name string
	submit   int64
}

// hadoopTask is a task with what is told of its attempts.
type hadoopTask struct {
	job      string // its id
	own      Attempt
	attempts []Attempt
}

// Read implements Reader.
func (h *HadoopNow) Read(in *Input, t *Trace) error {
	return in.Values(t, "answer of an application master", "save what GET /proxy/APPLICATION/ws/v1/mapreduce/jobs and its parts answer", func(d *JSON) error {
		return d.Object("the answer", func(name string) error { return h.member(d, name, t) })
	})
}

// member reads what an answer is of, one or a list of them.
func (h *HadoopNow) member(d *JSON, name string, t *Trace) error {
	for _, kind := range []struct {
		one, many string
		read      func(*JSON, *Trace) error
	}{{"job", "jobs", h.job}, {"task", "tasks", h.task}, {"taskAttempt", "taskAttempts", h.attempt}} {
		switch name {
		case kind.one:
			return kind.read(d, t)
		case kind.many:
			return d.Object(name, func(inner string) error {
				if inner != kind.one {
					return d.Skip()
				}
				return d.Array(inner, func() error { return t.PassOver(kind.many+" that cannot be used", kind.read(d, t)) })
			})
		}
	}
	return d.Skip()
}

func (h *HadoopNow) job(d *JSON, t *Trace) error {
	var a struct {
		ID, Name              Text
		SubmitTime, StartTime Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	if a.ID == "" || a.Name == "" {
		t.Unusable.Add("jobs without an id or a name", d.Fault("a job without an id or a name", ""))
		return nil
	}
	j := h.run(string(a.ID))
	j.name, j.submit = Name(string(a.Name)), max(a.SubmitTime.Value(), a.StartTime.Value())
	return nil
}

// run is the job of that id.
func (h *HadoopNow) run(id string) *hadoopRun {
	if h.names == nil {
		h.names, h.tasks = map[string]*hadoopRun{}, map[string]*hadoopTask{}
	}
	j, known := h.names[id]
	if !known {
		j = &hadoopRun{id: id}
		h.names[id] = j
	}
	return j
}

// find is the task of that id, nil where it is none.
func (h *HadoopNow) find(id string, kindWord Text, at Place) *hadoopTask {
	kind, ok := kindOf(string(kindWord), id)
	owner := jobID(id)
	number, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
	if !ok || owner == "" || err != nil || number < 0 || number >= mostTasks {
		return nil
	}
	h.run(owner)
	tk, known := h.tasks[id]
	if !known {
		tk = &hadoopTask{job: owner, own: NewAttempt(at)}
		tk.own.Stage, tk.own.Task = kindWords[kind], number+1
		h.tasks[id] = tk
		h.order = append(h.order, tk)
	}
	return tk
}

func (h *HadoopNow) task(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID, Type, State       Text
		StartTime, FinishTime Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := h.find(string(a.ID), a.Type, at)
	if tk == nil {
		nameless(d, "task", t)
		return nil
	}
	tk.own.At, tk.own.Start, tk.own.Finish = at, told(a.StartTime), told(a.FinishTime)
	tk.own.State = hadoopState(string(a.State))
	return nil
}

func (h *HadoopNow) attempt(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID, Type, State, NodeHTTPAddress Text
		StartTime, FinishTime            Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := h.find(taskID(string(a.ID)), a.Type, at)
	if tk == nil {
		nameless(d, "attempt", t)
		return nil
	}
	one := tk.own
	one.At, one.State, one.Host = at, hadoopState(string(a.State)), hostOf(string(a.NodeHTTPAddress))
	one.Start, one.Finish = told(a.StartTime), told(a.FinishTime)
	tk.attempts = append(tk.attempts, one)
	return nil
}

// told is a point in time, which 0 and less stand for not yet.
func told(v Int) int64 {
	if v.Value() <= 0 {
		return Unknown
	}
	return v.Value()
}

// hadoopState is what the states of tasks and attempts come to
// (org.apache.hadoop.mapreduce.v2.api.records.TaskState and TaskAttemptState).
func hadoopState(word string) AttemptState {
	switch strings.ToUpper(word) {
	case "SUCCEEDED":
		return Finished
	case "RUNNING", "COMMIT_PENDING", "KILL_WAIT":
		return Running
	case "FAILED", "KILLED":
		return Failed
	}
	return Waiting // NEW, SCHEDULED, STARTING, UNASSIGNED, ASSIGNED
}

// Close implements Reader. Of jobs of one name the one that was submitted last counts.
func (h *HadoopNow) Close(t *Trace) {
	last := map[string]*hadoopRun{} // by name
	for _, j := range h.names {
		if old := last[j.name]; old == nil || j.submit > old.submit || j.submit == old.submit && j.id > old.id {
			last[j.name] = j
		}
	}
	for _, tk := range h.order {
		j := h.names[tk.job]
		switch {
		case j.name == "":
			t.Unusable.Add("tasks of jobs of which no answer tells the name", Fault{Place: tk.own.At, Message: "no answer tells the name of " + tk.job, Advice: "save …/jobs too"})
			continue
		case last[j.name] != j:
			t.Remarks.Add("tasks of earlier jobs of the same name, which are passed over", Fault{Place: tk.own.At, Message: fmt.Sprintf("%s is %s, as is the later %s", tk.job, j.name, last[j.name].id)})
			continue
		}
		if len(tk.attempts) == 0 {
			tk.attempts = append(tk.attempts, tk.own)
		}
		for _, a := range tk.attempts {
			a.Job = j.name
			t.AddAttempt(a)
		}
	}
	*h = HadoopNow{}
}
