package heuristics

import (
	"math/rand/v2"

	"downbeat/model"
)

// sampleSize is the number of slaves tried by chance, besides the listed ones,
// for a task whose slaves are not all listed. Full search costs tasks × slaves;
// at 100,000 tasks on 1,000 slaves sampling is thirty times as fast.
const sampleSize = 8

// board is a partial schedule together with the timelines that it makes.
type board struct {
	js  *model.JobSet
	fig *Figures
	// lines has one timeline per slave, place one placement per task.
	lines []Timeline
	place model.Schedule
	// finish is the last finish of the placed tasks of each stage, 0 if none is.
	finish []model.Time
	rng    *rand.Rand
	// charge prices slow and remote slaves: a slave competes with its finish
	// plus charge/2 for each tick of C + E beyond the task's best slave.
	charge model.Time
	// placed counts insertions: the measure of work.
	placed int64
}

func newBoard(f *Figures, rng *rand.Rand) *board {
	b := &board{
		js: f.js, fig: f, rng: rng,
		lines:  newTimelines(f.js),
		place:  model.NewSchedule(len(f.js.Tasks)),
		finish: make([]model.Time, len(f.stages)),
	}
	return b
}

func newTimelines(js *model.JobSet) []Timeline {
	lines := make([]Timeline, len(js.Slaves))
	for s := range lines {
		lines[s] = *NewTimeline(js, model.SlaveID(s))
	}
	return lines
}

// clear takes all tasks out.
func (b *board) clear() {
	for s := range b.lines {
		b.lines[s].Reset()
	}
	for t := range b.place {
		b.place[t].Slave = model.NoSlave
	}
	clear(b.finish)
}

// load takes over a schedule, which is valid and may be partial.
func (b *board) load(s model.Schedule) {
	b.clear()
	for t := range s {
		if s[t].Slave != model.NoSlave {
			b.put(model.TaskID(t), s[t])
		}
	}
}

// stageOf is the index of a task's stage.
func (b *board) stageOf(t model.TaskID) int32 {
	task := &b.js.Tasks[t]
	return b.fig.base[task.Job] + task.Stage
}

// ready is the earliest time at which tasks of the stage can be handed out:
// release, or the finish of the stage before, whose tasks are all placed.
func (b *board) ready(stage int32) model.Time {
	ref := b.fig.stages[stage].ref
	if ref.Stage == 0 {
		return b.js.Jobs[ref.Job].Release
	}
	return b.finish[stage-1]
}

// jobFinish is the finish of a job whose tasks are all placed.
func (b *board) jobFinish(i model.JobID) model.Time { return b.finish[b.fig.base[i+1]-1] }

// request is what task t asks of slave s.
func (b *board) request(t model.TaskID, s model.SlaveID) Request {
	task := &b.js.Tasks[t]
	return Request{Transfer: task.Transfer(s), WCET: task.WCET(s), Pool: b.lines[s].pool[task.Slot]}
}

// fitOf is the place of a placed task.
func (b *board) fitOf(p model.Placement, wcet model.Time) Fit {
	return Fit{b.js.Assigned(p), p.Fetch, p.Start, p.Start + wcet}
}

// put places a task as given.
func (b *board) put(t model.TaskID, p model.Placement) {
	r := b.request(t, p.Slave)
	fit := b.fitOf(p, r.WCET)
	b.lines[p.Slave].Insert(fit, r)
	b.place[t] = p
	st := b.stageOf(t)
	b.finish[st] = max(b.finish[st], fit.Finish)
}

// take removes a placed task. The finish of its stage is left to restage.
func (b *board) take(t model.TaskID) {
	p := b.place[t]
	r := b.request(t, p.Slave)
	b.lines[p.Slave].Remove(b.fitOf(p, r.WCET), r)
	b.place[t].Slave = model.NoSlave
}

// restage works out the finish of a stage again.
func (b *board) restage(stage int32) {
	finish := model.Time(0)
	for _, t := range b.fig.stages[stage].tasks {
		if p := b.place[t]; p.Slave != model.NoSlave {
			finish = max(finish, b.js.Finish(t, p))
		}
	}
	b.finish[stage] = finish
}

// takeJob removes those tasks of the job's stages before upto that are placed.
func (b *board) takeJob(i model.JobID, upto int32) { b.takeStages(b.fig.base[i], upto) }

// takeStages removes the placed tasks of some stages of a job.
func (b *board) takeStages(from, to int32) {
	for st := from; st < to; st++ {
		for _, t := range b.fig.stages[st].tasks {
			if b.place[t].Slave != model.NoSlave {
				b.take(t)
			}
		}
		b.finish[st] = 0
	}
}

// nextAssigned is the first hand-out among placed tasks of the stage after the
// given one; Never if there is none.
func (b *board) nextAssigned(stage int32) model.Time {
	first := model.Never
	if next := stage + 1; next < b.fig.base[b.fig.stages[stage].ref.Job+1] {
		for _, t := range b.fig.stages[next].tasks {
			if p := b.place[t]; p.Slave != model.NoSlave {
				first = min(first, b.js.Assigned(p))
			}
		}
	}
	return first
}

