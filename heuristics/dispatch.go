package heuristics

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"downbeat/model"
)

// Priority says what is handed out first in [Board.Dispatch]. The lists are by stage, as
// [Figures.Stages] numbers them.
type Priority struct {
	// Key is when the stage is to be handed out, in ticks on the clock: what has the smaller key goes first.
	Key []float64
	// Due is when its tasks are to have finished, in ticks on the clock; Never for any time.
	Due []model.Time
	// Idle is what a tick in which a core waits counts, of a tick of fetching: above 0, and 1 at most as a rule.
	Idle float64
}

const (
	// fetchLengths and fetchSlack are what it costs to fetch for as long as a task does in the mean, beside
	// keys: so many times the mean length of a task, or the time that is left to it, whichever is less.
	// With a tenth of the latter gen.Scale of 10,000 tasks has two percent more of the cores idle, with a
	// quarter of the former half a percent.
	fetchLengths, fetchSlack = 16, 12
	// mostAlike is the number of tasks of a stage of which the one that goes to a slave is chosen.
	mostAlike = 8
)

// Dispatch is list scheduling by time, in place of stage by stage: it goes through the heartbeats of all
// slaves (a parallel schedule-generation scheme, Kolisch 1996). A slave is given a task at the last heartbeat
// that wastes none of its time. Of those that are ready then it is the one of the smallest key, where fetching
// and waiting count as well, so that slaves run tasks whose input they have (delay scheduling, Zaharia et al.
// 2010); but none that would be too late there and need not be elsewhere. Jobs that are deferred come last,
// one after the other, as do those that turn out late and may wait, hard ones too. Gangs, tasks that
// are apart and those that start at a given time are placed as soon as they are ready, or before. The board is
// empty. Nothing is left to chance but as in [Board.Construct], for what comes last. If ctx ends on the
// way, or no room is found for a gang, it gives false, and leaves a part of a schedule.
func (b *Board) Dispatch(ctx context.Context, p Priority, d Deferral) bool {
	if !b.pin(ctx) {
		return false
	}
	x := newDispatcher(b, p, d)
	for len(x.events) > 0 {
		if ctx.Err() != nil {
			return false
		}
		e := heap.Pop(&x.events).(event)
		switch {
		case e.stage >= 0:
			if !x.enter(ctx, e.stage, e.at) {
				return false
			}
		case x.next[e.slave] == e.at:
			x.next[e.slave] = model.Never
			x.serve(e.slave, e.at)
		}
	}
	return x.finish(ctx)
}

// event is a slave's heartbeat at which something may be handed out or, where stage is no less than 0, that a
// stage is ready.
type event struct {
	at    model.Time
	slave model.SlaveID
	stage int32
}

// events are those to come, a heap: stages before slaves.
type events []event

func (v events) Len() int { return len(v) }
func (v events) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(v[i].at, v[k].at), -cmp.Compare(v[i].stage, v[k].stage), cmp.Compare(v[i].slave, v[k].slave)) < 0
}
func (v events) Swap(i, k int) { v[i], v[k] = v[k], v[i] }
func (v *events) Push(e any)   { *v = append(*v, e.(event)) }
func (v *events) Pop() any {
	last := len(*v) - 1
	e := (*v)[last]
	*v = (*v)[:last]
	return e
}

// dispatcher is a call of [Board.Dispatch].
type dispatcher struct {
	b *Board
	Priority
	late   bool // jobs that turn out late are deferred
	events events
	// next is, by slave, the heartbeat at which it is looked at next, Never where it waits for a stage.
	next []model.Time
	// before is, by stage, the number of those that it waits for, todo the tasks that are not handed
	// out; at is a task's place there.
	before []int32
	todo   [][]model.TaskID
	at     []int32
	// usual is, by stage that was ready, the least time to fetch for a task that is not near.
	usual []model.Time
	// waiting are the stages that are ready, by key.
	waiting []int32
	// near has by slave the ready tasks of which it has the input, or which few others may run, in blocks
	// of a stage, by key; block is for the stage that enters.
	near  [][]nearTasks
	block []int32
	// out marks the jobs that come last, last lists them.
	out  []bool
	last []model.JobID
	// lengths is what a tick of fetching counts at most, slack what it counts for each tick that is left, idle
	// what a tick counts in which a core waits.
	lengths, slack, idle float64
	choice               choice
}

