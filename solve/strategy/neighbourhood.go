package strategy

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// Neighbourhoods improves a plan by large neighbourhood search (Shaw, 1998)
// with exact re-optimisation: most tasks of a plan keep their places, and package
// lcg is asked about the others for a better plan, or for one as good in which a
// job that costs something costs less. Local search by list scheduling tries many
// small changes; this tries few, and sees all rearrangements of some dozen tasks at
// once. Neither does for the other: after 4 s of misses-150-5 and large-1, lists alone have
// 8 and 13 jobs late, with these neighbourhoods 5 and 9 (docs/diary.md). With fifo the order
// of starts ties every task to all others of its slave.
var Neighbourhoods = &portfolio.Strategy{
	Name: "large neighbourhoods", Unit: "a neighbourhood; a tenth of it where few jobs come after each other, or local search on the longest path applies", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return !w.JS.FIFO && w.Exact.Allows(exact.LCG) },
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		n := newNeighbours(w, seed)
		n.barren = portfolio.Shared(w, barrenKey{}, func() *sharedSlice { return &sharedSlice{} })
		return n
	},
}

type barrenKey struct{}

// neighbours is the state of such a search over the objective of its work.
type neighbours struct {
	w   *portfolio.Work
	rng *rand.Rand
	// plan is where the search stands: as good as the best plan up to the
	// objective, or on its way there. finishes are those of its jobs.
	plan     model.Schedule
	finishes []model.Time
	values   []int64
	// stride is by how much the value is asked to fall where it is a time.
	stride int64
	// wanted is the number of tasks to be set free, per kind of neighbourhood.
	wanted [neighbourhoodKinds]float64
	// free marks the tasks that are set free, list names them.
	free []bool
	list []model.TaskID
	// loose marks free tasks that stay on their slaves and move by no more than
	// slack in time.
	loose []bool
	// followed jobs have others that come after them.
	followed []bool
	slack    model.Time
	// few: of what a slice may have a tenth is enough.
	few bool
	// barren counts the neighbourhoods in a row that brought nothing, of all workers: where each had to come to as many, two took
	// twice the time in the first round of 26 tasks whose lateness counts.
	barren *sharedSlice
	// typical is the mean time that a task holds its slot.
	typical model.Time
	// slaves are those that the free tasks are on, and may go to.
	slaves []model.SlaveID
}

const (
	// firstSize is the number of tasks that are set free at first. It then
	// follows what the search can do within mostPolls, within the bounds.
	firstSize, leastSize, mostSize = 16, 6, 150
	// mostPolls is how often the search for one neighbourhood is polled before
	// it is given up (see lcg.Search.Run), fewPolls after how many it was easy;
	// neighbourPollUnits is what each costs of a budget.
	mostPolls, fewPolls, neighbourPollUnits = 16, 2, 8
	// neighbourLiterals keeps neighbourhoods small.
	neighbourLiterals = 200_000
	// mostBarren neighbourhoods in a row bring nothing before a slice of the first round ends: sets that questions and
	// multipliers close have these sooner.
	mostBarren = 15
	// growSize and shrinkSize change the size after a quick answer and after none.
	growSize, shrinkSize = 1.25, 0.85
)

// NewNeighbourhoods prepares it. Its unit is a neighbourhood.
func newNeighbours(w *portfolio.Work, seed uint64) *neighbours {
	n := &neighbours{
		w: w, rng: rand.New(rand.NewPCG(seed, 2)), stride: 1, barren: &sharedSlice{},
		free: make([]bool, len(w.JS.Tasks)), loose: make([]bool, len(w.JS.Tasks)),
		followed: make([]bool, len(w.JS.Jobs)),
	}
	n.few = w.JS.JobsLinked() && len(w.JS.Tasks) < fewLinked || onLongestPath(w)
	for k := range n.wanted {
		n.wanted[k] = firstSize
	}
	for i := range w.JS.Jobs {
		for _, k := range w.JS.Jobs[i].After {
			n.followed[k] = true
		}
	}
	return n
}

// Run implements portfolio.Runner.
func (n *neighbours) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	units := s.Units
	if n.few {
		units = max(1, units/10)
	}
	barren := 0
	if s.Round == 0 {
		barren = mostBarren
	}
	n.improve(ctx, s.Number, units, barren)
	return portfolio.Open
}

