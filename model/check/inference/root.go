package inference

import (
	"slices"

	"downbeat/model"
)

// job, stage, task and place are those of a question; they point to each other, and to
// integers, by their index in its state.
type job struct {
	*asked
	task, last       int32 // its tasks are [task, last)
	stage, lastStage int32 // its stages are [stage, lastStage)
	end              int32 // when it ends
}

type stage struct {
	*model.Stage
	job, task, end int32 // tasks are [task, end)
	before, next   []int32
	ready          model.Time // tasks are handed out then at the earliest
	over           int32      // when it ends
}

type task struct {
	id                   model.TaskID
	job, stage           int32
	place, end           int32 // places are [place, end)
	left                 int32 // places that are not excluded
	start, fetch, finish int32 // S, R, F
}

type place struct {
	task       int32
	slave      model.SlaveID
	run, fetch model.Time // E and C
	// R ≥ first, a heartbeat, and S ≤ last.
	first, last model.Time
	tied        bool // R = S − C
}

// newState is that of a question before any window is known.
func (c *checker) newState(q *question) *state {
	st := &state{checker: c, q: q, clauses: map[int64][]literal{}, multipliers: map[int64]*multipliers{}, before: map[[2]int32]int32{}, last: -1}
	none := func(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
	jobs, stages, tasks := len(c.js.Jobs), c.js.Stages(), len(c.js.Tasks)
	st.local = map[byte][]int32{'J': none(jobs), 'K': none(stages), 'T': none(tasks)}
	st.integers = map[byte][]int32{'s': none(tasks), 'r': none(tasks), 'f': none(tasks), 'g': none(stages), 'e': none(jobs), 'u': none(len(c.js.Slaves))}
	for k := range q.jobs {
		spec := &c.js.Jobs[q.jobs[k].job]
		j := job{asked: &q.jobs[k], task: int32(len(st.tasks)), stage: int32(len(st.stages))}
		for n := range spec.Stages {
			of := stage{Stage: &spec.Stages[n], job: int32(k), task: int32(len(st.tasks))}
			at := int32(len(st.stages))
			for id := of.First; id < of.End; id++ {
				st.local['T'][id] = int32(len(st.tasks))
				st.tasks = append(st.tasks, task{id: id, job: int32(k), stage: at})
			}
			of.end = int32(len(st.tasks))
			st.local['K'][spec.FirstStage+model.StageID(n)] = at
			st.stages = append(st.stages, of)
		}
		j.last, j.lastStage = int32(len(st.tasks)), int32(len(st.stages))
		st.local['J'][j.job] = int32(k)
		st.jobs = append(st.jobs, j)
	}
	for _, id := range c.js.StageOrder() {
		at := st.local['K'][id]
		if at < 0 {
			continue
		}
		st.order = append(st.order, at)
		for _, before := range c.js.Before(id) {
			if b := st.local['K'][before]; b >= 0 {
				st.stages[at].before = append(st.stages[at].before, b)
				st.stages[b].next = append(st.stages[b].next, at)
			}
		}
	}
	return st
}

// root finds the windows of all places, and the bounds of all integers before the first
// step.
func (st *state) root() {
	st.onSlave = make([][]int32, len(st.js.Slaves))
	st.integer(span{}, nobody)
	st.forward()
	st.backward()
	for s := range st.js.Slaves {
		st.integers['u'][s] = st.integer(span{0, model.Time(len(st.js.Tasks))}, nobody)
	}
	for k := range st.jobs {
		st.settle(int32(k))
	}
	st.dead = st.lost
	for t := int32(0); t < int32(len(st.tasks)) && !st.dead && !st.stopped(); t++ {
		st.pressEnds(t)
	}
	st.trail, st.lost = st.trail[:0], st.dead
}

// integer makes a new one.
func (st *state) integer(is span, of owner) int32 {
	st.is, st.whose = append(st.is, is), append(st.whose, of)
	return int32(len(st.is)) - 1
}

// forward finds when each stage can be handed out at the earliest: each job alone on the
// cluster but for those that it comes after.
func (st *state) forward() {
	ends := make([]model.Time, len(st.stages))
	for _, at := range st.order {
		of := &st.stages[at]
		of.ready = st.js.Jobs[st.jobs[of.job].job].Release
		for _, before := range of.before {
			of.ready = max(of.ready, ends[before])
		}
		ends[at] = of.ready
		for t := of.First; t < of.End && !st.stopped(); t++ {
			ends[at] = max(ends[at], st.firstFinish(t, of.ready))
		}
	}
}

// backward finds the places: a stage finishes by the time of its job, and by when all tasks
// of a stage after it can be handed out at the latest. Jobs that may be let go do not press
// those before them.
func (st *state) backward() {
	handed := make([]model.Time, len(st.stages))
	for _, at := range slices.Backward(st.order) {
		of := &st.stages[at]
		by := st.jobs[of.job].by
		for _, next := range of.next {
			if after := st.stages[next].job; after == of.job || st.jobs[after].role != may {
				by = min(by, handed[next])
			}
		}
		handed[at] = model.Never
		for t := of.task; t < of.end && !st.stopped(); t++ {
			handed[at] = min(handed[at], st.lay(t, of.ready, by))
		}
	}
}

// lay finds the places of a task, and the last time at which it can be handed out; -1 if
// there is none.
func (st *state) lay(t int32, ready, by model.Time) model.Time {
	of, handed := &st.tasks[t], model.Time(-1)
	of.place = int32(len(st.places))
	for s := range model.SlaveID(len(st.js.Slaves)) {
		run, fetch := st.lengths(of.id, s)
		if run == 0 {
			continue
		}
		if first, last, end := st.stays(s, fetch+run, ready, by); end >= 0 {
			st.integer(span{0, 1}, owner{t, t + 1, of.job})
			st.onSlave[s] = append(st.onSlave[s], int32(len(st.places)))
			st.places = append(st.places, place{task: t, slave: s, run: run, fetch: fetch, first: first, last: end - run, tied: st.tied(of.id, s, fetch)})
			handed = max(handed, last)
		}
	}
	of.end = int32(len(st.places))
	return handed
}

// together is when all tasks of a gang can start, which start together; empty where they cannot.
func (st *state) together(of *stage) span {
	all := span{0, latest}
	if of.StartAt > 0 {
		all = span{of.StartAt, of.StartAt}
	}
	for t := of.task; t < of.end; t++ {
		own := nowhere
		for _, p := range st.places[st.tasks[t].place:st.tasks[t].end] {
			own.join(span{p.first + p.fetch, p.last})
		}
		all = span{max(all.first, own.first), min(all.last, own.last)}
	}
	return all
}

// possible reports whether each task of a job has a place, and all of a gang can start together.
func (st *state) possible(j *job) bool {
	for n := j.stage; n < j.lastStage; n++ {
		if of := &st.stages[n]; of.IsGang() {
			if all := st.together(of); all.empty() {
				return false
			}
		}
	}
	return !slices.ContainsFunc(st.tasks[j.task:j.last], func(t task) bool { return t.place == t.end })
}

// settle finds the bounds of the integers of a job. Where a task of it has no place it has
// to be let go.
func (st *state) settle(k int32) {
	j, end := &st.jobs[k], span{0, st.jobs[k].by}
	if j.role == may {
		end.last++
	}
	if !st.possible(j) {
		end.first = j.by + 1
		for t := j.task; t < j.last; t++ {
			st.tasks[t].end = st.tasks[t].place
		}
	}
	spec := &st.js.Jobs[j.job]
	for n := j.stage; n < j.lastStage; n++ {
		of, over := &st.stages[n], span{}
		start := int32(-1)
		if of.IsGang() {
			all := st.together(of)
			if all.empty() || st.tasks[of.task].place == st.tasks[of.task].end {
				all = span{}
			}
			start = st.integer(all, owner{of.task, of.end, k})
		}
		for t := of.task; t < of.end; t++ {
			finish := st.settleTask(t, start)
			over = span{max(over.first, finish.first), max(over.last, finish.last)}
		}
		whose := owner{-1, -1, k}
		if of.end == of.task+1 { // which ends with its stage
			whose = owner{of.task, of.end, k}
		}
		of.over = st.integer(over, whose)
		st.integers['g'][spec.FirstStage+model.StageID(n-j.stage)] = of.over
		end.first = max(end.first, over.first)
	}
	whose := nobody
	if j.last == j.task+1 || j.role == may { // whose end is that of its task, or which may come to be in
		whose = owner{j.task, j.last, -1}
	}
	j.end = st.integer(end, whose)
	st.integers['e'][j.job] = j.end
	st.lost = st.lost || end.empty()
}

// settleTask finds the bounds of S, R and F, the hulls over the places of a task, 0 if it
// has none; and gives those of F. S is an integer that there is already if it is not below 0: that of
// the gang.
func (st *state) settleTask(t, together int32) span {
	of := &st.tasks[t]
	start, fetch, finish := nowhere, nowhere, nowhere
	all := span{-model.Never, model.Never}
	if together >= 0 {
		all = st.is[together]
	}
	for _, p := range st.places[of.place:of.end] {
		start.join(span{p.first + p.fetch, p.last})
		fetch.join(span{p.first, p.last - p.fetch})
		finish.join(span{max(p.first+p.fetch, all.first) + p.run, min(p.last, all.last) + p.run})
	}
	if of.place == of.end {
		start, fetch, finish = span{}, span{}, span{}
	}
	own := owner{t, t + 1, of.job}
	of.left, of.start = st.integer(span{0, model.Time(of.end - of.place)}, nobody), together
	if together < 0 {
		of.start = st.integer(start, own)
	}
	of.fetch, of.finish = st.integer(fetch, own), st.integer(finish, own)
	st.integers['s'][of.id], st.integers['r'][of.id], st.integers['f'][of.id] = of.start, of.fetch, of.finish
	return finish
}
