package queue

import (
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// Limits of what is treated: tasks times slaves, of which each pair takes eight bytes; cores, slots and units of other resources of a slave, all of which
// are copied for each task; and times in ticks.
const (
	maxPairs = 1 << 22
	maxWidth = 256
	maxTime  = 1 << 30
)

// problem is a set as windows of stages, and what tasks take on slaves.
type problem struct {
	js     *model.JobSet
	fig    *heuristics.Figures
	stages []stage
	of     []int32 // the stage of each task
	// pairs are by task and then by slave; near lists the slaves on which each task has least to fetch.
	pairs []pair
	near  [][]int32
	last  []int32 // a stage of each job that no other waits for
	// kind numbers what a task takes of slaves, kinds has a task of each; unit is what a unit of each resource is here.
	kind  []int32
	kinds []*model.Task
	unit  units
	beat  int32
	// grain is the ticks that moves and temperatures are in.
	grain int32
	by    *settings
	// charge is what a task that is late at all costs beside, at a price of 1.
	charge int32
	// serial: a slave fetches one input at a time; fetching: each task has something to fetch, wherever it runs.
	serial, fetching bool
}

// stage is the window of the tasks of a stage.
type stage struct {
	job model.JobID
	// before and after are the stages that it waits for, and those that wait for it, of other jobs, too. last: none of its own job does.
	before, after []int32
	last          bool
	release       int32 // of the job
	// Its tasks are handed out from ready on, which is when all stages before it are due. least and most bound due.
	ready, due, least, most int32
	// own is most by the job's own due time, tail how long the stages after it take at least.
	own, tail int32
	// price is what a tick costs that a task is late. A stage that pays does so for each tick that it is due later than free, and is the
	// last of its job.
	price int64
	pays  bool
	free  int32
	// The tasks of a gang start at start, no sooner and, as far as they are in time, no later. Of those that are apart, first to end, no two are on one slave.
	gang, apart bool
	start       int32
	first, end  model.TaskID
}

// lenient reports whether a job pays for a task of the stage that is late just as it does for a stage that is due as late.
func (st *stage) lenient() bool { return st.pays && len(st.after) == 0 }

// paid is what a job pays for when the stage is due.
func (st *stage) paid() int64 {
	if !st.pays {
		return 0
	}
	return st.price * int64(max(0, st.due-st.free))
}

// pair is how long a task fetches and runs on a slave; run is 0 where it cannot.
type pair struct{ fetch, run int32 }

// Treats reports whether the last of some objectives can be searched for: late jobs, by how much jobs are late, or when the last one ends, as the first objective, in a set in
// which nothing but time, and which slaves tasks that are apart have, ties slaves to each other. Which jobs that wait for each other to let go is left to package ejection.
func Treats(js *model.JobSet, goal []model.Objective) bool {
	return len(goal) == 1 && (goal[0].Shape().Counts() && !js.JobsLinked() || ofLateness(js, goal[0].Shape())) &&
		!slices.ContainsFunc(js.Shared(), taken) &&
		len(js.Tasks)*len(js.Slaves) <= maxPairs && inTime(js) && narrow(js) && !slices.ContainsFunc(js.Jobs, pinned) && !(js.Gangs() && mixed(js))
}

// taken reports whether tasks take of a pool, or have a cap.
func taken(sh model.Shared) bool { return len(sh.Tasks) > 0 }

// mixed reports whether there are tasks that are apart, and not all of them may run on the same slaves, so that one can take the last that is left to another.
func mixed(js *model.JobSet) bool {
	return slices.ContainsFunc(heuristics.NewFigures(js).Stages, func(st heuristics.StageFigures) bool { return st.Mixed })
}

// inTime reports whether times are small enough whatever the order of tasks.
func inTime(js *model.JobSet) bool {
	last, sum := js.Heartbeat, model.Time(0)
	for i := range js.Slaves {
		s := &js.Slaves[i]
		last = max(last, s.FirstBeat)
		for _, k := range s.Reservations {
			last = max(last, k.End)
		}
		for _, d := range s.Down {
			if last = max(last, d.Start); d.End < model.Never {
				last = max(last, d.End)
			}
		}
	}
	for i := range js.Jobs {
		last = max(last, js.Jobs[i].Release, js.Jobs[i].Deadline)
	}
	for t := range js.Tasks {
		longest := model.Time(0)
		js.Tasks[t].EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { longest = max(longest, wcet+transfer) })
		sum += longest + js.Heartbeat
	}
	return last < maxTime/4 && sum < maxTime/2
}

