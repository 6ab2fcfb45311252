package sequence

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// Problem is when jobs of one task each run on slaves of which each runs so many at a time.
type Problem struct {
	Jobs  []Job
	lines []*line
	// tight tells that what is to be found are orders: jobs take turns on lines, and each begins when the one before
	// it is over, or when it is there.
	tight bool
	// below is what plans that are asked for cost less than, steps the number of ticks and starts. allowed is what plans may cost by
	// any claim that is still to come, at the least: times that only a greater limit leaves are none for its checker.
	below, steps, allowed int64
}

// Job is one of a problem. Weight is the price of a tick after Due.
type Job struct {
	ID     model.JobID
	Task   model.TaskID
	Weight int64
	Due    model.Time
}

// line is where jobs take turns: on one of slaves that are alike, of which each runs so many tasks at a time. There are count such
// lines in all.
type line struct {
	*Problem
	slaves      []model.SlaveID
	each, count int64
	at          []place // by job
	// first is when the first job can begin, latest when all can, and length what all take; least and most
	// are when a walk ends.
	first, latest, length, least, most model.Time
}

// place is a job on a line: when it can begin at the earliest and at the latest. It ends run later, and the next one can begin
// length later; 0 if it cannot run there.
type place struct{ first, last, run, length model.Time }

// mostPrice bounds what a job pays, mostSteps the starts of all jobs on all slaves with the ticks there are there, mostLines how
// many tasks run at a time, and mostJobs the jobs: proofs know of no more lines and ticks, and local search takes a step for each
// pair of jobs between two polls of the context.
const mostPrice, mostSteps, mostLines, mostJobs = 1 << 31, 1 << 20, 1 << 8, 1 << 12

// New is the problem that a question comes to, nil where it has other jobs than of one task that all have to be in, or is too
// large.
func New(q query.Question) *Problem {
	most, limited := q.Most(model.WeightedTardiness)
	if !limited || len(q.Fixed) > 0 || len(q.Restrict) > 0 {
		return nil
	}
	p, shape := &Problem{below: most + 1}, model.WeightedTardiness.Shape()
	for i := range q.JS.Jobs {
		if q.Role[i] == query.Out {
			continue
		}
		spec := &q.JS.Jobs[i]
		if q.Role[i] != query.Must || spec.End != spec.First+1 || len(p.Jobs) == mostJobs {
			return nil
		}
		job := Job{ID: model.JobID(i), Task: spec.First}
		if shape.Jobs.Has(spec.Kind) && !q.IsLater(job.ID) {
			job.Weight, job.Due = shape.Weight(spec), shape.From(spec)
		}
		p.Jobs = append(p.Jobs, job)
	}
	l := query.NewLayout(q)
	if l.Impossible >= 0 {
		return nil
	}
	l.PlaceTasks()
	lines := int64(0)
	for s := range q.JS.Slaves {
		if lines += p.addLine(l, model.SlaveID(s)); lines > mostLines {
			return nil
		}
	}
	if p.tight = p.isTight(&q, l); p.tight {
		p.tighten(l)
	}
	p.merge()
	nowhere := func(job Job) bool { return len(l.Places[job.Task]) == 0 }
	if len(p.lines) == 0 || slices.ContainsFunc(p.Jobs, nowhere) || !p.measured() {
		return nil
	}
	return p
}

// addLine adds a slave, if any job may run there, and tells how many do at a time.
func (p *Problem) addLine(l *query.Layout, slave model.SlaveID) (count int64) {
	of, some := &line{Problem: p, slaves: []model.SlaveID{slave}, at: make([]place, len(p.Jobs))}, false
	for k := range p.Jobs {
		if at := placeOn(l, p.Jobs[k].Task, slave); at != nil {
			of.at[k], some = place{at.FirstStart(), at.LastStart, at.WCET, at.WCET}, true
		}
	}
	if some {
		of.each = min(of.atATime(l.JS, model.HoldRun), of.atATime(l.JS, model.HoldStay))
		of.count = of.each
		p.lines = append(p.lines, of)
	}
	return of.count
}

// placeOn is the place of a task on a slave, nil if there is none.
func placeOn(l *query.Layout, task model.TaskID, slave model.SlaveID) *query.Place {
	places := l.Places[task]
	if n := slices.IndexFunc(places, func(at query.Place) bool { return at.Slave == slave }); n >= 0 {
		return &places[n]
	}
	return nil
}

// merge makes one of lines that are alike.
func (p *Problem) merge() {
	var merged []*line
	for _, l := range p.lines {
		n := slices.IndexFunc(merged, func(of *line) bool { return of.each == l.each && slices.Equal(of.at, l.at) })
		if n < 0 {
			merged = append(merged, l)
			continue
		}
		merged[n].slaves, merged[n].count = append(merged[n].slaves, l.slaves...), merged[n].count+l.count
	}
	p.lines = merged
}

// only reports whether there is a single line.
func (p *Problem) only() bool { return len(p.lines) == 1 && p.lines[0].count == 1 }

// needs are what the tasks of a line need of a resource, ascending.
func (l *line) needs(js *model.JobSet, of model.ResourceID) (needs []int64) {
	for k := range l.at {
		if l.at[k].length > 0 {
			needs = append(needs, js.Need(&js.Tasks[l.Jobs[k].Task], l.slaves[0], of))
		}
	}
	slices.Sort(needs)
	return needs
}

// atATime is how many tasks there may be at a time, by what they hold in a way.
func (l *line) atATime(js *model.JobSet, hold model.Hold) int64 {
	most := int64(len(l.at))
	for _, has := range js.Supplies(l.slaves[0]) {
		if has.Hold != hold {
			continue
		}
		switch needs := l.needs(js, has.Resource); {
		case len(needs) == 1 || needs[0]+needs[1] > has.Units:
			return 1
		case needs[0] > 0:
			most = min(most, has.Units/needs[0])
		}
	}
	return most
}

