// Package rayon has reservation admission: GREE of Curino, Difallah, Douglas, Krishnan,
// Ramakrishnan and Rao, "Reservation-based Scheduling: If You're Late Don't Blame Us!"
// (SoCC 2014), and LowCost of Jyothi et al., "Morpheus: Towards Automated SLOs for Enterprise
// Clusters" (OSDI 2016), as Hadoop's StageAllocatorGreedy and StageAllocatorLowCostAligned
// have them.
//
// A job that arrives with a deadline is accepted if its stages can be reserved between now
// and then beside all that is reserved: from the last stage to the first, each before those
// that come after it begin. GREE puts each as late as it goes; LowCost spreads each over the
// windows with the least load, within a share of the time that is its share of the work, and
// falls back on GREE where that finds no room. A slot then goes to the job with the earliest
// deadline of those that have started fewer tasks than were reserved to begin by now; and
// if there is none, so that no slot is idle while something waits, to the earliest deadline.
//
// What the papers do not know is settled thus:
//   - Slots are counted over the cluster, maps and reduces each by themselves where slaves
//     tell them apart; a declared absence takes its slots away.
//   - A task is reserved for the longest transfer and execution of its stage on any slave that
//     may run it, and a heartbeat.
//   - A job comes after the reservations of the jobs that it comes after.
//   - Jobs without a deadline are accepted without a reservation. They come last.
//   - What a job has reserved from its end on is free again.
//   - A task that is lost is owed again.
//   - Pools, caps, gangs and tasks that are apart do not count.
package rayon

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Params are the policy's readings.
type Params struct {
	// LowCost asks for LowCost in place of GREE.
	LowCost bool
	// NoBeat leaves the heartbeat out of the time of a task.
	NoBeat bool
}

type policy struct {
	params Params
	// agendas are of map and reduce slots, or of all.
	agendas []*Agenda
	jobs    *online.Ranking[model.Time]
	booked  map[model.JobID]*booking
}

// booking is what a job has.
type booking struct {
	blocks []booked
	// from and to are when it begins and ends.
	from, to model.Time
	// started counts by agenda the tasks that were handed out.
	started [2]int
}

type booked struct {
	Block
	agenda int
}

// New makes the policy.
func New(params Params) online.Policy {
	due := func(_ *online.View, j *online.Job) model.Time { return j.Spec().Due() }
	return &policy{params: params, jobs: online.NewRanking(due, cmp.Compare[model.Time]), booked: map[model.JobID]*booking{}}
}

// Name implements online.Policy.
func (p *policy) Name() string {
	if p.params.LowCost {
		return "lowcost"
	}
	return "gree"
}

// Asks implements online.Policy.
func (p *policy) Asks() online.Asking { return online.OnReady }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) {
	slots, pools := [2]int{}, 1
	for s := range v.Slaves() {
		slave := &v.Slaves()[s]
		pools = max(pools, slave.Pools())
		for k := range slave.Pools() {
			slots[k] += slave.PoolSize(k)
		}
	}
	for k := range pools {
		p.agendas = append(p.agendas, NewAgenda(slots[k]))
	}
	for s := range v.Slaves() {
		slave := &v.Slaves()[s]
		for k := range slave.Pools() {
			for _, down := range slave.Down {
				p.agendas[k].Reserve(down, slave.PoolSize(k))
			}
		}
	}
}

// agenda is that of the slots of a kind.
func (p *policy) agenda(kind model.SlotKind) int { return min(int(kind), len(p.agendas)-1) }

// Admit implements online.Admitter.
func (p *policy) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	if j.Spec().Kind == model.BestEffort {
		return true, "no deadline"
	}
	r := p.newRequest(v, j)
	b, ok := r.place(p.params.LowCost)
	if !ok && p.params.LowCost {
		b, ok = r.place(false)
	}
	if !ok {
		return false, fmt.Sprintf("no room for all of it until %d", j.Spec().Due())
	}
	p.booked[j.ID()] = b
	return true, fmt.Sprintf("reserved from %d to %d", b.from, b.to)
}

// CountsSlots implements online.SlotCounter.
func (p *policy) CountsSlots() {}

// Watch implements online.Watcher.
func (p *policy) Watch(v *online.View, e online.Event) {
	b := p.booked[e.Job.ID()]
	if b == nil {
		return
	}
	switch e.Kind {
	case online.Assigned, online.Lost:
		k := p.agenda(e.Job.Spec().Stages[e.Stage].Slot)
		if e.Kind == online.Assigned {
			b.started[k]++
		} else {
			b.started[k]--
		}
	case online.Finished:
		for _, it := range b.blocks {
			p.agendas[it.agenda].Reserve(it.Intersect(model.Interval{Start: v.Now(), End: model.Never}), -it.Slots)
		}
		delete(p.booked, e.Job.ID())
	}
}

