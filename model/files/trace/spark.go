// Spark reads event logs of Spark: a JSON object a line, an application a log.

package trace

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// SparkLog reads event logs. An application is a job whose stages are those that ran. A log may
// be in several files (events_1_…, events_2_…), one after the other: a new application
// begins where one says that it starts.
//
// Stages come after those that they read from, as far as the log tells; in logs of before
// Spark 1.4, which do not tell, after the one before them. The first stages of a job of
// Spark come after the jobs that had ended when it was started, since the driver waits for
// answers as a rule.
type SparkLog struct{ app *app }

// Close implements Reader.
func (l *SparkLog) Close(t *Trace) {
	if l.app != nil {
		l.app.add(t)
	}
	l.app = nil
}

// sparkEvent is an event of any type, with those of its fields that matter here.
type sparkEvent struct {
	Event         string
	AppName       Text `json:"App Name"`
	AppID         Text `json:"App ID"`
	AppAttempt    Text `json:"App Attempt ID"`
	Timestamp     Int
	ExecutorID    Text                    `json:"Executor ID"`
	ExecutorInfo  executorInfo            `json:"Executor Info"`
	JobID         Int                     `json:"Job ID"`
	StageInfos    []stageInfo             `json:"Stage Infos"`
	StageInfo     stageInfo               `json:"Stage Info"`
	StageID       Int                     `json:"Stage ID"`
	TaskInfo      taskInfo                `json:"Task Info"`
	TaskEndReason struct{ Reason string } `json:"Task End Reason"`
	Metrics       taskMetrics             `json:"Task Metrics"`
	Properties    map[string]Text         `json:"Spark Properties"`
}

type executorInfo struct {
	Host  Text
	Cores Int `json:"Total Cores"`
}

type stageInfo struct {
	ID      Int      `json:"Stage ID"`
	Name    Text     `json:"Stage Name"`
	Tasks   Int      `json:"Number of Tasks"`
	Parents *[]int64 `json:"Parent IDs"`
}

type taskInfo struct {
	Index    Int
	Launch   Int  `json:"Launch Time"`
	Finish   Int  `json:"Finish Time"`
	Executor Text `json:"Executor ID"`
	Failed   bool
	Killed   bool
}

type taskMetrics struct {
	Input struct {
		Bytes Int `json:"Bytes Read"`
	} `json:"Input Metrics"`
}

// wanted are the events that matter; lines of others are passed over unread.
var wanted = []string{
	"SparkListenerApplicationStart", "SparkListenerApplicationEnd", "SparkListenerEnvironmentUpdate",
	"SparkListenerExecutorAdded", "SparkListenerExecutorRemoved",
	"SparkListenerJobStart", "SparkListenerJobEnd", "SparkListenerStageSubmitted", "SparkListenerTaskEnd",
}

// unwanted reports whether a line is whole and an event of another type.
func unwanted(line []byte) bool {
	rest, found := bytes.CutPrefix(line, []byte(`{"Event":"`))
	name, _, ended := bytes.Cut(rest, []byte(`"`))
	return found && ended && line[len(line)-1] == '}' && !slices.Contains(wanted, string(name))
}

// Read implements Reader.
func (l *SparkLog) Read(in *Input, t *Trace) error {
	events, unusable := 0, t.Unusable.Count()
	for in.Next() {
		if len(bytes.TrimSpace(in.Line())) == 0 {
			continue
		}
		if unwanted(in.Line()) {
			events++
			continue
		}
		var e sparkEvent
		f := in.Decode(&e)
		if f == nil && e.Event == "" {
			fault := in.Fault(0, `an object without "Event"`, "")
			f = &fault
		}
		if f != nil {
			t.Unusable.AddByReason("lines that are no events", *f)
			continue
		}
		events++
		l.event(&e, in.At(0), t)
	}
	if err := in.Err(); err != nil {
		return err
	}
	if events == 0 && t.Unusable.Count() == unusable {
		f := in.Empty("event of Spark", `an event log has a line like {"Event":"SparkListenerLogStart",…} for each event`)
		return &f
	}
	return nil
}

// app is an application as it is put together.
type app struct {
	Job
	cores    int64 // of a task
	jobs     map[int64]*sparkJob
	stages   map[int64]*sparkStage
	frontier []int64 // jobs that ended, but for those that a later one that ended came after
	// machines are those of executors, free those of executors that are gone.
	machines map[string]Machine
	free     []Machine
}

// sparkJob is a job of an application: its stages, and the jobs that it comes after.
type sparkJob struct {
	stages []int64
	after  []int64
}

