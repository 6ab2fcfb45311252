package online

import (
	"slices"

	"downbeat/model"
)

// Job is a job that has arrived as a policy sees it.
type Job struct {
	id    model.JobID
	spec  *model.Job
	state jobState
	// stages has how far each stage is, nLeft counts those that have not ended.
	stages   []progress
	nLeft    int
	groups   []*Group
	near     []holding // by slave, then as in groups; nil if not known
	nReady   [2]int    // by model.SlotKind
	nRunning int
	nEmpty   int  // groups
	changed  bool // in state.changed
	started  model.Time
	finish   model.Time
}

// progress is how far a stage is.
type progress struct {
	// waits counts the stages that it comes after, its own job's and others', that have
	// not ended; ready its tasks that wait to be handed out and left those that have not
	// ended.
	waits, ready, left int32
	// opened is set once its tasks have become ready.
	opened bool
}

type jobState uint8

// A job begins unreleased, in no state.
const (
	_ jobState = iota
	// awaiting is for a released job that comes after one that has not arrived.
	awaiting
	rejected
	// leftOut is for one that can run nowhere any more, or comes after such a job.
	leftOut
	accepted
	finished
)

// ID is the job's number in the job set.
func (j *Job) ID() model.JobID { return j.id }

// Spec is the job as declared. It must not be written to.
func (j *Job) Spec() *model.Job { return j.spec }

// Open reports whether a stage, by its index, is being worked on: all that it comes
// after has ended, and it has not.
func (j *Job) Open(stage int) bool { return j.stages[stage].opened && j.stages[stage].left > 0 }

// Left is the number of tasks of a stage that have not ended, open or not.
func (j *Job) Left(stage int) int { return int(j.stages[stage].left) }

// Ready is the number of tasks of a stage that wait to be handed out, 0 if it is not
// open.
func (j *Job) Ready(stage int) int { return int(j.stages[stage].ready) }

// ReadyTasks is the number of tasks of all stages that wait to be handed out.
func (j *Job) ReadyTasks() int { return j.nReady[model.MapSlot] + j.nReady[model.ReduceSlot] }

// ReadyFor is the number of those that take slots of kind k.
func (j *Job) ReadyFor(k model.SlotKind) int { return j.nReady[k] }

// Running is the number of tasks that slaves hold, running or not yet.
func (j *Job) Running() int { return j.nRunning }

// Candidate is the job as a line of a traced decision, with the stages of which tasks
// wait to be handed out.
func (j *Job) Candidate(key string) Candidate {
	c := Candidate{Job: j.spec.Name, Key: key}
	for k := range j.stages {
		switch name := j.spec.Stages[k].Name; {
		case j.stages[k].ready == 0:
		case c.Stage == "":
			c.Stage = name
		default:
			c.Stage += "+" + name
		}
	}
	return c
}

// GivenUp reports whether none of its tasks is handed out any more, as one can run nowhere any more,
// or it comes after such a job. It is active as long as slaves hold tasks of it.
func (j *Job) GivenUp() bool { return j.state == leftOut }

// Started is when the first task was handed out, model.Never before.
func (j *Job) Started() model.Time { return j.started }

// Finish is when the job's last task ended, model.Never before.
func (j *Job) Finish() model.Time { return j.finish }

// Groups lists the tasks that wait, equal ones of a stage together, by the file's order
// of the first of each at the stage's begin. Empty ones may be among them. The
// list must not be written to, and holds while tasks are given away.
func (j *Job) Groups() []*Group { return j.groups }

// Group is a number of equal ready tasks of one stage of a job.
type Group struct {
	job     *Job
	stage   int
	profile *model.Profile
	slot    model.SlotKind
	first   model.TaskID   // of all equal ones of the stage
	tasks   []model.TaskID // ascending; those before head are gone
	head    int
}

// Job is the job that the tasks belong to.
func (g *Group) Job() *Job { return g.job }

// Stage is the index of the stage that the tasks belong to.
func (g *Group) Stage() int { return g.stage }

// Candidate is the group as a line of a traced decision.
func (g *Group) Candidate(key string) Candidate {
	spec := g.job.spec
	return Candidate{Job: spec.Name, Stage: spec.Stages[g.stage].Name, Key: key}
}

// Gang reports whether the tasks are of a stage whose tasks start together (C12): they are handed
// out together.
func (g *Group) Gang() bool { return g.spec().IsGang() }

func (g *Group) spec() *model.Stage { return &g.job.spec.Stages[g.stage] }

// Profile has the figures that the tasks share.
func (g *Group) Profile() *model.Profile { return g.profile }

// Slot is the kind of slot that the tasks take.
func (g *Group) Slot() model.SlotKind { return g.slot }

// Lead is the first of all equal tasks of the stage, handed out or not. The list
// of a job's groups ascends by it.
func (g *Group) Lead() model.TaskID { return g.first }

// Len is the number of tasks left.
func (g *Group) Len() int { return len(g.tasks) - g.head }

// Tasks lists what is left. It must not be written to, and holds until the
// next one is given away.
func (g *Group) Tasks() []model.TaskID { return g.tasks[g.head:] }

// First is the task that is given away next. The group must not be empty.
func (g *Group) First() model.TaskID { return g.tasks[g.head] }

