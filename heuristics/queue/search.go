package queue

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

const (
	// hottest is the first temperature of an annealing, in grains of lateness at a mean price.
	hottest = 0.7
	// movesPerTask are the moves of a first try, by task in its region; one with a job that failed has so many times as many and once more.
	movesPerTask = 1000
	// A try that fails is heated up to a temperature of reheated, and goes on with a job less for a reheatedPart-th of its moves.
	reheated, reheatedPart = 0.5, 4
	// A try that ends with no more than nearly grains of lateness goes on from a temperature of warm.
	nearly, warm = 10, 0.3
	// Of so many tries with a job that failed before one is in exchange for another job.
	ofTries = 2
	// places are those that are looked at to put a task in.
	places = 24
	// chance is by how much of what is counted of jobs chance decides between them.
	chance = 0.3
	// pollEvery is the number of moves between two looks at the context.
	pollEvery = 512
	// mostCost is more than anything costs.
	mostCost = 1 << 60
)

// Search is the search for few late jobs, or little lateness. It goes on from slice to slice. Not safe for concurrent use.
type Search struct {
	p    *problem
	goal model.Objective
	aim  model.Shape
	rng  *rand.Rand
	work int64

	queues  []queue
	drafts  []draft // of queues that a move changes
	touched []int   // which these are
	cost    int64
	on      []int32 // the queue of each task, -1 for none
	// region are the tasks of jobs that could run while that of the try could.
	region       []int32
	late, lateAt []int32

	// pool are the late jobs, price is what they weigh; out tells of all jobs that are on no queue.
	pool     []model.JobID
	price    int64
	out      []bool
	failures []int
	// hopeless jobs are late in every plan; needed ones come before others that count.
	hopeless, needed []bool
	base             base
	try              try
	// mean is what jobs pay for a tick of lateness.
	mean     float64
	best     int64
	improved int64
	// first is the first plan that was considered; reached is what the one that is at hand has come down to since it was begun with, after so
	// much work.
	first          model.Schedule
	reached, since int64
	// plansAlone: what is not a plan is not gone on from.
	plansAlone bool
}

// base is what is gone back to after a try that fails.
type base struct {
	lists [][]int32
	dues  []int32
	// starts are by stage, as dues are.
	starts []int32
	cost   int64
}

// try is an attempt to have a job of the pool in time.
type try struct {
	on bool
	// job goes in, gone are those that are taken out for it.
	job           model.JobID
	gone          []model.JobID
	moves, length int
	// again: it has failed, and goes on with a job less.
	again         bool
	heat, cooling float64
	further       int // how often it went on
}

// noJob stands for none.
const noJob = model.JobID(-1)

// New prepares a search, which Treats allows. Equal seeds give equal choices.
func New(js *model.JobSet, o model.Objective, seed uint64) *Search {
	s := &Search{
		p: newProblem(js), goal: o, aim: o.Shape(), rng: rand.New(rand.NewPCG(seed, 21)), best: math.MaxInt64,
		on: make([]int32, len(js.Tasks)), out: make([]bool, len(js.Jobs)), failures: make([]int, len(js.Jobs)), hopeless: make([]bool, len(js.Jobs)), needed: make([]bool, len(js.Jobs)),
		drafts: make([]draft, len(js.Slaves)),
	}
	for k := range model.SlaveID(len(js.Slaves)) {
		s.queues = append(s.queues, newQueue(s.p, k))
		s.drafts[k].queue = newQueue(s.p, k)
	}
	for i := range s.hopeless {
		s.hopeless[i] = s.p.fig.LateAlone(model.JobID(i))
	}
	if js.JobsLinked() {
		s.findNeeded()
	}
	s.charge()
	s.base.lists = make([][]int32, len(js.Slaves))
	return s
}

// findNeeded marks what jobs that have to be in time, or count, come after.
func (s *Search) findNeeded() {
	var on []model.JobID
	for i := range s.p.js.Jobs {
		if kind := s.p.js.Jobs[i].Kind; kind == model.Hard || s.aim.Jobs.Has(kind) {
			on = append(on, model.JobID(i))
		}
	}
	for _, i := range s.p.js.WithBefore(on) {
		s.needed[i] = true
	}
}