// nearTasks are tasks of a stage that are near to a slave; the last goes first.
type nearTasks struct {
	stage int32
	tasks []model.TaskID
}

// choice is what a slave is given at a heartbeat.
type choice struct {
	slave model.SlaveID
	at    model.Time
	task  model.TaskID // -1: nothing so far
	score float64
	fit   Fit
	r     request
	// free is when a core is free: most tasks start no sooner.
	free model.Time
}

func newDispatcher(b *Board, p Priority, d Deferral) *dispatcher {
	stages := len(b.fig.Stages)
	x := &dispatcher{
		b: b, Priority: p, late: d.Late, next: slices.Repeat([]model.Time{model.Never}, len(b.Lines)),
		before: make([]int32, stages), todo: make([][]model.TaskID, stages), usual: make([]model.Time, stages), at: make([]int32, len(b.js.Tasks)),
		near: make([][]nearTasks, len(b.Lines)), block: make([]int32, len(b.Lines)), out: make([]bool, len(b.js.Jobs)),
	}
	for i := range b.js.Jobs {
		if job := model.JobID(i); d.Last != nil && d.Last[i] && b.fig.MayWait(job) {
			x.putLast(job)
		}
	}
	for st := range b.fig.Stages {
		for range b.fig.Before(int32(st)) {
			x.before[st]++
		}
		if job := b.fig.Stages[st].Ref.Job; x.before[st] == 0 && !x.out[job] {
			x.events = append(x.events, event{b.js.Jobs[job].Release, 0, int32(st)})
		}
	}
	heap.Init(&x.events)
	x.weigh()
	return x
}

// weigh works out what fetching counts: the more, the more of the time slaves would fetch if no task were
// where its input is.
func (x *dispatcher) weigh() {
	length, transfer, cores := 0.0, 0.0, 0.0
	for t := range x.b.js.Tasks {
		o := x.b.fig.options(model.TaskID(t))
		length += float64(o.list[0].Length())
		transfer += float64(o.usual().Transfer)
	}
	for s := range x.b.js.Slaves {
		cores += float64(x.b.js.Slaves[s].Cores)
	}
	if transfer == 0 {
		return
	}
	n := float64(len(x.b.js.Tasks))
	busy := min(1, transfer*cores/float64(len(x.b.js.Slaves))/length)
	x.lengths = busy * fetchLengths * length / transfer
	x.idle = x.Idle * x.lengths
	x.slack = busy * fetchSlack * n / transfer
}

// usual is the slave of least C + E of those that are nothing special to a task.
func (o *options) usual() Option {
	if o.kin != nil && len(o.kin.list) > 0 {
		return o.kin.list[0]
	}
	return o.list[len(o.list)-1]
}

// putLast has a job come last.
func (x *dispatcher) putLast(i model.JobID) {
	if !x.out[i] {
		x.out[i] = true
		x.last = append(x.last, i)
	}
}

// look has a slave looked at, at a heartbeat.
func (x *dispatcher) look(s model.SlaveID, at model.Time) {
	if at < x.next[s] {
		x.next[s] = at
		heap.Push(&x.events, event{at, s, -1})
	}
}

func (x *dispatcher) byKey(a, b int32) int {
	return cmp.Or(cmp.Compare(x.Key[a], x.Key[b]), cmp.Compare(a, b))
}

// enter is for a stage that is ready, and reports whether there was room if it is placed at once.
func (x *dispatcher) enter(ctx context.Context, stage int32, at model.Time) bool {
	st := &x.b.fig.Stages[stage]
	switch {
	case x.out[st.Ref.Job]:
		return true
	case st.Gang || st.Apart || x.b.placed(stage):
		if !x.b.insertStage(ctx, stage) {
			return false
		}
		x.leave(stage)
		return true
	}
	x.todo[stage] = slices.Clone(st.Tasks)
	x.usual[stage] = model.Never
	for k, t := range st.Tasks {
		x.at[t] = int32(k)
		x.usual[stage] = min(x.usual[stage], model.Time(x.b.fig.options(t).usual().Transfer))
	}
	k, _ := slices.BinarySearchFunc(x.waiting, stage, x.byKey)
	x.waiting = slices.Insert(x.waiting, k, stage)
	x.nearBy(stage)
	for s := range x.next {
		if x.next[s] == model.Never {
			x.look(model.SlaveID(s), x.b.Lines[s].BeatAtOrAfter(at))
		}
	}
	return true
}

