package model

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// SlaveID indexes JobSet.Slaves, JobID JobSet.Jobs and TaskID JobSet.Tasks.
// All count from 0 in the file's order; names are for people.
type (
	SlaveID int32
	JobID   int32
	TaskID  int32
)

// NoSlave marks a task that has not been placed.
const NoSlave SlaveID = -1

// FetchMode says whether a slave fetches one input at a time.
type FetchMode uint8

const (
	// FetchExclusive is the paper's C6: one input at a time per slave.
	FetchExclusive FetchMode = iota
	// FetchConcurrent drops C6 (Penn §4.3).
	FetchConcurrent
)

// String is the word used in files.
func (m FetchMode) String() string {
	if m == FetchConcurrent {
		return "concurrent"
	}
	return "exclusive"
}

// SlotKind says which kind of slot a stage's tasks take on slaves that tell
// map and reduce slots apart.
type SlotKind uint8

// The two kinds of slot of classic Hadoop.
const (
	MapSlot SlotKind = iota
	ReduceSlot
)

// String is the word used in files.
func (k SlotKind) String() string {
	if k == ReduceSlot {
		return "reduce"
	}
	return "map"
}

// JobKind says what a job's deadline means.
type JobKind uint8

const (
	// BestEffort jobs have no deadline; they must run and count for makespan only.
	BestEffort JobKind = iota
	// Soft deadlines may be missed at a price.
	Soft
	// Hard deadlines must be met (C8).
	Hard
)

// String is the word used for people.
func (k JobKind) String() string {
	return [...]string{"best-effort", "soft", "hard"}[k]
}

// Slave is one machine of the cluster.
type Slave struct {
	Name string
	// Class is the name that the file gave to a group of slaves; equal to Name
	// for a slave given without a count.
	Class string
	// Cores ≥ 1 are identical.
	Cores int
	// SplitSlots tells whether MapSlots and ReduceSlots hold (classic Hadoop)
	// or the common Slots ≥ 1.
	SplitSlots            bool
	Slots                 int
	MapSlots, ReduceSlots int
	// FirstBeat ≥ 0 is the time of heartbeat 0 (H in the paper).
	FirstBeat Time
	// Down lists absences; after Assemble sorted, disjoint and not touching. An End of Never
	// is none: the slave is gone for good.
	Down []Interval
	// ClassDown are the absences that the file declares of the whole class: those of slaves that
	// it has more of.
	ClassDown []Interval
	// ClassBeats are the first heartbeats of the class, one after the other, where the file lists
	// them: those of slaves that it has more of begin again with the first.
	ClassBeats []Time
	// Units ≥ 0 are what the slave offers of each of JobSet.Named; those at the end
	// that it does not offer may be left out.
	Units []int64
	// Cost ≥ 0 is what the slave costs, in units of the file's own. It changes no plan.
	Cost int64
	// Reservations list what of its resources is not there for tasks of the set, for some time:
	// others hold it, which were handed out before. A job set from a file has none. Bounds
	// may pass it over, which makes them no more than lower.
	Reservations []Reservation
}

// Reservation is a number of units of a resource of a slave that others hold for some time.
// What is held for whole stays is reserved from time 0 on, for it begins before any task of
// the set is handed out.
type Reservation struct {
	Resource ResourceID
	Interval
	Units int64
}

// Offers is what the slave has of the named resource of that index.
func (s *Slave) Offers(named int) int64 {
	if named < len(s.Units) {
		return s.Units[named]
	}
	return 0
}

// Pools is the number of separate pools of slots: 2 with split slots, else 1.
func (s *Slave) Pools() int {
	if s.SplitSlots {
		return 2
	}
	return 1
}

// Pool is the index of the pool that a stage of kind k draws on.
func (s *Slave) Pool(k SlotKind) int {
	if s.SplitSlots && k == ReduceSlot {
		return 1
	}
	return 0
}

// PoolSize is the number of slots in pool p, 0 ≤ p < Pools().
func (s *Slave) PoolSize(p int) int {
	switch {
	case !s.SplitSlots:
		return s.Slots
	case p == 0:
		return s.MapSlots
	default:
		return s.ReduceSlots
	}
}