// Best is the value of the best plan so far.
func (s *Search) Best() int64 { return s.best }

// Work counts tasks laid out: the measure of work.
func (s *Search) Work() int64 { return s.work }

// Improved is the work that had been done when the best plan so far was found.
func (s *Search) Improved() int64 { return s.improved }

// Consider makes a valid complete plan the one to go on from.
func (s *Search) Consider(plan model.Schedule) {
	js := s.p.js
	finishes := js.Finishes(plan)
	s.pool, s.price, s.try.on = s.pool[:0], 0, false
	clear(s.failures)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		counts := s.aim.Jobs.Has(job.Kind)
		s.out[i] = job.Kind != model.Hard && !counts && !s.needed[i]
		if counts && !s.ofLateness() && job.Late(finishes[i]) > 0 {
			s.out[i] = true
			s.pool, s.price = append(s.pool, model.JobID(i)), s.price+s.aim.Weight(job)
		}
	}
	s.best = s.price
	if s.ofLateness() {
		s.best = js.Value(s.goal, finishes)
		s.allow()
	}
	if s.first == nil {
		s.first = slices.Clone(plan)
	}
	s.goOnFrom(plan)
}

// goOnFrom makes a plan the base of further tries.
func (s *Search) goOnFrom(plan model.Schedule) {
	s.layOut(plan)
	s.goOn()
	s.reached, s.since, s.plansAlone = s.base.cost, s.work, false
}

// layOut lays the tasks of a plan out, but for jobs that are out, each stage due when the first task is handed out that waits for it.
func (s *Search) layOut(plan model.Schedule) {
	for k := range s.queues {
		s.queues[k].list = s.queues[k].list[:0]
	}
	handed := make([]int32, len(s.p.stages))
	for k := range handed {
		handed[k] = maxTime
	}
	js := s.p.js
	for t := range plan {
		if p := plan[t]; !s.out[js.Tasks[t].Job] {
			q := &s.queues[p.Slave]
			q.list = append(q.list, int32(t))
			st := s.p.of[t]
			if stage := &s.p.stages[st]; stage.gang {
				stage.start = int32(p.Start)
			}
			handed[st] = min(handed[st], int32(min(latest, js.Slaves[p.Slave].FirstBeat+p.Beat*js.Heartbeat)))
		}
	}
	for k := range s.queues {
		slices.SortStableFunc(s.queues[k].list, func(a, b int32) int {
			return cmp.Or(cmp.Compare(plan[a].Fetch, plan[b].Fetch), cmp.Compare(plan[a].Start, plan[b].Start))
		})
	}
	for k := range s.p.stages {
		if st := &s.p.stages[k]; len(st.after) > 0 && !s.out[st.job] {
			due := st.most
			for _, a := range st.after {
				due = min(due, handed[a])
			}
			s.p.move(int32(k), max(st.least, due))
		}
	}
	s.evaluate()
}

// evaluate lays all queues out anew.
func (s *Search) evaluate() {
	for t := range s.on {
		s.on[t] = -1
	}
	s.cost = s.paid()
	for k := range s.queues {
		q, d := s.touch(k, 0)
		for _, t := range q.list {
			s.on[t] = int32(k)
		}
		s.lay(d, q, anew, mostCost)
		s.cost += d.sum
	}
	s.settle(true)
}

// rebase makes what is on the queues the base.
func (s *Search) rebase() {
	for k := range s.queues {
		s.base.lists[k] = append(s.base.lists[k][:0], s.queues[k].list...)
	}
	s.base.dues, s.base.starts = s.base.dues[:0], s.base.starts[:0]
	for k := range s.p.stages {
		s.base.dues, s.base.starts = append(s.base.dues, s.p.stages[k].due), append(s.base.starts, s.p.stages[k].start)
	}
}

// goBack has the queues be what they are at the base.
func (s *Search) goBack() {
	for k := range s.queues {
		s.queues[k].list = append(s.queues[k].list[:0], s.base.lists[k]...)
	}
	for k, due := range s.base.dues {
		s.p.move(int32(k), due)
		s.p.stages[k].start = s.base.starts[k]
	}
	s.evaluate()
}