// nearBy lists the tasks of a stage with the slaves that they are near to.
func (x *dispatcher) nearBy(stage int32) {
	var slaves []model.SlaveID
	for _, t := range slices.Backward(x.b.fig.Stages[stage].Tasks) {
		for _, o := range x.b.fig.options(t).nearby() {
			if x.block[o.Slave] == 0 {
				near := &x.near[o.Slave]
				k, _ := slices.BinarySearchFunc(*near, stage, func(n nearTasks, stage int32) int { return x.byKey(n.stage, stage) })
				*near = slices.Insert(*near, k, nearTasks{stage: stage})
				x.block[o.Slave] = int32(k + 1)
				slaves = append(slaves, o.Slave)
			}
			block := &x.near[o.Slave][x.block[o.Slave]-1]
			block.tasks = append(block.tasks, t)
		}
	}
	for _, s := range slaves {
		x.block[s] = 0
	}
}

// nearby lists the slaves that are something special to a task.
func (o *options) nearby() []Option {
	if o.kin == nil {
		return o.list
	}
	return o.own
}

// leave is for a stage of which all tasks are placed: those that wait for it may be ready.
func (x *dispatcher) leave(stage int32) {
	for _, id := range x.b.js.Next(x.b.fig.ID(stage)) {
		next := x.b.fig.index[id]
		if x.before[next]--; x.before[next] == 0 {
			heap.Push(&x.events, event{x.b.Ready(next), 0, next})
		}
	}
}

// serve hands out tasks to a slave at a heartbeat, as many as it has room for.
func (x *dispatcher) serve(s model.SlaveID, at model.Time) {
	for {
		cores := &x.b.Lines[s].uses[model.Cores]
		x.choice = choice{slave: s, at: at, task: -1, free: cores.level.firstFree(at, 1, cores.units)}
		x.tryNear()
		x.tryWaiting()
		if x.choice.task < 0 {
			return
		}
		c := &x.choice
		if c.fit = x.b.Lines[s].Settle(c.fit, c.r); c.fit.Assigned > at {
			x.look(s, c.fit.Assigned)
			return
		}
		x.handOut()
	}
}

// tryNear offers the slave the tasks that are near to it, as long as one of the key may be better than what was
// chosen, and forgets those that have been handed out.
func (x *dispatcher) tryNear() {
	blocks := x.near[x.choice.slave]
	c := &x.choice
	kept := 0
	for k := range blocks {
		n := &blocks[k]
		for len(n.tasks) > 0 && !x.isTodo(n.tasks[len(n.tasks)-1], n.stage) {
			n.tasks = n.tasks[:len(n.tasks)-1]
		}
		if len(n.tasks) > 0 {
			if c.task < 0 || x.Key[n.stage] < c.score {
				x.try(n.tasks[len(n.tasks)-1], n.stage)
			}
			blocks[kept] = *n
			kept++
		}
	}
	clear(blocks[kept:])
	x.near[x.choice.slave] = blocks[:kept]
}

// isTodo reports whether a task of a stage that is ready is still to be handed out.
func (x *dispatcher) isTodo(t model.TaskID, stage int32) bool {
	return x.b.Place[t].Slave == model.NoSlave && !x.out[x.b.fig.Stages[stage].Ref.Job]
}

// tryWaiting offers the slave tasks of all stages.
func (x *dispatcher) tryWaiting() {
	c := &x.choice
	gone := 0
	for k, stage := range x.waiting {
		if len(x.todo[stage]) == 0 || x.out[x.b.fig.Stages[stage].Ref.Job] {
			gone++
			continue
		}
		x.waiting[k-gone] = stage
		if c.task >= 0 && x.Key[stage] >= c.score {
			if gone > 0 {
				x.waiting = slices.Delete(x.waiting, k+1-gone, k+1)
			}
			return
		}
		if c.task >= 0 && x.score(stage, x.Due[stage]-c.at-x.b.fig.Stages[stage].Length, x.usual[stage]) >= c.score {
			continue
		}
		if t := x.spare(stage); t >= 0 {
			x.try(t, stage)
		}
	}
	x.waiting = x.waiting[:len(x.waiting)-gone]
}