// fewLinked: where jobs come after jobs, and are few, one neighbourhood is nearly as hard as
// the question about the whole, for which the time is better spent, so that there is one for
// ten: with these j3013_2 of PSPLIB takes 9 s of processor time in place of 57. So it is where local search on
// the longest path does most of what they do.
const fewLinked = 100

// improve tries a number of neighbourhoods in a slice, from the best plan on, fewer where so many in a row bring nothing, unless that is 0.
func (n *neighbours) improve(ctx context.Context, slice, rounds, barren int) {
	n.barren.enter(slice)
	defer n.barren.leave()
	n.catchUp()
	best := n.values[n.w.P]
	for ; rounds > 0 && n.barren.within(barren); rounds-- {
		if ctx.Err() != nil || n.w.Over(n.w.P) {
			return
		}
		if value, _ := n.w.Gap(n.w.P); value < n.values[n.w.P] {
			n.restartFrom(n.w.Best()) // another worker found it
		}
		n.step(ctx)
		if n.barren.use(1); n.values[n.w.P] < best {
			best = n.values[n.w.P]
			n.barren.renew()
		}
	}
}

// catchUp goes on from the best plan if the search fell behind.
func (n *neighbours) catchUp() {
	best := n.w.Best()
	if n.plan == nil || slices.Compare(n.w.ValuesOf(n.w.JS.Finishes(best)), n.values) < 0 {
		n.restartFrom(best)
	}
}

// restartFrom makes a valid plan the one to go on from.
func (n *neighbours) restartFrom(plan model.Schedule) {
	n.plan, n.finishes = plan, n.w.JS.Finishes(plan)
	n.values = n.w.ValuesOf(n.finishes)
	sum := model.Time(0)
	for t, p := range plan {
		sum += n.w.JS.Finish(model.TaskID(t), p) - n.w.JS.Assigned(p)
	}
	n.typical = max(1, sum/model.Time(len(plan)))
}

// step tries one neighbourhood.
func (n *neighbours) step(ctx context.Context) {
	pivot, ok := n.pivot()
	if !ok {
		return
	}
	n.stride = max(n.stride, stride(n.w))
	kind := n.rng.IntN(neighbourhoodKinds)
	n.choose(pivot, kind, int(n.wanted[kind]))
	part := n.cut(pivot)
	found, err := lcg.New(ctx, part.question, lcg.Options{Seed: n.rng.Uint64(), MaxLiterals: neighbourLiterals, Like: part.now(n)})
	if err != nil {
		n.resize(kind, shrinkSize)
		return
	}
	polls := 0
	a, inner := found.Run(ctx, func() bool {
		budget.Spend(ctx, neighbourPollUnits)
		polls++
		return polls > mostPolls
	})
	switch a {
	case lcg.Satisfiable:
		n.accept(tidied(ctx, n.w, part.paste(n, inner)))
		n.stride *= 2
	case lcg.Unsatisfiable:
		n.stride = 1 + n.stride/4
	case lcg.Unknown:
		n.stride = 1 + n.stride/4
		n.resize(kind, shrinkSize)
		return
	}
	if polls <= fewPolls {
		n.resize(kind, growSize)
	}
}

func (n *neighbours) resize(kind int, by float64) {
	n.wanted[kind] = min(mostSize, max(leastSize, n.wanted[kind]*by))
}

// accept stands on a plan that is as good as the one before, once the
// validator has seen it.
func (n *neighbours) accept(plan model.Schedule) {
	values := n.w.ValuesOf(n.w.JS.Finishes(plan))
	if slices.Compare(values[:n.w.P+1], n.values[:n.w.P+1]) > 0 {
		return
	}
	if err := check.Schedule(n.w.JS, plan, n.w.MayMissHard).Err(); err != nil {
		n.w.Fail(err)
		return
	}
	n.restartFrom(plan)
	n.w.Offer(plan)
}

// subproblem is a job set of the free tasks, with the question about it.
type subproblem struct {
	question query.Question
	// tasks maps its tasks to those of the whole.
	tasks []model.TaskID
}