// Run does about so much work, or until ctx is done or nothing is left to do, and offers each plan that is better than all before.
func (s *Search) Run(ctx context.Context, work int64, offer func(model.Schedule)) {
	for end := s.work + work; s.work < end; {
		if s.try.moves%pollEvery == 0 && ctx.Err() != nil || !s.try.on && !s.begin() {
			return
		}
		if s.cost > 0 {
			s.move(s.cost + int64(s.try.heat*s.rng.ExpFloat64())) // Metropolis
			s.try.heat *= s.try.cooling
			s.try.moves++
			s.work++
		}
		switch {
		case s.ofLateness():
			s.endLate(offer)
		case s.cost == 0:
			s.succeed(offer)
		case s.try.moves == s.try.length && s.goFurther():
		case s.try.moves == s.try.length && s.reheat():
		case s.try.moves == s.try.length:
			s.failures[s.try.job]++
			s.try.on = false
			s.goBack()
		}
	}
}

// begin begins a try; false if no job of the pool is left to be tried.
func (s *Search) begin() bool {
	if s.ofLateness() {
		return s.beginLate()
	}
	i := s.candidate()
	if i == noJob {
		return false
	}
	s.try = try{on: true, job: i}
	if s.failures[i] > 0 && s.rng.IntN(ofTries) == 0 {
		if k := s.rival(i); k != noJob {
			s.eject(k)
		}
	}
	s.putIn(i)
	s.lookAround()
	s.cool(hottest, movesPerTask*len(s.region)*min(s.p.by.longest, 1+s.failures[i]))
	return true
}

// candidate is the job of the pool that takes the least work for its price and failed least, more or less.
func (s *Search) candidate() model.JobID {
	best, least := noJob, math.Inf(1)
	for _, i := range s.pool {
		effort := float64(s.p.fig.Jobs[i].Work) * float64(1+s.failures[i]) / float64(s.priceOf(i)) * (1 + float64(chance*s.rng.Float64()))
		if !s.hopeless[i] && effort < least {
			best, least = i, effort
		}
	}
	return best
}

func (s *Search) priceOf(i model.JobID) int64 { return s.aim.Weight(&s.p.js.Jobs[i]) }

// rival is a job that costs no more than job i and is more work, by chance one that is much of it while i could run.
func (s *Search) rival(i model.JobID) model.JobID {
	best, most, job := noJob, 0.0, &s.p.js.Jobs[i]
	for k := range s.out {
		rival, work := &s.p.js.Jobs[k], s.p.fig.Jobs[k].Work
		if s.out[k] || !s.aim.Jobs.Has(rival.Kind) || s.priceOf(model.JobID(k)) > s.priceOf(i) || work <= s.p.fig.Jobs[i].Work {
			continue
		}
		shared := min(rival.Due(), job.Due()) - max(rival.Release, job.Release)
		if of := float64(work) * float64(shared) / float64(rival.Deadline) * s.rng.Float64(); of > most {
			best, most = model.JobID(k), of
		}
	}
	return best
}

// eject takes a job off the queues for that of the try.
func (s *Search) eject(i model.JobID) {
	s.try.gone = append(s.try.gone, i)
	s.takeOut(i)
}

// goFurther has a try that has come close go on from where it is, cooler than it began.
func (s *Search) goFurther() bool {
	if s.try.further == s.p.by.further || s.cost > nearly*int64(s.p.grain) {
		return false
	}
	s.try.further++
	s.cool(warm, s.try.length)
	return true
}

// reheat has a try that fails go on for a while with a job less, of those that are late, or else of those that are in its way, if that
// may be of use.
func (s *Search) reheat() bool {
	if s.try.again || len(s.try.gone) > 0 {
		return false
	}
	s.try.again = true
	s.look()
	most, best := model.Time(0), noJob
	for _, t := range s.late {
		i := s.p.js.Tasks[t].Job
		if work := s.p.fig.Jobs[i].Work; i != s.try.job && s.aim.Jobs.Has(s.p.js.Jobs[i].Kind) && s.priceOf(i) <= s.priceOf(s.try.job) && work > most {
			most, best = work, i
		}
	}
	if best == noJob {
		if best = s.rival(s.try.job); best == noJob {
			return false
		}
	}
	s.eject(best)
	s.lookAround()
	s.cool(reheated, s.try.length/reheatedPart)
	return true
}