// score is what a task of a stage is worth that has so much time left and so long to fetch, if it starts as
// soon as most can: less is better.
func (x *dispatcher) score(stage int32, left, transfer model.Time) float64 {
	return x.Key[stage] + min(x.lengths, x.slack*float64(max(0, left)))*float64(transfer) +
		x.idle*float64(max(x.choice.free-x.choice.at, transfer))
}

// spare is, of some tasks of a stage that the slave may run, the one that the fewest others that are near
// could take from it: those have the most to do. It is -1 if there is none.
func (x *dispatcher) spare(stage int32) model.TaskID {
	todo := x.todo[stage]
	best, most := model.TaskID(-1), -1
	for k := range min(mostAlike, len(todo)) {
		t := todo[k]
		if x.b.js.Tasks[t].WCET(x.choice.slave) == 0 {
			continue
		}
		least := len(x.b.js.Jobs)
		for _, o := range x.b.fig.options(t).nearby() {
			least = min(least, len(x.near[o.Slave]))
		}
		if least > most {
			best, most = t, least
		}
	}
	return best
}

// try takes a task for the slave if it is better than what was tried before.
func (x *dispatcher) try(t model.TaskID, stage int32) {
	c, b := &x.choice, x.b
	task := &b.js.Tasks[t]
	e := task.WCET(c.slave)
	if e == 0 {
		return
	}
	transfer, due := task.Transfer(c.slave), x.Due[stage]
	left := due - c.at - b.fig.Best(t).Length()
	score := x.score(stage, left, transfer)
	if c.task >= 0 && score >= c.score {
		return
	}
	limit := model.Never
	switch job := b.fig.Stages[stage].Ref.Job; {
	case left >= 0:
		limit = min(limit, due+1) // if it is late here, it need not be elsewhere
	case x.late && b.fig.MayWait(job):
		x.putLast(job)
		return
	}
	tl := &b.Lines[c.slave]
	r := request{Ready: c.at, Transfer: transfer, WCET: e, Needs: b.needs.Of(t, c.slave, tl, transfer)}
	fit, ok := tl.Earliest(r, limit)
	if !ok {
		return
	}
	if score += x.idle * float64(fit.Start-max(c.free, c.at+transfer)); c.task >= 0 && score >= c.score {
		return
	}
	c.task, c.score, c.fit, c.r = t, score, fit, r
}

// handOut places what was chosen.
func (x *dispatcher) handOut() {
	c, b := &x.choice, x.b
	stage := b.StageOf(c.task)
	b.put(c.task, c.slave, c.fit, c.r)
	todo, k := x.todo[stage], x.at[c.task]
	end := len(todo) - 1
	todo[k] = todo[end]
	x.at[todo[k]] = k
	x.todo[stage] = todo[:end]
	if end == 0 {
		x.leave(stage)
	}
}

// finish places what comes last, each job behind those that it comes after, as few tasks first.
func (x *dispatcher) finish(ctx context.Context) bool {
	b := x.b
	for stage := range b.fig.Stages {
		if !b.fig.Pinned(int32(stage)) && !x.whole(int32(stage)) {
			x.putLast(b.fig.Stages[stage].Ref.Job)
		}
	}
	for _, i := range x.last {
		if !b.takeStages(ctx, b.fig.Base[i], b.fig.Base[i+1]) {
			return false
		}
	}
	slices.SortFunc(x.last, func(i, k model.JobID) int {
		return cmp.Or(cmp.Compare(b.fig.Jobs[i].Work, b.fig.Jobs[k].Work), cmp.Compare(i, k))
	})
	b.fig.SortJobs(x.last)
	for _, i := range x.last {
		if !b.insertJob(ctx, i) {
			return false
		}
	}
	return true
}

// whole reports whether all tasks of a stage are placed.
func (x *dispatcher) whole(stage int32) bool {
	return x.before[stage] == 0 && len(x.todo[stage]) == 0 && x.b.placed(stage)
}