// cut makes the question about the free tasks in which the pivot costs less.
func (n *neighbours) cut(pivot model.JobID) *subproblem {
	js := n.w.JS
	sub, sums := *js, n.w.Goal[n.w.P].Shape().Sums()
	sub.Jobs, sub.Tasks = nil, nil
	var part subproblem
	var jobs []model.JobID
	var restrictions []query.Restriction
	var restriction query.Restriction // of the stage
	for _, t := range n.list {
		task := js.Tasks[t]
		if len(jobs) == 0 || jobs[len(jobs)-1] != task.Job {
			job := js.Jobs[task.Job]
			job.Stages, job.First = nil, model.TaskID(len(sub.Tasks))
			if sums {
				job.Deadline = max(job.Deadline, n.heldUntil(task.Job)-job.Release)
			}
			jobs, sub.Jobs = append(jobs, task.Job), append(sub.Jobs, job)
		}
		job := &sub.Jobs[len(jobs)-1]
		stage := js.Jobs[task.Job].Stages[task.Stage]
		if k := len(job.Stages); k == 0 || js.Tasks[part.tasks[len(part.tasks)-1]].Stage != task.Stage {
			stage.First = model.TaskID(len(sub.Tasks))
			job.Stages = append(job.Stages, stage)
			restriction = n.restriction(task.Job, task.Stage)
		}
		restrictions = append(restrictions, n.stay(t, restriction))
		part.tasks = append(part.tasks, t)
		task.Job, task.Stage = model.JobID(len(jobs)-1), int32(len(job.Stages)-1)
		sub.Tasks = append(sub.Tasks, task)
		job.End = model.TaskID(len(sub.Tasks))
		job.Stages[len(job.Stages)-1].End = job.End
	}
	if js.Coupled() {
		n.reserve(&sub, jobs, part.tasks)
	}
	n.link(&sub, jobs, part.tasks)
	part.question = n.ask(&sub, jobs, pivot)
	part.question.Restrict, part.question.Fixed = restrictions, n.held(restrictions)
	return &part
}

// heldUntil is when the last of the tasks of a job ends that keep their places. What the job is late by
// these it is late in any case: if a sum counted it, a plan of the others could have all of it for other jobs.
func (n *neighbours) heldUntil(i model.JobID) model.Time {
	job, end := &n.w.JS.Jobs[i], model.Time(0)
	for t := job.First; t < job.End; t++ {
		if !n.free[t] {
			end = max(end, n.w.JS.Finish(t, n.plan[t]))
		}
	}
	return end
}

// reserve takes off the caps of sub what tasks of the same jobs and stages hold that keep their places.
// Jobs of sub and its tasks are given as those of the whole.
func (n *neighbours) reserve(sub *model.JobSet, jobs []model.JobID, tasks []model.TaskID) {
	js := n.w.JS
	stay := func(from, to model.TaskID) (held []model.SharedHold) {
		for t := from; t < to; t++ {
			if !n.free[t] && !n.lifted(js.Tasks[t].Job) {
				held = append(held, model.SharedHold{Interval: model.Interval{Start: js.Assigned(n.plan[t]), End: js.Finish(t, n.plan[t])}, Units: 1})
			}
		}
		return held
	}
	for i := range sub.Jobs {
		job, whole := &sub.Jobs[i], &js.Jobs[jobs[i]]
		if job.AtMost > 0 {
			job.Reserved = append(slices.Clip(job.Reserved), stay(whole.First, whole.End)...)
		}
		for k := range job.Stages {
			if st := &job.Stages[k]; st.AtMost > 0 {
				of := &whole.Stages[js.Tasks[tasks[st.First]].Stage]
				st.Reserved = append(slices.Clip(st.Reserved), stay(of.First, of.End)...)
			}
		}
	}
}

// together reports whether a task is one of a gang, or of a stage whose tasks are apart: these are set
// free all at once.
func (n *neighbours) together(t model.TaskID) (st *model.Stage, is bool) {
	if !n.w.JS.Gangs() {
		return nil, false
	}
	st, gang := n.w.JS.GangOf(t)
	return st, gang || st.IsApart()
}

