package online

import (
	"slices"

	"downbeat/model"
)

// View is what a policy may know: the clock, the cluster with its declared
// absences, released jobs, and what slaves have been given and have finished.
type View struct{ e *engine }

// Now is the time in ticks.
func (v *View) Now() model.Time { return v.e.now }

// Slaves is the cluster, indexed by SlaveID.
func (v *View) Slaves() []model.Slave { return v.e.js.Slaves }

// Heartbeat is the interval h in ticks.
func (v *View) Heartbeat() model.Time { return v.e.js.Heartbeat }

// FetchMode says whether slaves fetch one input at a time.
func (v *View) FetchMode() model.FetchMode { return v.e.js.Fetch }

// Active lists the accepted jobs that are not finished, in the order of release
// and of the file within a tick. It holds until the next event.
func (v *View) Active() []*Job { return v.e.active }

// Ready lists the active jobs that have a task to hand out, in the same order.
// It holds until the next task is given away.
func (v *View) Ready() []*Job { return v.e.ready }

// Job is a job that has been released, accepted or not. It panics for one
// that has not: a policy cannot know of it.
func (v *View) Job(id model.JobID) *Job {
	if id < 0 || int(id) >= len(v.e.jobs) || v.e.jobs[id].state == unreleased {
		v.e.cheated("looks at job %d, which has not been released", id)
	}
	return &v.e.jobs[id]
}

// Task is the declared task of a released job; see Job.
func (v *View) Task(t model.TaskID) *model.Task {
	if t < 0 || int(t) >= len(v.e.js.Tasks) || v.e.jobs[v.e.js.Tasks[t].Job].state == unreleased {
		v.e.cheated("looks at task %d, which has not been released", t)
	}
	return &v.e.js.Tasks[t]
}

// Up reports whether a slave is there now.
func (v *View) Up(s model.SlaveID) bool {
	return !v.e.slaves[s].failed && v.e.js.Slaves[s].UpUntil(v.e.now) > v.e.now
}

// Failed reports whether a slave has failed and not come back yet, absences
// that were declared aside.
func (v *View) Failed(s model.SlaveID) bool { return v.e.slaves[s].failed }

// Free is the number of free slots of a slave for stages of kind k, whether or
// not it is there now.
func (v *View) Free(s model.SlaveID, k model.SlotKind) int {
	return v.e.slaves[s].free[v.e.js.Slaves[s].Pool(k)]
}

// Remaining is the least time that what is left of a job takes: the longest of
// its ready tasks and the longest of each later stage, each on the slave where
// it is quickest. It is a lower bound but for tasks that run already. A job
// that has not been admitted has all of its stages left.
func (v *View) Remaining(j *Job) model.Time {
	left, next := model.Time(0), j.stage+1
	if !j.opened {
		next = 0
	}
	for _, b := range j.batches {
		if b.Len() > 0 {
			left = max(left, v.e.quickest(b.profile))
		}
	}
	for si := next; si < len(j.spec.Stages); si++ {
		longest := model.Time(0)
		for _, g := range j.spec.Stages[si].Groups {
			longest = max(longest, v.e.quickest(g.Profile))
		}
		left += longest
	}
	return left
}

// quickest is the least transfer and execution time over the slaves.
func (e *engine) quickest(p *model.Profile) model.Time {
	if t, ok := e.least[p]; ok {
		return t
	}
	least := model.Never
	for s := range model.SlaveID(len(e.js.Slaves)) {
		if wcet := p.WCET(s); wcet > 0 {
			least = min(least, wcet+p.Transfer(s))
		}
	}
	e.least[p] = least
	return least
}

// Held is a task that a slave has been given and has not finished.
type Held struct {
	Task     model.TaskID
	Assigned model.Time
	// Fetched is when its input is there, known from the assignment on.
	Fetched model.Time
	// Started is when it began to run, model.Never if it has not.
	Started model.Time
}

// Held lists what a slave holds, in the order of assignment.
func (v *View) Held(s model.SlaveID) []Held {
	sl := &v.e.slaves[s]
	out := make([]Held, len(sl.held))
	for i := range sl.held {
		h := &sl.held[i]
		out[i] = Held{Task: h.task, Assigned: h.assigned, Fetched: h.fetch + h.transfer, Started: model.Never}
		if h.start <= v.e.now {
			out[i].Started = h.start
		}
	}
	return out
}

// EstimateFinish is when a task with these figures would finish on slave s at
// declared worst-case times if s got it, before anything else, at its first
// heartbeat from now on with a free slot and room before an absence.
// model.Never where the task is barred or the slave is never there long enough.
func (v *View) EstimateFinish(s model.SlaveID, p *model.Profile, k model.SlotKind) model.Time {
	_, finish := v.Estimate(s, p, k)
	return finish
}

// Estimate is EstimateFinish together with the heartbeat that it rests on,
// also model.Never where there is none. As long as nothing happens to s and
// given has not passed, the answer stays; after that it is later, not earlier.
func (v *View) Estimate(s model.SlaveID, p *model.Profile, k model.SlotKind) (given, finish model.Time) {
	return v.e.estimate(s, p, k)
}

// Job is a released job as a policy sees it.
type Job struct {
	id    model.JobID
	spec  *model.Job
	state jobState
	// stage is the one that is being worked on; len(spec.Stages) at the end.
	stage    int
	opened   bool // the first one, at least
	batches  []*Batch
	near     map[model.SlaveID][]*Batch
	nReady   int
	nRunning int
	nDone    int // of the stage
	nEmpty   int // batches
	started  model.Time
	finish   model.Time
}

