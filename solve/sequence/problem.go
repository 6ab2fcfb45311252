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
	// of is the objective, weighted tardiness or one that counts late jobs.
	of model.Objective
	// optional tells that some jobs may be let go.
	optional bool
	// tight tells that what is to be found are orders: jobs take turns on lines, and each begins when the one before
	// it is over, or when it is there.
	tight bool
	// below is what plans that are asked for cost less than, steps the number of ticks and starts. allowed is what plans may cost by
	// any claim that is still to come, at the least: times that only a greater limit leaves are none for its checker.
	below, steps, allowed int64
	// beside is what those cost that are in nobody's way. They are none of Jobs.
	beside int64
	// besideMost is what one of them costs, at the most.
	besideMost int64
}

// Job is one of a problem. Weight is the price of a tick after Due. LetGo is what it costs if the job does not run, 0 of one
// that has to.
type Job struct {
	ID     model.JobID
	Task   model.TaskID
	Weight int64
	Due    model.Time
	LetGo  int64
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
	// needed is the length of those alone that have to run.
	first, latest, length, needed, least, most model.Time
}

// place is a job on a line: when it can begin at the earliest and at the latest. It ends run later, and the next one can begin
// length later; 0 if it cannot run there.
type place struct{ first, last, run, length model.Time }

// mostPrice bounds what a job pays, mostSteps the starts of all jobs on all slaves with the ticks there are there, mostLines how
// many tasks run at a time, and mostJobs the jobs: proofs know of no more lines and ticks, and local search takes a step for each
// pair of jobs between two polls of the context.
const mostPrice, mostSteps, mostLines, mostJobs = 1 << 31, 1 << 20, 1 << 8, 1 << 12

// New is the problem that a question comes to which limits an objective, weighted tardiness or one that counts late jobs; nil
// where it has other jobs than of one task, or is too large.
func New(q query.Question, of model.Objective) *Problem {
	most, limited := q.Most(of)
	if !limited || len(q.Fixed) > 0 || len(q.Restrict) > 0 || !slices.ContainsFunc(q.JS.Jobs, ofOneTask) {
		return nil
	}
	l := query.NewLayout(q)
	if l.Impossible >= 0 {
		return nil
	}
	p, shape := &Problem{of: of, below: most + 1}, of.Shape()
	for i := range q.JS.Jobs {
		spec := &q.JS.Jobs[i]
		switch {
		case l.Role[i] == query.Out:
			continue
		case !ofOneTask(*spec), len(p.Jobs) == mostJobs, l.Role[i] == query.May && !(shape.Counts() && shape.Jobs.Has(spec.Kind)):
			return nil
		}
		job := Job{ID: model.JobID(i), Task: spec.First}
		switch {
		case l.Role[i] == query.May:
			p.optional = true
			job.LetGo = shape.Weight(spec)
		case shape.Sums() && shape.Jobs.Has(spec.Kind) && !q.IsLater(job.ID):
			job.Weight, job.Due = shape.Weight(spec), shape.From(spec)
		}
		p.Jobs = append(p.Jobs, job)
	}
	for _, i := range l.Missed {
		if spec := &q.JS.Jobs[i]; q.Role[i] == query.May && shape.Counts() && shape.Jobs.Has(spec.Kind) {
			p.setAside(shape.Weight(spec))
		}
	}
	l.PlaceTasks()
	p.tight = p.onlyOrders(&q)
	if p.setBeside(l); p.below <= 0 || len(p.Jobs) == 0 {
		return nil
	}
	lines := int64(0)
	for s := range q.JS.Slaves {
		if lines += p.addLine(l, model.SlaveID(s)); lines > mostLines {
			return nil
		}
	}
	if p.tight = p.tight && !slices.ContainsFunc(p.lines, func(of *line) bool { return !of.takesTurns(l) }); p.tight {
		p.tighten(l)
	}
	p.open(l.JS)
	p.merge()
	if len(p.lines) == 0 || !p.anywhere() || !p.measured() {
		return nil
	}
	return p
}

// setBeside takes the jobs out that are in nobody's way: those on slaves that take all of their tasks at once, which may run on no other. Each begins at once. Such are
// those that stand in for what was handed out before.
func (p *Problem) setBeside(l *query.Layout) {
	beside := make([]bool, len(l.JS.Slaves))
	for s := range beside {
		p.addLine(l, model.SlaveID(s))
	}
	for _, of := range p.lines {
		beside[of.slaves[0]] = of.takesAll(l)
	}
	p.Jobs, p.lines = slices.DeleteFunc(p.Jobs, func(job Job) bool {
		places := l.Places[job.Task]
		if len(places) != 1 || !beside[places[0].Slave] {
			return false
		}
		p.setAside(job.Weight * int64(max(0, places[0].FirstStart()+places[0].WCET-job.Due)))
		return true
	}), nil
}

// setAside takes account of what a job costs that is in nobody's way.
func (p *Problem) setAside(cost int64) {
	p.beside, p.besideMost, p.below = p.beside+cost, max(p.besideMost, cost), p.below-cost
}

// takesAll reports whether the lines of a slave take all of its tasks at once, which may run on no other.
func (l *line) takesAll(layout *query.Layout) bool {
	tasks := int64(0)
	for k := range l.at {
		switch {
		case l.at[k].length == 0:
		case len(layout.Places[l.Jobs[k].Task]) > 1:
			return false
		default:
			tasks++
		}
	}
	return l.each == tasks && len(layout.JS.Slaves[l.slaves[0]].Reservations) == 0 && l.takesTurns(layout)
}