// wait counts tasks of a stage that wait to be handed out.
func (j *Job) wait(stage, tasks int) {
	j.stages[stage].ready += int32(tasks)
	j.nReady[j.spec.Stages[stage].Slot] += tasks
}

// Has reports whether a task is one of those left.
func (g *Group) Has(t model.TaskID) bool {
	_, found := slices.BinarySearch(g.Tasks(), t)
	return found
}

// add makes a task ready: into the group of its equals, in the file's order.
func (j *Job) add(js *model.JobSet, t model.TaskID) {
	p, stage := js.Tasks[t].Profile, int(js.Tasks[t].Stage)
	j.wait(stage, 1)
	at := slices.IndexFunc(j.groups, func(g *Group) bool { return g.stage == stage && g.profile == p })
	if at < 0 {
		first := t
		for u := j.spec.Stages[stage].First; u < first; u++ {
			if js.Tasks[u].Profile == p {
				first = u
			}
		}
		j.insert([]*Group{{job: j, stage: stage, profile: p, slot: js.Tasks[t].Slot, first: first, tasks: []model.TaskID{t}}})
		return
	}
	g := j.groups[at]
	if g.Len() == 0 {
		j.nEmpty--
	}
	g.tasks = slices.Clone(g.tasks[g.head:])
	g.head = 0
	i, _ := slices.BinarySearch(g.tasks, t)
	g.tasks = slices.Insert(g.tasks, i, t)
}

// insert enters groups that stand side by side in the list.
func (j *Job) insert(groups []*Group) {
	if len(j.groups) == 0 {
		j.groups, j.near = groups, nil
		return
	}
	at, _ := slices.BinarySearchFunc(j.groups, groups[0].first, func(g *Group, t model.TaskID) int { return int(g.first - t) })
	j.groups, j.near = slices.Insert(slices.Clip(j.groups), at, groups...), nil
}

// take removes a task of a group, and groups that are empty once
// they are the greater part.
func (j *Job) take(g *Group, t model.TaskID) {
	at, _ := slices.BinarySearch(g.tasks[g.head:], t)
	copy(g.tasks[g.head+1:], g.tasks[g.head:g.head+at])
	g.head++
	j.wait(g.stage, -1)
	if g.Len() == 0 {
		j.nEmpty++
		if j.nEmpty*2 > len(j.groups) {
			// A new list: a policy may be walking through the old one.
			j.groups = slices.DeleteFunc(slices.Clone(j.groups), func(g *Group) bool { return g.Len() == 0 })
			j.nEmpty = 0
		}
	}
}

// close leaves nothing to hand out of the open stages.
func (j *Job) close() {
	for _, g := range j.groups {
		j.wait(g.stage, -g.Len())
		g.head = len(g.tasks)
	}
}

// end takes the groups of a stage that has ended, all of them empty, off the list.
func (j *Job) end(stage int) {
	before := len(j.groups)
	j.groups = slices.DeleteFunc(slices.Clone(j.groups), func(g *Group) bool { return g.stage == stage })
	j.near = nil
	j.nEmpty -= before - len(j.groups)
}

// open makes all tasks of a stage ready.
func (j *Job) open(js *model.JobSet, stage int) {
	st := &j.spec.Stages[stage]
	j.stages[stage].opened = true
	j.wait(stage, int(st.End-st.First))
	// Groups and lists of tasks are pieces of one array each: many stages have as
	// many groups as tasks.
	ids := make([]model.TaskID, st.End-st.First)
	for i := range ids {
		ids[i] = st.First + model.TaskID(i)
	}
	groups := make([]Group, 0, len(st.Groups))
	byProfile := make(map[*model.Profile]*Group, len(st.Groups))
	list := make([]*Group, 0, len(st.Groups))
	for first, next := 0, 0; first < len(ids); first = next {
		p := js.Tasks[ids[first]].Profile
		for next < len(ids) && js.Tasks[ids[next]].Profile == p {
			next++
		}
		equal := ids[first:next:next]
		if g := byProfile[p]; g != nil {
			g.tasks = append(g.tasks, equal...)
			continue
		}
		groups = append(groups, Group{job: j, stage: stage, profile: p, slot: st.Slot, first: equal[0], tasks: equal})
		byProfile[p] = &groups[len(groups)-1]
		list = append(list, byProfile[p])
	}
	j.insert(list)
}

// holding is a slave that holds the input of a group.
type holding struct {
	slave model.SlaveID
	group *Group
}

// nearTo lists the groups whose input slave s holds; empty ones may be among
// them.
func (j *Job) nearTo(s model.SlaveID) []holding {
	if j.near == nil {
		j.near = make([]holding, 0, 3*len(j.groups))
		for _, g := range j.groups {
			for _, n := range g.profile.Nearest() {
				j.near = append(j.near, holding{n, g})
			}
		}
		slices.SortFunc(j.near, func(a, b holding) int {
			if a.slave != b.slave {
				return int(a.slave - b.slave)
			}
			return int(a.group.first - b.group.first)
		})
	}
	from, _ := slices.BinarySearchFunc(j.near, s, func(h holding, s model.SlaveID) int { return int(h.slave - s) })
	to := from
	for to < len(j.near) && j.near[to].slave == s {
		to++
	}
	return j.near[from:to]
}
