package heuristics

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
)

// Repair makes a complete schedule of one that may be partial and may break any
// rule: placements on slaves that do not exist, at times out of range, or made
// for other durations. What breaks no rule beside the rest stays as it is; where
// placements are at odds with each other, those that start first stay. All
// other tasks are placed anew, hard jobs first, each where it finishes first.
//
// If hard jobs turn out late in this way, jobs make way for them: hard jobs
// are kept and completed first, then soft ones in what room is left, then
// best-effort ones.
func Repair(js *model.JobSet, from model.Schedule) model.Schedule {
	return NewFigures(js).Repair(context.Background(), from)
}

// Repair is the function Repair, and nil where ctx ends before it is done, as placing a large
// part of a large set anew takes long, or where no room is found for a gang.
func (f *Figures) Repair(ctx context.Context, from model.Schedule) model.Schedule {
	js, r := f.js, newRepairer(f, from)
	r.ctx = ctx
	plan := r.run([]model.JobKind{model.Hard, model.Soft, model.BestEffort})
	if ctx.Err() != nil || r.stuck {
		return nil
	}
	late := js.ListValue(model.HardMisses, js.Finishes(plan))
	if late == 0 {
		return plan
	}
	byKind := r.run([]model.JobKind{model.Hard}, []model.JobKind{model.Soft}, []model.JobKind{model.BestEffort})
	if ctx.Err() == nil && !r.stuck && js.ListValue(model.HardMisses, js.Finishes(byKind)) < late {
		return byKind
	}
	return plan
}

// repairer makes schedules of one that is broken.
type repairer struct {
	ctx  context.Context
	js   *model.JobSet
	fig  *Figures
	from model.Schedule
	// usable tasks are placed as C0–C3 and C7 allow, in order of start.
	usable []model.TaskID
	// order is that in which missing tasks are placed.
	order Order
	// kind is by job its kind, or a harder one of a job that comes after it.
	kind []model.JobKind
	b    *Board
	// stuck: no room was found for a gang.
	stuck bool
}

func newRepairer(fig *Figures, from model.Schedule) *repairer {
	js := fig.js
	r := &repairer{
		js: js, fig: fig, from: from,
		order: Rule{ByStage: true, Keys: []Key{HardFirst, StageLatestStart}}.Order(fig),
	}
	for i := range js.Jobs {
		r.usable = append(r.usable, r.usableOf(&js.Jobs[i])...)
	}
	r.inSequence()
	r.wholeGangs()
	r.rankKinds()
	slices.SortFunc(r.usable, func(a, b model.TaskID) int {
		return cmp.Or(cmp.Compare(from[a].Start, from[b].Start), cmp.Compare(a, b))
	})
	return r
}

// rankKinds sets the kinds by which jobs take their turn.
func (r *repairer) rankKinds() {
	for i := range r.js.Jobs {
		r.kind = append(r.kind, r.js.Jobs[i].Kind)
	}
	for _, i := range slices.Backward(r.js.JobOrder()) {
		for _, next := range r.fig.Jobs[i].Next {
			r.kind[i] = max(r.kind[i], r.kind[next])
		}
	}
}

// inSequence leaves out tasks that are handed out before a task that they wait for has
// finished; where stages form chains usableOf has seen to that.
func (r *repairer) inSequence() {
	if r.fig.chains {
		return
	}
	byStage := make([][]model.TaskID, r.js.Stages())
	for _, t := range r.usable {
		st := r.js.StageOf(&r.js.Tasks[t])
		byStage[st] = append(byStage[st], t)
	}
	r.usable = r.usable[:0]
	ends := make([]model.Time, len(byStage))
	for _, st := range r.js.StageOrder() {
		for _, t := range byStage[st] {
			if !slices.ContainsFunc(r.js.Before(st), func(k model.StageID) bool { return r.js.Assigned(r.from[t]) < ends[k] }) {
				r.usable = append(r.usable, t)
				ends[st] = max(ends[st], r.js.Finish(t, r.from[t]))
			}
		}
	}
}

// wholeGangs leaves out tasks of gangs that are not all usable, with one start for all (C12).
func (r *repairer) wholeGangs() {
	if !r.js.Gangs() {
		return
	}
	usable := make([]bool, len(r.js.Tasks))
	for _, t := range r.usable {
		usable[t] = true
	}
	r.usable = slices.DeleteFunc(r.usable, func(t model.TaskID) bool {
		st, gang := r.js.GangOf(t)
		if !gang {
			return false
		}
		start := r.from[t].Start
		if st.StartAt > 0 {
			start = st.StartAt
		}
		for k := st.First; k < st.End; k++ {
			if !usable[k] || r.from[k].Start != start {
				return true
			}
		}
		return false
	})
}

// usableOf lists tasks of a job whose placements break no rule by themselves,
// nor, where its stages form a chain, C7 among each other.
func (r *repairer) usableOf(job *model.Job) []model.TaskID {
	var all, before []model.TaskID
	for k := range job.Stages {
		var now []model.TaskID
		for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
			if r.sound(t) {
				now = append(now, t)
			}
		}
		if k > 0 && job.Chain() {
			border := r.border(before, now)
			all = slices.DeleteFunc(all, func(t model.TaskID) bool {
				return r.js.Tasks[t].Stage == int32(k-1) && r.js.Finish(t, r.from[t]) > border
			})
			now = slices.DeleteFunc(now, func(t model.TaskID) bool { return r.js.Assigned(r.from[t]) < border })
		}
		all, before = append(all, now...), now
	}
	return all
}

// farthest is the last start that is worth keeping: far beyond the largest
// time that a job set names, and small enough for sums over all tasks and slaves.
const farthest model.Time = 1 << 38

