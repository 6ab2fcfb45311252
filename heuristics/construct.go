package heuristics

import (
	"context"

	"downbeat/model"
)

// sampleSize is the number of slaves tried by chance, besides the listed ones,
// for a task whose slaves are not all listed. Full search costs tasks × slaves;
// at 100,000 tasks on 1,000 slaves sampling is thirty times as fast.
const sampleSize = 8

// Insert places a task where it finishes first, charges considered. Equal
// finishes go to the slave with the smaller C + E. The finish must come before
// limit; ok is false, and nothing done, if it cannot. With a task of a gang all others of it are placed,
// too, which must not be yet.
func (b *Board) Insert(t model.TaskID, ready, limit model.Time) (ok bool) {
	o := b.fig.options(t)
	least := o.list[0].Length()
	if b.coupled {
		if st := b.StageOf(t); b.fig.Stages[st].Gang {
			return b.insertGang(st, nil, ready, limit)
		}
		ready = b.tie(t, ready)
		defer b.untie()
	}
	best := bestFit{task: t, needs: b.needs.Cases(t), score: model.Never, limit: limit, slave: model.NoSlave}
	for _, c := range o.list {
		extra := b.Charge * (c.Length() - least) / 2
		if ready+c.Length()+extra >= best.score {
			break
		}
		b.offer(&best, c, ready, extra)
	}
	if o.more {
		b.sample(t, ready, least, &best)
	}
	if best.slave == model.NoSlave && o.more && b.apart != nil {
		b.tryAll(t, ready, &best)
	}
	if best.slave == model.NoSlave {
		return false
	}
	b.place(t, &best)
	return true
}

// InsertAmong is Insert on some slaves only. Those that the task may not run on are
// passed over; equal finishes go to the slave that is named first.
func (b *Board) InsertAmong(t model.TaskID, slaves []model.SlaveID, ready, limit model.Time) (ok bool) {
	if b.coupled {
		if st := b.StageOf(t); b.fig.Stages[st].Gang {
			return b.insertGang(st, slaves, ready, limit)
		}
		ready = b.tie(t, ready)
		defer b.untie()
	}
	task := &b.js.Tasks[t]
	least := b.fig.Best(t).Length()
	best := bestFit{task: t, needs: b.needs.Cases(t), score: model.Never, limit: limit, slave: model.NoSlave}
	for _, s := range slaves {
		if e := task.WCET(s); e > 0 {
			o := Option{s, int32(task.Transfer(s)), int32(e)}
			b.offer(&best, o, ready, b.Charge*(o.Length()-least)/2)
		}
	}
	if best.slave == model.NoSlave {
		return false
	}
	b.place(t, &best)
	return true
}

// tie is for the insertion of a task that others are tied to: it may not be where those are that it is
// apart from. It gives the first time from ready on at which what it takes of what is shared is there for
// as long as it takes at least.
func (b *Board) tie(t model.TaskID, ready model.Time) model.Time {
	b.apart = b.apartOf(t)
	if needs := b.needs.shared.of(t); needs != nil {
		return sharedFree(needs, ready, b.fig.Best(t).Length())
	}
	return ready
}

// untie ends the insertion.
func (b *Board) untie() { b.apart = nil }

// place puts a task where it fits best. What it takes of what is shared it takes as late as it can: others
// on any slave may need it.
func (b *Board) place(t model.TaskID, best *bestFit) {
	if len(best.request.Needs.shared) > 0 {
		best.fit = b.Lines[best.slave].Settle(best.fit, best.request)
	}
	b.put(t, best.slave, best.fit, best.request)
}

// put puts a task at a place that was found for it.
func (b *Board) put(t model.TaskID, slave model.SlaveID, fit Fit, r request) {
	tl := &b.Lines[slave]
	tl.Insert(fit, r)
	b.Place[t] = model.Placement{Slave: slave, Beat: tl.Beat(fit.Assigned), Fetch: fit.Fetch, Start: fit.Start}
	st := b.StageOf(t)
	b.Finish[st] = max(b.Finish[st], fit.Finish)
	b.Placed++
}