// roomForAll reports whether all tasks may hold what there is of something at a time.
func (l *line) roomForAll(js *model.JobSet, has *model.Supply) bool {
	sum := int64(0)
	for _, need := range l.needs(js, has.Resource) {
		sum += need
	}
	return sum <= has.Units
}

// isTight reports whether all that is to be found are the orders on lines: jobs wait for nothing else, and slaves are always there.
func (p *Problem) isTight(q *query.Question, l *query.Layout) bool {
	js := q.JS
	for k := range p.Jobs {
		job := &js.Jobs[p.Jobs[k].ID]
		if _, gang := js.GangOf(job.First); gang || len(job.After) > 0 || len(js.Takes(job.First)) > 0 {
			return false
		}
	}
	for _, limit := range q.Limits {
		if limit.Objective != model.WeightedTardiness {
			return false
		}
	}
	return !slices.ContainsFunc(p.lines, func(of *line) bool { return !of.takesTurns(l) })
}

// takesTurns reports whether tasks that take turns on the lines of a slave keep to all that it has: one stays there at a
// time, and the next begins at a heartbeat; or nothing is fetched, tasks can be handed out before they start, or are at
// every tick, and where several run at a time any so many of them fit.
func (l *line) takesTurns(layout *query.Layout) bool {
	js, id := layout.JS, l.slaves[0]
	if slave := &js.Slaves[id]; len(slave.Down) > 0 || len(slave.Reservations) > 0 {
		return false
	}
	if l.atATime(js, model.HoldStay) == 1 {
		return true
	}
	for k := range l.at {
		if at := placeOn(layout, l.Jobs[k].Task, id); at != nil && at.Transfer > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(js.Supplies(id), func(has model.Supply) bool {
		needs := l.needs(js, has.Resource)
		alike := l.count == 1 || needs[0] == needs[len(needs)-1]
		switch has.Hold {
		case model.HoldRun:
			return !alike && !l.roomForAll(js, &has)
		case model.HoldStay:
			return (!alike || js.Heartbeat > 1) && !l.roomForAll(js, &has)
		}
		return false
	})
}

// tighten has tasks begin when they are handed out, where one stays at a time, and the next at a heartbeat.
func (p *Problem) tighten(layout *query.Layout) {
	js := layout.JS
	for _, l := range p.lines {
		if l.atATime(js, model.HoldStay) > 1 {
			continue
		}
		for k := range l.at {
			if at := placeOn(layout, l.Jobs[k].Task, l.slaves[0]); at != nil {
				run := at.Transfer + at.WCET
				l.at[k] = place{at.FirstFetch, at.LastFetch(), run, (run + js.Heartbeat - 1) / js.Heartbeat * js.Heartbeat}
			}
		}
	}
}

// measured measures all lines; false if the problem is too large.
func (p *Problem) measured() bool {
	for _, l := range p.lines {
		if p.steps += l.measure(); p.steps > mostSteps {
			return false
		}
		for k := range l.at {
			if l.at[k].length > 0 && l.cost(int32(k), l.lastStart(k)) > mostPrice {
				return false
			}
		}
	}
	return true
}

// measure works out when walks begin and end, and gives the number of ticks and starts.
func (l *line) measure() (steps int64) {
	l.first = model.Never
	longest := model.Time(0)
	for _, at := range l.at {
		if at.length > 0 {
			longest = max(longest, at.length)
			l.first, l.latest, l.length = min(l.first, at.first), max(l.latest, at.first), l.length+at.length
			l.most = max(l.most, at.last+at.length)
		}
	}
	l.least = l.first
	if len(l.lines) == 1 && (l.count == 1 || l.busy()) {
		// No line ends before the last job of another begins.
		l.least += max(0, (l.length-model.Time(l.count-1)*longest+model.Time(l.count)-1)/model.Time(l.count))
	}
	if l.tight && len(l.lines) == 1 {
		l.most = min(l.most, l.latest+(l.length+model.Time(l.count-1)*longest)/model.Time(l.count))
	} else if l.tight {
		l.most = min(l.most, l.latest+l.length)
	}
	steps = int64(l.most - l.first)
	for k := range l.at {
		if l.at[k].length > 0 {
			steps += int64(max(0, 1+l.lastStart(k)-l.at[k].first))
		}
	}
	return steps
}

// lastStart is when a job begins on a walk at the latest.
func (l *line) lastStart(k int) model.Time { return min(l.at[k].last, l.most-l.at[k].length) }

// busy reports whether walks are never idle.
func (l *line) busy() bool { return l.tight && l.latest == l.first }

// cost is what a job pays that begins at a time.
func (l *line) cost(k int32, start model.Time) int64 {
	job := &l.Jobs[k]
	return job.Weight * int64(max(0, start+l.at[k].run-job.Due))
}

// stepBytes is about what a search takes for each tick and start, beside walks.
const stepBytes = 128

// Bytes is about what a search takes at least.
func (p *Problem) Bytes() int64 { return stepBytes*p.steps + nodeBytes*leastNodes }

// Tight reports whether all that is to be found are the orders of jobs on lines.
func (p *Problem) Tight() bool { return p.tight }

// Order is that of the jobs by when they start in a plan.
func (p *Problem) Order(plan model.Schedule) []int {
	order := make([]int, len(p.Jobs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(plan[p.Jobs[a].Task].Start - plan[p.Jobs[b].Task].Start) })
	return order
}