// sound reports whether a task is placed in keeping with C0, C2 and C3.
func (r *repairer) sound(t model.TaskID) bool {
	p, task := r.from[t], &r.js.Tasks[t]
	if p.Slave < 0 || int(p.Slave) >= len(r.js.Slaves) || task.WCET(p.Slave) == 0 {
		return false
	}
	if p.Beat < 0 || p.Beat > farthest/r.js.Heartbeat || p.Fetch < 0 || p.Start < 0 || p.Start > farthest {
		return false
	}
	assigned := r.js.Assigned(p)
	return assigned >= r.js.Jobs[task.Job].Release && p.Fetch >= assigned && p.Start-task.Transfer(p.Slave) >= p.Fetch
}

// border is the time between two stages that leaves most of their tasks where
// they are: those of the first that finish by then, and those of the second
// that are handed out no earlier. Of equals it is the last, which keeps more of
// the first stage.
func (r *repairer) border(first, second []model.TaskID) model.Time {
	finishes, assigned := make([]model.Time, len(first)), make([]model.Time, len(second))
	for i, t := range first {
		finishes[i] = r.js.Finish(t, r.from[t])
	}
	for i, t := range second {
		assigned[i] = r.js.Assigned(r.from[t])
	}
	slices.Sort(finishes)
	slices.Sort(assigned)
	best, border, early := len(second), model.Time(0), 0
	for i, finish := range finishes {
		for early < len(assigned) && assigned[early] < finish {
			early++
		}
		if kept := i + 1 + len(assigned) - early; kept >= best {
			best, border = kept, finish
		}
	}
	return border
}

// run makes a complete schedule: for the jobs of some kinds after those of
// others, it keeps what fits and places the rest. Where ctx ends it is a part of one.
func (r *repairer) run(rounds ...[]model.JobKind) model.Schedule {
	r.b, r.stuck = NewBoard(r.fig, 0), false
	r.pin()
	for _, kinds := range rounds {
		r.keep(kinds)
		r.fill(kinds)
	}
	return r.b.Place
}

// keep puts usable tasks where they were, if they fit beside what is there, and what they
// wait for was not placed anew, in an earlier round, so that it ends too late for them.
func (r *repairer) keep(kinds []model.JobKind) {
	for _, t := range r.usable {
		p := r.from[t]
		if !slices.Contains(kinds, r.kind[r.js.Tasks[t].Job]) || r.b.Place[t].Slave != model.NoSlave {
			continue // not its turn, or placed before all others
		}
		if r.ctx.Err() != nil {
			return
		}
		if r.js.Gangs() {
			if st, gang := r.js.GangOf(t); gang {
				if t == st.First {
					r.keepGang(st)
				}
				continue
			}
		}
		if r.fits(t) {
			r.b.Put(t, p)
		}
	}
}

// fits reports whether a task can be where it was, beside what is there.
func (r *repairer) fits(t model.TaskID) bool {
	p, stage := r.from[t], r.fig.index[r.js.StageOf(&r.js.Tasks[t])]
	request := r.b.request(t, p.Slave)
	if r.js.Assigned(p) < r.b.Ready(stage) || !r.b.Lines[p.Slave].Fits(r.b.fitOf(p, request.WCET), request) {
		return false
	}
	apart := r.b.apartOf(t)
	return apart == nil || apart.allows(p.Slave)
}

// keepGang puts all tasks of a gang where they were if they all fit.
func (r *repairer) keepGang(st *model.Stage) {
	for t := st.First; t < st.End; t++ {
		if r.fits(t) {
			r.b.Put(t, r.from[t])
			continue
		}
		for ; t > st.First; t-- {
			r.b.Take(t - 1)
		}
		r.b.Finish[r.b.StageOf(st.First)] = 0
		return
	}
}

// pin places the stages that start at a given time before all others, where they were if they were there.
func (r *repairer) pin() {
	for _, stage := range r.fig.pinned {
		for before := range r.fig.Before(stage) {
			r.stuck = r.stuck || !r.b.insertWaited(r.ctx, before)
		}
	}
	for _, t := range r.usable {
		if st, gang := r.js.GangOf(t); gang && st.StartAt > 0 && t == st.First {
			r.keepGang(st)
		}
	}
	r.stuck = r.stuck || !r.b.pin(r.ctx)
}

// fill places the tasks that are missing. Where a stage cannot end before tasks
// that wait for it are handed out, all that may wait for it is placed anew. Among that
// may be stages that are no longer to come, where stages are no chain; those are placed
// at the end, in an order in which all that is taken away is to come.
func (r *repairer) fill(kinds []model.JobKind) {
	for _, ref := range r.order {
		r.fillStage(r.fig.Index(ref), kinds)
	}
	if r.fig.chains {
		return
	}
	for _, i := range r.js.JobOrder() {
		for stage := r.fig.Base[i]; stage < r.fig.Base[i+1]; stage++ {
			r.fillStage(stage, kinds)
		}
	}
}

func (r *repairer) fillStage(stage int32, kinds []model.JobKind) {
	if !slices.Contains(kinds, r.kind[r.fig.Stages[stage].Ref.Job]) {
		return
	}
	ready, next := r.b.Ready(stage), r.b.NextAssigned(stage)
	for _, t := range r.fig.Stages[stage].Tasks {
		if r.ctx.Err() != nil || r.stuck {
			return
		}
		if r.b.Place[t].Slave != model.NoSlave || r.b.Insert(t, ready, next+1) {
			continue
		}
		for _, rest := range r.fig.Behind(stage) {
			r.b.takeStages(context.Background(), rest.From, r.fig.Base[rest.Job+1])
		}
		next = model.Never
		r.stuck = !r.b.Insert(t, ready, next) || r.stuck
	}
}
