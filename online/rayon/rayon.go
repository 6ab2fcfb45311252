// Package rayon has reservation admission: GREE of Curino, Difallah, Douglas, Krishnan,
// Ramakrishnan and Rao, "Reservation-based Scheduling: If You're Late Don't Blame Us!"
// (SoCC 2014), and LowCost of Jyothi et al., "Morpheus: Towards Automated SLOs for Enterprise
// Clusters" (OSDI 2016), as Hadoop's StageAllocatorGreedy, StageExecutionIntervalByDemand and
// StageAllocatorLowCostAligned have them.
//
// A job that arrives with a deadline is accepted if its stages can be reserved between now
// and then beside all that is reserved: from the last stage to the first, each before those
// that come after it begin. GREE puts each as late as it goes; LowCost spreads each over the
// windows with the least load, within its own time and a share of what is left over that is its
// share of the work, and falls back on GREE where that finds no room. Both can go from the first
// stage to the last instead, each after those that it comes after end, and as early as it goes:
// that is the default of Hadoop's GreedyReservationAgent and AlignedPlannerWithGreedy today,
// while both papers, and Hadoop when they came out, go from the deadline. A slot then goes to
// the job with the earliest deadline of those that have started fewer tasks than were reserved to
// begin by now; and if there is none, so that no slot is idle while something waits, to the
// earliest deadline.
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
//   - Of a stage's windows LowCost looks at the 10,000 nearest to where it begins.
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
	// Early reserves as early as goes, as Hadoop does by default; otherwise as late, as in the
	// papers.
	Early bool
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
	// free is from the earliest that it can begin until its deadline.
	free model.Interval
	// length is by stage the time of a task, work what all its tasks take, far the length of
	// the longest way from it to the end of the job that is reserved last, and ahead the work
	// of all stages there.
	length, work, far, ahead []model.Time
}

func (p *policy) newRequest(v *online.View, j *online.Job) *request {
	spec := j.Spec()
	n := len(spec.Stages)
	r := &request{
		p: p, job: spec, free: model.Interval{Start: v.Now(), End: spec.Due()},
		length: make([]model.Time, n), work: make([]model.Time, n), far: make([]model.Time, n), ahead: make([]model.Time, n),
	}
	for _, before := range v.Before(j) {
		r.free.Start = max(r.free.Start, v.Now()+v.Wait(j))
		if b := p.booked[before.ID()]; b != nil {
			r.free.Start = max(r.free.Start, b.to)
		}
	}
	for k := range spec.Stages {
		r.measure(k, v.Heartbeat())
	}
	for _, k := range r.order(!p.params.Early) {
		for _, before := range spec.Stages[k].After {
			from, to := before, k
			if p.params.Early {
				from, to = k, before
			}
			r.far[to] = max(r.far[to], r.far[from]+r.length[from])
			r.ahead[to] = max(r.ahead[to], r.ahead[from]+r.work[from])
		}
	}
	return r
}

// measure has the time of a task of a stage, and of all of them.
func (r *request) measure(stage int, heartbeat model.Time) {
	st := &r.job.Stages[stage]
	for _, g := range st.Groups {
		g.Profile.EachRun(func(wcet, transfer model.Time, _ model.SlaveID) {
			if wcet > 0 {
				r.length[stage] = max(r.length[stage], wcet+transfer)
			}
		})
	}
	if !r.p.params.NoBeat {
		r.length[stage] += heartbeat
	}
	r.work[stage] = model.Time(st.End-st.First) * r.length[stage]
}

// order has the stages from the first to the last, or the other way round.
func (r *request) order(forward bool) []int32 {
	order := slices.Clone(r.job.Order())
	if !forward {
		slices.Reverse(order)
	}
	return order
}

// place reserves all stages, from the last to the first, or early from the first, or nothing.
func (r *request) place(lowCost bool) (*booking, bool) {
	b := &booking{from: model.Never}
	early := r.p.params.Early
	free := make([]model.Interval, len(r.length)) // by stage, what its neighbours leave it
	for k := range free {
		free[k] = r.free
	}
	end := make([]model.Time, len(r.length))
	for _, k := range r.order(early) {
		st := &r.job.Stages[k]
		for _, before := range st.After {
			free[k].Start = max(free[k].Start, end[before])
		}
		agenda := r.p.agenda(st.Slot)
		reserve := r.p.agendas[agenda].Greedy
		if lowCost {
			reserve = r.p.agendas[agenda].LowCost
		}
		blocks, ok := reserve(int(st.End-st.First), r.length[k], r.within(k, free[k], lowCost), early)
		if !ok {
			for _, it := range b.blocks {
				r.p.agendas[it.agenda].Reserve(it.Interval, -it.Slots)
			}
			return nil, false
		}
		for _, it := range blocks {
			b.blocks = append(b.blocks, booked{it, agenda})
			b.from, b.to, end[k] = min(b.from, it.Start), max(b.to, it.End), max(end[k], it.End)
			for _, before := range st.After {
				free[before].End = min(free[before].End, it.Start)
			}
		}
	}
	return b, true
}

// within is the time of a stage in what its neighbours leave it: all but what those need that
// are still to be reserved, or with LowCost its own time and its share of what is left over.
func (r *request) within(stage int32, free model.Interval, lowCost bool) model.Interval {
	extent := free.End - free.Start - r.far[stage]
	if own := r.length[stage]; lowCost && extent > own {
		share := float64(r.work[stage]) / float64(r.ahead[stage]+r.work[stage])
		extent = own + model.Time(share*float64(extent-own))
	}
	return edge(free, extent, r.p.params.Early)
}