// units is what a unit of each resource is, so that all tasks take whole ones: of memory in MB what all amounts are a multiple of.
type units [model.NumResources]int64

func unitsOf(js *model.JobSet) (of units) {
	for t := range js.Tasks {
		for i := range js.Named {
			of[int(model.FirstNamed)+i] = divisor(of[int(model.FirstNamed)+i], js.Tasks[t].Units(i))
		}
	}
	for r := range of {
		switch {
		case r < int(model.FirstNamed):
			of[r] = 1
		case of[r] == 0:
			of[r] = unwanted
		}
	}
	return of
}

// unwanted is the unit of what no task takes: more than there is of it.
const unwanted = 1 << 60

// divisor is the greatest common one.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// narrow reports whether no slave has too much.
func narrow(js *model.JobSet) bool {
	unit := unitsOf(js)
	for s := range model.SlaveID(len(js.Slaves)) {
		width := int64(0)
		for _, supply := range js.Supplies(s) {
			width += min(supply.Units/unit[supply.Resource], maxWidth+1)
		}
		if width > maxWidth {
			return false
		}
	}
	return true
}

// ofAmounts reports whether tasks take several cores, or resources by name.
func ofAmounts(js *model.JobSet) bool {
	return len(js.Named) > 0 || slices.ContainsFunc(js.Tasks, func(t model.Task) bool { return t.Cores() > 1 })
}

// pinned reports whether a job has a stage that starts at a given time.
func pinned(job model.Job) bool {
	return slices.ContainsFunc(job.Stages, func(st model.Stage) bool { return st.StartAt > 0 })
}

func newProblem(js *model.JobSet) *problem {
	p := &problem{
		js: js, fig: heuristics.NewFigures(js), of: make([]int32, len(js.Tasks)), last: make([]int32, len(js.Jobs)), near: make([][]int32, len(js.Tasks)),
		beat: int32(js.Heartbeat), serial: js.Fetch != model.FetchConcurrent, fetching: true, unit: unitsOf(js),
	}
	p.listKinds()
	p.pairs = make([]pair, 0, len(js.Tasks)*len(js.Slaves))
	near := map[*model.Profile][]int32{}
	for t := range js.Tasks {
		profile := js.Tasks[t].Profile
		p.addPairs(profile)
		if near[profile] == nil {
			near[profile] = nearest(p.pairsOf(int32(t)))
		}
		p.near[t] = near[profile]
	}
	for i := range js.Jobs {
		p.addStages(model.JobID(i))
	}
	for k := range p.stages {
		p.wait(int32(k))
	}
	p.grain = p.grainOf()
	p.by, p.charge = &ofFew, chargeOfFew*p.grain
	if len(js.Tasks) >= manyFrom {
		p.by, p.charge = &ofMany, p.grain-1
	}
	return p
}

// listKinds numbers tasks by what they take of slaves.
func (p *problem) listKinds() {
	type taken struct {
		needs model.Needs
		slot  model.SlotKind
	}
	at := map[taken]int32{}
	for t := range p.js.Tasks {
		task := &p.js.Tasks[t]
		of := taken{task.Needs(), task.Slot}
		k, seen := at[of]
		if !seen {
			k = int32(len(p.kinds))
			at[of] = k
			p.kinds = append(p.kinds, task)
		}
		p.kind = append(p.kind, k)
	}
}

// settings are what moves and tries are like.
type settings struct {
	// inserts of so many moves put a task at another place, the others exchange two.
	inserts, moves int
	// Of afar tasks one goes anywhere, the others to where they have least to fetch.
	afar int
	// A move that begins at what is late begins up to so many grains before it.
	ahead int32
	// coldest is the last temperature of an annealing, in grains of lateness at a mean price.
	coldest float64
	// longest is how many times as many moves as a first one a try has at most, further how often one that has come close goes on.
	longest, further int
}

