package online

import (
	"slices"

	"downbeat/model"
)

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

// close leaves nothing to hand out of the stage.
func (j *Job) close() {
	for _, b := range j.batches {
		b.head = len(b.tasks)
	}
	j.nReady = 0
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
