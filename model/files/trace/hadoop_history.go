package trace

import (
	"fmt"
	"strings"
)

// HadoopHistory reads answers of the history server's REST interface, saved one a file or one
// after the other: of jobs, a job, tasks, a task, attempts, an attempt, counters of a job
// and the configuration. They are put together by the names of jobs and tasks; others, such
// as counters of a task, are passed over.
type HadoopHistory struct {
	jobs  map[string]*job
	order []*job
}

// jobOf is the job of that name.
func (h *HadoopHistory) jobOf(id string, at Place) *job {
	j, ok := h.jobs[id]
	if !ok {
		if h.jobs == nil {
			h.jobs = map[string]*job{}
		}
		j = newJob(Name(id), at)
		h.jobs[id] = j
		h.order = append(h.order, j)
	}
	return j
}

// Read implements Reader.
func (h *HadoopHistory) Read(in *Input, t *Trace) error {
	return in.Values(t, "answer of the history server", "save what GET /ws/v1/history/mapreduce/jobs/ID and its parts answer", func(d *JSON) error {
		return d.Object("the answer", func(name string) error { return h.member(d, name, t) })
	})
}

// member reads what an answer is of.
func (h *HadoopHistory) member(d *JSON, name string, t *Trace) error {
	one := func(read func(*JSON, *Trace) error) error { return read(d, t) }
	several := func(item string, read func(*JSON, *Trace) error) error {
		return d.Object(name, func(inner string) error {
			if inner != item {
				return d.Skip()
			}
			return d.Array(item, func() error { return t.PassOver(item+"s that cannot be used", read(d, t)) })
		})
	}
	switch name {
	case "jobs":
		return several("job", h.job)
	case "job":
		return one(h.job)
	case "tasks":
		return several("task", h.task)
	case "task":
		return one(h.task)
	case "taskAttempts":
		return several("taskAttempt", h.attempt)
	case "taskAttempt":
		return one(h.attempt)
	case "jobCounters":
		return one(h.counters)
	case "conf":
		return one(h.conf)
	}
	return d.Skip()
}

// nameless is a thing that says nothing of what it is.
func nameless(d *JSON, what string, t *Trace) {
	t.Unusable.Add(what+"s without an id", d.Fault("a "+what+" without an id", ""))
}

func (h *HadoopHistory) job(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID, Name                                                Text
		SubmitTime, FinishTime, MapsTotal, ReducesTotal         Int
		AvgMapTime, AvgReduceTime, AvgShuffleTime, AvgMergeTime Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	if a.ID == "" {
		nameless(d, "job", t)
		return nil
	}
	j := h.jobOf(string(a.ID), at)
	j.name = Name(string(a.Name))
	j.submit, j.finish = a.SubmitTime.Value(), a.FinishTime.Value()
	j.stages[mapTasks].total, j.stages[reduceTasks].total = a.MapsTotal.Value(), a.ReducesTotal.Value()
	if a.AvgMapTime.Value() > 0 {
		j.stages[mapTasks].average = a.AvgMapTime.Value()
	}
	if a.AvgReduceTime.Value() > 0 {
		j.stages[reduceTasks].average = a.AvgReduceTime.Value() + max(0, a.AvgMergeTime.Value())
		j.stages[reduceTasks].averageFetch = max(0, a.AvgShuffleTime.Value())
	}
	return nil
}

// jobID is the name of the job that a task or attempt is of, taskID that of the task of
// an attempt: task_X_Y_m_Z and attempt_X_Y_m_Z_N are of job_X_Y.
func jobID(id string) string {
	_, rest, _ := strings.Cut(id, "_")
	for _, kind := range []string{"_m_", "_r_"} {
		if i := strings.LastIndex(rest, kind); i >= 0 {
			return "job_" + rest[:i]
		}
	}
	return ""
}

func taskID(attempt string) string {
	_, rest, _ := strings.Cut(attempt, "_")
	i := max(0, strings.LastIndexByte(rest, '_'))
	return "task_" + rest[:i]
}

// find is the task of that name, nil where the name is none.
func (h *HadoopHistory) find(id string, kindWord Text, at Place) *task {
	kind, ok := kindOf(string(kindWord), id)
	owner := jobID(id)
	if !ok || owner == "" {
		return nil
	}
	return h.jobOf(owner, at).task(kind, id)
}