// link has the stages and jobs of sub wait for each other as those that they are part of
// do; what else these wait for keeps its place, which bounds them. Jobs of sub and its
// tasks are given as those of the whole.
func (n *neighbours) link(sub *model.JobSet, jobs []model.JobID, tasks []model.TaskID) {
	js := n.w.JS
	for i := range sub.Jobs {
		job, whole := &sub.Jobs[i], &js.Jobs[jobs[i]]
		job.After = placesOf(whole.After, jobs)
		stages := make([]int32, len(job.Stages))
		for k := range stages {
			stages[k] = js.Tasks[tasks[job.Stages[k].First]].Stage
		}
		for k := range stages {
			job.Stages[k].After = nil
			if !whole.Chain() {
				job.Stages[k].After = placesOf(whole.Stages[stages[k]].After, stages)
			}
		}
	}
	if err := sub.Link(); err != nil {
		panic(fmt.Sprintf("neighbourhood: a part of a set that was assembled: %v", err)) // what is left out closes no cycle
	}
}

// placesOf lists where in list, which ascends, some of the items stand; never nil.
func placesOf[T ~int32](items, list []T) []T {
	out := []T{}
	for _, item := range items {
		if at, found := slices.BinarySearch(list, item); found {
			out = append(out, T(at))
		}
	}
	return out
}

// restriction is to the time between the tasks that a stage waits for and those that
// wait for it, as far as these keep their places.
func (n *neighbours) restriction(i model.JobID, stage int32) query.Restriction {
	js := n.w.JS
	job := &js.Jobs[i]
	restriction := query.Restriction{Slaves: n.slaves, From: job.Release, To: model.Never}
	id := job.FirstStage + model.StageID(stage)
	for _, k := range js.Before(id) {
		before, _ := js.Stage(k)
		for t := before.First; t < before.End; t++ {
			if !n.free[t] {
				restriction.From = max(restriction.From, js.Finish(t, n.plan[t]))
			}
		}
	}
	for _, k := range js.Next(id) {
		after, _ := js.Stage(k)
		for t := after.First; t < after.End; t++ {
			if !n.free[t] && !n.lifted(js.Tasks[t].Job) {
				restriction.To = min(restriction.To, js.Assigned(n.plan[t]))
			}
		}
	}
	return restriction
}

// stay narrows the restriction of a task that is to stay on its slave and near its time.
func (n *neighbours) stay(t model.TaskID, restriction query.Restriction) query.Restriction {
	if !n.loose[t] {
		return restriction
	}
	p := n.plan[t]
	return query.Restriction{
		Slaves: []model.SlaveID{p.Slave},
		From:   max(restriction.From, n.w.JS.Assigned(p)-n.slack),
		To:     min(restriction.To, n.w.JS.Finish(t, p)+n.slack),
	}
}

// held lists the tasks that keep their places and may stand in the way: those on
// slaves that the free tasks may go to, or that take of pools, and not over before any of these can
// begin.
func (n *neighbours) held(restrictions []query.Restriction) []query.Fixed {
	js := n.w.JS
	from := model.Never
	for i := range restrictions {
		from = min(from, restrictions[i].From)
	}
	var held []query.Fixed
	for t, p := range n.plan {
		id := model.TaskID(t)
		task := &js.Tasks[t]
		if n.free[t] || n.lifted(task.Job) || js.Finish(id, p) <= from {
			continue
		}
		if _, shared := slices.BinarySearch(n.slaves, p.Slave); shared || n.takes(id) {
			held = append(held, query.Fixed{Task: task, Placement: p})
		}
	}
	return held
}

// takes reports whether a task takes of a pool.
func (n *neighbours) takes(t model.TaskID) bool {
	return slices.ContainsFunc(n.w.JS.Takes(t), func(k model.Take) bool { return n.w.JS.Shared()[k.Shared].Pool >= 0 })
}

// lifted reports whether a job stands in nobody's way, because it can come
// after all others without costing more.
func (n *neighbours) lifted(i model.JobID) bool {
	job := &n.w.JS.Jobs[i]
	grows := func(o model.Objective) bool { return o.Shape().Grows(job.Kind) }
	switch late := job.Late(n.finishes[i]) > 0; {
	case n.followed[i], slices.ContainsFunc(n.w.Goal[:n.w.P+1], grows):
		return false
	case job.Kind == model.BestEffort:
		return true
	default:
		return late
	}
}

