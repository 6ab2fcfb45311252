// Package trace holds what clusters have left behind of their work: runs of jobs with
// their stages, tasks and times, and the machines that they ran on. Every reader of a
// format (a file named after it, or several) fills a [Trace]; what no format says, such as
// worst cases and deadlines, is for others to add.
//
// An [Input] is read line by line or value by value, never whole, and knows where it
// is: what cannot be used is a [Fault] with a place, which the trace counts by its kind.
package trace

import (
	"math"
	"slices"
)

// Unknown stands for a time or an amount that the source does not tell, as in most
// of the formats.
const Unknown = -1

// Most is the largest time and amount that is kept; what is larger is taken for it.
const Most int64 = 1 << 50

// Trace is what a number of files tell, in milliseconds.
type Trace struct {
	// Filter says which jobs are kept.
	Filter Filter
	// Epoch tells whether points in time count from 1970 in UTC; else they count from the
	// start of the trace. It holds where there is a job.
	Epoch bool
	// Deadlines tells that the source can say when jobs are due: one that it says nothing
	// of has no deadline.
	Deadlines bool
	// Planned tells that the tasks are those of a plan: Start is when they have their input,
	// and hold no core before.
	Planned bool
	// Jobs are the runs that were kept, in the order of the files.
	Jobs []Job
	// Attempts are what an engine says now of tasks, by readers for that: of finished ones, of
	// those under way and of those that wait.
	Attempts []Attempt
	// Machines are those that the source describes; those that it only says tasks ran on
	// are not among them.
	Machines []Machine
	// Pools are what tasks on all machines share, by what the source says that there is of it.
	Pools []Pool
	// Early, Late and Beyond count jobs that Filter left out: submitted before From, not
	// before Until, or after Limit jobs, or as many tasks as a job set can have, were kept.
	Early, Late, Beyond int
	// Unusable are things that could not be read, Remarks what is odd and does no harm.
	Unusable, Remarks Tally

	tasks      int // of the jobs, without those that are kept for their times
	ended      int // jobs that are kept for their times
	times      int // their tasks
	hosts      []string
	hostIDs    map[string]Host
	names      map[string]bool // of the jobs, where the filter counts them
	machineIDs map[string]int  // in Machines
}

// Filter says which jobs of a trace are kept.
type Filter struct {
	// From and Until bound the points in time at which jobs are submitted, From itself
	// included; Unknown for no bound.
	From, Until int64
	// Window is how long after From, or the first job without it, jobs may be submitted;
	// Unknown for no bound.
	Window int64
	// Limit is the largest number of jobs; with Names that of their names, of each of which all runs
	// are kept.
	Limit int
	Names bool
	// Ended tells that jobs that have ended are kept for their times alone, whenever they were
	// submitted, and count for no limit.
	Ended bool
}

// mostHistory is how many runs of jobs are kept where the filter counts names.
const mostHistory = 100_000

// runs is how many runs of jobs are kept at most, for readers that put together what lines tell of
// them.
func (f *Filter) runs() int {
	if f.Names {
		return mostHistory
	}
	return f.Limit
}

// Everything is the filter that keeps all jobs.
var Everything = Filter{From: Unknown, Until: Unknown, Window: Unknown, Limit: math.MaxInt}

// New is a trace without jobs yet.
func New(keep Filter) *Trace {
	return &Trace{Filter: keep, hostIDs: map[string]Host{}, machineIDs: map[string]int{}}
}

// Reader reads files of one format into a trace: Read is called for every file, Close once
// after the last.
//
// An error of Read says that the file cannot be read on: a *Fault, or an error of the
// context. Anything less is counted in the trace.
type Reader interface {
	Read(in *Input, t *Trace) error
	Close(t *Trace)
}

// ReadFunc is a reader of files that have nothing to do with one another.
type ReadFunc func(in *Input, t *Trace) error

// Read implements Reader.
func (f ReadFunc) Read(in *Input, t *Trace) error { return f(in, t) }

// Close implements Reader.
func (ReadFunc) Close(*Trace) {}

// Host is a machine by its name; see [Trace.HostName].
type Host int32

// NoHost is the machine of a task of which that is not known.
const NoHost Host = -1

// Host is the machine of that name.
func (t *Trace) Host(name string) Host {
	if name == "" {
		return NoHost
	}
	h, ok := t.hostIDs[name]
	if !ok {
		h = Host(len(t.hosts))
		t.hosts = append(t.hosts, name)
		t.hostIDs[name] = h
	}
	return h
}

// HostName is the name of a machine.
func (t *Trace) HostName(h Host) string { return t.hosts[h] }

