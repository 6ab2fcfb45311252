package backfill

import (
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// ConservativeParams are readings of conservative backfill.
type ConservativeParams struct {
	// Depth ≥ 1 is how many tasks and gangs have reservations, the first of the queue. Those behind
	// them wait, as with bf_max_job_test of Slurm.
	Depth int
}

type conservative struct {
	common
	params ConservativeParams
	// queue lists what has a reservation, in order, places where by its first task.
	queue  []waiting
	places map[model.TaskID]*placement
	// moving is set once reservations may move, as something ended other than declared.
	moving bool
	// replanned is when something last came into the queue as it opened. What ends later in that tick counted as held then, until the next one at the least.
	replanned model.Time
	// deeper is set once something behind those that have a reservation may have one.
	deeper bool
	// finish has when tasks that slaves hold end as declared.
	finish map[model.TaskID]model.Time
	// refused has the slaves that have refused a task at its reservation since something happened.
	refused map[refusal]bool
}

// waiting is a task or a gang in the queue, by its first task.
type waiting struct {
	task  model.TaskID
	group *online.Group
}

// refusal is of a task by a slave, of a gang by model.NoSlave.
type refusal struct {
	task  model.TaskID
	slave model.SlaveID
}

// Conservative makes conservative backfill.
func Conservative(params ConservativeParams) online.Policy {
	return &conservative{
		params: params, places: map[model.TaskID]*placement{}, finish: map[model.TaskID]model.Time{}, refused: map[refusal]bool{},
	}
}

// Name implements online.Policy.
func (p *conservative) Name() string { return "conservative" }

// Watch implements online.Watcher.
func (p *conservative) Watch(v *online.View, e online.Event) {
	p.common.Watch(v, e)
	switch e.Kind {
	case online.Assigned:
		p.assigned(v, e)
	case online.Ended:
		p.moving = p.moving || p.finish[e.Task] != v.Now() || len(p.refused) > 0 || p.replanned == v.Now()
		delete(p.finish, e.Task)
	case online.Lost, online.GivenUp:
		p.moving = true
	case online.Opened: // slaves without a free slot will not ask, but it is in the queue from now on
		p.future.refresh()
		p.replan(v)
		p.replanned = v.Now()
	}
	clear(p.refused)
}

// assigned notes when a task ends as declared, and that it waits no more.
func (p *conservative) assigned(v *online.View, e online.Event) {
	p.drop(e.Task)
	p.deeper = len(p.queue) >= p.params.Depth
	for _, h := range v.Held(e.Slave) {
		if h.Task == e.Task {
			p.finish[e.Task] = h.Finish
		}
	}
}

// Heartbeat implements online.Policy.
func (p *conservative) Heartbeat(v *online.View, o *online.Offer) {
	p.future.asked[o.Slave()] = 0
	for again := true; again; {
		again = false
		p.future.refresh()
		if p.moving || p.overdue(v) || p.deeper {
			p.replan(v)
		}
		for _, w := range p.queue {
			if q := p.places[w.task]; q != nil && q.start <= v.Now() && !o.Full() && p.serve(o, w, q) {
				again = true
				break
			}
		}
	}
	p.future.asked[o.Slave()] = v.Now() + 1
	if len(p.places) == 0 {
		p.anything(v, o)
	}
}

// overdue reports whether a reservation should have begun before: its slave has not asked yet.
func (p *conservative) overdue(v *online.View) bool {
	for _, q := range p.places {
		if q.start < v.Now() {
			return true
		}
	}
	return false
}

// serve hands out what a reservation is for, if it is for the slave that asks, and reports whether
// anything has changed: it was handed out, or refused.
func (p *conservative) serve(o *online.Offer, w waiting, q *placement) bool {
	if !w.group.Gang() && q.members[0].slave != o.Slave() {
		return false
	}
	why := fmt.Sprintf("reserved for %d", q.start)
	switch {
	case w.group.Gang() && o.FitsTogether(w.group, q.assignments()):
		p.drop(w.task)
		consider(o, w.group, why)
		o.GiveTogether(w.group, q.assignments())
		for _, m := range q.members {
			p.moving = p.moving || p.finish[m.task] > m.iv.End
		}
	case w.group.Gang():
		p.refuse(w, model.NoSlave)
	case o.Fits(w.group):
		end := o.Finish(w.group)
		p.drop(w.task)
		consider(o, w.group, why)
		o.GiveTask(w.group, w.task)
		p.moving = p.moving || end > q.end()
	default:
		p.refuse(w, o.Slave())
	}
	return true
}

func (p *conservative) refuse(w waiting, s model.SlaveID) {
	p.drop(w.task)
	p.refused[refusal{w.task, s}] = true
	p.moving = true
}

// drop takes a reservation away.
func (p *conservative) drop(t model.TaskID) {
	if q := p.places[t]; q != nil {
		p.future.release(q)
		delete(p.places, t)
	}
}

// replan makes the reservations that are not there yet, and brings those that are forward if they may move.
// Where what slaves hold is in their way, as it takes longer than declared or slaves have failed, all are
// made anew.
func (p *conservative) replan(v *online.View) {
	p.list(v)
	if p.moving || p.overdue(v) {
		p.keep(v)
	}
	for again := true; again; {
		again = false
		for _, w := range p.queue {
			before := p.places[w.task]
			if before != nil && (!p.moving || before.start == v.Now()) {
				continue
			}
			p.drop(w.task)
			q := p.earliest(w)
			again = again || before != nil && q != nil && q.start < before.start
			if before != nil && (q == nil || q.start >= before.start) {
				q = before
			}
			if q != nil {
				p.future.hold(q)
				p.places[w.task] = q
			}
		}
	}
	p.moving, p.deeper = false, false
}

// keep keeps the reservations that there are, or none if one is in the way.
func (p *conservative) keep(v *online.View) {
	old := p.places
	p.places = map[model.TaskID]*placement{}
	p.future.releaseAll()
	for _, w := range p.queue {
		q := old[w.task]
		if q == nil {
			continue
		}
		if q = q.from(v.Now()); !p.future.free(q) {
			p.future.releaseAll()
			clear(p.places)
			return
		}
		p.future.hold(q)
		p.places[w.task] = q
	}
}

// from is a placement that begins no earlier than now.
func (p *placement) from(now model.Time) *placement {
	late := now - p.start
	if late <= 0 {
		return p
	}
	q := &placement{start: now}
	for _, m := range p.members {
		m.iv = model.Interval{Start: m.iv.Start + late, End: m.iv.End + late}
		q.members = append(q.members, m)
	}
	return q
}

// earliest is where a task or gang can start first; nil if nobody knows.
func (p *conservative) earliest(w waiting) *placement {
	if w.group.Gang() {
		if p.refused[refusal{w.task, model.NoSlave}] {
			return nil
		}
		return p.future.together(w.group, model.Never)
	}
	return p.future.single(w.group, w.task, func(s model.SlaveID) bool { return p.refused[refusal{w.task, s}] })
}

// list lists the queue as deep as reservations are to be made, and what has one behind that.
func (p *conservative) list(v *online.View) {
	p.queue = p.queue[:0]
	reserved := len(p.places)
	for _, j := range v.Ready() {
		stage := -1 // of the gang that is in the queue
		for _, g := range j.Groups() {
			if g.Len() == 0 || g.Gang() && g.Stage() == stage {
				continue
			}
			tasks := g.Tasks()
			if g.Gang() {
				stage, tasks = g.Stage(), tasks[:1]
			}
			for _, t := range tasks {
				if p.places[t] != nil {
					reserved--
				} else if len(p.queue) >= p.params.Depth {
					continue
				}
				p.queue = append(p.queue, waiting{t, g})
			}
			if reserved == 0 && len(p.queue) >= p.params.Depth {
				return
			}
		}
	}
}