// owed is the number of tasks of a job that were to begin by now and have not.
func (p *policy) owed(v *online.View, j *online.Job, kind model.SlotKind) int {
	b := p.booked[j.ID()]
	if b == nil {
		return 0
	}
	k := p.agenda(kind)
	n := -b.started[k]
	for _, it := range b.blocks {
		if it.agenda == k && it.Start <= v.Now() {
			n += it.Slots
		}
	}
	return n
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	p.serve(v, o, false)
	p.serve(v, o, true)
}

// serve goes through the jobs by deadline: what they are owed, or what is spare.
func (p *policy) serve(v *online.View, o *online.Offer, spare bool) {
	jobs := p.jobs.Jobs(v)
	for i := range jobs {
		j := jobs[i].Job
		for kind := model.MapSlot; kind <= model.ReduceSlot && !o.Full(); kind++ {
			for spare || p.owed(v, j, kind) > 0 {
				g := o.PickFor(j, kind)
				if g == nil {
					break
				}
				if o.Tracing() {
					o.Consider([]online.Candidate{g.Candidate(p.key(v, j, kind, spare))})
				}
				o.Give(g)
			}
		}
	}
}

func (p *policy) key(v *online.View, j *online.Job, kind model.SlotKind, spare bool) string {
	if spare {
		return fmt.Sprintf("spare, due %d", j.Spec().Due())
	}
	return fmt.Sprintf("owed %d, due %d", p.owed(v, j, kind), j.Spec().Due())
}

// request is a job that asks for a reservation.
type request struct {
	p   *policy
	job *model.Job
	// start is the earliest that it can begin.
	start model.Time
	// length is by stage the time of a task, work what all its tasks take, head the length
	// of the longest way to it, and ahead the work of all stages that it comes after.
	length, work, head, ahead []model.Time
}

func (p *policy) newRequest(v *online.View, j *online.Job) *request {
	spec := j.Spec()
	n := len(spec.Stages)
	r := &request{
		p: p, job: spec, start: v.Now(),
		length: make([]model.Time, n), work: make([]model.Time, n), head: make([]model.Time, n), ahead: make([]model.Time, n),
	}
	for _, before := range v.Before(j) {
		r.start = max(r.start, v.Now()+v.Wait(j))
		if b := p.booked[before.ID()]; b != nil {
			r.start = max(r.start, b.to)
		}
	}
	for _, k := range spec.Order() {
		st := &spec.Stages[k]
		for _, g := range st.Groups {
			g.Profile.EachRun(func(wcet, transfer model.Time, _ model.SlaveID) {
				if wcet > 0 {
					r.length[k] = max(r.length[k], wcet+transfer)
				}
			})
		}
		if !p.params.NoBeat {
			r.length[k] += v.Heartbeat()
		}
		r.work[k] = model.Time(st.End-st.First) * r.length[k]
		for _, before := range st.After {
			r.head[k] = max(r.head[k], r.head[before]+r.length[before])
			r.ahead[k] = max(r.ahead[k], r.ahead[before]+r.work[before])
		}
	}
	return r
}

// place reserves all stages, from the last to the first, or nothing.
func (r *request) place(lowCost bool) (*booking, bool) {
	b := &booking{from: model.Never}
	due := make([]model.Time, len(r.length))
	for k := range due {
		due[k] = r.job.Due()
	}
	for _, k := range slices.Backward(r.job.Order()) {
		st := &r.job.Stages[k]
		agenda := r.p.agenda(st.Slot)
		reserve, start := r.p.agendas[agenda].Latest, r.start+r.head[k]
		if lowCost {
			reserve, start = r.p.agendas[agenda].Cheapest, r.shareOfTime(k, due[k])
		}
		blocks, ok := reserve(int(st.End-st.First), r.length[k], start, due[k])
		if !ok {
			for _, it := range b.blocks {
				r.p.agendas[it.agenda].Reserve(it.Interval, -it.Slots)
			}
			return nil, false
		}
		for _, it := range blocks {
			b.blocks = append(b.blocks, booked{it, agenda})
			b.from, b.to = min(b.from, it.Start), max(b.to, it.End)
			for _, before := range st.After {
				due[before] = min(due[before], it.Start)
			}
		}
	}
	return b, true
}

// shareOfTime is when the time of a stage begins that ends at due: of the time from the
// start on it leaves to the stages before it what they have of the work.
func (r *request) shareOfTime(stage int32, due model.Time) model.Time {
	left := max(0, due-r.start)
	share := float64(r.ahead[stage]) / float64(r.ahead[stage]+r.work[stage])
	return max(r.start+r.head[stage], r.start+model.Time(share*float64(left)))
}