// TotalSlots is the sum over the pools.
func (s *Slave) TotalSlots() int {
	if s.SplitSlots {
		return s.MapSlots + s.ReduceSlots
	}
	return s.Slots
}

// ReservedUntil is the time from which on nothing of any slave is reserved.
func (js *JobSet) ReservedUntil() Time {
	until := Time(0)
	for i := range js.Slaves {
		for _, k := range js.Slaves[i].Reservations {
			until = max(until, k.End)
		}
	}
	return until
}

// Up reports whether the slave is there during the whole of iv.
func (s *Slave) Up(iv Interval) bool {
	return s.UpUntil(iv.Start) >= iv.End
}

// downAfter is the place of the first absence that ends after t (it may have begun
// before t), their number if there is none.
func (s *Slave) downAfter(t Time) int {
	i, _ := slices.BinarySearchFunc(s.Down, t+1, func(d Interval, t Time) int { return int(d.End - t) })
	return i
}

// UpUntil is the end of the presence that holds t: the start of the first
// absence that ends after t, Never if there is none. If the slave is away at t
// the answer is at most t.
func (s *Slave) UpUntil(t Time) Time {
	if i := s.downAfter(t); i < len(s.Down) {
		return s.Down[i].Start
	}
	return Never
}

// BackAt is the end of the absence that holds t, t itself if none does.
func (s *Slave) BackAt(t Time) Time {
	if i := s.downAfter(t); i < len(s.Down) && s.Down[i].Start <= t {
		return s.Down[i].End
	}
	return t
}

// Levels say how much of some units of a resource there is over time: none while the slave is away, else all but those that are
// reserved. They ascend, the first is from 0 on, and neighbours differ.
func (s *Slave) Levels(r ResourceID, units int64) []Level {
	var held []SharedHold
	for _, d := range s.Down {
		held = append(held, SharedHold{Interval: d, Units: units})
	}
	for _, k := range s.Reservations {
		if k.Resource == r {
			held = append(held, SharedHold{Interval: k.Interval, Units: k.Units})
		}
	}
	return less([]Level{{Amount: units}}, held)
}

// Group is a number of equal tasks of a stage.
type Group struct {
	Count   int
	Profile *Profile
	// Durations tell how long the tasks take by their history; empty where nothing is known of it.
	Durations Quantiles

	// Of declared Assemble made barred, from which more slaves are barred, or which stands for an
	// equal one; nil where it is the same on other slaves, too.
	declared, barred *Profile
}

// Declared is the profile with its figures on all slaves that it was given for: on those
// too from which Assemble barred it, as they have too little for such a task.
func (g *Group) Declared() *Profile {
	if g.declared != nil && g.Profile == g.barred {
		return g.declared
	}
	return g.Profile
}

// assemble bars the group from slaves that have too little.
func (g *Group) assemble(in *interner, slot SlotKind) {
	declared := g.Declared()
	g.Profile = in.intern(declared, slot)
	g.declared, g.barred = nil, nil
	if in.without(demand{slot, declared.needs}) != nil || !g.Profile.sharesRows(declared) {
		g.declared, g.barred = declared, g.Profile
	}
}

// Stage is a step of a job: its tasks may run side by side, and are handed out after
// all tasks of the stages that it comes after have finished (C7).
type Stage struct {
	Name string
	Slot SlotKind
	// After lists the stages of the job that it comes after, by their index; nil, for
	// the one before it, is written out by Assemble.
	After  []int32
	Groups []Group
	// AtMost ≥ 1 is the cap on tasks of the stage that are held at once (C11), 0 for none.
	AtMost int64
	// Gang asks that all tasks of the stage start together, Apart that no two of them are on
	// the same slave (C12).
	Gang, Apart bool
	// StartAt > 0 is when the tasks of a gang start of which others were handed out before. A job
	// set from a file has none, as of Reserved, which holds of the cap.
	StartAt  Time
	Reserved []SharedHold
	// First and End bound the stage's tasks [First, End); set by Assemble.
	First, End TaskID
}

