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
	groups   []*Group
	near     []holding // by slave, then as in groups; nil if not known
	nReady   int
	nRunning int
	nDone    int  // of the stage
	nEmpty   int  // groups
	changed  bool // in state.changed
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

// Groups lists the tasks that wait, equal ones together, by the file's order
// of the first of each at the stage's begin. Empty ones may be among them. The
// list must not be written to, and holds while tasks are given away.
func (j *Job) Groups() []*Group { return j.groups }

// Group is a number of equal ready tasks of one stage of a job.
type Group struct {
	job     *Job
	profile *model.Profile
	slot    model.SlotKind
	first   model.TaskID   // of all equal ones of the stage
	tasks   []model.TaskID // ascending; those before head are gone
	head    int
}

// Job is the job that the tasks belong to.
func (g *Group) Job() *Job { return g.job }

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

// add makes a task ready: into the group of its equals, in the file's order.
func (j *Job) add(js *model.JobSet, t model.TaskID) {
	j.nReady++
	p := js.Tasks[t].Profile
	at := slices.IndexFunc(j.groups, func(g *Group) bool { return g.profile == p })
	if at < 0 {
		first := t
		for u := j.spec.Stages[j.stage].First; u < first; u++ {
			if js.Tasks[u].Profile == p {
				first = u
			}
		}
		g := &Group{job: j, profile: p, slot: js.Tasks[t].Slot, first: first, tasks: []model.TaskID{t}}
		at, _ = slices.BinarySearchFunc(j.groups, first, func(g *Group, t model.TaskID) int { return int(g.first - t) })
		j.groups, j.near = slices.Insert(slices.Clip(j.groups), at, g), nil
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

// take removes the first task of a group, and groups that are empty once
// they are the greater part.
func (j *Job) take(g *Group) model.TaskID {
	t := g.First()
	g.head++
	j.nReady--
	if g.Len() == 0 {
		j.nEmpty++
		if j.nEmpty*2 > len(j.groups) {
			// A new list: a policy may be walking through the old one.
			j.groups = slices.DeleteFunc(slices.Clone(j.groups), func(g *Group) bool { return g.Len() == 0 })
			j.nEmpty = 0
		}
	}
	return t
}

// close leaves nothing to hand out of the stage.
func (j *Job) close() {
	for _, g := range j.groups {
		g.head = len(g.tasks)
	}
	j.nReady = 0
}

// openStage makes all tasks of the current stage ready.
func (j *Job) openStage(js *model.JobSet) {
	st := &j.spec.Stages[j.stage]
	j.opened = true
	j.groups, j.near = nil, nil
	j.nReady, j.nDone, j.nEmpty = int(st.End-st.First), 0, 0
	// Groups and lists of tasks are pieces of one array each: many stages have as
	// many groups as tasks.
	ids := make([]model.TaskID, j.nReady)
	for i := range ids {
		ids[i] = st.First + model.TaskID(i)
	}
	groups := make([]Group, 0, len(st.Groups))
	byProfile := make(map[*model.Profile]*Group, len(st.Groups))
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
		groups = append(groups, Group{job: j, profile: p, slot: st.Slot, first: equal[0], tasks: equal})
		byProfile[p] = &groups[len(groups)-1]
		j.groups = append(j.groups, byProfile[p])
	}
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
