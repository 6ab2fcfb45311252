package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// Board is a planning board: a partial schedule together with the timelines of
// slaves that it makes.
type Board struct {
	js    *model.JobSet
	fig   *Figures
	needs *needsLookup
	batch batch
	// coupled: tasks on different slaves have more in common than time, as [model.JobSet.Coupled] says;
	// apart is for the task that is being inserted.
	coupled bool
	apart   *apart
	// Lines has one timeline per slave, Place one placement per task.
	Lines []timeline
	Place model.Schedule
	// Finish is the last finish of the placed tasks of each stage (as
	// [Figures.Stages] numbers them), 0 if none is placed.
	Finish []model.Time
	// Rand is where all chance comes from, for searches over boards too.
	Rand *rand.Rand
	// Charge penalises slow and remote slaves: a slave competes with its finish
	// plus Charge/2 for each tick of C + E beyond the task's best slave.
	Charge model.Time
	// Samples is the number of slaves tried by chance for a task whose slaves are not all
	// listed; more of them cost as much more time, and leave less idle.
	Samples int
	// Placed counts insertions: the measure of work.
	Placed int64
}

// NewBoard is a board with nothing placed. Equal seeds give equal choices.
func NewBoard(f *Figures, seed uint64) *Board {
	lines, needs := newTimelines(f.js)
	return &Board{
		js: f.js, fig: f, needs: needs, Samples: sampleSize, Rand: rand.New(rand.NewPCG(seed, 0x646f776e62656174)),
		batch: batch{ahead: aheadIn(f.js)}, coupled: f.js.Coupled(),
		Lines:  lines,
		Place:  model.NewSchedule(len(f.js.Tasks)),
		Finish: make([]model.Time, len(f.Stages)),
	}
}

// Clear takes all tasks out.
func (b *Board) Clear() {
	for s := range b.Lines {
		b.Lines[s].Reset()
	}
	b.needs.shared.reset()
	for t := range b.Place {
		b.Place[t].Slave = model.NoSlave
	}
	clear(b.Finish)
	clear(b.batch.last)
}

// Load takes over a schedule, which is valid and may be partial. If ctx ends on the way it
// gives false, and leaves a part of it.
func (b *Board) Load(ctx context.Context, s model.Schedule) bool {
	b.Clear()
	for _, t := range byStart(s) {
		if ctx.Err() != nil {
			return false
		}
		b.Put(t, s[t])
	}
	return true
}

// byStart lists the placed tasks in order of start, in which timelines fill from behind:
// in any other, what is there already moves for each task.
func byStart(s model.Schedule) []model.TaskID {
	order := make([]model.TaskID, 0, len(s))
	for t := range s {
		if s[t].Slave != model.NoSlave {
			order = append(order, model.TaskID(t))
		}
	}
	slices.SortFunc(order, func(a, b model.TaskID) int {
		return cmp.Or(cmp.Compare(s[a].Start, s[b].Start), cmp.Compare(a, b))
	})
	return order
}

// StageOf is the index of a task's stage, in [Figures.Stages].
func (b *Board) StageOf(t model.TaskID) int32 {
	task := &b.js.Tasks[t]
	if b.fig.chains {
		return b.fig.Base[task.Job] + task.Stage
	}
	return b.fig.index[b.js.StageOf(task)]
}

// Ready is the earliest time at which tasks of the stage can be handed out:
// release, or the last finish of the stages that it waits for, whose tasks are all
// placed.
func (b *Board) Ready(stage int32) model.Time {
	ref := b.fig.Stages[stage].Ref
	if b.fig.chains && ref.Stage > 0 {
		return b.Finish[stage-1]
	}
	ready := b.js.Jobs[ref.Job].Release
	for _, before := range b.js.Before(b.fig.ID(stage)) {
		ready = max(ready, b.Finish[b.fig.index[before]])
	}
	return ready
}

// JobFinish is the finish of a job whose tasks are all placed.
func (b *Board) JobFinish(i model.JobID) model.Time {
	end := b.fig.Base[i+1]
	if b.fig.chains {
		return b.Finish[end-1]
	}
	return slices.Max(b.Finish[b.fig.Base[i]:end])
}

// request is what task t asks of slave s.
func (b *Board) request(t model.TaskID, s model.SlaveID) request {
	task := &b.js.Tasks[t]
	r := request{Transfer: task.Transfer(s), WCET: task.WCET(s)}
	r.Needs = b.needs.Of(t, s, &b.Lines[s], r.Transfer)
	return r
}

// fitOf is the place of a placed task.
func (b *Board) fitOf(p model.Placement, wcet model.Time) Fit {
	return Fit{Assigned: b.js.Assigned(p), Fetch: p.Fetch, Start: p.Start, Finish: p.Start + wcet}
}

// Put places a task as given, of a gang one after the other.
func (b *Board) Put(t model.TaskID, p model.Placement) {
	r := b.request(t, p.Slave)
	fit := b.fitOf(p, r.WCET)
	b.Lines[p.Slave].Insert(fit, r)
	b.Place[t] = p
	st := b.StageOf(t)
	b.Finish[st] = max(b.Finish[st], fit.Finish)
}

// Take removes a placed task; of a gang all are to be removed. The finish of its stage is left to
// Restage.
func (b *Board) Take(t model.TaskID) {
	p := b.Place[t]
	r := b.request(t, p.Slave)
	b.Lines[p.Slave].Remove(b.fitOf(p, r.WCET), r)
	if b.batch.last != nil {
		b.batch.last[p.Slave] = answer{}
	}
	b.Place[t].Slave = model.NoSlave
}

// Restage works out the finish of a stage again.
func (b *Board) Restage(stage int32) {
	finish := model.Time(0)
	for _, t := range b.fig.Stages[stage].Tasks {
		if p := b.Place[t]; p.Slave != model.NoSlave {
			finish = max(finish, b.js.Finish(t, p))
		}
	}
	b.Finish[stage] = finish
}

// TakeJob removes the placed tasks of a job.
func (b *Board) TakeJob(i model.JobID) {
	b.takeStages(context.Background(), b.fig.Base[i], b.fig.Base[i+1])
}

// takeStages removes the placed tasks of some stages of a job, the last to be placed
// first: most often it starts last, and little moves on its timeline. Those of stages that start at a
// given time stay. If ctx ends on the way it gives false, and leaves some.
func (b *Board) takeStages(ctx context.Context, from, to int32) bool {
	for st := to - 1; st >= from; st-- {
		if b.fig.Pinned(st) {
			continue
		}
		for _, t := range slices.Backward(b.fig.Stages[st].Tasks) {
			if ctx.Err() != nil {
				return false
			}
			if b.Place[t].Slave != model.NoSlave {
				b.Take(t)
			}
		}
		b.Finish[st] = 0
	}
	return true
}

// NextAssigned is the first hand-out among placed tasks of the stages that wait for the
// given one; Never if there is none.
func (b *Board) NextAssigned(stage int32) model.Time {
	first := model.Never
	for _, next := range b.js.Next(b.fig.ID(stage)) {
		for _, t := range b.fig.Stages[b.fig.index[next]].Tasks {
			if p := b.Place[t]; p.Slave != model.NoSlave {
				first = min(first, b.js.Assigned(p))
			}
		}
	}
	return first
}
