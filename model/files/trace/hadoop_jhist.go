package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// The first lines of history files.
const (
	headJSON   = "Avro-Json"
	headBinary = "Avro-Binary"
)

// JHist reads a job history file, which holds one job: a line that names the encoding, a
// line with the schema, and an event after the other.
func JHist(in *Input, t *Trace) error {
	if !in.Next() {
		return firstLine(in)
	}
	r := &historyReader{t: t, in: in, unusable: t.Unusable.Count()}
	switch head := strings.TrimSpace(string(in.Line())); head {
	case headJSON:
		return r.lines()
	case headBinary:
		return r.binary()
	default:
		if in.TooLong() || len(head) > 100 {
			head = "something else"
		}
		f := in.Fault(0, fmt.Sprintf("the first line is %q", head), "a history file begins with a line "+headJSON+" or "+headBinary)
		return &f
	}
}

// firstLine tells why there is no first line.
func firstLine(in *Input) error {
	if err := in.Err(); err != nil {
		return err
	}
	f := in.Empty("events", "a history file begins with a line "+headJSON+" or "+headBinary)
	return &f
}

// historyReader reads one history file.
type historyReader struct {
	t   *Trace
	in  *Input
	job *job
	// unusable counts what could not be used in other files.
	unusable int
}

// event is an event of any type, with those of its fields that matter here.
type event struct {
	JobID      Text `json:"jobid"`
	JobName    Text `json:"jobName"`
	SubmitTime Int  `json:"submitTime"`
	FinishTime Int  `json:"finishTime"`
	TotalMaps  Int  `json:"totalMaps"`
	TotalRed   Int  `json:"totalReduces"`

	TaskID         Text `json:"taskid"`
	TaskType       Text `json:"taskType"`
	AttemptID      Text `json:"attemptId"`
	StartTime      Int  `json:"startTime"`
	SplitLocations Text `json:"splitLocations"`
	Tracker        Text `json:"trackerName"`
	Host           Text `json:"hostname"`
	Locality       Text `json:"locality"`
	TaskStatus     Text `json:"taskStatus"`
	Status         Text `json:"status"`
	MapFinish      Int  `json:"mapFinishTime"`
	ShuffleFinish  Int  `json:"shuffleFinishTime"`

	Counters      counters `json:"counters"`
	TotalCounters counters `json:"totalCounters"`
}

// counters are those of an attempt or a job by their names; groups do not matter.
type counters map[string]int64

// UnmarshalJSON never fails: what is not of the form has no counters.
func (c *counters) UnmarshalJSON(src []byte) error {
	var form struct {
		Groups []struct {
			Counts []struct {
				Name  string `json:"name"`
				Value Int    `json:"value"`
			} `json:"counts"`
		} `json:"groups"`
	}
	if json.Unmarshal(Unwrap(src), &form) != nil {
		return nil
	}
	*c = counters{}
	for _, g := range form.Groups {
		for _, count := range g.Counts {
			(*c)[count.Name] = count.Value.Value()
		}
	}
	return nil
}

// get is a counter, Unknown where there is none.
func (c counters) get(name string) int64 {
	if v, ok := c[name]; ok {
		return v
	}
	return Unknown
}

// lines reads events as JSON, one a line.
func (r *historyReader) lines() error {
	schema := true
	for r.in.Next() {
		text := bytes.TrimSpace(r.in.Line())
		if len(text) == 0 {
			continue
		}
		if schema { // the line before the first event
			schema = false
			if bytes.Contains(text[:min(len(text), 200)], []byte(`"record"`)) {
				continue
			}
		}
		var one struct {
			Type  string           `json:"type"`
			Event map[string]event `json:"event"`
		}
		if f := r.in.Decode(&one); f != nil {
			r.t.Unusable.AddByReason("lines that are no events", *f)
			continue
		}
		for _, e := range one.Event { // there is one
			r.event(one.Type, &e, r.in.At(0))
		}
	}
	if err := r.in.Err(); err != nil {
		return err
	}
	return r.close()
}