// cool has the try go on for so many moves from a temperature on.
func (s *Search) cool(from float64, moves int) {
	s.try.moves, s.try.length, s.try.heat = 0, moves, from*s.mean*float64(s.p.grain)
	s.try.cooling = math.Pow(s.p.by.coldest/from, 1/float64(moves))
}

// lookAround lists the region of the try.
func (s *Search) lookAround() {
	job, due := &s.p.js.Jobs[s.try.job], s.p.due(s.try.job)
	s.region = s.region[:0]
	for k := range s.queues {
		for _, t := range s.queues[k].list {
			if other := s.p.js.Tasks[t].Job; s.p.due(other) > job.Release && due > s.p.js.Jobs[other].Release {
				s.region = append(s.region, t)
			}
		}
	}
}

// takeOut takes the tasks of a job off the queues.
func (s *Search) takeOut(i model.JobID) {
	for k := range s.queues {
		s.queues[k].list = slices.DeleteFunc(s.queues[k].list, func(t int32) bool { return s.p.js.Tasks[t].Job == i })
	}
	s.evaluate()
}

// putIn puts the tasks of a job on queues, each where it costs least of some places by chance.
func (s *Search) putIn(i model.JobID) {
	job := &s.p.js.Jobs[i]
	for k := range s.p.stages {
		if st := &s.p.stages[k]; st.job == i && len(st.after) > 0 {
			s.p.move(int32(k), st.most-(st.most-st.least)/4)
		}
	}
	for k := range s.p.stages {
		if st := &s.p.stages[k]; st.job == i && st.gang {
			st.start = st.ready + s.rng.Int32N(max(1, st.due-st.ready))
		}
	}
	for t := int32(job.First); t < int32(job.End); t++ {
		queue, place, least := -1, 0, int64(math.MaxInt64)
		for n := 0; n < places || queue < 0; n++ {
			k := s.slaveFor(t)
			if k < 0 || s.bars(k, t, t) {
				continue
			}
			to := s.queues[k].around(s.timeFor(t))
			if more := s.costOf(t, k, to); more < least {
				queue, place, least = k, to, more
			}
		}
		q, d := s.touch(queue, place)
		d.list = slices.Insert(d.list, place, t)
		s.lay(d, q, change{place, place + 1, 1, true}, mostCost)
		s.settle(true)
		s.on[t] = int32(queue)
	}
	s.evaluate()
}

// costOf is what a task more at a place costs.
func (s *Search) costOf(t int32, queue, place int) int64 {
	q, d := s.touch(queue, place)
	d.list = slices.Insert(d.list, place, t)
	s.lay(d, q, change{place, place + 1, 1, true}, mostCost)
	s.settle(false)
	return d.sum - q.total()
}

// succeed ends a try that has brought all to their due times.
func (s *Search) succeed(offer func(model.Schedule)) {
	s.price -= s.priceOf(s.try.job)
	s.out[s.try.job] = false
	s.pool = slices.DeleteFunc(s.pool, func(i model.JobID) bool { return i == s.try.job })
	for _, gone := range s.try.gone {
		s.price += s.priceOf(gone)
		s.out[gone], s.failures[gone] = true, 0
		s.pool = append(s.pool, gone)
	}
	s.try.on = false
	s.rebase()
	if s.price < s.best {
		s.best, s.improved = s.price, s.work
		offer(s.plan())
	}
}

// plan is the schedule of the queues, with all jobs that are out behind them.
func (s *Search) plan() model.Schedule {
	plan := model.NewSchedule(len(s.on))
	for k := range s.queues {
		q := &s.queues[k]
		for i, t := range q.list {
			plan[t] = s.placement(q, i)
		}
	}
	return heuristics.Complete(s.p.js, plan)
}
