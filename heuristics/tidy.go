package heuristics

import (
	"context"
	"slices"

	"downbeat/model"
)

// tidyRounds bounds the passes over all tasks. A pass changes nothing after a
// handful in practice; ticks alone bound it in theory.
const tidyRounds = 1000

const (
	// tidyAllowance is the work that is done even after ctx has ended: all there is on
	// sets of some hundred tasks, a few tenths of a second on any.
	tidyAllowance = 150_000
	// tidySteps is the number of steps on a timeline that are gone through in the time
	// of one unit of work.
	tidySteps = 64
)

// Tidy returns a plan on the same slaves in which no task can finish earlier by
// moving its own beat, fetch and start with all else as it is, and in which
// each is handed out at the last heartbeat that keeps the plan valid, and then
// fetched as early as that allows; a gang moves as one (C12). No task finishes later than in s. The
// schedule must satisfy C0–C7, C9–C12, absences, pools of slots and fifo; tasks that are not
// placed stay so, those of a gang all or none.
//
// It ends because every move lowers (Σ finish, −Σ assigned, Σ fetch). Plans are most often
// tidied when the time is up: once ctx has ended no more than a counted amount of work
// is done, and tasks that were not looked at by then may be left to move.
func Tidy(ctx context.Context, js *model.JobSet, s model.Schedule) model.Schedule {
	return tidy(ctx, js, s, tidyAllowance)
}

// tidy is Tidy with another allowance.
func tidy(ctx context.Context, js *model.JobSet, s model.Schedule, allowance int) model.Schedule {
	if ctx.Err() != nil && allowance <= len(s) {
		return slices.Clone(s) // it would be used up before the first move
	}
	js = js.Returning()
	lines, needs := newTimelines(js)
	t := tidier{
		ctx: ctx, allowance: allowance, js: js, lines: lines, needs: needs, place: slices.Clone(s),
		seen: make([]basis, len(s)), finish: make([]model.Time, js.Stages()), changes: make([]int, len(js.Slaves)),
		gangs: js.Gangs(),
	}
	for _, id := range byStart(s) {
		if t.over() {
			break
		}
		fit, r := t.spot(id)
		t.lines[s[id].Slave].Insert(fit, r)
		t.allowance--
	}
	for range tidyRounds {
		if !t.pass() {
			break
		}
	}
	return t.place
}

// tidier moves tasks of a schedule on their slaves. The schedule is valid after each move.
type tidier struct {
	ctx context.Context
	// allowance is the work left that is done whether or not ctx has ended.
	allowance int

	js    *model.JobSet
	needs *needsLookup
	lines []timeline
	place model.Schedule
	// changes counts moves per slave, shared those of tasks that take of what is shared; seen is
	// what each task's place was last worked out from.
	changes []int
	shared  int
	seen    []basis
	// gangs: some tasks may start together.
	gangs bool
	// finish is the last finish by stage, 0 where it must be worked out.
	finish []model.Time
}

// basis is all that a task's best place depends on.
type basis struct {
	known           bool
	changes, shared int
	ready           model.Time
}

// over reports whether it is time to end.
func (t *tidier) over() bool { return t.allowance <= 0 && t.ctx.Err() != nil }

// spot is where a placed task is, and what it asks for; Ready is left open.
func (t *tidier) spot(id model.TaskID) (Fit, request) {
	p, task := t.place[id], &t.js.Tasks[id]
	r := request{Transfer: task.Transfer(p.Slave), WCET: task.WCET(p.Slave)}
	r.Needs = t.needs.Of(id, p.Slave, &t.lines[p.Slave], r.Transfer)
	return Fit{Assigned: t.js.Assigned(p), Fetch: p.Fetch, Start: p.Start, Finish: p.Start + r.WCET}, r
}

// ready is the earliest hand-out of a task: C3, C7 and C10.
func (t *tidier) ready(task *model.Task) model.Time {
	ready := t.js.Jobs[task.Job].Release
	for _, before := range t.js.Before(t.js.StageOf(task)) {
		ready = max(ready, t.stageFinish(before))
	}
	return ready
}

// stageFinish is the last finish of the placed tasks of a stage, at least the release of
// its job.
func (t *tidier) stageFinish(id model.StageID) model.Time {
	finish := &t.finish[id]
	if *finish == 0 {
		stage, job := t.js.Stage(id)
		*finish = t.js.Jobs[job].Release
		for task := stage.First; task < stage.End; task++ {
			if p := t.place[task]; p.Slave != model.NoSlave {
				*finish = max(*finish, t.js.Finish(task, p))
			}
		}
	}
	return *finish
}

// pass looks at every task once, in order of start, and tells whether any moved.
func (t *tidier) pass() bool {
	if t.over() {
		return false
	}
	moved := false
	for _, id := range byStart(t.place) {
		if t.over() {
			return false
		}
		st, gang := t.gangOf(id)
		switch {
		case gang && id != st.First:
		case gang && t.moveGang(st), !gang && t.move(id):
			moved = true
		}
	}
	return moved
}

