// Hadoop reads what Hadoop keeps of MapReduce jobs: history files (.jhist, as JSON
// and binary), the answers of the history server, and Rumen's traces of both.

package trace

import (
	"fmt"
	"strings"
)

// job is a MapReduce job as it is put together from events, answers or lists.
type job struct {
	id, name       string
	submit, finish int64
	// What the source says of all tasks of a kind together, maps first.
	stages [2]stage
	tasks  map[string]*task
	order  []*task
	at     Place
}

// stage is what is known of the maps or reduces of a job beside the tasks themselves.
type stage struct {
	total        int64 // number of tasks
	memory       int64 // of a container, in MiB
	cores        int64 // of a container
	usedMemory   int64 // the most that a task was seen to use, in bytes
	average      int64 // time of a task, where there is no more
	averageFetch int64
}

const mapTasks, reduceTasks = 0, 1

var kindWords = [...]string{"map", "reduce"}

func newJob(id string, at Place) *job {
	unknown := stage{Unknown, Unknown, Unknown, Unknown, Unknown, 0}
	return &job{id: id, submit: Unknown, finish: Unknown, stages: [2]stage{unknown, unknown}, tasks: map[string]*task{}, at: at}
}

// task is a task with the attempt that counts, the last one that succeeded.
type task struct {
	kind          int // maps or reduces
	start, finish int64
	attempts      map[string]*attempt // those that have not finished
	done          attempt
	doneID        string // of the attempt that counts
	succeeded     bool
	wasted        int64
	failed        int
	input         int64
	holders       []Host
}

// attempt is an attempt at a task; shuffled is when a reduce had its input.
type attempt struct {
	start, shuffled, finish int64
	host                    Host
	local                   bool // to the input
}

func newAttempt() attempt {
	return attempt{Unknown, Unknown, Unknown, NoHost, false}
}

// kindOf tells maps and reduces apart, by what a source calls them or by the name of a
// task; ok is false for tasks that set a job up or clean up after it.
func kindOf(word, id string) (kind int, ok bool) {
	switch strings.ToUpper(word) {
	case "MAP":
		return mapTasks, true
	case "REDUCE":
		return reduceTasks, true
	case "":
		parts := strings.Split(id, "_")
		for i := len(parts) - 1; i >= 0; i-- {
			switch parts[i] {
			case "m":
				return mapTasks, true
			case "r":
				return reduceTasks, true
			}
		}
	}
	return 0, false
}

// task is the task of that name.
func (j *job) task(kind int, id string) *task {
	tk, ok := j.tasks[id]
	if !ok {
		tk = &task{kind: kind, start: Unknown, finish: Unknown, input: Unknown}
		j.tasks[id] = tk
		j.order = append(j.order, tk)
	}
	return tk
}

// attempt is the attempt of that name, which has not finished.
func (tk *task) attempt(id string) *attempt {
	a, ok := tk.attempts[id]
	if !ok {
		fresh := newAttempt()
		a = &fresh
		if tk.attempts == nil {
			tk.attempts = map[string]*attempt{}
		}
		tk.attempts[id] = a
	}
	return a
}

// end notes how an attempt ended. An answer of the history server may tell it twice.
func (tk *task) end(id string, succeeded bool) {
	a := tk.attempt(id)
	if delete(tk.attempts, id); len(tk.attempts) == 0 {
		tk.attempts = nil // of many tasks this is most of what they hold
	}
	switch {
	case succeeded:
		if tk.succeeded && tk.doneID != id {
			tk.lose(&tk.done) // what it left was lost, and had to be done again
		}
		tk.done, tk.doneID, tk.succeeded = *a, id, true
	default:
		tk.lose(a)
	}
}

// lose counts the time of an attempt that came to nothing.
func (tk *task) lose(a *attempt) {
	tk.failed++
	if a.start != Unknown && a.finish > a.start {
		tk.wasted += a.finish - a.start
	}
}