// bestFit is the best place seen so far for a task.
type bestFit struct {
	task    model.TaskID
	needs   []*needs // the task's cases
	score   model.Time
	limit   model.Time
	slave   model.SlaveID
	option  Option // on that slave, the figures
	fit     Fit
	request request
}

// offer tries a slave, with the charge on it given.
func (b *Board) offer(best *bestFit, o Option, ready, extra model.Time) {
	if b.apart != nil && !b.apart.allows(o.Slave) {
		return
	}
	tl := &b.Lines[o.Slave]
	n := best.needs[tl.Case(model.Time(o.Transfer))]
	if n == nil { // the first time
		n = b.needs.Of(best.task, o.Slave, tl, model.Time(o.Transfer))
	}
	r := request{Ready: ready, Transfer: model.Time(o.Transfer), WCET: model.Time(o.WCET), Needs: n}
	if fit, ok := tl.Earliest(r, min(best.limit, best.score-extra)); ok {
		best.score, best.slave, best.option, best.fit, best.request = fit.Finish+extra, o.Slave, o, fit, r
	}
}

// tryAll offers all slaves.
func (b *Board) tryAll(t model.TaskID, ready model.Time, best *bestFit) {
	task := &b.js.Tasks[t]
	for s := range model.SlaveID(len(b.Lines)) {
		if e := task.WCET(s); e > 0 {
			b.offer(best, Option{s, int32(task.Transfer(s)), int32(e)}, ready, 0)
		}
	}
}

// sample offers slaves taken by chance.
func (b *Board) sample(t model.TaskID, ready, least model.Time, best *bestFit) {
	task := &b.js.Tasks[t]
	for range b.Samples {
		s := model.SlaveID(b.Rand.IntN(len(b.Lines)))
		e := task.WCET(s)
		if e == 0 {
			continue
		}
		o := Option{s, int32(task.Transfer(s)), int32(e)}
		extra := b.Charge * (o.Length() - least) / 2
		if ready+o.Length()+extra < best.score {
			b.offer(best, o, ready, extra)
		}
	}
}

// insertStage places the whole stage, unless it was placed with one that starts at a given time, and
// reports whether it did before ctx ended. That is looked at for each task, as on a slave with many absences one takes long.
func (b *Board) insertStage(ctx context.Context, stage int32) bool {
	if len(b.fig.pinned) > 0 && b.placed(stage) {
		return true
	}
	ready := b.Ready(stage)
	if st := &b.fig.Stages[stage]; st.Gang || st.Apart {
		return b.insertEach(ctx, st.Tasks, ready)
	}
	for tasks := b.fig.Stages[stage].Tasks; len(tasks) > 0; {
		o, n := b.fig.options(tasks[0]), 1
		for n < len(tasks) && o.kin != nil && b.fig.options(tasks[n]).kin == o.kin {
			n++
		}
		if b.Charge == 0 && (n > 1 || o.more && o.kin != nil) {
			b.insertBatch(ctx, tasks[:n], ready)
		} else {
			b.insertEach(ctx, tasks[:n], ready)
		}
		if ctx.Err() != nil {
			return false
		}
		tasks = tasks[n:]
	}
	return true
}

// insertEach places tasks that are not placed yet, one after the other, and reports whether it did: not
// if ctx ended before, or for a gang for which no room was found.
func (b *Board) insertEach(ctx context.Context, tasks []model.TaskID, ready model.Time) bool {
	for _, t := range tasks {
		if ctx.Err() != nil {
			return false
		}
		if b.Place[t].Slave == model.NoSlave && !b.Insert(t, ready, model.Never) {
			return false
		}
	}
	return true
}

// Deferral says which jobs a construction places after all others, because the
// objectives gain nothing from placing them earlier.
type Deferral struct {
	// Last marks jobs that are placed after all others; nil marks none.
	Last []bool
	// Late defers soft jobs that turn out late.
	Late bool
}

