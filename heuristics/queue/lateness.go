package queue

import (
	"math"
	"slices"

	"downbeat/model"
)

// latest is the last time at which stages may be due where jobs pay for lateness, and as late as plans are laid out.
const latest = maxTime / 2

// varied is how many times as hot a try around a job that failed begins at most, as drawn, where the goal is the sum of lateness of fewer than
// variedBelow tasks: what trades late jobs for others, by many ticks each, is found hot, what is left to be gained then cool. Of more tasks
// hot tries leave more late than is made good in their moves.
const varied, variedBelow = 4, 100

// patience is how many moves a try and those after it have to come to a plan that costs less before the sum of lateness of so few tasks is searched
// for anew: from one beginning to the next a plan of 50 tasks differs by a tenth, and going on from it for long betters it by less.
const patience = 6_000_000

// ofLateness reports whether the least lateness of jobs, or the least of their last finishes, can be searched for: where lateness is summed each job
// has one last stage, and what all tasks and jobs together can cost has room. Of many tasks that differ in what they take the sum is left to guides, which
// come further where much is late: gen.ScaleToday(500, 2) to 996 in 12 s, and to 1194 before annealing, which betters it by nothing. So it is of many with gangs, or jobs
// that come after others.
func ofLateness(js *model.JobSet, of model.Shape) bool {
	most := int64(mostCost / maxTime / max(1, len(js.Tasks)+len(js.Jobs)))
	return (of.Measure == model.Delay || of.Measure == model.Completion && of.Max) && of.Jobs.Has(model.Soft) &&
		(of.Max || len(js.Tasks) < manyFrom || !ofAmounts(js) && !js.Gangs() && !js.JobsLinked()) &&
		!slices.ContainsFunc(js.Jobs, func(job model.Job) bool { return !of.Max && lastStages(&job) > 1 || of.Weight(&job) > most })
}

// lastStages is how many stages of a job no other waits for.
func lastStages(job *model.Job) int {
	before := make([]bool, len(job.Stages))
	for k := range job.Stages {
		for _, b := range job.Stages[k].After {
			before[b] = true
		}
	}
	last := 0
	for _, waitedFor := range before {
		if !waitedFor {
			last++
		}
	}
	return last
}

// ofLateness reports whether the goal is lateness, the sum or the greatest, or the last finish, which is the lateness of jobs that are due at
// the beginning. All jobs are on queues then.
func (s *Search) ofLateness() bool { return !s.aim.Counts() }

// ofSum reports whether it is the sum.
func (s *Search) ofSum() bool { return s.ofLateness() && !s.aim.Max }

// ofFewTasks reports whether it is that of so few tasks that tries are hotter, and begin anew.
func (s *Search) ofFewTasks() bool { return s.ofSum() && len(s.on) < variedBelow }

// charge has jobs pay for their due times where the goal is the sum of lateness, and all that has to be in time cost as much as the
// dearest of them.
func (s *Search) charge() {
	s.mean = 1
	if !s.ofSum() {
		return
	}
	most, sum, n := int64(1), int64(0), int64(0)
	for i := range s.p.js.Jobs {
		if s.aim.Jobs.Has(s.p.js.Jobs[i].Kind) {
			price := s.priceOf(model.JobID(i))
			most, sum, n = max(most, price), sum+price, n+1
		}
	}
	s.mean = float64(sum) / float64(max(n, 1))
	for k := range s.p.stages {
		st := &s.p.stages[k]
		st.price = most
		if !s.aim.Jobs.Has(s.p.js.Jobs[st.job].Kind) {
			continue
		}
		st.most = latest
		if st.last {
			st.pays, st.price = true, s.priceOf(st.job)
		}
		if st.lenient() {
			st.least = st.due
		}
	}
}

// paid is what jobs pay for due times later than their own.
func (s *Search) paid() (sum int64) {
	for k := range s.p.stages {
		sum += s.p.stages[k].paid()
	}
	return sum
}

// adapt has each job that pays due when all its last tasks have ended, or all but one: what it costs is the same, and with one late
// a move that has this end sooner costs less.
func (s *Search) adapt(butOne bool) {
	type pair struct{ last, second int32 }
	ends := make([]pair, len(s.p.stages))
	for k := range s.queues {
		q := &s.queues[k]
		for i, t := range q.list {
			e, end := &ends[s.p.of[t]], min(maxTime, q.start[i]+s.p.pairsOf(t)[k].run)
			e.second = max(e.second, min(e.last, end))
			e.last = max(e.last, end)
		}
	}
	for k := range s.p.stages {
		if st := &s.p.stages[k]; st.lenient() && butOne {
			st.due = max(st.least, ends[k].second)
		} else if st.lenient() {
			st.due = max(st.least, ends[k].last)
		}
	}
	s.cost = s.paid()
	for k := range s.queues {
		s.count(&s.queues[k])
		s.cost += s.queues[k].total()
	}
}

