package certificate

import (
	"slices"

	"downbeat/model"
)

// job, stage, task and place are those of a question; they point to each other by their
// index in its state.
type job struct {
	*asked
	task, stage int32 // the first of each
	out         bool  // it has to be let go: some task has no place
}

type stage struct {
	job, task, end int32
	ready          model.Time    // it is handed out at the earliest
	before         []int32       // stages of the question that it waits for
	*model.Stage                 // in the set
	id             model.StageID // in the set
}

type task struct {
	id         model.TaskID
	job, stage int32
	place, end int32
	left       int32 // places that are not excluded
	chosen     int32 // the place that it is on, or -1
	narrowed   bool  // more is known of it at the root than its window
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

// root makes the state of a question before the first step.
func (c *checker) root(q *question) *state {
	st := &state{checker: c, q: q, clauses: map[int64][]literal{}, multipliers: map[int64]*multipliers{}, last: -1}
	for k := range c.jobOf {
		c.jobOf[k] = -1
	}
	for k := range q.jobs {
		st.addJob(&q.jobs[k])
	}
	for i := range st.stages {
		st.stages[i].before = st.stagesOf(c.js.Before(st.stages[i].id))
	}
	order := make([]int32, len(st.jobs))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return st.rank[st.jobs[a].job] - st.rank[st.jobs[b].job] })
	st.forward(order)
	by := st.backward(order)
	st.onSlave = make([][]int32, len(c.slaves))
	for t := range st.tasks {
		st.place(int32(t), by)
	}
	st.bounds()
	return st
}

func (st *state) addJob(a *asked) {
	spec := &st.js.Jobs[a.job]
	k := int32(len(st.jobs))
	st.jobOf[a.job] = k
	st.jobs = append(st.jobs, job{asked: a, task: int32(len(st.tasks)), stage: int32(len(st.stages))})
	for n := range spec.Stages {
		of := &spec.Stages[n]
		first := int32(len(st.tasks)) + int32(of.First-spec.First) // tasks of a job are numbered stage by stage
		st.stages = append(st.stages, stage{
			job: k, task: first, end: first + int32(of.End-of.First), Stage: of, id: spec.FirstStage + model.StageID(n),
		})
	}
	for t := spec.First; t < spec.End; t++ {
		at := st.jobs[k].stage + st.js.Tasks[t].Stage
		st.tasks = append(st.tasks, task{id: t, job: k, stage: at, chosen: -1})
	}
}

// stagesOf are those of some stages of the set that belong to the question.
func (st *state) stagesOf(ids []model.StageID) []int32 {
	var out []int32
	for _, id := range ids {
		if at := st.stageOf(int64(id)); at >= 0 {
			out = append(out, at)
		}
	}
	return out
}

// forward finds when each stage can be handed out at the earliest: each job alone on the
// cluster but for those that it comes after. Order has the jobs, predecessors first.
func (st *state) forward(order []int32) {
	ends := make([]model.Time, len(st.stages))
	for _, k := range order {
		spec := &st.js.Jobs[st.jobs[k].job]
		for _, n := range spec.Order() {
			of := &st.stages[st.jobs[k].stage+n]
			of.ready = spec.Release / st.tick
			for _, before := range of.before {
				of.ready = max(of.ready, ends[before])
			}
			end := of.ready
			for t := of.First; t < of.End && !st.stopped(); t++ {
				if t == of.First || st.js.Tasks[t].Profile != st.js.Tasks[t-1].Profile {
					end = max(end, st.firstFinish(t, of.ready))
				}
			}
			ends[st.jobs[k].stage+n] = end
		}
	}
}

// backward finds, by stage, the time by which its tasks finish: that of its job, and the
// last time at which all tasks of a stage after it can be handed out. Jobs that may be let
// go do not press those before them.
func (st *state) backward(order []int32) []model.Time {
	by, handed := make([]model.Time, len(st.stages)), make([]model.Time, len(st.stages))
	for _, k := range slices.Backward(order) {
		j := &st.jobs[k]
		for _, n := range slices.Backward(st.js.Jobs[j.job].Order()) {
			at := j.stage + n
			by[at] = j.by
			for _, next := range st.stagesOf(st.js.Next(st.stages[at].id)) {
				if after := st.stages[next].job; after == k || st.jobs[after].role != may {
					by[at] = min(by[at], handed[next])
				}
			}
			handed[at] = st.lastHanded(&st.stages[at], by[at])
			j.out = j.out || handed[at] < 0
		}
	}
	return by
}