// NewDeferral is the deferral that suits a list of objectives: jobs without deadlines, and
// those that are late in every plan, come last where the first objective does not grow the later
// they finish, and so do soft jobs that turn out late where it counts them. late marks jobs known
// to be late in every plan; it may be nil.
func NewDeferral(js *model.JobSet, objectives []model.Objective, late []bool) Deferral {
	first := model.Misses
	if len(objectives) > 0 {
		first = objectives[0]
	}
	shape := first.Shape()
	d := Deferral{Last: make([]bool, len(js.Jobs)), Late: shape.Counts() && shape.Jobs.Has(model.Soft)}
	for i := range js.Jobs {
		kind, hopeless := js.Jobs[i].Kind, late != nil && late[i]
		d.Last[i] = (hopeless || kind == model.BestEffort) && !shape.Grows(kind)
	}
	return d
}

// Construct is list scheduling: it fills the empty board with all stages in the
// given order, each task where it finishes first, but for stages that start at a given time, which
// come before, and the jobs that are deferred; these follow in the order of their first stages. Chance enters only
// where a job set is so large that slaves are sampled. If ctx ends on the way, or no room is found for
// a gang, it gives false, and leaves a part of a schedule.
func (b *Board) Construct(ctx context.Context, order Order, d Deferral) bool {
	var last []model.JobID
	deferred := make([]bool, len(b.js.Jobs))
	postpone := func(i model.JobID) {
		deferred[i] = true
		last = append(last, i)
	}
	if !b.pin(ctx) {
		return false
	}
	for _, ref := range order {
		switch {
		case deferred[ref.Job]:
			continue
		case d.Last != nil && d.Last[ref.Job] && b.fig.MayWait(ref.Job):
			postpone(ref.Job)
			continue
		}
		stage := b.fig.Index(ref)
		if !b.insertStage(ctx, stage) {
			return false
		}
		if d.Late && b.js.Jobs[ref.Job].Kind == model.Soft && b.fig.MayWait(ref.Job) && b.Finish[stage] > b.fig.Stages[stage].Due {
			// All that is placed of it: an order need not go through a graph's stages as they are numbered.
			if !b.takeStages(ctx, b.fig.Base[ref.Job], b.fig.Base[ref.Job+1]) {
				return false
			}
			postpone(ref.Job)
		}
	}
	for _, i := range last {
		if !b.insertJob(ctx, i) {
			return false
		}
	}
	return true
}

// pin places the stages that start at a given time, and first those that they wait for: others must
// not take their places. It reports whether it did.
func (b *Board) pin(ctx context.Context) bool {
	for _, stage := range b.fig.pinned {
		if !b.insertWaited(ctx, stage) {
			return false
		}
	}
	return true
}

// Unpinned is a stage that starts at a given time for which no room is found even before all others are
// placed; any tells whether there is one.
func (f *Figures) Unpinned() (st StageRef, any bool) {
	b := NewBoard(f, 0)
	for _, stage := range f.pinned {
		if !b.insertWaited(context.Background(), stage) {
			return f.Stages[stage].Ref, true
		}
	}
	return StageRef{}, false
}

// insertWaited places a stage behind all that it waits for.
func (b *Board) insertWaited(ctx context.Context, stage int32) bool {
	for before := range b.fig.Before(stage) {
		if !b.insertWaited(ctx, before) {
			return false
		}
	}
	return b.insertStage(ctx, stage)
}

// placed reports whether a stage, which is placed whole or not at all, is.
func (b *Board) placed(stage int32) bool {
	return b.Place[b.fig.Stages[stage].Tasks[0]].Slave != model.NoSlave
}

// InsertJob places all stages of a job of which nothing is placed.
func (b *Board) InsertJob(i model.JobID) { b.insertJob(context.Background(), i) }

// insertJob is InsertJob, and reports whether it was done before ctx ended.
func (b *Board) insertJob(ctx context.Context, i model.JobID) bool {
	for stage := b.fig.Base[i]; stage < b.fig.Base[i+1]; stage++ {
		if !b.insertStage(ctx, stage) {
			return false
		}
	}
	return true
}