// Job is a run of a job.
type Job struct {
	// ID is the name of the run, Name that which it shares with other runs of the same
	// job; equal to ID where it shares none.
	ID, Name string
	// Submit is when it was submitted, Finish when it ended.
	Submit, Finish int64
	// Due is when it has to be finished, Deadline the same from its submission on, and
	// Factor the deadline as a multiple of its time alone on the cluster; at most one of
	// them is known.
	Due, Deadline int64
	Factor        float64
	// Hard tells a deadline that must be met, Soft one that need not, by the source; at most
	// one of them holds, and none where it does not say. Weight ≥ 1 prices a soft one.
	Hard, Soft bool
	Weight     int64
	// Class is what the source calls the jobs that matter as much, such as a class of priority;
	// rules make a weight of it.
	Class string
	// Ahead tells that it has not ended: it waits, runs, or is to come.
	Ahead bool
	// After are the IDs or names of the jobs that it comes after.
	After []string
	// AtMost ≥ 1 caps the tasks of the run that are held at once, 0 for no cap.
	AtMost int64
	// Stages are its steps. One without tasks says that nothing is known of them.
	Stages []Stage
	// At is where the source tells of it.
	At Place
}

// NewJob is a job of which nothing but its name is known.
func NewJob(id string, at Place) Job {
	return Job{ID: id, Name: id, Submit: Unknown, Finish: Unknown, Due: Unknown, Deadline: Unknown, Weight: 1, At: at}
}

// Stage is a step of a run: tasks that did not wait for one another.
type Stage struct {
	Name string
	// Reduce tells a stage whose tasks take reduce slots.
	Reduce bool
	// After lists, by their index, the stages that it comes after; nil stands for the one
	// before it.
	After []int32
	// Cores ≥ 1 and Memory, in bytes, are what a task holds; Unknown where that is not told.
	Cores, Memory int64
	// Resources are what it holds of others that machines have, each once.
	Resources []Amount
	// Hosts lists the machines that tasks may run on; nil for all.
	Hosts []Host
	// Takes is what each task holds of pools; of a pool that no Trace.Pools tells of there is
	// as much as tasks were seen to hold at once.
	Takes []Take
	// AtMost ≥ 1 caps the tasks that are held at once, 0 for no cap. Gang tells tasks that start
	// together, Apart those of which no two are on one machine.
	AtMost      int64
	Gang, Apart bool
	Tasks       []Task
}

// Pool is what tasks on all machines share, such as licences or a quota: so many units.
type Pool struct {
	Name   string
	Amount int64
	// Bytes tells that it is bytes, and what is taken of it too: rules make units of memory of them.
	Bytes bool
}

// Take is what a task holds of a pool, Units ≥ 1, from when it is handed out until it ends.
type Take struct {
	Pool  string
	Units int64
}

// NewStage is a stage of which nothing but its name is known.
func NewStage(name string) Stage { return Stage{Name: name, Cores: Unknown, Memory: Unknown} }

// Task is a number of equal tasks.
type Task struct {
	Count int32
	// Cores is what one holds, 0 for what the stage says.
	Cores int32
	// Time is how long one ran, without Fetch, what it took to get its input before.
	// Fetch is 0 where that is not told apart.
	Time, Fetch int64
	// Wasted is the time of attempts that failed.
	Wasted int64
	// Declared is the time that the source says no task takes more of; Unknown as a rule.
	Declared int64
	// Start is when the attempt that counts began, with Fetch or, in a plan, after it; Host is
	// where it ran.
	Start int64
	Host  Host
	// Input is what it reads, in bytes, and Holders the machines that have it.
	Input   int64
	Holders []Host
}

// NewTask is one task that took so long.
func NewTask(time int64) Task {
	return Task{Count: 1, Time: time, Declared: Unknown, Start: Unknown, Host: NoHost, Input: Unknown}
}

// Amount is so much of a resource, Units ≥ 0. Bytes tells that they are bytes, of which rules
// make units of memory.
type Amount struct {
	Name  string
	Units int64
	Bytes bool
}

// Machine is a machine that the source describes.
type Machine struct {
	Name string
	// Class is the name of a class of equal machines, CLASS-1 and so on; empty for one by itself.
	Class string
	// Cores and Memory, in bytes, may be Unknown.
	Cores, Memory int64
	// Resources are what it has of others, each once.
	Resources []Amount
}

// AddPool notes a pool; what is told later of one of the same name counts.
func (t *Trace) AddPool(p Pool) {
	i := slices.IndexFunc(t.Pools, func(o Pool) bool { return o.Name == p.Name })
	if i < 0 {
		t.Pools = append(t.Pools, p)
		return
	}
	t.Pools[i] = p
}