type jobState uint8

const (
	unreleased jobState = iota
	rejected
	accepted
	finished
)

// ID is the job's number in the job set.
func (j *Job) ID() model.JobID { return j.id }

// Spec is the job as declared. It must not be written to.
func (j *Job) Spec() *model.Job { return j.spec }

// Stage is the index of the stage that is being worked on.
func (j *Job) Stage() int { return j.stage }

// Slot is the kind of slot that the stage takes.
func (j *Job) Slot() model.SlotKind { return j.spec.Stages[j.stage].Slot }

// ReadyTasks is the number of tasks that wait to be handed out.
func (j *Job) ReadyTasks() int { return j.nReady }

// Running is the number of tasks that slaves hold, running or not yet.
func (j *Job) Running() int { return j.nRunning }

// Done is the number of finished tasks of the stage.
func (j *Job) Done() int { return j.nDone }

// Started is when the first task was handed out, model.Never before.
func (j *Job) Started() model.Time { return j.started }

// Finish is when the job's last task ended, model.Never before.
func (j *Job) Finish() model.Time { return j.finish }

// Batches lists the tasks that wait, equal ones together, by the file's order
// of the first of each at the stage's begin. Empty ones may be among them. The
// list must not be written to, and holds while tasks are given away.
func (j *Job) Batches() []*Batch { return j.batches }

// Batch is a number of equal ready tasks of one stage of a job.
type Batch struct {
	job     *Job
	profile *model.Profile
	slot    model.SlotKind
	first   model.TaskID   // of all equal ones of the stage
	tasks   []model.TaskID // ascending; those before head are gone
	head    int
}

// Job is the job that the tasks belong to.
func (b *Batch) Job() *Job { return b.job }

// Profile has the figures that the tasks share.
func (b *Batch) Profile() *model.Profile { return b.profile }

// Slot is the kind of slot that the tasks take.
func (b *Batch) Slot() model.SlotKind { return b.slot }

// Len is the number of tasks left.
func (b *Batch) Len() int { return len(b.tasks) - b.head }

// Tasks lists what is left. It must not be written to, and holds until the
// next one is given away.
func (b *Batch) Tasks() []model.TaskID { return b.tasks[b.head:] }

// First is the task that is given away next. The batch must not be empty.
func (b *Batch) First() model.TaskID { return b.tasks[b.head] }

// add makes a task ready: into the batch of its equals, in the file's order.
func (j *Job) add(js *model.JobSet, t model.TaskID) {
	j.nReady++
	p := js.Tasks[t].Profile
	at := slices.IndexFunc(j.batches, func(b *Batch) bool { return b.profile == p })
	if at < 0 {
		first := t
		for u := j.spec.Stages[j.stage].First; u < first; u++ {
			if js.Tasks[u].Profile == p {
				first = u
			}
		}
		b := &Batch{job: j, profile: p, slot: js.Tasks[t].Slot, first: first, tasks: []model.TaskID{t}}
		at, _ = slices.BinarySearchFunc(j.batches, first, func(b *Batch, t model.TaskID) int { return int(b.first - t) })
		j.batches, j.near = slices.Insert(slices.Clip(j.batches), at, b), nil
		return
	}
	b := j.batches[at]
	if b.Len() == 0 {
		j.nEmpty--
	}
	b.tasks = slices.Clone(b.tasks[b.head:])
	b.head = 0
	i, _ := slices.BinarySearch(b.tasks, t)
	b.tasks = slices.Insert(b.tasks, i, t)
}

// take removes the first task of a batch, and batches that are empty once
// they are the greater part.
func (j *Job) take(b *Batch) model.TaskID {
	t := b.First()
	b.head++
	j.nReady--
	if b.Len() == 0 {
		j.nEmpty++
		if j.nEmpty*2 > len(j.batches) {
			// A new list: a policy may be walking through the old one.
			j.batches = slices.DeleteFunc(slices.Clone(j.batches), func(b *Batch) bool { return b.Len() == 0 })
			j.nEmpty = 0
		}
	}
	return t
}

// openStage makes all tasks of the current stage ready.
func (j *Job) openStage(js *model.JobSet) {
	st := &j.spec.Stages[j.stage]
	j.opened = true
	j.batches, j.near = nil, nil
	j.nReady, j.nDone, j.nEmpty = int(st.End-st.First), 0, 0
	byProfile := map[*model.Profile]*Batch{}
	for t := st.First; t < st.End; t++ {
		p := js.Tasks[t].Profile
		b := byProfile[p]
		if b == nil {
			b = &Batch{job: j, profile: p, slot: st.Slot, first: t}
			byProfile[p] = b
			j.batches = append(j.batches, b)
		}
		b.tasks = append(b.tasks, t)
	}
}

// nearTo lists the batches whose input slave s holds; empty ones may be among
// them.
func (j *Job) nearTo(s model.SlaveID) []*Batch {
	if j.near == nil {
		j.near = map[model.SlaveID][]*Batch{}
		for _, b := range j.batches {
			for _, n := range b.profile.Nearest() {
				j.near[n] = append(j.near[n], b)
			}
		}
	}
	return j.near[s]
}
