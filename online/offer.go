package online

import (
	"slices"

	"downbeat/model"
)

// Offer is what a slave's heartbeat puts on the table: its free slots.
type Offer struct {
	st    *state
	slave model.SlaveID
	// away is when the slave's next absence begins, as far as the policy can know.
	away model.Time
	// open is true while the policy answers the heartbeat.
	open bool
	// give does what Give does, once that is known to be in order.
	give func(model.SlaveID, *Group, model.TaskID) model.TaskID
	// giveAll does what GiveTogether does.
	giveAll func(*Group, *gangPlacement)
	// tracing and considered are about the trace.
	tracing    bool
	considered []Candidate
}

// Slave is the one that asks.
func (o *Offer) Slave() model.SlaveID { return o.slave }

// Free is the number of free slots for stages of kind k.
func (o *Offer) Free(k model.SlotKind) int {
	if !o.open {
		return 0
	}
	return o.st.free(o.slave, k)
}

// Full reports that no slot is left.
func (o *Offer) Full() bool { return !o.open || o.st.slaves[o.slave].idleAt < 0 }

// Fits reports whether the slave can take a task of the group now: a task is
// left, the slave is eligible, a slot of the kind is free and whatever else the
// task holds from its assignment on, and at declared worst-case times it ends
// before the next absence, of which every policy so has foresight, asked or not.
// [Options.Surprise] takes it away. What it takes of pools and caps must be there until it ends
// (C11). Of a gang all tasks must find room, the one of the group on this slave, and of a stage
// whose tasks are apart the others slaves of their own, too (C12).
func (o *Offer) Fits(g *Group) bool {
	if !o.open || g.Len() == 0 || !g.profile.Eligible(o.slave) || !o.st.slaves[o.slave].Fits(g.first) {
		return false
	}
	if o.st.coupled {
		if o.st.barred(g.job.spec.FirstStage + model.StageID(g.stage)) {
			return false
		}
		return o.fitsCoupled(g)
	}
	return o.away == model.Never || o.Finish(g) <= o.away
}

// fitsCoupled is Fits for what ties tasks on different slaves.
func (o *Offer) fitsCoupled(g *Group) bool {
	stage := g.spec()
	switch {
	case stage.IsGang():
		return o.st.together(g, o.slave) != nil
	case stage.IsApart() && !o.st.keepsApart(g, o.slave):
		return false
	}
	finish := o.Finish(g)
	return finish <= o.away && o.st.roomFor(g.First(), finish)
}

// Finish is when a task of the group ends at the latest if it is given now, with its gang as far
// as that fits.
func (o *Offer) Finish(g *Group) model.Time {
	if o.st.gangs && o.open && g.Len() > 0 && g.Gang() {
		if gangPlacement := o.st.together(g, o.slave); gangPlacement != nil {
			return gangPlacement.finish(o.st.js, o.slave)
		}
	}
	room := o.st.slaves[o.slave].Room(o.st.now, g.first)
	return room.Finish(o.st.now, g.profile.Transfer(o.slave), g.profile.WCET(o.slave))
}

// Local is the first group of a job that fits and whose input the slave holds,
// nil if there is none.
func (o *Offer) Local(j *Job) *Group { return o.local(j, anyGroup) }

// Pick is Local, or else the first group of a job that fits; nil if none does.
// It is what Hadoop does for the job whose turn it is.
func (o *Offer) Pick(j *Job) *Group {
	if !o.free(j, model.MapSlot) && !o.free(j, model.ReduceSlot) {
		return nil
	}
	return o.pick(j, anyGroup)
}

// Choices lists the groups of a job that fit, in the order in which Pick takes them: the
// first local of them have their input on the slave.
func (o *Offer) Choices(j *Job) (groups []*Group, local int) {
	if !o.free(j, model.MapSlot) && !o.free(j, model.ReduceSlot) {
		return nil, 0
	}
	for _, h := range j.nearTo(o.slave) {
		if o.Fits(h.group) {
			groups = append(groups, h.group)
		}
	}
	local = len(groups)
	for _, g := range j.groups {
		_, isLocal := slices.BinarySearchFunc(groups[:local], g.first, func(g *Group, first model.TaskID) int { return int(g.first - first) })
		if !isLocal && o.Fits(g) {
			groups = append(groups, g)
		}
	}
	return groups, local
}