// sparkStage is a stage of an application.
type sparkStage struct {
	id      int64
	job     int64
	name    string
	total   int64
	parents *[]int64
	tasks   map[int64]*Task
	seen    bool // some attempt at a task ended
}

func newApp(name string, at Place) *app {
	return &app{Job: NewJob(name, at), cores: 1, jobs: map[int64]*sparkJob{}, stages: map[int64]*sparkStage{}, machines: map[string]Machine{}}
}

// sparkEvent takes what an event tells.
func (l *SparkLog) event(e *sparkEvent, at Place, t *Trace) {
	if e.Event == "SparkListenerApplicationStart" {
		cores := int64(1)
		if l.app != nil && l.app.Submit == Unknown && len(l.app.jobs) == 0 {
			cores = l.app.cores // its configuration came first
		} else {
			l.Close(t)
		}
		l.app = newApp(Name(string(e.AppID)), at)
		l.app.cores = cores
		if attempt := Name(string(e.AppAttempt)); attempt != "" {
			l.app.ID += "_" + attempt
		}
		l.app.Name, l.app.Submit = Name(string(e.AppName)), e.Timestamp.Value()
		return
	}
	if l.app == nil {
		l.app = newApp(Name(at.File), at)
	}
	a := l.app
	switch e.Event {
	case "SparkListenerApplicationEnd":
		a.Finish = e.Timestamp.Value()
	case "SparkListenerEnvironmentUpdate":
		if n, err := strconv.ParseInt(string(e.Properties["spark.task.cpus"]), 10, 32); err == nil && n > 0 {
			a.cores = n
		}
	case "SparkListenerExecutorAdded":
		a.executor(string(e.ExecutorID), e.ExecutorInfo.Cores.Value(), t)
	case "SparkListenerExecutorRemoved":
		if m, known := a.machines[string(e.ExecutorID)]; known {
			a.free = append(a.free, m)
		}
	case "SparkListenerJobStart":
		a.start(e)
	case "SparkListenerJobEnd":
		a.end(e.JobID.Value())
	case "SparkListenerStageSubmitted":
		a.stage(&e.StageInfo)
	case "SparkListenerTaskEnd":
		a.task(e, t)
	}
}

// executor makes a machine of an executor. One that comes after another of its size has
// gone takes its place: the two were never there together.
func (a *app) executor(id string, cores int64, t *Trace) {
	i := slices.IndexFunc(a.free, func(m Machine) bool { return m.Cores == cores })
	if i >= 0 {
		a.machines[id] = a.free[i]
		a.free = slices.Delete(a.free, i, i+1)
		return
	}
	name := "executor-" + Name(id)
	m := Machine{Name: name, Cores: cores, Memory: Unknown}
	a.machines[id] = m
	t.AddMachine(m)
}

func (a *app) stage(info *stageInfo) *sparkStage {
	id := info.ID.Value()
	st, ok := a.stages[id]
	if !ok {
		st = &sparkStage{id: id, job: Unknown, total: Unknown, tasks: map[int64]*Task{}}
		a.stages[id] = st
	}
	if name := Name(string(info.Name)); name != "" {
		st.name = name
	}
	st.total = max(st.total, info.Tasks.Value())
	if info.Parents != nil {
		st.parents = info.Parents
	}
	return st
}

// start begins a job. A stage belongs to the first job that names it.
func (a *app) start(e *sparkEvent) {
	j := &sparkJob{after: slices.Clone(a.frontier)}
	a.jobs[e.JobID.Value()] = j
	for i := range e.StageInfos {
		st := a.stage(&e.StageInfos[i])
		if st.job == Unknown {
			st.job = e.JobID.Value()
			j.stages = append(j.stages, st.id)
		}
	}
}

func (a *app) end(id int64) {
	j, known := a.jobs[id]
	if !known || !slices.ContainsFunc(j.stages, func(st int64) bool { return a.stages[st].seen }) {
		return
	}
	a.frontier = slices.DeleteFunc(a.frontier, func(k int64) bool { return slices.Contains(j.after, k) })
	a.frontier = append(a.frontier, id)
}

