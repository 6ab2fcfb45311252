// Package follow hands tasks out as a plan says: how a plan fares when tasks take other
// times than declared, and slaves fail.
package follow

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Patient is the slip of a policy that never gives a late task to another slave.
const Patient = model.Never

// New is the policy that follows a schedule of js, for one run. Each slave gets its
// tasks in the order in which the schedule assigns them, those of one heartbeat in the
// order in which they start: none before the one ahead of it, each as early as the rules
// let.
//
// The first slave that can gets a task that is later than the schedule assigns it by more
// than slip ticks, one that was lost, one whose slave is gone for good, and one that the
// schedule leaves out, gives to a slave that may not run it, or assigns before what it
// waits for; of several such tasks the one that was to be assigned first.
//
// What takes of a pool or a cap (C11) is given before its time only where all have been given that
// take of it earlier in the schedule. A gang (C12) is given with the first of its tasks whose turn it
// is, as soon as all of them fit on the slaves of the schedule; slots that the schedule gives to
// others until a later task of it is assigned make it wait for them. It is free as a whole.
func New(js *model.JobSet, s model.Schedule, slip model.Time) *Policy {
	p := &Policy{js: js, slip: slip, lines: make([]queue, len(js.Shared())), tasks: make([]task, len(js.Tasks)), jobs: make([]*online.Job, len(js.Jobs))}
	for st := range js.Stages() {
		p.findLeads(model.StageID(st))
	}
	p.findGone(js.Slaves)
	p.Follow(s)
	return p
}

// findGone notes which slaves go for good, as far as is known.
func (p *Policy) findGone(slaves []model.Slave) {
	p.gone = nil
	for s := range slaves {
		if gone := goneAt(&slaves[s]); gone < model.Never {
			p.gone = append(p.gone, departure{model.SlaveID(s), gone})
		}
	}
}

// Policy follows a schedule.
type Policy struct {
	js    *model.JobSet
	slip  model.Time
	tasks []task
	// past is when the schedule was made: what it assigns before is given then, no earlier.
	past model.Time
	// order lists the tasks that were left to give by when they are to be assigned; those
	// before late are free because they are late.
	order []model.TaskID
	late  int
	// queues has by slave what it is to get, lines by model.SharedID what takes of it.
	queues, lines []queue
	// assignments are the slaves of the schedule.
	assignments model.Schedule
	// loose lists the tasks that any slave may get, in the order of order.
	loose []model.TaskID
	gone  []departure
	// outages is how many there were when gone was last looked after.
	outages int
	// jobs that have arrived, by model.JobID.
	jobs []*online.Job
}

// Made tells that the schedule was made at a time during the night: what it assigns before
// that is what happened then, and is given when it says, no earlier.
func (p *Policy) Made(at model.Time) { p.past = at }

// Follow has the policy follow another schedule from now on, in what it has not given yet.
func (p *Policy) Follow(s model.Schedule) {
	p.order, p.late, p.loose, p.assignments = p.order[:0], 0, nil, s
	for i := range p.lines {
		p.lines[i] = queue{}
	}
	p.queues = make([]queue, len(p.js.Slaves))
	p.place(s)
	p.freeWhatComesTooEarly()
	p.freeCrowded()
}

type task struct {
	// assigned is when, Never for a task that the schedule leaves out.
	assigned model.Time
	// lead is the first of all equal tasks of its stage.
	lead  model.TaskID
	loose bool
	given bool
}

// queue lists what a slave is to get; those before next it has, or another may.
type queue struct {
	tasks []model.TaskID
	next  int
}

// departure is when a slave goes and does not come back.
type departure struct {
	slave model.SlaveID
	at    model.Time
}

// place fills tasks, order and queues.
func (p *Policy) place(s model.Schedule) {
	for t := range s {
		id := model.TaskID(t)
		p.tasks[t].assigned, p.tasks[t].loose = model.Never, false
		if at := s[t].Slave; at >= 0 && int(at) < len(p.queues) {
			p.tasks[t].assigned = p.js.Assigned(s[t])
		}
		if !p.tasks[t].given {
			p.order = append(p.order, id)
		}
	}
	slices.SortStableFunc(p.order, func(a, b model.TaskID) int {
		if by := cmp.Compare(p.tasks[a].assigned, p.tasks[b].assigned); by != 0 || p.tasks[a].assigned == model.Never {
			return by
		}
		return p.asGiven(s, a, b)
	})
	for _, t := range p.order {
		for _, take := range p.js.Takes(t) {
			line := &p.lines[take.Shared]
			line.tasks = append(line.tasks, t)
		}
		if p.tasks[t].assigned == model.Never || !p.js.Tasks[t].Eligible(s[t].Slave) {
			p.free(t)
			continue
		}
		q := &p.queues[s[t].Slave]
		q.tasks = append(q.tasks, t)
	}
}