// Of fewer than manyFrom tasks plans get better at once, in a try or two. Of more the last late jobs fit in only where hardly a core is idle: few moves
// can be kept that have a task fetch from afar, what makes room for what is late lies far before it, and a try comes closer where a second late task costs no
// more than another tick of the first. Twenty tries with late jobs of two sets of gen.Scale(1000), ten million tasks laid out for each, ended 98 ticks late in the
// mean as with ofFew, chargeOfFew for each late task among them, and 16 as with ofMany, six of them in time.
var (
	ofFew  = settings{inserts: 1, moves: 2, afar: 2, ahead: 40, coldest: 0.3, longest: 4}
	ofMany = settings{inserts: 3, moves: 5, afar: 8, ahead: 100, coldest: 0.15, longest: 10, further: 4}
)

const manyFrom = 400

// chargeOfFew is charge in grains, of few tasks: without it a try ends with many tasks late by a tick or two. Of many it is a grain, less a tick, so that where
// ticks are fine it is worth the same to have a task in time as with grains for ticks.
const chargeOfFew = 2

// ofRun is the part of what a task runs in the mean that is a grain, where that is more than a tick: in ticks as fine as milliseconds moves and
// temperatures of a tick would be none.
const ofRun = 16

// grainOf is that part of the mean over all tasks and the slaves where they can run, a tick at least.
func (p *problem) grainOf() int32 {
	sum, n := int64(0), int64(0)
	for _, at := range p.pairs {
		if at.run > 0 {
			sum, n = sum+int64(at.run), n+1
		}
	}
	return int32(max(1, sum/max(1, n)/ofRun))
}

// addPairs adds those of a task.
func (p *problem) addPairs(profile *model.Profile) {
	for s := range model.SlaveID(len(p.js.Slaves)) {
		at := pair{int32(profile.Transfer(s)), int32(profile.WCET(s))}
		p.fetching = p.fetching && (at.fetch > 0 || at.run == 0)
		p.pairs = append(p.pairs, at)
	}
}

// pairsOf are those of a task, by slave.
func (p *problem) pairsOf(t int32) []pair {
	n := len(p.js.Slaves)
	return p.pairs[int(t)*n : int(t+1)*n]
}

// nearest are the slaves with least to fetch, of those that can run a task.
func nearest(pairs []pair) (slaves []int32) {
	least := int32(maxTime)
	for s, at := range pairs {
		switch {
		case at.run == 0 || at.fetch > least:
		case at.fetch < least:
			least, slaves = at.fetch, append(slaves[:0], int32(s))
		default:
			slaves = append(slaves, int32(s))
		}
	}
	return slaves
}

// addStages adds those of a job, due as late as the job allows.
func (p *problem) addStages(i model.JobID) {
	job := &p.js.Jobs[i]
	base := int32(len(p.stages))
	for k := range job.Stages {
		from := &job.Stages[k]
		figures := &p.fig.Stages[p.fig.Index(heuristics.StageRef{Job: i, Stage: int32(k)})]
		st := stage{
			job: i, release: int32(job.Release), price: 1, own: int32(min(figures.Due, maxTime)), tail: int32(figures.Tail), last: true,
			free: int32(min(job.Due(), maxTime)), gang: from.IsGang(), apart: from.IsApart(), first: from.First, end: from.End,
		}
		if p.js.JobsLinked() { // jobs after it may be late, or have no due time
			st.own = st.free
		}
		st.most = st.own
		st.least = min(st.most, int32(figures.Head+figures.Length))
		st.due = st.most
		id := job.FirstStage + model.StageID(k)
		for _, b := range p.js.Before(id) {
			st.before = append(st.before, int32(b))
		}
		for _, a := range p.js.Next(id) {
			st.after = append(st.after, int32(a))
			st.last = st.last && (int32(a) < base || int(a) >= int(base)+len(job.Stages))
		}
		for t := from.First; t < from.End; t++ {
			p.of[t] = base + int32(k)
		}
		p.stages = append(p.stages, st)
	}
	for k := base; k < int32(len(p.stages)); k++ {
		if p.stages[k].last {
			p.last[i] = k
		}
	}
}

// due is when a job is due.
func (p *problem) due(i model.JobID) model.Time { return model.Time(p.stages[p.last[i]].due) }

// wait has a stage ready when those before it are due.
func (p *problem) wait(k int32) {
	st := &p.stages[k]
	st.ready = st.release
	for _, b := range st.before {
		st.ready = max(st.ready, p.stages[b].due)
	}
}

// move has a stage due at another time.
func (p *problem) move(k, due int32) {
	p.stages[k].due = due
	for _, a := range p.stages[k].after {
		p.wait(a)
	}
}