// task takes what is told of an attempt at a task that has ended. Of several that
// succeeded the last counts: what others left was lost.
func (a *app) task(e *sparkEvent, t *Trace) {
	st := a.stage(&stageInfo{ID: e.StageID})
	st.seen = true
	info := &e.TaskInfo
	index, start, finish := info.Index.Value(), info.Launch.Value(), info.Finish.Value()
	tk := st.tasks[index]
	if tk == nil {
		one := NewTask(Unknown)
		tk = &one
		st.tasks[index] = tk
	}
	length := finish - start
	switch {
	case start == Unknown || finish == Unknown || length < 0:
	case info.Failed || e.TaskEndReason.Reason != "" && e.TaskEndReason.Reason != "Success":
		if !info.Killed && e.TaskEndReason.Reason != "TaskKilled" {
			tk.Wasted += length
		}
	case !info.Killed:
		if tk.Time != Unknown {
			tk.Wasted += tk.Time
		}
		tk.Time, tk.Start, tk.Input = length, start, e.Metrics.Input.Bytes.Value()
		if m, known := a.machines[string(info.Executor)]; known {
			tk.Host = t.Host(m.Name)
		} else {
			tk.Host = t.Host(Name(string(info.Executor)))
		}
	}
}

// add hands the application to the trace.
func (a *app) add(t *Trace) {
	if a.ID == "" {
		a.ID = Name(a.At.File)
	}
	if a.Name == "" {
		a.Name = a.ID
	}
	ran := a.ran()
	if len(ran) == 0 {
		t.Unusable.Add("applications without a task that finished", Fault{Place: a.At, Message: fmt.Sprintf("application %s has no task that finished", a.ID)})
		return
	}
	index := map[int64]int32{}
	for i, st := range ran {
		index[st.id] = int32(i)
	}
	for _, id := range slices.Sorted(maps.Keys(a.stages)) {
		if _, is := index[id]; !is && a.stages[id].seen {
			t.Remarks.Add("stages of which no task finished, which are left out", Fault{Place: a.At, Message: fmt.Sprintf("stage %d of %s has no task that finished", id, a.ID)})
		}
	}
	for i, st := range ran {
		out := NewStage(fmt.Sprintf("%d %s", st.id, cmp.Or(st.name, "stage")))
		out.Cores = a.cores
		out.After = a.after(st, index, i)
		for _, k := range slices.Sorted(maps.Keys(st.tasks)) {
			out.Tasks = append(out.Tasks, *st.tasks[k])
		}
		if missing := st.total - int64(len(st.tasks)); missing > 0 && missing < sparkMostTasks {
			rest := NewTask(Unknown)
			rest.Count = int32(missing)
			out.Tasks = append(out.Tasks, rest)
			t.Remarks.Add("stages of which tasks are not told of", Fault{Place: a.At, Message: fmt.Sprintf("stage %d of %s has %d tasks, of which %d are told of", st.id, a.ID, st.total, len(st.tasks)), Advice: "the others are taken to be like these"})
		}
		a.Stages = append(a.Stages, out)
	}
	t.Add(a.Job, true)
}

// sparkMostTasks bounds the tasks of a stage that are only counted.
const sparkMostTasks = 1_000_000

// ran are the stages of which a task succeeded, by their numbers.
func (a *app) ran() []*sparkStage {
	var out []*sparkStage
	for _, id := range slices.Sorted(maps.Keys(a.stages)) {
		st := a.stages[id]
		for _, tk := range st.tasks {
			if tk.Time != Unknown {
				out = append(out, st)
				break
			}
		}
	}
	return out
}

// after are the stages that one comes after, of those that ran.
func (a *app) after(st *sparkStage, index map[int64]int32, own int) []int32 {
	out := []int32{}
	add := func(id int64) {
		if k, ok := index[id]; ok && int(k) != own && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	j := a.jobs[st.job]
	if st.parents != nil {
		for _, p := range *st.parents {
			add(p)
		}
	} else if j != nil {
		at := slices.Index(j.stages, st.id)
		earlier := int64(Unknown)
		for _, id := range j.stages[:max(0, at)] {
			if _, ok := index[id]; ok && id < st.id {
				earlier = max(earlier, id)
			}
		}
		add(earlier)
	}
	if len(out) > 0 || j == nil {
		return out
	}
	for _, before := range j.after {
		for _, id := range a.jobs[before].stages {
			if !a.needed(id, a.jobs[before]) {
				add(id)
			}
		}
	}
	slices.Sort(out)
	return out
}

// needed reports whether another stage of the job that ran reads from a stage.
func (a *app) needed(id int64, j *sparkJob) bool {
	for _, other := range j.stages {
		st := a.stages[other]
		switch {
		case !st.seen || other == id:
		case st.parents == nil && other > id, st.parents != nil && slices.Contains(*st.parents, id):
			return true
		}
	}
	return false
}