func (h *HadoopHistory) task(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID, Type, State, SuccessfulAttempt Text
		StartTime, FinishTime, ElapsedTime Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := h.find(string(a.ID), a.Type, at)
	if tk == nil {
		nameless(d, "task", t)
		return nil
	}
	tk.start, tk.finish = a.StartTime.Value(), a.FinishTime.Value()
	if a.State != "SUCCEEDED" && a.State != "" {
		tk.finish = Unknown
	}
	return nil
}

func (h *HadoopHistory) attempt(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID, Type, State, NodeHTTPAddress                Text
		StartTime, FinishTime, ElapsedTime, ShuffleTime Int
		ShuffleFinishTime                               Int
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	tk := h.find(taskID(string(a.ID)), a.Type, at)
	if tk == nil {
		nameless(d, "attempt", t)
		return nil
	}
	one := tk.attempt(string(a.ID))
	one.start, one.finish, one.shuffled = a.StartTime.Value(), a.FinishTime.Value(), a.ShuffleFinishTime.Value()
	one.host = t.Host(hostOf(string(a.NodeHTTPAddress)))
	tk.end(string(a.ID), a.State == "SUCCEEDED")
	return nil
}

// counters reads those of a job: what its containers held.
func (h *HadoopHistory) counters(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		ID           Text
		CounterGroup []struct {
			Counter []struct {
				Name              string
				TotalCounterValue Int
			}
		}
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	if a.ID == "" {
		nameless(d, "jobCounters", t)
		return nil
	}
	c := counters{}
	for _, g := range a.CounterGroup {
		for _, one := range g.Counter {
			c[one.Name] = one.TotalCounterValue.Value()
		}
	}
	h.jobOf(string(a.ID), at).containers(c)
	return nil
}

// conf reads the configuration of a job, whose name stands in its path.
func (h *HadoopHistory) conf(d *JSON, t *Trace) error {
	at := d.Place()
	var a struct {
		Path     Text
		Property []struct {
			Name  string
			Value Int
		}
	}
	if err := d.Decode(&a); err != nil {
		return err
	}
	id := ""
	for part := range strings.SplitSeq(string(a.Path), "/") {
		if strings.HasPrefix(part, "job_") {
			id = part
		}
	}
	j, known := h.jobs[id]
	if !known {
		t.Remarks.Add("configurations of jobs that no answer before is of", Fault{Place: at, Message: fmt.Sprintf("the configuration is of the job %q", id), Advice: "name the file with the job before it"})
		return nil
	}
	for _, p := range a.Property {
		v := p.Value.Value()
		if v <= 0 {
			continue
		}
		switch p.Name {
		case "mapreduce.map.memory.mb":
			j.stages[mapTasks].memory = v
		case "mapreduce.reduce.memory.mb":
			j.stages[reduceTasks].memory = v
		case "mapreduce.map.cpu.vcores":
			j.stages[mapTasks].cores = v
		case "mapreduce.reduce.cpu.vcores":
			j.stages[reduceTasks].cores = v
		}
	}
	return nil
}

// Close implements Reader.
func (h *HadoopHistory) Close(t *Trace) {
	for _, j := range h.order {
		h.complete(j, t)
		j.add(t)
	}
	*h = HadoopHistory{}
}

// complete takes the time of a task, in which it waited too, where no attempt tells more.
func (h *HadoopHistory) complete(j *job, t *Trace) {
	first := int64(Unknown)
	for _, tk := range j.order {
		if !tk.succeeded && tk.start != Unknown && tk.finish >= tk.start {
			a := newAttempt()
			a.start, a.finish = tk.start, tk.finish
			tk.done, tk.succeeded = a, true
			t.Remarks.Add("tasks without attempts, whose time counts in which they waited for a container", j.fault("has tasks of which no attempt is told", "save …/tasks/ID/attempts too"))
		}
		if tk.succeeded && (first == Unknown || tk.done.start < first) {
			first = tk.done.start
		}
	}
	if j.submit == Unknown {
		j.submit = first
	}
}