// Job is a graph of stages, most often a sequence, with a release and perhaps a deadline.
type Job struct {
	Name string
	// Series is the name of the recurring job that this is an instance of, empty if
	// it is of none; Instance counts from 1 within it.
	Series   string
	Instance int
	// Release ≥ 0 (o in the paper): no task is handed out before.
	Release Time
	// Deadline > 0 is relative to Release (d in the paper); 0 for BestEffort.
	Deadline Time
	Kind     JobKind
	// ByDue tells that the file says when the job is due, and not how long after its release:
	// so are people told what to write instead. It changes no plan, and no digest.
	ByDue bool
	// Weight ≥ 1 (ω) prices a soft job's lateness.
	Weight int64
	// After lists, ascending, the jobs that it comes after: its tasks are handed out
	// after all of theirs have finished (C10).
	After  []JobID
	Stages []Stage
	// AtMost ≥ 1 is the cap on tasks of the job that are held at once (C11), 0 for none; each instance
	// of a recurring job has its own. Reserved is what tasks that were handed out before hold of it.
	AtMost   int64
	Reserved []SharedHold
	// First and End bound the job's tasks [First, End), and FirstStage numbers its
	// first stage; set by Assemble.
	First, End TaskID
	FirstStage StageID

	order []int32 // of the stages
	chain bool
}

// Due is the absolute deadline, Never for a best-effort job.
func (j *Job) Due() Time {
	if j.Kind == BestEffort {
		return Never
	}
	return j.Release + j.Deadline
}

// Task is one unit of work. Figures are worst cases.
type Task struct {
	*Profile
	Job JobID
	// Stage indexes Job.Stages.
	Stage int32
	// Number counts from 1 within the stage, in the file's order.
	Number int32
	Slot   SlotKind
}

// Alike reports whether tasks take the same of every slave for the same time: equal figures and
// needs, and a slot of the same kind. Those of a stage of a file do if their figures and needs are
// equal; where several stages are taken for one it takes both.
func (t *Task) Alike(u *Task) bool { return t.Profile == u.Profile && t.Slot == u.Slot }

// JobSet is a whole problem: a cluster and the jobs to run on it. After
// Assemble it is read-only and safe for concurrent use.
type JobSet struct {
	Name string
	// TimeUnit is the length of a tick, 0 if the job set does not say.
	TimeUnit time.Duration
	// Origin is tick 0 on the clock, zero if the job set does not say. Its location
	// is that of Zone, if that is named.
	Origin time.Time
	// Zone is the name of the zone of clock times, such as Europe/Berlin; empty if the
	// job set names none.
	Zone string
	// Heartbeat ≥ 1 is the interval h common to all slaves.
	Heartbeat Time
	Fetch     FetchMode
	// FIFO asks that tasks of one slave start in the order of their heartbeats.
	FIFO bool
	// Named lists the resources beside cores and slots that slaves offer, at most
	// MaxNamed of them, ascending and all different.
	Named []string
	// Pools lists what tasks on all slaves share (C11).
	Pools  []Pool
	Slaves []Slave
	Jobs   []Job
	// Objectives as the file names them; nil if it names none. See Goal.
	Objectives []Objective

	// Changes are those by which the set differs from its file; see package model/change.
	Changes []Change

	// Tasks of all jobs in file order; set by Assemble. Two tasks with equal
	// rows of figures share one *Profile.
	Tasks []Task

	graph graph
	// What Shared, Takes and Gangs say; set by Link.
	shared []Shared
	takes  [][]Take
	gangs  bool
	// horizon is what Horizon says, 0 for Never; set by Link.
	horizon Time
}

// Assemble checks a job set built in code, expands groups to tasks, bars tasks
// from slaves that have too little of what they hold, makes equal profiles one, and
// links stages and jobs to those that they come after.
// Errors name the item; package model/files/jobfile reports the same faults with positions.
func (js *JobSet) Assemble() error {
	if js.Heartbeat < 1 {
		return errors.New("the heartbeat interval must be at least 1")
	}
	switch {
	case len(js.Slaves) == 0:
		return errors.New("the cluster has no slaves")
	case len(js.Named) > MaxNamed:
		return fmt.Errorf("%d named resources, and at most %d can be told apart", len(js.Named), MaxNamed)
	}
	for i := range js.Slaves {
		if err := js.Slaves[i].assemble(); err != nil {
			return err
		}
	}
	if err := js.checkPools(); err != nil {
		return err
	}
	js.Tasks = js.Tasks[:0]
	in := newInterner(js.Slaves)
	for i := range js.Jobs {
		if err := js.assembleJob(JobID(i), in); err != nil {
			return fmt.Errorf("job %q: %w", js.Jobs[i].Name, err)
		}
	}
	if err := js.Link(); err != nil {
		return err
	}
	return js.misfits()
}