// asGiven orders tasks that are assigned at one heartbeat so that the slave does with them
// what the schedule says, where it does so in any order: as they start, and of those that
// start at once as their inputs come; then what had to wait for its input, which keeps the
// others from starting earlier, or else for the most cores.
func (p *Policy) asGiven(s model.Schedule, a, b model.TaskID) int {
	x, y := s[a], s[b]
	ta, tb := &p.js.Tasks[a], &p.js.Tasks[b]
	by := cmp.Or(cmp.Compare(x.Slave, y.Slave), cmp.Compare(x.Start, y.Start))
	if by != 0 || p.js.Fetch == model.FetchExclusive {
		return cmp.Or(by, cmp.Compare(x.Fetch, y.Fetch), cmp.Compare(ta.Transfer(x.Slave), tb.Transfer(y.Slave)), cmp.Compare(tb.Cores(), ta.Cores()))
	}
	waitX, waitY := x.Start-x.Fetch-ta.Transfer(x.Slave), y.Start-y.Fetch-tb.Transfer(y.Slave)
	if waitX == 0 || waitY == 0 {
		return cmp.Compare(waitX, waitY)
	}
	return cmp.Compare(tb.Cores(), ta.Cores())
}

// findLeads notes which tasks of a stage are equal.
func (p *Policy) findLeads(id model.StageID) {
	st, _ := p.js.Stage(id)
	leads := map[*model.Profile]model.TaskID{}
	for t := st.First; t < st.End; t++ {
		profile := p.js.Tasks[t].Profile
		if _, known := leads[profile]; !known {
			leads[profile] = t
		}
		p.tasks[t].lead = leads[profile]
	}
}

// freeWhatComesTooEarly keeps a task from holding up what it waits for itself, be it by
// way of others.
func (p *Policy) freeWhatComesTooEarly() {
	last := make([]model.Time, p.js.Stages()) // by stage, when it and all before it is assigned
	for _, id := range p.js.StageOrder() {
		after := model.Time(-1)
		for _, b := range p.js.Before(id) {
			after = max(after, last[b])
		}
		last[id] = after
		st, _ := p.js.Stage(id)
		for t := st.First; t < st.End; t++ {
			last[id] = max(last[id], p.tasks[t].assigned)
			if p.tasks[t].assigned <= after {
				p.free(t)
			}
		}
	}
}

// freeCrowded frees the gangs of which a slave is to have more than it can, or two tasks that are apart.
func (p *Policy) freeCrowded() {
	for id := range model.StageID(p.js.Stages()) {
		if st, _ := p.js.Stage(id); st.IsGang() && !p.tasks[st.First].loose && p.isCrowded(st) {
			p.free(st.First)
		}
	}
}

func (p *Policy) isCrowded(st *model.Stage) bool {
	type share struct {
		slave    model.SlaveID
		resource model.ResourceID
	}
	needs, on := map[share]int64{}, map[model.SlaveID]int{}
	for t := st.First; t < st.End; t++ {
		s := p.assignments[t].Slave
		if on[s]++; st.Apart && on[s] > 1 {
			return true
		}
		for _, supply := range p.js.Supplies(s) {
			at := share{s, supply.Resource}
			if needs[at] += p.js.Need(&p.js.Tasks[t], s, supply.Resource); supply.Hold != model.HoldFetch && needs[at] > supply.Units {
				return true
			}
		}
	}
	return false
}

// goneAt is when a slave goes for good, also where its absence ends at the last time that files can
// have, Never if it does not.
func goneAt(s *model.Slave) model.Time {
	at := model.Never
	for _, d := range s.Down {
		if d.End >= model.MaxTime {
			at = min(at, d.Start)
		}
	}
	return at
}

// free lets any slave have a task, and with it its gang.
func (p *Policy) free(t model.TaskID) {
	stage, gang := p.js.GangOf(t)
	if !gang {
		p.freeOne(t)
		return
	}
	for t := stage.First; t < stage.End; t++ {
		p.freeOne(t)
	}
}

func (p *Policy) freeOne(t model.TaskID) {
	task := &p.tasks[t]
	if task.loose || task.given {
		return
	}
	task.loose = true
	at, _ := slices.BinarySearchFunc(p.loose, t, p.before)
	p.loose = slices.Insert(p.loose, at, t)
}

// before orders tasks by when they are to be assigned, then as in the file.
func (p *Policy) before(a, b model.TaskID) int {
	return cmp.Or(cmp.Compare(p.tasks[a].assigned, p.tasks[b].assigned), cmp.Compare(a, b))
}