// ask asks about the part of the plan that sub is for a plan as good as this
// one in which the pivot is better off.
func (n *neighbours) ask(sub *model.JobSet, jobs []model.JobID, pivot model.JobID) query.Question {
	goal, shape := n.w.Goal[n.w.P], n.w.Goal[n.w.P].Shape()
	now := n.limits(sub, jobs)
	aim := maps.Clone(now)
	aim[goal] = max(n.bound(), now[goal]-n.stride)
	if shape.Sums() {
		aim[goal] = max(0, now[goal]-n.stride)
		now = aim
	}
	q, better := query.Within(sub, n.w.MayMissHard, now), query.Within(sub, n.w.MayMissHard, aim)
	strict, end := n.rng.IntN(4) > 0, slices.Max(n.finishes)
	for k, i := range jobs {
		if n.followed[i] {
			n.keepIn(&q, k, i, end)
		}
		switch {
		case shape.Max:
			if i == pivot || n.finishes[i] <= better.Cap[k] || strict && n.endFree(i) {
				q.Cap[k] = better.Cap[k]
			}
		case shape.Counts():
			if i == pivot || !n.lifted(i) && !n.whole(i) {
				if q.Role[k] == query.Out {
					q.Cap[k] = end
				}
				q.Role[k] = query.Must
			}
			if i == pivot && n.followed[i] {
				q.Cap[k] = min(q.Cap[k], n.w.JS.Jobs[i].Due())
			}
		}
	}
	return q
}

// keepIn has a job in that others come after, by the end of the plan if limits do not say
// otherwise: those others may keep their places.
func (n *neighbours) keepIn(q *query.Question, k int, i model.JobID, end model.Time) {
	if q.Role[k] == query.Must {
		q.Cap[k] = max(q.Cap[k], n.finishes[i])
		return
	}
	q.Role[k], q.Cap[k] = query.Must, end
}

func (n *neighbours) bound() int64 {
	_, bound := n.w.Gap(n.w.P)
	return bound
}

// limits are what the part contributes to the values now.
func (n *neighbours) limits(sub *model.JobSet, jobs []model.JobID) query.Limits {
	finishes := make([]model.Time, len(jobs))
	for k, i := range jobs {
		finishes[k] = n.finishes[i]
	}
	lim := query.Limits{}
	for p, o := range n.w.Goal[:n.w.P+1] {
		switch {
		case o.Shape().Max:
			lim[o] = n.values[p]
		default:
			lim[o] = sub.Value(o, finishes)
		}
	}
	return lim
}

// endFree reports whether all tasks of the stages that the job ends with are free.
func (n *neighbours) endFree(i model.JobID) bool {
	return !slices.ContainsFunc(n.w.JS.Jobs[i].Ends(), func(id model.StageID) bool {
		last, _ := n.w.JS.Stage(id)
		return slices.Contains(n.free[last.First:last.End], false)
	})
}

// whole reports whether all tasks of a job are free.
func (n *neighbours) whole(i model.JobID) bool {
	job := &n.w.JS.Jobs[i]
	return !slices.Contains(n.free[job.First:job.End], false)
}

// now is where the tasks of the part are.
func (p *subproblem) now(n *neighbours) model.Schedule {
	now := make(model.Schedule, len(p.tasks))
	for k, t := range p.tasks {
		now[k] = n.plan[t]
	}
	return now
}

// paste puts a plan of the part in the place of the old one. Jobs that are
// lifted, or that it leaves out, are placed anew.
func (p *subproblem) paste(n *neighbours, inner model.Schedule) model.Schedule {
	plan := slices.Clone(n.plan)
	for i := range n.w.JS.Jobs {
		if n.lifted(model.JobID(i)) {
			for t := n.w.JS.Jobs[i].First; t < n.w.JS.Jobs[i].End; t++ {
				plan[t].Slave = model.NoSlave
			}
		}
	}
	for k, t := range p.tasks {
		plan[t] = inner[k]
	}
	return n.w.Complete(plan)
}