// insert places a task where it finishes first, charges considered. Equal
// finishes go to the slave with the smaller C + E. The finish must come before
// limit; ok is false, and nothing done, if it cannot.
func (b *board) insert(t model.TaskID, ready, limit model.Time) (ok bool) {
	o := b.fig.options(t)
	slot := b.js.Tasks[t].Slot
	least := o.list[0].length()
	best := choice{score: model.Never, limit: limit, slave: model.NoSlave}
	for _, c := range o.list {
		extra := b.charge * (c.length() - least) / 2
		if ready+c.length()+extra >= best.score {
			break
		}
		best.offer(&b.lines[c.slave], c, ready, extra, slot)
	}
	if o.more {
		b.sample(t, ready, least, &best)
	}
	if best.slave == model.NoSlave {
		return false
	}
	tl := &b.lines[best.slave]
	tl.Insert(best.fit, best.request)
	b.place[t] = model.Placement{
		Slave: best.slave,
		Beat:  (best.fit.Assigned - tl.first) / tl.heartbeat,
		Fetch: best.fit.Fetch, Start: best.fit.Start,
	}
	st := b.stageOf(t)
	b.finish[st] = max(b.finish[st], best.fit.Finish)
	b.placed++
	return true
}

// choice is the best place seen so far for a task.
type choice struct {
	score   model.Time
	limit   model.Time
	slave   model.SlaveID
	fit     Fit
	request Request
}

func (best *choice) offer(tl *Timeline, o option, ready, extra model.Time, slot model.SlotKind) {
	r := Request{ready, model.Time(o.transfer), model.Time(o.wcet), tl.pool[slot]}
	if fit, ok := tl.Earliest(r, min(best.limit, best.score-extra)); ok {
		best.score, best.slave, best.fit, best.request = fit.Finish+extra, o.slave, fit, r
	}
}

// sample offers slaves taken by chance.
func (b *board) sample(t model.TaskID, ready, least model.Time, best *choice) {
	task := &b.js.Tasks[t]
	for range sampleSize {
		s := model.SlaveID(b.rng.IntN(len(b.lines)))
		e := task.WCET(s)
		if e == 0 {
			continue
		}
		o := option{s, int32(task.Transfer(s)), int32(e)}
		extra := b.charge * (o.length() - least) / 2
		if ready+o.length()+extra < best.score {
			best.offer(&b.lines[s], o, ready, extra, task.Slot)
		}
	}
}

// insertStage places the whole stage.
func (b *board) insertStage(stage int32) {
	ready := b.ready(stage)
	for _, t := range b.fig.stages[stage].tasks {
		b.insert(t, ready, model.Never)
	}
}

// policy says what a construction does with jobs that are beside the point.
type policy struct {
	// last marks jobs that are placed after all others.
	last []bool
	// deferLate takes soft jobs out that turn out late and places them last.
	deferLate bool
}

// newPolicy is the treatment that suits a list of objectives. Late soft jobs are
// worth nothing if misses come first, nor are hard ones that are late in every
// plan; best-effort jobs count for makespan only. late marks jobs known to be
// late in every plan; it may be nil.
func newPolicy(js *model.JobSet, objectives []model.Objective, late []bool) policy {
	first := model.Misses
	if len(objectives) > 0 {
		first = objectives[0]
	}
	p := policy{last: make([]bool, len(js.Jobs)), deferLate: first == model.Misses}
	for i := range js.Jobs {
		hopeless := late != nil && late[i]
		switch js.Jobs[i].Kind {
		case model.BestEffort:
			p.last[i] = first != model.Makespan
		case model.Hard:
			p.last[i] = hopeless && first != model.Makespan
		case model.Soft:
			p.last[i] = hopeless && p.deferLate
		}
	}
	return p
}

// construct fills the empty board with all stages in the given order, but for
// what the policy puts last. The jobs put last are placed in the order of their
// first stages.
func (b *board) construct(order Order, p policy) {
	var last []model.JobID
	out := make([]bool, len(b.js.Jobs))
	for _, ref := range order {
		switch {
		case out[ref.Job]:
			continue
		case p.last[ref.Job]:
			out[ref.Job] = true
			last = append(last, ref.Job)
			continue
		}
		stage := b.fig.base[ref.Job] + ref.Stage
		b.insertStage(stage)
		if p.deferLate && b.js.Jobs[ref.Job].Kind == model.Soft && b.finish[stage] > b.fig.stages[stage].due {
			b.takeJob(ref.Job, stage+1)
			out[ref.Job] = true
			last = append(last, ref.Job)
		}
	}
	for _, i := range last {
		b.insertJob(i)
	}
}

func (b *board) insertJob(i model.JobID) {
	for stage := b.fig.base[i]; stage < b.fig.base[i+1]; stage++ {
		b.insertStage(stage)
	}
}

// Construct makes a complete schedule by list scheduling: stages in the rule's
// order, each task where it finishes first. With misses as the first objective
// soft jobs that turn out late are taken out and placed after all others.
// Chance enters only where a job set is so large that slaves are sampled.
func Construct(js *model.JobSet, rule Rule, objectives []model.Objective, seed uint64) model.Schedule {
	fig := NewFigures(js)
	b := newBoard(fig, newRand(seed))
	b.construct(rule.Order(fig), newPolicy(js, objectives, nil))
	return b.place
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x646f776e62656174)) }