// Name implements online.Policy.
func (p *Policy) Name() string { return "follow" }

// Asks implements online.Policy.
func (p *Policy) Asks() online.Asking { return online.OnChange }

// Control implements online.Controller: it frees what is late, and what was for a slave
// that is gone, and wakes for what is of the past.
func (p *Policy) Control(v *online.View) model.Time {
	return min(p.freeLate(v.Now()), p.nextOfPast(v.Now()), p.nextOfLines(v.Now()), p.freeGone(v.Now()))
}

// freeGone frees what was for slaves that are gone, and tells when the next one goes.
func (p *Policy) freeGone(now model.Time) model.Time {
	next := model.Never
	for _, d := range p.gone {
		if d.at > now {
			next = min(next, d.at)
			continue
		}
		for _, t := range p.queues[d.slave].rest() {
			p.free(t)
		}
	}
	return next
}

// freeLate frees what is late, and tells when there is more to free.
func (p *Policy) freeLate(now model.Time) model.Time {
	for ; p.late < len(p.order); p.late++ {
		t := p.order[p.late]
		if planned := p.tasks[t].assigned; planned == model.Never || p.slip >= model.Never-planned {
			break
		} else if due := planned + p.slip + 1; due > now {
			return due
		}
		p.free(t)
	}
	return model.Never
}

// nextOfLines is when the next task is to be assigned that takes of a pool or a cap, or is of a gang,
// Never if there is none.
func (p *Policy) nextOfLines(now model.Time) model.Time {
	if !p.js.Coupled() {
		return model.Never
	}
	from, _ := slices.BinarySearchFunc(p.order, now+1, func(t model.TaskID, at model.Time) int { return cmp.Compare(p.tasks[t].assigned, at) })
	for _, t := range p.order[from:] {
		if _, gang := p.js.GangOf(t); gang || p.js.Takes(t) != nil {
			return p.tasks[t].assigned
		}
	}
	return model.Never
}

// nextOfPast is when the next task of the past is given, Never if there is none.
func (p *Policy) nextOfPast(now model.Time) model.Time {
	at, _ := slices.BinarySearchFunc(p.order, now+1, func(t model.TaskID, at model.Time) int { return cmp.Compare(p.tasks[t].assigned, at) })
	if at == len(p.order) || p.tasks[p.order[at]].assigned >= p.past {
		return model.Never
	}
	return p.tasks[p.order[at]].assigned
}

func (q *queue) rest() []model.TaskID { return q.tasks[q.next:] }

// Watch implements online.Watcher.
func (p *Policy) Watch(_ *online.View, e online.Event) {
	switch e.Kind {
	case online.Opened:
		p.jobs[e.Job.ID()] = e.Job
	case online.Assigned:
		p.tasks[e.Task].given, p.tasks[e.Task].loose = true, false
	case online.Lost:
		p.tasks[e.Task].given = false
		p.free(e.Task)
	}
}

// Heartbeat implements online.Policy.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	if n := v.Outages(); n != p.outages { // one may have gone as a surprise
		p.outages = n
		p.findGone(v.Slaves())
		p.freeGone(v.Now())
	}
	p.loose = slices.DeleteFunc(p.loose, func(t model.TaskID) bool { return p.tasks[t].given || !o.Full() && p.give(o, t) })
	q := &p.queues[o.Slave()]
	for ; q.next < len(q.tasks); q.next++ {
		t := q.tasks[q.next]
		task := &p.tasks[t]
		switch {
		case task.loose || task.given:
		case p.apart(v, o.Slave(), t):
			p.free(t)
		case v.Now() < task.assigned && (p.isPast(t) || p.jumps(t)), p.pushesIn(t, v.Now()), !p.give(o, t):
			return
		}
	}
}

// apart reports whether a slave cannot have a task any more, as another of a stage whose tasks are
// apart has been there instead of where it should be.
func (p *Policy) apart(v *online.View, s model.SlaveID, t model.TaskID) bool {
	g := p.group(t)
	return g != nil && v.Apart(s, g)
}

// isPast reports whether a task is given when the schedule says, no earlier: it, or the first of its
// gang, was given before the schedule was made.
func (p *Policy) isPast(t model.TaskID) bool {
	if stage, gang := p.js.GangOf(t); gang {
		for u := stage.First; u < stage.End; u++ {
			if p.tasks[u].assigned < p.past {
				return true
			}
		}
	}
	return p.tasks[t].assigned < p.past
}