// PickOf is Pick among the groups of one stage.
func (o *Offer) PickOf(j *Job, stage int) *Group {
	if j.Ready(stage) == 0 || o.Free(j.spec.Stages[stage].Slot) == 0 || o.st.coupled && o.st.barred(j.spec.FirstStage+model.StageID(stage)) {
		return nil
	}
	return o.pick(j, func(g *Group) bool { return g.stage == stage })
}

// PickFor is Pick among the groups that take slots of one kind.
func (o *Offer) PickFor(j *Job, k model.SlotKind) *Group {
	if !o.free(j, k) {
		return nil
	}
	return o.pick(j, func(g *Group) bool { return g.slot == k })
}

// free reports whether a job has tasks for slots of a kind, not all of them barred for what is held of
// pools and caps, and there is one.
func (o *Offer) free(j *Job, k model.SlotKind) bool {
	return j.nReady[k] > 0 && o.Free(k) > 0 && !(o.st.coupled && o.st.allBarred(j))
}

func anyGroup(*Group) bool { return true }

func (o *Offer) local(j *Job, wanted func(*Group) bool) *Group {
	for _, h := range j.nearTo(o.slave) {
		if wanted(h.group) && o.Fits(h.group) {
			return h.group
		}
	}
	return nil
}

func (o *Offer) pick(j *Job, wanted func(*Group) bool) *Group {
	if g := o.local(j, wanted); g != nil {
		return g
	}
	for _, g := range j.groups {
		if wanted(g) && o.Fits(g) {
			return g
		}
	}
	return nil
}

// Tracing reports whether it is worth while to call Consider.
func (o *Offer) Tracing() bool { return o.tracing }

// Consider records what the next Give was chosen from, best first.
func (o *Offer) Consider(c []Candidate) { o.considered = c }

// Give hands the first task of a group to the slave. It must fit, and the
// heartbeat must not be over. What breaks this rule is refused with task -1 and
// ends the run with an error; until the policy returns, it finds no free slot
// and nothing left of the job. Of a gang all tasks are handed out, the others to the slaves where
// they are ready first: events tell which.
func (o *Offer) Give(g *Group) model.TaskID {
	if g.Len() == 0 {
		return o.GiveTask(g, -1)
	}
	return o.GiveTask(g, g.First())
}

// GiveTask is Give for one task of those left in the group; the order of the others stays.
func (o *Offer) GiveTask(g *Group, t model.TaskID) model.TaskID {
	switch {
	case !o.open:
		o.st.breach("hands out a task of job %q when no slave asks", g.job.spec.Name)
	case !o.Fits(g):
		o.st.breach("gives slave %s a task of job %q that does not fit", o.st.js.Slaves[o.slave].Name, g.job.spec.Name)
	case !g.Has(t):
		o.st.breach("gives a task of job %q that is not left", g.job.spec.Name)
	case g.Gang():
		o.giveAll(g, o.st.together(g, o.slave).with(g.First(), t))
		return t
	default:
		return o.give(o.slave, g, t)
	}
	return o.refused(g)
}

// refused is for what breaks a rule.
func (o *Offer) refused(g *Group) model.TaskID {
	o.open = false
	g.job.close()
	return -1
}

// FitsTogether reports whether all tasks of the gang of a group can be handed out now, to these
// slaves.
func (o *Offer) FitsTogether(g *Group, assignments []Assignment) bool {
	return o.open && g.Len() > 0 && g.Gang() && o.st.allocatedAs(g, o.slave, assignments) != nil
}

// GiveTogether hands all tasks of a gang out, to these slaves: to each at its next heartbeat. It
// must fit.
func (o *Offer) GiveTogether(g *Group, assignments []Assignment) {
	if !o.FitsTogether(g, assignments) {
		o.st.breach("hands out a gang of job %q that does not fit", g.job.spec.Name)
		o.refused(g)
		return
	}
	o.giveAll(g, o.st.allocatedAs(g, o.slave, assignments))
}