// AddMachine notes a machine; what is told later of one of the same name adds to it.
func (t *Trace) AddMachine(m Machine) {
	i, known := t.machineIDs[m.Name]
	if !known {
		t.machineIDs[m.Name] = len(t.Machines)
		t.Machines = append(t.Machines, m)
		return
	}
	t.Machines[i].Cores = max(t.Machines[i].Cores, m.Cores)
	t.Machines[i].Memory = max(t.Machines[i].Memory, m.Memory)
	for _, a := range m.Resources {
		if !slices.ContainsFunc(t.Machines[i].Resources, func(o Amount) bool { return o.Name == a.Name }) {
			t.Machines[i].Resources = append(t.Machines[i].Resources, a)
		}
	}
}

// Add keeps a job if the filter does, and counts it if not. The points in time of an
// epoch count from 1970; a job whose times count otherwise than those before it cannot
// be used.
//
// A job of which no submit time is known may begin when the first of its tasks did; with
// clock times and no task of which that is known it cannot be used.
func (t *Trace) Add(j Job, epoch bool) {
	if j.Submit == Unknown && !t.submitted(&j, epoch) {
		return
	}
	f := &t.Filter
	switch {
	case len(t.Jobs) == 0:
		t.Epoch = epoch
	case epoch != t.Epoch:
		t.Unusable.Add("jobs whose times count from another start than those of the first file", Fault{Place: j.At,
			Message: j.ID + " has clock times where the jobs before it have none, or the other way round"})
		return
	}
	past := f.Ended && !j.Ahead
	switch {
	case !past && !t.Within(j.Submit):
	case past && t.times+j.tasks() > mostTasks, !past && (!t.room(j.Name) || t.tasks+j.tasks() > mostTasks):
		t.Beyond++
	case past:
		t.Jobs = append(t.Jobs, j)
		t.times += j.tasks()
		t.ended++
	default:
		t.Jobs = append(t.Jobs, j)
		t.tasks += j.tasks()
	}
}

// Full reports whether no more jobs that have not ended are kept.
func (t *Trace) Full() bool {
	return !t.Filter.Names && t.Limited() || t.tasks >= mostTasks
}

// Limited reports whether the filter's limit is reached.
func (t *Trace) Limited() bool {
	if t.Filter.Names {
		return len(t.names) >= t.Filter.Limit
	}
	return len(t.Jobs)-t.ended >= t.Filter.Limit
}

// room reports whether one more job of a name is kept, and notes the name if so.
func (t *Trace) room(name string) bool {
	if t.Full() || t.Filter.Names && !t.names[name] && t.Limited() {
		return false
	}
	if t.Filter.Names {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		t.names[name] = true
	}
	return true
}

// Within reports whether the filter keeps jobs that are submitted then, and counts one that
// it does not: for readers that would have to hold all jobs else.
func (t *Trace) Within(submit int64) bool {
	f := &t.Filter
	if f.Window != Unknown && f.Until == Unknown {
		if f.From == Unknown {
			f.From = submit
		}
		f.Until = f.From + f.Window
	}
	switch {
	case f.From != Unknown && submit < f.From:
		t.Early++
	case f.Until != Unknown && submit >= f.Until:
		t.Late++
	default:
		return true
	}
	return false
}

// submitted finds a submit time for a job that tells none; false where it cannot be used.
func (t *Trace) submitted(j *Job, epoch bool) bool {
	first := Most
	for k := range j.Stages {
		for _, tk := range j.Stages[k].Tasks {
			if tk.Start != Unknown {
				first = min(first, tk.Start)
			}
		}
	}
	f := Fault{Place: j.At, Message: j.ID + " has no submit time"}
	switch {
	case first < Most:
		j.Submit = first
		t.Remarks.Add("jobs without a submit time, each of which may begin when the first of its tasks did", f)
	case epoch:
		t.Unusable.Add("jobs without a submit time, and without a task of which it is known when it ran", f)
		return false
	default:
		j.Submit = 0
	}
	return true
}

// mostTasks is the largest number of tasks of a trace, that of a job set.
const mostTasks = 1_000_000

// tasks is the number of its tasks.
func (j *Job) tasks() int {
	n := 0
	for k := range j.Stages {
		n += int(j.Stages[k].Size())
	}
	return n
}

// Size is the number of tasks of the stage.
func (st *Stage) Size() int64 {
	n := int64(0)
	for i := range st.Tasks {
		n += int64(st.Tasks[i].Count)
	}
	return n
}
