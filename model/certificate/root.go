package certificate

import (
	"slices"

	"downbeat/model"
)

// job, stage, task and place are those of a question; they point to each other by their
// index in its state.
type job struct {
	*asked
	task, last int32 // its tasks are [task, last)
	stage      int32 // the first
	out        bool  // it has to be let go: some task has no place
}

type stage struct {
	*model.Stage
	job, task, end int32 // tasks are [task, end)
	before, next   []int32
	ready, by      model.Time // tasks are handed out and finish within
}

type task struct {
	id         model.TaskID
	job, stage int32
	place, end int32 // places are [place, end)
	left       int32 // places that are not excluded
	chosen     int32 // the place that it is on, or -1
}

type place struct {
	task       int32
	slave      model.SlaveID
	run, fetch model.Time // E and C
	// R ≥ first, a heartbeat, and S ≤ last.
	first, last model.Time
	tied        bool // R = S − C
	out         bool // excluded
}

// number makes the state of a question, before any window is known.
func (c *checker) number(q *question) *state {
	st := &state{checker: c, q: q, clauses: map[int64][]literal{}, multipliers: map[int64]*multipliers{}, last: -1}
	for i := range c.jobOf {
		c.jobOf[i] = -1
	}
	for k := range q.jobs {
		a := &q.jobs[k]
		spec := &c.js.Jobs[a.job]
		c.jobOf[a.job] = int32(k)
		j := job{asked: a, task: int32(len(st.tasks)), stage: int32(len(st.stages))}
		for t := spec.First; t < spec.End; t++ {
			st.tasks = append(st.tasks, task{id: t, job: int32(k), stage: j.stage + c.js.Tasks[t].Stage, chosen: -1})
		}
		for n := range spec.Stages {
			of := &spec.Stages[n]
			first := j.task + int32(of.First-spec.First)
			st.stages = append(st.stages, stage{Stage: of, job: int32(k), task: first, end: first + int32(of.End-of.First)})
		}
		j.last = int32(len(st.tasks))
		st.jobs = append(st.jobs, j)
	}
	for _, id := range c.js.StageOrder() {
		if at := st.stageOf(int64(id)); at >= 0 {
			st.order = append(st.order, at)
			st.stages[at].before, st.stages[at].next = st.listed(c.js.Before(id)), st.listed(c.js.Next(id))
		}
	}
	return st
}

// listed are those of some stages that belong to the question.
func (st *state) listed(ids []model.StageID) []int32 {
	var out []int32
	for _, id := range ids {
		if at := st.stageOf(int64(id)); at >= 0 {
			out = append(out, at)
		}
	}
	return out
}

// root finds the windows of all places, and the bounds of all integers before the first
// step.
func (st *state) root() {
	st.forward()
	st.backward()
	st.onSlave = make([][]int32, len(st.slaves))
	n := 3*len(st.tasks) + len(st.stages) + len(st.jobs) + len(st.slaves)
	st.lo, st.hi = make([]model.Time, n), make([]model.Time, n)
	for k := range st.jobs {
		j, end := &st.jobs[k], st.end(int32(k))
		if st.hi[end] = j.by; j.role == may {
			st.hi[end]++
		}
		if j.out {
			st.lo[end] = j.by + 1
			st.lost = st.lost || j.role != may
		}
	}
	for t := range st.tasks {
		st.settle(int32(t))
	}
	for s := range st.slaves {
		st.hi[st.firstUse(model.SlaveID(s))] = model.Time(len(st.js.Tasks))
	}
	st.dead = st.lost
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
		st.unlike(of, func(t model.TaskID) { ends[at] = max(ends[at], st.firstFinish(t, of.ready)) })
	}
}

// backward finds the time by which the tasks of each stage finish: that of its job, and
// the last time at which all tasks of a stage after it can be handed out. Jobs that may be
// let go do not press those before them.
func (st *state) backward() {
	handed := make([]model.Time, len(st.stages))
	for _, at := range slices.Backward(st.order) {
		of := &st.stages[at]
		j := &st.jobs[of.job]
		of.by = j.by
		for _, next := range of.next {
			if after := st.stages[next].job; after == of.job || st.jobs[after].role != may {
				of.by = min(of.by, handed[next])
			}
		}
		handed[at] = model.Never
		st.unlike(of, func(t model.TaskID) {
			last := model.Time(-1)
			for s := range st.slaves {
				if _, beat, _ := st.window(of, t, model.SlaveID(s)); beat >= 0 {
					last = max(last, beat)
				}
			}
			handed[at] = min(handed[at], last)
		})
		j.out = j.out || handed[at] < 0
	}
}

// unlike goes through the tasks of a stage but for those with the figures of the one before.
func (st *state) unlike(of *stage, yield func(model.TaskID)) {
	for t := of.First; t < of.End && !st.stopped(); t++ {
		if t == of.First || st.js.Tasks[t].Profile != st.js.Tasks[t-1].Profile {
			yield(t)
		}
	}
}

// window is the first and the last heartbeat at which a task can be handed out on a
// slave, and its last finish; the latter two are -1 if it cannot.
func (st *state) window(of *stage, t model.TaskID, s model.SlaveID) (first, beat, finish model.Time) {
	run, fetch := st.lengths(t, s)
	if run == 0 {
		return 0, -1, -1
	}
	first = st.firstStay(&st.slaves[s], of.ready, fetch+run)
	if beat, finish = st.lastStay(&st.slaves[s], of.by, fetch+run); beat < first {
		return first, -1, -1
	}
	return first, beat, finish
}

// settle finds the places of a task and the bounds of its integers, the hull over these.
// Those of a job that has to be let go are 0.
func (st *state) settle(t int32) {
	of := &st.tasks[t]
	in := &st.stages[of.stage]
	of.place = int32(len(st.places))
	for s := range model.SlaveID(len(st.slaves)) {
		first, _, finish := st.window(in, of.id, s)
		if finish < 0 || st.jobs[of.job].out || st.stopped() {
			continue
		}
		run, fetch := st.lengths(of.id, s)
		free := st.js.Fetch == model.FetchConcurrent || fetch == 0 // of the fetch line
		tied := free || st.slaves[s].ample && !st.js.FIFO
		st.onSlave[s] = append(st.onSlave[s], int32(len(st.places)))
		st.places = append(st.places, place{task: t, slave: s, run: run, fetch: fetch, first: first, last: finish - run, tied: tied})
	}
	of.end = int32(len(st.places))
	of.left = of.end - of.place
	if of.left == 0 {
		return
	}
	start, fetch, finish := nowhere, nowhere, nowhere
	for _, p := range st.places[of.place:] {
		start.join(span{p.first + p.fetch, p.last})
		fetch.join(span{p.first, p.last - p.fetch})
		finish.join(span{p.first + p.fetch + p.run, p.last + p.run})
	}
	for k, hull := range [...]span{start, fetch, finish} {
		st.lo[3*int(t)+k], st.hi[3*int(t)+k] = hull.first, hull.last
	}
	over, end := st.over(of.stage), st.end(of.job)
	st.lo[over], st.hi[over] = max(st.lo[over], finish.first), max(st.hi[over], finish.last)
	st.lo[end] = max(st.lo[end], finish.first)
}
