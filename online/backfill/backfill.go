// Package backfill has the schedulers of batch systems, which let jobs go before others in the queue
// where that delays none that has a reservation: EASY of Lifka, "The ANL/IBM SP Scheduling System"
// (JSSPP 1995), in which the head of the queue has one, and conservative backfill as Mu'alem and
// Feitelson, "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM
// SP2 with Backfilling" (IEEE TPDS 2001), have it, in which every job has.
//
// The queue is in order of arrival. What waits in it is a task, or a gang as a whole: the rigid job of
// the sources, with its tasks as processors. Estimates of users are declared worst-case times.
//
//   - EASY: tasks and gangs are handed out in order of the queue. The first that has no room gets a
//     reservation: the earliest time at which there is room for it, when what runs ends as declared.
//     Those behind it are handed out if it can still start then (by then they have ended, or they take
//     what it leaves). It is worked out anew at each heartbeat, so that what ends early brings it forward.
//   - Conservative: each has a reservation from its arrival on, the earliest that leaves those before it
//     as they are, and starts when it comes. When something ends early, reservations are brought forward
//     one after the other in order of the queue, each as far as the others leave room (compression).
//
// What the sources do not know is settled thus:
//   - A reservation of conservative backfill names slaves, as Slurm's do. Where slaves are many and
//     tasks of different length that can leave holes that a count of processors would not have.
//   - Cores count from when a task is handed out until it ends: where slaves have more slots than cores
//     those stay free. Input takes its declared time, and the line of fetches adds what it adds.
//   - A slave that asks gets the first in the queue that can start on it, one with its input first of a
//     job.
//   - A slave's heartbeat may come up to an interval after a reservation begins.
//   - Pools count, as licences do. Caps do not: what they bar has no reservation, nor has
//     what the slave refuses for other reasons. Slaves that failed have no room until they are back.
//   - What is not ready, as it comes after other stages or jobs, is not in the queue.
package backfill