// close adds the job.
func (r *historyReader) close() error {
	switch {
	case r.job != nil:
		r.job.add(r.t)
	case r.t.Unusable.Count() == r.unusable: // and nothing tells why
		f := r.in.Empty("events of a job", "")
		return &f
	}
	return nil
}

// event takes what an event tells.
func (r *historyReader) event(kind string, e *event, at Place) {
	if r.job == nil {
		if !strings.HasPrefix(kind, "JOB_") && !strings.HasPrefix(kind, "TASK_") && !strings.Contains(kind, "_ATTEMPT_") {
			return
		}
		at.Column = 1
		r.job = newJob(Name(string(e.JobID)), at)
	}
	j := r.job
	if j.id == "" {
		j.id = Name(string(e.JobID))
	}
	switch {
	case strings.HasPrefix(kind, "JOB_"):
		j.event(e)
	case strings.Contains(kind, "_ATTEMPT_"), strings.HasPrefix(kind, "TASK_"):
		which, ok := kindOf(string(e.TaskType), string(e.TaskID))
		if !ok {
			return
		}
		tk := j.task(which, string(e.TaskID))
		if strings.Contains(kind, "_ATTEMPT_") {
			j.attempt(tk, kind, e, r.t)
			return
		}
		if hosts := string(e.SplitLocations); kind == "TASK_STARTED" && hosts != "" {
			for host := range strings.SplitSeq(hosts, ",") {
				if name := hostOf(host); name != "" {
					tk.holders = append(tk.holders, r.t.Host(name))
				}
			}
		}
	}
}

// event takes what an event tells of the job as a whole.
func (j *job) event(e *event) {
	keep := func(to *int64, v int64) {
		if v != Unknown {
			*to = v
		}
	}
	if name := Name(string(e.JobName)); name != "" {
		j.name = name
	}
	keep(&j.submit, e.SubmitTime.Value())
	keep(&j.finish, e.FinishTime.Value())
	keep(&j.stages[mapTasks].total, e.TotalMaps.Value())
	keep(&j.stages[reduceTasks].total, e.TotalRed.Value())
	j.containers(e.TotalCounters)
}

// containers works out what containers held from counters of the whole job: the memory
// times time of all of them by their time.
func (j *job) containers(c counters) {
	for kind, suffix := range [...]string{"MAPS", "REDUCES"} {
		millis := c.get("MILLIS_" + suffix)
		if millis <= 0 {
			continue
		}
		if mb := c.get("MB_MILLIS_" + suffix); mb > 0 {
			j.stages[kind].memory = int64(math.Round(float64(mb) / float64(millis)))
		}
		if cores := c.get("VCORES_MILLIS_" + suffix); cores > 0 {
			j.stages[kind].cores = max(1, int64(math.Round(float64(cores)/float64(millis))))
		}
	}
}

// attempt takes what an event tells of an attempt.
func (j *job) attempt(tk *task, kind string, e *event, t *Trace) {
	id := string(e.AttemptID)
	a := tk.attempt(id)
	host := hostOf(string(e.Host))
	if host == "" {
		host = hostOf(strings.TrimPrefix(string(e.Tracker), "tracker_"))
	}
	if host != "" {
		a.host = t.Host(host)
	}
	if strings.HasSuffix(kind, "_STARTED") {
		a.start = e.StartTime.Value()
		a.local = string(e.Locality) == "NODE_LOCAL"
		return
	}
	a.finish, a.shuffled = e.FinishTime.Value(), e.ShuffleFinish.Value()
	succeeded := strings.HasSuffix(kind, "_FINISHED") && (e.TaskStatus == "" || e.TaskStatus == "SUCCEEDED")
	tk.end(id, succeeded)
	if succeeded {
		tk.input = max(tk.input, e.Counters.get("HDFS_BYTES_READ"))
		about := &j.stages[tk.kind]
		about.usedMemory = max(about.usedMemory, e.Counters.get("PHYSICAL_MEMORY_BYTES"))
	}
}