// checkPools finds levels that make no sense.
func (js *JobSet) checkPools() error {
	for i := range js.Pools {
		p := &js.Pools[i]
		if len(p.Levels) == 0 || p.Levels[0].From != 0 {
			return fmt.Errorf("pool %q says nothing of time 0", p.Name)
		}
		for k, l := range p.Levels {
			if l.Amount < 0 || k > 0 && l.From <= p.Levels[k-1].From {
				return fmt.Errorf("pool %q has an amount below 0, or times that do not rise", p.Name)
			}
		}
	}
	return nil
}

func (s *Slave) assemble() error {
	switch {
	case slices.ContainsFunc(s.Units, func(n int64) bool { return n < 0 }):
		return fmt.Errorf("slave %q offers less than nothing of a resource", s.Name)
	case s.Cost < 0:
		return fmt.Errorf("slave %q costs less than nothing", s.Name)
	case s.Cores < 1:
		return fmt.Errorf("slave %q has no core", s.Name)
	case !s.SplitSlots && s.Slots < 1, s.SplitSlots && (s.MapSlots < 0 || s.ReduceSlots < 0):
		return fmt.Errorf("slave %q has a number of slots that makes no sense", s.Name)
	case s.FirstBeat < 0:
		return fmt.Errorf("slave %q has its first heartbeat before time 0", s.Name)
	}
	if s.Class == "" {
		s.Class = s.Name
	}
	s.Down = mergeIntervals(s.Down)
	return nil
}

// mergeIntervals sorts intervals, drops empty ones and joins those that meet
// or touch. The result is a new slice.
func mergeIntervals(ivs []Interval) []Interval {
	sorted := slices.Clone(ivs)
	slices.SortFunc(sorted, func(a, b Interval) int { return int(a.Start - b.Start) })
	var out []Interval
	for _, iv := range sorted {
		switch n := len(out); {
		case iv.Len() == 0:
		case n > 0 && iv.Start <= out[n-1].End:
			out[n-1].End = max(out[n-1].End, iv.End)
		default:
			out = append(out, iv)
		}
	}
	return out
}

func (js *JobSet) assembleJob(id JobID, in *interner) error {
	j := &js.Jobs[id]
	switch {
	case len(j.Stages) == 0:
		return errors.New("no stages")
	case j.Release < 0:
		return errors.New("released before time 0")
	case j.Kind != BestEffort && j.Deadline < 1:
		return errors.New("a deadline must be at least 1")
	case j.Kind == BestEffort && j.Deadline != 0:
		return errors.New("a best-effort job has no deadline")
	case slices.ContainsFunc(j.After, func(k JobID) bool { return k < 0 || int(k) >= len(js.Jobs) }):
		return errors.New("comes after a job that there is not")
	case j.AtMost < 0 || slices.ContainsFunc(j.Stages, func(st Stage) bool { return st.AtMost < 0 }):
		return errors.New("a cap is below 0")
	}
	if j.Weight == 0 {
		j.Weight = 1
	}
	j.First = TaskID(len(js.Tasks))
	for si := range j.Stages {
		st := &j.Stages[si]
		st.First = TaskID(len(js.Tasks))
		number := int32(0)
		for gi := range st.Groups {
			g := &st.Groups[gi]
			g.assemble(in, st.Slot)
			switch {
			case !g.Profile.anywhere:
				return fmt.Errorf("stage %q: tasks are barred from every slave", st.Name)
			case !g.Profile.needs.inPools(len(js.Pools)):
				return fmt.Errorf("stage %q: tasks take of a pool that there is not", st.Name)
			}
			if err := g.Durations.check(); err != nil {
				return fmt.Errorf("stage %q: %w", st.Name, err)
			}
			for range g.Count {
				number++
				js.Tasks = append(js.Tasks, Task{
					Profile: g.Profile, Job: id, Stage: int32(si), Number: number, Slot: st.Slot,
				})
			}
		}
		st.End = TaskID(len(js.Tasks))
		if st.First == st.End {
			return fmt.Errorf("stage %q: no tasks", st.Name)
		}
	}
	j.End = TaskID(len(js.Tasks))
	return nil
}