// lastHanded is the last time at which all tasks of a stage have been handed out, if they
// finish by a time; -1 if one of them cannot.
func (st *state) lastHanded(of *stage, by model.Time) model.Time {
	handed := model.Never
	for t := of.First; t < of.End && !st.stopped(); t++ {
		if t > of.First && st.js.Tasks[t].Profile == st.js.Tasks[t-1].Profile {
			continue
		}
		last := model.Time(-1)
		for s := range st.slaves {
			if run, fetch := st.lengths(t, model.SlaveID(s)); run > 0 {
				if beat, _ := st.lastStay(&st.slaves[s], by, fetch+run); beat >= st.firstStay(&st.slaves[s], of.ready, fetch+run) {
					last = max(last, beat)
				}
			}
		}
		handed = min(handed, last)
	}
	return handed
}

// place adds the places of a task, given the time by which each stage finishes.
func (st *state) place(t int32, by []model.Time) {
	of := &st.tasks[t]
	of.place = int32(len(st.places))
	of.end = of.place
	if st.jobs[of.job].out {
		return
	}
	for i := range st.slaves {
		s := &st.slaves[i]
		run, fetch := st.lengths(of.id, model.SlaveID(i))
		if run == 0 || st.stopped() {
			continue
		}
		first := st.firstStay(s, st.stages[of.stage].ready, fetch+run)
		beat, end := st.lastStay(s, by[of.stage], fetch+run)
		if beat < first {
			continue
		}
		free := st.js.Fetch == model.FetchConcurrent || fetch == 0 // of the fetch line
		st.onSlave[i] = append(st.onSlave[i], int32(len(st.places)))
		st.places = append(st.places, place{
			task: t, slave: model.SlaveID(i), run: run, fetch: fetch, first: first, last: end - run,
			tied: free || s.ample && !st.js.FIFO,
		})
	}
	of.end = int32(len(st.places))
	of.left = of.end - of.place
}

// bounds gives all integers of the question their bounds at the root: the hull over the
// places. Those of a job that has to be let go are 0.
func (st *state) bounds() {
	n := 3*len(st.tasks) + len(st.stages) + len(st.jobs) + len(st.slaves)
	st.lo, st.hi = make([]model.Time, n), make([]model.Time, n)
	for k := range st.jobs {
		j := &st.jobs[k]
		end := st.end(int32(k))
		st.hi[end] = j.by
		if j.role == may {
			st.hi[end]++
		}
		if j.out {
			st.lo[end] = j.by + 1
			st.lost = st.lost || j.role != may
		}
	}
	for t := range st.tasks {
		st.boundTask(int32(t))
	}
	for s := range st.slaves {
		st.hi[st.firstUse(model.SlaveID(s))] = model.Time(len(st.js.Tasks))
	}
	st.dead = st.lost
}

func (st *state) boundTask(t int32) {
	of := &st.tasks[t]
	start, fetch, finish := nowhere, nowhere, nowhere
	for k := of.place; k < of.end; k++ {
		p := &st.places[k]
		start.join(span{p.first + p.fetch, p.last})
		fetch.join(span{p.first, p.last - p.fetch})
		finish.join(span{p.first + p.fetch + p.run, p.last + p.run})
	}
	if of.place == of.end {
		return
	}
	for k, hull := range [...]span{start, fetch, finish} {
		st.lo[3*int(t)+k], st.hi[3*int(t)+k] = hull.first, hull.last
	}
	for _, v := range [...]int32{st.over(of.stage), st.end(of.job)} {
		st.lo[v] = max(st.lo[v], finish.first)
	}
	over := st.over(of.stage)
	st.hi[over] = max(st.hi[over], finish.last)
}