// pushesIn reports whether it is too early for a gang to be handed out: other slaves are still to get
// others before theirs. What is to be assigned before the first of the gang goes first in any case; the
// rest may be waiting for what comes after the gang, and does so only until the gang is due.
func (p *Policy) pushesIn(t model.TaskID, now model.Time) bool {
	stage, gang := p.js.GangOf(t)
	if !gang {
		return false
	}
	due := model.Never
	for u := stage.First; u < stage.End; u++ {
		due = min(due, p.tasks[u].assigned)
	}
	for u := stage.First; u < stage.End; u++ {
		for _, ahead := range p.queues[p.assignments[u].Slave].rest() {
			if s, _ := p.js.GangOf(ahead); s == stage {
				break
			}
			task := &p.tasks[ahead]
			if !task.given && !task.loose && (task.assigned < due || now < due || now == due && task.assigned == due) {
				return true
			}
		}
	}
	return false
}

// jumps reports whether a task takes of something before another that is to have it earlier.
func (p *Policy) jumps(t model.TaskID) bool {
	stage, gang := p.js.GangOf(t)
	for _, take := range p.js.Takes(t) {
		line := &p.lines[take.Shared]
		for line.next < len(line.tasks) && p.tasks[line.tasks[line.next]].given {
			line.next++
		}
		first := line.tasks[line.next]
		if first != t && !(gang && stage.First <= first && first < stage.End) {
			return true
		}
	}
	return false
}

// give hands a task out if it is ready and fits.
func (p *Policy) give(o *online.Offer, t model.TaskID) bool {
	g := p.group(t)
	if g == nil {
		return false
	}
	task := &p.tasks[t]
	var assignments []online.Assignment
	if g.Gang() && !task.loose {
		assignments = p.seatsOf(g)
	}
	if assignments != nil && !o.FitsTogether(g, assignments) || assignments == nil && !o.Fits(g) {
		return false
	}
	if o.Tracing() {
		o.Consider([]online.Candidate{g.Candidate(task.key())})
	}
	if assignments != nil {
		o.GiveTogether(g, assignments)
	} else {
		o.GiveTask(g, t)
	}
	return true
}

// seatsOf are the slaves of a gang, its tasks in the order in which their inputs come.
func (p *Policy) seatsOf(g *online.Group) (assignments []online.Assignment) {
	stage := &g.Job().Spec().Stages[g.Stage()]
	for t := stage.First; t < stage.End; t++ {
		assignments = append(assignments, online.Assignment{Task: t, Slave: p.assignments[t].Slave})
	}
	slices.SortStableFunc(assignments, func(a, b online.Assignment) int {
		return cmp.Compare(p.assignments[a.Task].Fetch, p.assignments[b.Task].Fetch)
	})
	return assignments
}

// key says when a task was to be assigned.
func (t *task) key() string {
	text := "not planned"
	if t.assigned != model.Never {
		text = fmt.Sprintf("planned %d", t.assigned)
	}
	if t.loose {
		text += ", for any slave"
	}
	return text
}

// group is the one that a ready task is in, nil for others.
func (p *Policy) group(t model.TaskID) *online.Group {
	j := p.jobs[p.js.Tasks[t].Job]
	if j == nil {
		return nil
	}
	at, found := slices.BinarySearchFunc(j.Groups(), p.tasks[t].lead, func(g *online.Group, lead model.TaskID) int { return int(g.Lead() - lead) })
	if !found || !j.Groups()[at].Has(t) {
		return nil
	}
	return j.Groups()[at]
}

// Overtaking counts the tasks that a schedule has start before one that their slave is
// to get earlier. Slaves start tasks in the order in which they get them, so a plan with
// none is followed at declared times to its own finishes or earlier ones; with some it
// may not be. Gangs are another matter ([Staggered]).
func Overtaking(js *model.JobSet, s model.Schedule) int {
	p := New(js, s, Patient)
	n := 0
	for _, q := range p.queues {
		latest := model.Time(-1)
		for _, t := range q.tasks {
			if s[t].Start < latest {
				n++
			}
			latest = max(latest, s[t].Start)
		}
	}
	return n
}

// Staggered counts the tasks that a schedule assigns after others of their gang. A gang is handed out
// when all of it fits: where what such a task needs is held by others until then, it is later than in
// the schedule.
func Staggered(js *model.JobSet, s model.Schedule) (n int) {
	p := New(js, s, Patient)
	for id := range model.StageID(js.Stages()) {
		st, _ := js.Stage(id)
		first := model.Never
		for t := st.First; t < st.End; t++ {
			first = min(first, p.tasks[t].assigned)
		}
		for t := st.First; t < st.End && st.IsGang(); t++ {
			if p.tasks[t].assigned > first {
				n++
			}
		}
	}
	return n
}