// Goal is the list of objectives to minimise in lexicographic order: what the
// file names, else misses if there is a soft job, makespan if all jobs are
// best-effort, else none (feasibility only).
func (js *JobSet) Goal() []Objective {
	if len(js.Objectives) > 0 {
		return js.Objectives
	}
	allBestEffort := true
	for i := range js.Jobs {
		switch js.Jobs[i].Kind {
		case Soft:
			return []Objective{Misses}
		case Hard:
			allBestEffort = false
		}
	}
	if allBestEffort {
		return []Objective{Makespan}
	}
	return nil
}

// Subset is the job set with only the given jobs, in the order given. It
// shares slaves and profiles with the whole; tasks are numbered anew. A job that is
// left out counts as finished once those that it comes after are.
func (js *JobSet) Subset(jobs []JobID) *JobSet {
	sub := *js
	sub.Jobs = make([]Job, 0, len(jobs))
	tasks := TaskID(0)
	for _, id := range jobs {
		tasks += js.Jobs[id].End - js.Jobs[id].First
	}
	sub.Tasks = make([]Task, 0, tasks)
	kept, number := make([]bool, len(js.Jobs)), make([]JobID, len(js.Jobs))
	for i, id := range jobs {
		kept[id], number[id] = true, JobID(i)
	}
	after := js.afterWithout(kept)
	for _, id := range jobs {
		j := js.Jobs[id]
		j.After = nil
		for _, k := range after[id] {
			j.After = append(j.After, number[k])
		}
		slices.Sort(j.After)
		shift := TaskID(len(sub.Tasks)) - j.First
		sub.Tasks = append(sub.Tasks, js.Tasks[j.First:j.End]...)
		for t := j.First + shift; t < j.End+shift; t++ {
			sub.Tasks[t].Job = JobID(len(sub.Jobs))
		}
		j.Stages = slices.Clone(j.Stages)
		for si := range j.Stages {
			j.Stages[si].First += shift
			j.Stages[si].End += shift
		}
		j.First += shift
		j.End += shift
		sub.Jobs = append(sub.Jobs, j)
	}
	if err := sub.Link(); err != nil {
		panic(fmt.Sprintf("model: jobs of a set that was assembled: %v", err)) // fewer jobs make no cycle
	}
	return &sub
}

// BeatAtOrAfter is the first heartbeat of slave s that is at t or later,
// absences not considered: its number γ and its time.
func (js *JobSet) BeatAtOrAfter(s SlaveID, t Time) (gamma, at Time) {
	first := js.Slaves[s].FirstBeat
	if t <= first {
		return 0, first
	}
	gamma = (t - first + js.Heartbeat - 1) / js.Heartbeat
	return gamma, first + gamma*js.Heartbeat
}

// BeatAtOrBefore is the last heartbeat of slave s that is at t or earlier,
// absences not considered; γ = -1 if there is none.
func (js *JobSet) BeatAtOrBefore(s SlaveID, t Time) (gamma, at Time) {
	first := js.Slaves[s].FirstBeat
	if t < first {
		return -1, first - js.Heartbeat
	}
	gamma = (t - first) / js.Heartbeat
	return gamma, first + gamma*js.Heartbeat
}

// BeatTime is the time of heartbeat γ of slave s.
func (js *JobSet) BeatTime(s SlaveID, gamma Time) Time {
	return js.Slaves[s].FirstBeat + gamma*js.Heartbeat
}

// TaskName is what people read: job/stage/number.
func (js *JobSet) TaskName(t TaskID) string {
	task := &js.Tasks[t]
	j := &js.Jobs[task.Job]
	return fmt.Sprintf("%s/%s/%d", j.Name, j.Stages[task.Stage].Name, task.Number)
}
