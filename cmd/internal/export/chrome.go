package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/clock"
)

// Chrome writes a plan in the Trace Event Format of Chrome's tracing tools, as Perfetto
// reads it: jobs as threads of a first process, with their deadlines as instants; each
// slave as a process with a thread for each slot, in which a slice from assignment to
// finish holds those of fetch and run; and counters of what is in use, those of pools and caps in
// a process of their own.
//
// Times are in microseconds since tick 0, or a tick is a millisecond where the job set
// does not say how long one is, or it would not fit.
//
// What Perfetto demands beyond the format: slices of a thread nest, and threads have
// numbers of their own among all threads and processes, for names go by these.
func Chrome(w io.Writer, s *summary.Summary) error {
	t := newTrace(s)
	t.jobs()
	for i := range s.Slaves {
		t.slave(model.SlaveID(i))
	}
	t.shared()
	for i := range s.Attempts {
		t.attempt(&s.Attempts[i])
	}
	t.sort()
	return t.write(w)
}

// trace is a list of events to be.
type trace struct {
	*summary.Summary
	unit time.Duration // of a tick
	// lanes is the thread of the first slot of each slave.
	lanes   []int
	threads int // numbers given so far, those of processes among them
	names   []event
	events  []event
}

// event is one of a trace, in the words of the format.
type event struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid,omitempty"`
	At       *micros        `json:"ts,omitempty"`
	Length   *micros        `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// micros are nanoseconds, which the format has as microseconds.
type micros time.Duration

// MarshalJSON writes whole numbers where it can.
func (m micros) MarshalJSON() ([]byte, error) {
	text := strconv.FormatInt(int64(m)/1000, 10)
	if rest := int64(m) % 1000; rest != 0 {
		text += fmt.Sprintf(".%03d", rest)
	}
	return []byte(text), nil
}

// jobsProcess is the process of the jobs; that of slave i is slaveProcess(i), and behind these is that
// of pools and caps, where there are any.
const jobsProcess = 1

func slaveProcess(s model.SlaveID) int { return int(s) + 2 }

func newTrace(s *summary.Summary) *trace {
	behind := model.SlaveID(len(s.Slaves))
	if len(s.Shared) > 0 {
		behind++
	}
	t := &trace{Summary: s, unit: time.Millisecond, threads: slaveProcess(behind)}
	if _, fits := s.Clock.Duration(max(s.End, 1)); fits {
		t.unit = s.Clock.Unit
	}
	t.process(jobsProcess, "jobs")
	return t
}

// at is a point in time, or a length.
func (t *trace) at(ticks model.Time) *micros {
	m := micros(ticks) * micros(t.unit)
	return &m
}

// process names a process; they are shown in the order of their numbers.
func (t *trace) process(pid int, name string) {
	t.names = append(t.names,
		event{Phase: "M", Name: "process_name", Process: pid, Args: map[string]any{"name": name}},
		event{Phase: "M", Name: "process_sort_index", Process: pid, Args: map[string]any{"sort_index": pid}})
}

// thread names the next thread of a process.
func (t *trace) thread(pid int, name string) (tid int) {
	t.threads++
	t.names = append(t.names,
		event{Phase: "M", Name: "thread_name", Process: pid, Thread: t.threads, Args: map[string]any{"name": name}},
		event{Phase: "M", Name: "thread_sort_index", Process: pid, Thread: t.threads, Args: map[string]any{"sort_index": t.threads}})
	return t.threads
}

// slice adds one, unless it is empty.
func (t *trace) slice(pid, tid int, category, name string, iv model.Interval, args map[string]any) {
	if iv.Len() > 0 {
		t.events = append(t.events, event{Phase: "X", Name: name, Category: category, Process: pid, Thread: tid,
			At: t.at(iv.Start), Length: t.at(iv.Len()), Args: args})
	}
}

// jobs adds a thread for each job.
func (t *trace) jobs() {
	for i := range t.Jobs {
		line, job := &t.Jobs[i], &t.JS.Jobs[i]
		tid := t.thread(jobsProcess, job.Name)
		args := map[string]any{"kind": job.Kind.String(), "release": job.Release}
		if job.Kind != model.BestEffort {
			args["deadline"], args["late"] = job.Due(), line.Late
			t.deadline(tid, job)
		}
		if line.First < model.Never && line.Finish > line.First {
			args["finish"] = line.Finish
			t.slice(jobsProcess, tid, "job", job.Name, model.Interval{Start: line.First, End: line.Finish}, args)
		}
	}
}

// deadline adds that of a job, where it fits the trace.
func (t *trace) deadline(tid int, job *model.Job) {
	if _, fits := (clock.Clock{Unit: t.unit}).Duration(job.Due()); !fits {
		return
	}
	t.events = append(t.events, event{Phase: "i", Scope: "t", Name: "deadline of " + job.Name, Category: "deadline", Process: jobsProcess, Thread: tid,
		At: t.at(job.Due()), Args: map[string]any{"kind": job.Kind.String(), "deadline": job.Due()}})
}

// slave adds its threads, its absences and its counters.
func (t *trace) slave(id model.SlaveID) {
	slave, pid := &t.JS.Slaves[id], slaveProcess(id)
	t.process(pid, slave.Name)
	t.lanes = append(t.lanes, t.threads+1)
	for lane := range t.Slaves[id].LaneCount() {
		t.thread(pid, slotName(slave, &t.Slaves[id], lane))
	}
	if len(t.Away[id]) > 0 {
		tid := t.thread(pid, "absences")
		for _, iv := range t.Away[id] {
			iv.End = min(iv.End, max(t.End, iv.Start)) // one without an end ends with the plan
			t.slice(pid, tid, "away", "away", iv, nil)
		}
	}
	of := func(hold func(a *summary.Attempt, n *model.Needs) (from model.Time, units int64)) []change {
		return t.changes(id, hold)
	}
	t.counter(pid, "cores", of(func(a *summary.Attempt, n *model.Needs) (model.Time, int64) { return a.Start, n.Cores }))
	t.counter(pid, "slots", of(func(a *summary.Attempt, _ *model.Needs) (model.Time, int64) { return a.Assigned, 1 }))
	for k, name := range t.JS.Named {
		if slave.Offers(k) > 0 {
			t.counter(pid, name, of(func(a *summary.Attempt, n *model.Needs) (model.Time, int64) { return a.Assigned, n.Units[k] }))
		}
	}
}

// shared adds counters of pools and caps: what is held, and what there is.
func (t *trace) shared() {
	if len(t.Shared) == 0 {
		return
	}
	pid := slaveProcess(model.SlaveID(len(t.Slaves)))
	t.process(pid, "shared by all machines")
	for i := range t.Shared {
		line := &t.Shared[i]
		add := func(levels []model.Level, what string) {
			for _, l := range levels {
				if l.From <= t.End {
					t.events = append(t.events, event{Phase: "C", Name: line.Name + what, Process: pid, At: t.at(l.From), Args: map[string]any{"in use": l.Amount}})
				}
			}
		}
		if len(line.Steps) == 0 || line.Steps[0].From > 0 {
			add([]model.Level{{}}, "")
		}
		add(line.Steps, "")
		if len(line.Levels) > 1 {
			add(line.Levels, ": there")
		}
	}
}

// slotName is what the thread of a slot is called.
func slotName(slave *model.Slave, line *summary.SlaveLine, lane int) string {
	switch first := line.Lanes[0]; {
	case !slave.SplitSlots:
		return fmt.Sprintf("slot %d", lane+1)
	case lane < first:
		return fmt.Sprintf("map slot %d", lane+1)
	default:
		return fmt.Sprintf("reduce slot %d", lane-first+1)
	}
}

// change is by how much the use of something changes at a time.
type change struct {
	at model.Time
	by int64
}

// changes lists those of what attempts on a slave hold from some time until they finish,
// ascending, one for each time.
func (t *trace) changes(id model.SlaveID, hold func(*summary.Attempt, *model.Needs) (from model.Time, units int64)) []change {
	by := map[model.Time]int64{0: 0}
	first, _ := slices.BinarySearchFunc(t.Attempts, id, func(a summary.Attempt, id model.SlaveID) int { return cmp.Compare(a.Slave, id) })
	for i := first; i < len(t.Attempts) && t.Attempts[i].Slave == id; i++ {
		a := &t.Attempts[i]
		needs := t.JS.Tasks[a.Task].Needs()
		from, units := hold(a, &needs)
		by[from] += units
		by[a.Finish] -= units
	}
	var out []change
	for at, n := range by {
		if n != 0 || at == 0 {
			out = append(out, change{at, n})
		}
	}
	slices.SortFunc(out, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return out
}

// counter adds what is in use of something at each change.
func (t *trace) counter(pid int, of string, changes []change) {
	inUse := int64(0)
	for _, c := range changes {
		inUse += c.by
		t.events = append(t.events, event{Phase: "C", Name: of, Process: pid, At: t.at(c.at), Args: map[string]any{"in use": inUse}})
	}
}

// attempt adds the slices of a task on its slot.
func (t *trace) attempt(a *summary.Attempt) {
	task := &t.JS.Tasks[a.Task]
	job, needs := &t.JS.Jobs[task.Job], task.Needs()
	args := map[string]any{
		"job": job.Name, "stage": job.Stages[task.Stage].Name, "task": task.Number, "cores": needs.Cores,
		"assigned": a.Assigned, "fetch": a.Fetch, "start": a.Start, "finish": a.Finish,
	}
	for _, take := range t.JS.Takes(a.Task) {
		args[t.JS.SharedName(take.Shared)] = take.Units
	}
	if st, gang := t.JS.GangOf(a.Task); gang {
		args["gang"] = st.End - st.First
	}
	if job.Kind != model.BestEffort {
		args["deadline"], args["slack"] = job.Due(), job.Due()-a.Finish
	}
	if at := t.Clock.Stamp(a.Start); at != "" {
		args["start_clock"], args["finish_clock"] = at, t.Clock.Stamp(a.Finish)
	}
	category, name := "task", t.JS.TaskName(a.Task)
	if a.Lost {
		category, name = "lost", name+" (lost)"
	}
	pid, tid := slaveProcess(a.Slave), t.lanes[a.Slave]+a.Lane
	t.slice(pid, tid, category, name, model.Interval{Start: a.Assigned, End: a.Finish}, args)
	t.slice(pid, tid, "fetch", "fetch", model.Interval{Start: a.Fetch, End: a.Fetched}, nil)
	t.slice(pid, tid, "run", "run", model.Interval{Start: a.Start, End: a.Finish}, nil)
}

// sort puts events in the order of time, and of slices that begin together the longest
// first, which holds the others.
func (t *trace) sort() {
	length := func(e *event) micros {
		if e.Length == nil {
			return 0
		}
		return *e.Length
	}
	slices.SortStableFunc(t.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(*a.At, *b.At), cmp.Compare(length(&b), length(&a)))
	})
}

// write has an event a line.
func (t *trace) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	about := map[string]any{"program": version.Made(), "jobset": t.JS.Name, "digest": t.JS.Digest(), "tick": clock.FormatDuration(t.unit)}
	if t.Clock.Unit == 0 {
		about["tick"] = "shown as 1ms"
	}
	if at := t.Clock.Stamp(0); at != "" {
		about["origin"] = at
	}
	head, err := json.Marshal(about)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":%s,\"traceEvents\":[", head)
	separator := "\n"
	for _, list := range [][]event{t.names, t.events} {
		for i := range list {
			text, err := json.Marshal(&list[i])
			if err != nil {
				return err
			}
			out.WriteString(separator)
			out.Write(text)
			separator = ",\n"
		}
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}