import (
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// common is what both have.
type common struct {
	future *future
	// held counts what slaves hold.
	held int
}

// Asks implements online.Policy: slots stay free until something happens.
func (c *common) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (c *common) Start(v *online.View) { c.future = newFuture(v) }

// Watch implements online.Watcher.
func (c *common) Watch(_ *online.View, e online.Event) {
	c.future.watch(e)
	switch {
	case e.Kind == online.Assigned:
		c.held++
	case e.Kind == online.Ended, e.Kind == online.Lost && !e.Undone:
		c.held--
	}
}

// anything hands out what fits where nothing runs and nothing is to come that would bring a
// reservation: what bars the head of the queue then is not in the calendar.
func (c *common) anything(v *online.View, o *online.Offer) {
	for i := 0; i < len(v.Ready()) && c.held == 0; i++ {
		if g := o.Pick(v.Ready()[i]); g != nil {
			consider(o, g, "nothing runs")
			o.Give(g)
			return
		}
	}
}

func consider(o *online.Offer, g *online.Group, why string) {
	if o.Tracing() {
		o.Consider([]online.Candidate{g.Candidate(why)})
	}
}

// EASYParams are readings of EASY.
type EASYParams struct {
	// NoExtra lets only those go before the head of the queue that end before its reservation begins,
	// and not those that take what it leaves.
	NoExtra bool
}

type easy struct {
	common
	params EASYParams
	// head is the reservation of the head of the queue, with its group; nil as long as all that was
	// looked at at this heartbeat can start.
	head      *placement
	headGroup *online.Group
	// barred notes the gangs that found no room since something last changed.
	barred map[*model.Stage]bool
	asOf   model.Time
}

// EASY makes EASY backfill.
func EASY(params EASYParams) online.Policy {
	return &easy{params: params, barred: map[*model.Stage]bool{}}
}

// Name implements online.Policy.
func (p *easy) Name() string { return "easy" }

// Watch implements online.Watcher.
func (p *easy) Watch(v *online.View, e online.Event) {
	p.common.Watch(v, e)
	clear(p.barred)
}

// Heartbeat implements online.Policy.
func (p *easy) Heartbeat(v *online.View, o *online.Offer) {
	p.future.refresh()
	p.head, p.headGroup = nil, nil
	if p.asOf != v.Now() {
		clear(p.barred)
		p.asOf = v.Now()
	}
	for i := 0; i < len(v.Ready()) && p.future.room(o); {
		j := v.Ready()[i]
		p.serve(v, o, j)
		if i < len(v.Ready()) && v.Ready()[i] == j {
			i++
		}
	}
	p.future.releaseAll()
	if p.head == nil {
		p.anything(v, o)
	}
}

// serve hands out what it can of a job.
func (p *easy) serve(v *online.View, o *online.Offer, j *online.Job) {
	choices, _ := o.Choices(j)
	for _, g := range choices {
		for !g.Gang() && o.Fits(g) && p.startsOn(v, o, g) {
			consider(o, g, p.why(o.Finish(g)))
			o.Give(g)
			p.future.refresh()
		}
	}
	for _, g := range j.Groups() {
		switch {
		case !p.future.room(o):
			return
		case g.Len() == 0:
		case g.Gang():
			p.serveGang(v, o, g)
		case p.head == nil || v.Coupled():
			p.elsewhere(v, o, g)
		}
	}
}

func (p *easy) why(finish model.Time) string {
	switch {
	case p.head == nil:
		return "its turn"
	case finish <= p.head.start:
		return fmt.Sprintf("done at %d, before %d", finish, p.head.start)
	default:
		return fmt.Sprintf("beside what starts at %d", p.head.start)
	}
}

// startsOn reports whether a task can start now on the slave that asks and the head of the queue no
// later.
func (p *easy) startsOn(v *online.View, o *online.Offer, g *online.Group) bool {
	m := p.future.at(o.Slave(), g, g.First(), v.Now(), o.Finish(g)-v.Now())
	return m.iv.Start == v.Now() && p.leaves(&placement{v.Now(), []member{m}}, 0)
}

// leaves reports whether the head of the queue starts no later with a placement, which may end so
// much later.
func (p *easy) leaves(q *placement, late model.Time) bool {
	switch {
	case p.head == nil || q.end()+late <= p.head.start:
		return true
	case p.params.NoExtra:
		return false
	}
	p.future.take(q, 1)
	after := p.earliest(p.headGroup, p.head.start)
	p.future.take(q, -1)
	return after != nil && after.start <= p.head.start
}

// earliest is where a task or gang can start first, a gang at until at the latest.
func (p *easy) earliest(g *online.Group, until model.Time) *placement {
	if g.Gang() {
		return p.future.together(g, until)
	}
	return p.future.single(g, g.First(), func(model.SlaveID) bool { return false })
}

// elsewhere holds the places of tasks that other slaves can start now, as they ask; the first that none
// can is the head of the queue.
func (p *easy) elsewhere(v *online.View, o *online.Offer, g *online.Group) {
	left := g.Tasks()
	for s := range model.SlaveID(len(v.Slaves())) {
		for len(left) > 0 && s != o.Slave() && g.Profile().Eligible(s) && v.Up(s) && !v.Apart(s, g) {
			m := p.future.at(s, g, left[0], v.Now(), length(g, s))
			q := &placement{v.Now(), []member{m}}
			if m.iv.Start > v.Now() || !p.leaves(q, 0) {
				break
			}
			p.future.hold(q)
			left = left[1:]
		}
	}
	if len(left) == 0 || p.head != nil {
		return
	}
	here := func(s model.SlaveID) bool {
		return s == o.Slave() && p.future.at(s, g, left[0], v.Now(), length(g, s)).iv.Start == v.Now()
	}
	p.head, p.headGroup = p.future.single(g, left[0], here), g // not here if the slave refuses it
}

// serveGang hands out a gang, or makes it the head of the queue.
func (p *easy) serveGang(v *online.View, o *online.Offer, g *online.Group) {
	stage := &g.Job().Spec().Stages[g.Stage()]
	if p.barred[stage] && p.head != nil {
		return
	}
	q := p.future.together(g, v.Now())
	switch {
	case q != nil && p.leaves(q, v.Heartbeat()-1) && o.FitsTogether(g, q.assignments()):
		consider(o, g, p.why(q.end()+v.Heartbeat()-1))
		o.GiveTogether(g, q.assignments())
		p.future.refresh()
	case q == nil && p.head == nil:
		p.head, p.headGroup = p.future.together(g, model.Never), g
	case q == nil:
		p.barred[stage] = true
	case p.head == nil && o.Fits(g):
		consider(o, g, "its turn")
		o.Give(g)
		p.future.refresh()
	}
}