func ofOneTask(job model.Job) bool { return job.End == job.First+1 }

// anywhere reports whether each job can run on some line.
func (p *Problem) anywhere() bool {
	for k := range p.Jobs {
		if !slices.ContainsFunc(p.lines, func(of *line) bool { return of.at[k].length > 0 }) {
			return false
		}
	}
	return true
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

// need is what tasks need of something: the one that needs the least, the one that needs most, and all.
type need struct{ least, greatest, sum int64 }

// opens is when each line of a slave is there for tasks: once as many fit at a time of those that need the least, with what is reserved. Where
// one stays at a time that is a heartbeat with what the stay needs. steady tells that from then on any so many fit, and
// have room until they start if that is not when they are handed out.
func (l *line) opens(js *model.JobSet) (from []model.Time, steady bool) {
	type change struct {
		at     model.Time
		supply int
		units  int64
	}
	left, wanted, changes := js.Supplies(l.slaves[0]), []need{}, []change{}
	for n, has := range left {
		needs := l.needs(js, has.Resource)
		of := need{least: needs[0], greatest: needs[len(needs)-1]}
		for _, units := range needs {
			of.sum += units
		}
		wanted = append(wanted, of)
		for _, taken := range js.Slaves[l.slaves[0]].Reservations {
			if taken.Resource == has.Resource {
				changes = append(changes, change{taken.Start, n, -taken.Units}, change{taken.End, n, taken.Units})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return int(a.at - b.at) })
	one := l.atATime(js, model.HoldStay) == 1
	opens := func(by model.Hold) bool { return by == model.HoldStay || by == model.HoldRun && !one }
	steady = true
	for next, now := 0, model.Time(0); ; now = changes[next].at {
		for ; next < len(changes) && changes[next].at <= now; next++ {
			left[changes[next].supply].Units += changes[next].units
		}
		fit, any := l.each, l.each
		for n, has := range left {
			of := &wanted[n]
			if of.least > 0 && opens(has.Hold) {
				fit = min(fit, has.Units/of.least)
			}
			switch alike := l.each == 1 || of.least == of.greatest; {
			case of.greatest == 0 || of.sum <= has.Units:
			case alike && (one || has.Hold == model.HoldRun || js.Heartbeat == 1):
				any = min(any, has.Units/of.greatest)
			default:
				any = 0
			}
		}
		for int64(len(from)) < fit {
			if from = append(from, now); one {
				_, from[0] = js.BeatAtOrAfter(l.slaves[0], now)
			}
		}
		if steady = steady && any >= int64(len(from)); next == len(changes) {
			return from, steady
		}
	}
}

// open parts lines by when they are there for tasks, which begin no sooner, and leaves those out on which none can.
func (p *Problem) open(js *model.JobSet) {
	var parts []*line
	for _, l := range p.lines {
		for from, _ := l.opens(js); len(from) > 0; {
			n := 1
			for n < len(from) && from[n] == from[0] {
				n++
			}
			if part := l.since(from[0], int64(n)); part != nil {
				parts = append(parts, part)
			}
			from = from[n:]
		}
	}
	p.lines = parts
}

// since are so many of the lines, on which jobs begin at a time or later; nil if none can.
func (l *line) since(from model.Time, count int64) *line {
	of, some := &line{Problem: l.Problem, slaves: l.slaves, each: count, count: count, at: slices.Clone(l.at)}, false
	for k := range of.at {
		at := &of.at[k]
		if at.first = max(at.first, from); at.length == 0 || at.first > at.last {
			*at = place{}
			continue
		}
		some = true
	}
	if !some {
		return nil
	}
	return of
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

// onlyOrders reports whether jobs wait for nothing but for each other's places.
func (p *Problem) onlyOrders(q *query.Question) bool {
	js := q.JS
	for k := range p.Jobs {
		job := &js.Jobs[p.Jobs[k].ID]
		if _, gang := js.GangOf(job.First); gang || len(job.After) > 0 || len(js.Takes(job.First)) > 0 {
			return false
		}
	}
	for _, limit := range q.Limits {
		if limit.Objective != p.of {
			return false
		}
	}
	return true
}

// takesTurns reports whether tasks that take turns on the lines of a slave, which is always there, keep to all that it has: one stays there at a
// time, and the next begins at a heartbeat; or nothing is fetched, tasks can be handed out before they start, or are at
// every tick, and where several run at a time any so many of them fit. What is reserved keeps no line from use that was free before.
func (l *line) takesTurns(layout *query.Layout) bool {
	js, id := layout.JS, l.slaves[0]
	if len(js.Slaves[id].Down) > 0 {
		return false
	}
	if _, steady := l.opens(js); !steady {
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
	return true
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
	if p.besideMost > mostPrice {
		return false
	}
	for k := range p.Jobs {
		if p.Jobs[k].LetGo > mostPrice {
			return false
		}
	}
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
	for k, at := range l.at {
		if at.length > 0 {
			longest = max(longest, at.length)
			l.first, l.latest, l.length = min(l.first, at.first), max(l.latest, at.first), l.length+at.length
			l.most = max(l.most, at.last+at.length)
			if l.Jobs[k].LetGo == 0 {
				l.needed += at.length
			}
		}
	}
	l.least = l.first
	if len(l.lines) == 1 && (l.count == 1 || l.busy()) {
		// No line ends before the last job of another begins.
		l.least += max(0, (l.needed-model.Time(l.count-1)*longest+model.Time(l.count)-1)/model.Time(l.count))
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