// count has a queue cost what it does with other due times.
func (s *Search) count(q *queue) {
	for i, t := range q.list {
		run := s.p.pairsOf(t)[q.slave].run
		q.cost[i+1] = q.cost[i] + s.p.stages[s.p.of[t]].cost(q.start[i]+run, run, s.p.charge)
	}
}

// allow has each job due when it is in a plan of less than the greatest lateness of the best, or than its last finish; hard jobs when they
// are due themselves, too.
func (s *Search) allow() {
	if !s.aim.Max {
		return
	}
	allowed, all := int32(min(s.best-1, latest)), s.aim.Measure == model.Completion
	for k := range s.p.stages {
		st := &s.p.stages[k]
		kind := s.p.js.Jobs[st.job].Kind
		switch {
		case all && kind == model.Hard:
			st.most = min(st.own, allowed-st.tail)
		case all:
			st.most = allowed - st.tail
		case s.aim.Jobs.Has(kind):
			st.most = st.own + allowed
		}
		if st.least = min(st.least, st.most); len(st.after) == 0 {
			st.due = st.most
		} else if st.last {
			s.p.move(int32(k), min(st.due, st.most))
		}
	}
}

// goOn makes a plan that is laid out, or what is on the queues, the base of further tries.
func (s *Search) goOn() {
	if s.ofSum() {
		s.adapt(true)
	}
	s.base.cost = s.cost
	s.rebase()
}

// beginAnew goes back to the first plan once what it is at has come to nothing for long, and from there goes on from plans alone, which come
// much further from far away than what has stages late that others wait for; near the best plan these lead out of it.
func (s *Search) beginAnew() {
	if s.base.cost < s.reached {
		s.reached, s.since = s.base.cost, s.work
	}
	if s.work-s.since < patience {
		return
	}
	clear(s.failures)
	s.goOnFrom(s.first)
	s.plansAlone = true
}

// beginLate begins a try around a job that is late.
func (s *Search) beginLate() bool {
	if s.best == 0 {
		return false
	}
	if s.ofFewTasks() {
		s.beginAnew()
	}
	s.try = try{on: true, job: s.lateJob()}
	s.lookAround()
	from := hottest
	if s.ofFewTasks() && s.failures[s.try.job] > 0 {
		from *= math.Pow(varied, s.rng.Float64())
	}
	tasks := len(s.region)
	if s.aim.Max {
		tasks = min(tasks, mostMoved)
	}
	s.cool(from, movesPerTask*tasks*min(s.p.by.longest, 1+s.failures[s.try.job]))
	return true
}

// mostMoved is of how many tasks a try for the greatest lateness, or for the last finish, has the moves at the most: for these nearly all tasks are
// in its region, and few are late. With 5 and with 300 plans come to about as much (docs/diary.md).
const mostMoved = 60

// lateJob is one by chance, mostly one that pays much and has failed little. If none is late, and there is nothing to be done, it is any.
func (s *Search) lateJob() (best model.JobID) {
	most := 0.0
	consider := func(i model.JobID, cost int64) {
		if of := float64(cost) / float64(1+s.failures[i]) * s.rng.Float64(); of > most {
			best, most = i, of
		}
	}
	for k := range s.p.stages {
		if st := &s.p.stages[k]; st.pays {
			consider(st.job, st.paid())
		}
	}
	s.look()
	for _, t := range s.late {
		consider(s.p.js.Tasks[t].Job, 1)
	}
	return best
}

// endLate ends a try that has brought all to their due times, or all its moves: what it has come to is gone on from if it is no
// worse than what it began from.
func (s *Search) endLate(offer func(model.Schedule)) {
	if s.cost > 0 && s.try.moves < s.try.length {
		return
	}
	s.try.on = false
	if s.ofSum() {
		s.adapt(false)
	}
	switch {
	case s.cost == s.paid() && s.cost < s.best:
		s.failures[s.try.job] = 0
		plan := s.plan()
		s.best, s.improved = s.p.js.Value(s.goal, s.p.js.Finishes(plan)), s.work
		s.allow()
		s.evaluate()
		s.goOn()
		offer(plan)
	case s.cost <= s.base.cost && (s.cost == s.paid() || !s.plansAlone):
		s.failures[s.try.job]++
		s.goOn()
	default:
		s.failures[s.try.job]++
		s.goBack()
	}
}