// move puts one task at its best place and tells whether that is a new one.
func (t *tidier) move(id model.TaskID) bool {
	task := &t.js.Tasks[id]
	p := &t.place[id]
	now := basis{known: true, changes: t.changes[p.Slave], ready: t.ready(task)}
	if t.js.Takes(id) != nil {
		now.shared = t.shared
	}
	if t.seen[id] == now {
		return false
	}
	t.seen[id] = now
	tl := &t.lines[p.Slave]
	if p.Start == tl.BeatAtOrAfter(now.ready)+task.Transfer(p.Slave) {
		return false // no time is left but for where it is
	}
	t.allowance -= 1 + tl.Steps()/tidySteps
	old, r := t.spot(id)
	r.Ready = now.ready
	tl.Remove(old, r)
	fit, _ := tl.Earliest(r, model.Never)
	fit = tl.Settle(fit, r)
	tl.Insert(fit, r)
	if fit == old {
		return false
	}
	t.finish[t.js.StageOf(task)] = 0
	t.changes[p.Slave]++
	t.seen[id].changes++ // its own move leaves it at its best place
	if len(r.Needs.shared) > 0 {
		t.shared++
		t.seen[id].shared++
	}
	p.Beat, p.Fetch, p.Start = tl.Beat(fit.Assigned), fit.Fetch, fit.Start
	return true
}

// gangOf is the stage of a task whose tasks start together.
func (t *tidier) gangOf(id model.TaskID) (*model.Stage, bool) {
	if !t.gangs {
		return nil, false
	}
	return t.js.GangOf(id)
}

// moveGang puts the tasks of a gang at their first common start, and then each at its last heartbeat;
// it tells whether any of them is elsewhere then.
func (t *tidier) moveGang(st *model.Stage) bool {
	ready := t.ready(&t.js.Tasks[st.First])
	was := slices.Clone(t.place[st.First:st.End])
	if st.StartAt == 0 {
		t.hasten(st, ready)
	}
	for id := st.First; id < st.End; id++ {
		t.handLate(id, ready)
	}
	if slices.Equal(was, t.place[st.First:st.End]) {
		return false
	}
	t.shared++
	for id := st.First; id < st.End; id++ {
		t.changes[t.place[id].Slave]++
	}
	t.finish[t.js.StageOf(&t.js.Tasks[st.First])] = 0
	return true
}

// hasten gives a gang the first start that all its tasks can have where they are.
func (t *tidier) hasten(st *model.Stage, ready model.Time) {
	now := t.place[st.First].Start
	first := ready
	for id := st.First; id < st.End; id++ {
		p := t.place[id]
		first = max(first, t.lines[p.Slave].BeatAtOrAfter(ready)+t.js.Tasks[id].Transfer(p.Slave))
		t.lift(id)
	}
	for first < now {
		start, fits := t.together(st, ready, first, now)
		if start == first {
			for k, fit := range fits {
				t.put(st.First+model.TaskID(k), fit)
			}
			return
		}
		first = start
	}
	for id := st.First; id < st.End; id++ {
		fit, r := t.spot(id)
		t.lines[t.place[id].Slave].Insert(fit, r)
	}
}

// together puts the tasks of a gang on their timelines one after the other to see what start they can
// have from first on, and takes them off again: first itself, or one before which they have none, or
// limit.
func (t *tidier) together(st *model.Stage, ready, first, limit model.Time) (start model.Time, fits []Fit) {
	start = first
	for id := st.First; id < st.End && start == first; id++ {
		_, r := t.spot(id)
		r.Ready = ready
		t.allowance--
		tl := &t.lines[t.place[id].Slave]
		fit, ok := tl.EarliestFrom(r, first, limit+r.WCET)
		switch {
		case !ok:
			start = limit
		case fit.Start > first:
			start = fit.Start
		default:
			tl.Insert(fit, r)
			fits = append(fits, fit)
		}
	}
	for k, fit := range slices.Backward(fits) {
		_, r := t.spot(st.First + model.TaskID(k))
		t.lines[t.place[st.First+model.TaskID(k)].Slave].Remove(fit, r)
	}
	return start, fits
}

// handLate hands a task out at the last heartbeat that its start allows, and fetches it as early as
// that does.
func (t *tidier) handLate(id model.TaskID, ready model.Time) {
	old, r := t.spot(id)
	r.Ready = ready
	tl := &t.lines[t.place[id].Slave]
	tl.Remove(old, r)
	fit := tl.Settle(old, r)
	tl.Insert(fit, r)
	p := &t.place[id]
	p.Beat, p.Fetch = tl.Beat(fit.Assigned), fit.Fetch
}

// lift takes a task off its timeline, put puts one on at a new place.
func (t *tidier) lift(id model.TaskID) {
	fit, r := t.spot(id)
	t.lines[t.place[id].Slave].Remove(fit, r)
}

func (t *tidier) put(id model.TaskID, fit Fit) {
	_, r := t.spot(id)
	p := &t.place[id]
	tl := &t.lines[p.Slave]
	p.Beat, p.Fetch, p.Start = tl.Beat(fit.Assigned), fit.Fetch, fit.Start
	tl.Insert(fit, r)
}