// add hands the job to the trace.
func (j *job) add(t *Trace) {
	if j.name == "" {
		j.name = j.id
	}
	out := NewJob(j.id, j.at)
	out.Name, out.Submit, out.Finish = j.name, j.submit, j.finish
	mapped := j.mapped()
	for kind := range j.stages {
		if st, ok := j.stage(kind, mapped, t); ok {
			out.Stages = append(out.Stages, st)
		}
	}
	known := false
	for _, st := range out.Stages {
		for _, tk := range st.Tasks {
			known = known || tk.Time != Unknown
		}
	}
	switch {
	case len(out.Stages) == 0:
		t.Unusable.Add("jobs without tasks", j.fault("has no tasks", ""))
	case !known:
		t.Unusable.Add("jobs of which no task finished", j.fault("has no task that finished", "nothing tells how long its tasks take"))
	default:
		t.Add(out, true)
	}
}

func (j *job) fault(problem, advice string) Fault {
	return Fault{Place: j.at, Message: j.id + " " + problem, Advice: advice}
}

// mapped is when the last map ended, Unknown if that is not told: until then a reduce that
// has started waits for its input.
func (j *job) mapped() int64 {
	last := int64(Unknown)
	for _, tk := range j.order {
		if tk.kind == mapTasks && tk.succeeded {
			last = max(last, tk.done.finish)
		}
	}
	return last
}

// stage puts the tasks of a kind together; ok is false where there are none.
func (j *job) stage(kind int, mapped int64, t *Trace) (st Stage, ok bool) {
	about := &j.stages[kind]
	st = NewStage(kindWords[kind])
	st.Reduce = kind == reduceTasks
	st.Cores = about.cores
	if about.memory != Unknown {
		st.Memory = about.memory << 20
	} else {
		st.Memory = about.usedMemory
	}
	n := 0
	for _, tk := range j.order {
		if tk.kind == kind {
			n++
		}
	}
	st.Tasks = make([]Task, 0, n+1) // and those that are only counted
	for _, tk := range j.order {
		if tk.kind == kind {
			st.Tasks = append(st.Tasks, tk.told(mapped))
		}
	}
	seen := int64(len(st.Tasks))
	switch missing := about.total - seen; {
	case missing > 0 && missing <= hadoopMostTasks:
		rest := NewTask(about.average)
		rest.Count, rest.Fetch = int32(missing), about.averageFetch
		st.Tasks = append(st.Tasks, rest)
		if about.average == Unknown && seen > 0 {
			t.Remarks.Add("jobs of which tasks are not told of", j.fault(fmt.Sprintf("has %d %ss, of which %d are told of", about.total, kindWords[kind], seen), "the others are taken to be like these"))
		}
	case missing > hadoopMostTasks:
		t.Remarks.Add("jobs with more tasks than can be", j.fault(fmt.Sprintf("has %d %ss, more than the %d that are read", about.total, kindWords[kind], hadoopMostTasks), ""))
	case about.total != Unknown && missing < 0:
		t.Remarks.Add("jobs with more tasks than they say", j.fault(fmt.Sprintf("says that it has %d %ss, and %d are told of", about.total, kindWords[kind], seen), "all of them are taken"))
	}
	return st, len(st.Tasks) > 0
}

// hadoopMostTasks bounds the tasks of a job that are only counted in its file.
const hadoopMostTasks = 1_000_000

// told is what a task is in a trace.
func (tk *task) told(mapped int64) Task {
	out := NewTask(Unknown)
	out.Wasted, out.Input, out.Holders = tk.wasted, tk.input, tk.holders
	a := &tk.done
	if !tk.succeeded || a.finish == Unknown || a.start == Unknown || a.finish < a.start {
		return out
	}
	out.Start, out.Host = a.start, a.host
	if a.local && len(out.Holders) == 0 && out.Host != NoHost {
		out.Holders = []Host{out.Host}
	}
	from := a.start
	if tk.kind == reduceTasks {
		from = min(max(from, mapped), a.finish)
		if a.shuffled >= from && a.shuffled <= a.finish {
			out.Fetch = a.shuffled - from
			from = a.shuffled
		}
	}
	out.Time = a.finish - from
	return out
}

// hostOf is the host of a name like /rack/host or host:port.
func hostOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":")
	return Name(name)
}
