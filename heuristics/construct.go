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
// limit; ok is false, and nothing done, if it cannot.
func (b *Board) Insert(t model.TaskID, ready, limit model.Time) (ok bool) {
	o := b.fig.options(t)
	least := o.list[0].Length()
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
	if best.slave == model.NoSlave {
		return false
	}
	b.place(t, &best)
	return true
}

// InsertAmong is Insert on some slaves only. Those that the task may not run on are
// passed over; equal finishes go to the slave that is named first.
func (b *Board) InsertAmong(t model.TaskID, slaves []model.SlaveID, ready, limit model.Time) (ok bool) {
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

// place puts a task where it fits best.
func (b *Board) place(t model.TaskID, best *bestFit) {
	tl := &b.Lines[best.slave]
	tl.Insert(best.fit, best.request)
	b.Place[t] = model.Placement{
		Slave: best.slave,
		Beat:  tl.Beat(best.fit.Assigned),
		Fetch: best.fit.Fetch, Start: best.fit.Start,
	}
	st := b.StageOf(t)
	b.Finish[st] = max(b.Finish[st], best.fit.Finish)
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

// insertStage places the whole stage, and reports whether it did before ctx ended. That is
// looked at for each task, as on a slave with many absences one takes long.
func (b *Board) insertStage(ctx context.Context, stage int32) bool {
	ready := b.Ready(stage)
	for tasks := b.fig.Stages[stage].Tasks; len(tasks) > 0; {
		o, n := b.fig.options(tasks[0]), 1
		for n < len(tasks) && o.kin != nil && b.fig.options(tasks[n]).kin == o.kin {
			n++
		}
		if b.Charge == 0 && (n > 1 || o.more && o.kin != nil) {
			b.insertBatch(ctx, tasks[:n], ready)
		} else {
			for _, t := range tasks[:n] {
				if ctx.Err() != nil {
					break
				}
				b.Insert(t, ready, model.Never)
			}
		}
		if ctx.Err() != nil {
			return false
		}
		tasks = tasks[n:]
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
// given order, each task where it finishes first, but for the jobs that are
// deferred; these follow in the order of their first stages. Chance enters only
// where a job set is so large that slaves are sampled. If ctx ends on the way it
// gives false, and leaves a part of a schedule.
func (b *Board) Construct(ctx context.Context, order Order, d Deferral) bool {
	var last []model.JobID
	deferred := make([]bool, len(b.js.Jobs))
	postpone := func(i model.JobID) {
		deferred[i] = true
		last = append(last, i)
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
			if !b.takeStages(ctx, b.fig.Base[ref.Job], stage+1) {
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
