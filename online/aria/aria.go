// Package aria has MinEDF-WC: Verma, Cherkasova and Campbell, "ARIA: Automatic Resource
// Inference and Allocation for MapReduce Environments" (ICAC 2011) with the spare slots of
// Verma, Cherkasova, Kumar and Campbell, "Deadline-based Workload Management for MapReduce
// Environments: Pieces of the Performance Puzzle" (NOMS 2012).
//
// Jobs are served earliest deadline first, but each only up to the fewest slots that meet
// its deadline by ARIA's bounds on the time of a stage ([StageTime]), worked out anew for what
// is left of it whenever a slot is to be given. Slots beyond all of these are spare and go to
// the earliest deadline; they come back as tasks end, as then another job may be short of its
// least. Nothing is killed.
//
// What the papers do not know is settled thus:
//   - Profiles are what the job set declares: a task takes the mean of transfer and execution
//     over the slaves that may run it, and at most their largest.
//   - Of jobs with more stages than two, those of one kind of slot add up, as if they came one
//     after the other. Shuffles are part of the transfer.
//   - Tasks that run count as whole ones: what is left of a stage is all that has not ended.
//   - Where slots have no kind, the same slots serve maps and reduces.
//   - Jobs without a deadline get spare slots only, in order of arrival.
package aria

import (
	"cmp"
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// Params are the policy's readings.
type Params struct {
	Bound Bound
	// Keep leaves spare slots free (MinEDF) unless only jobs without a deadline want them.
	Keep bool
}

type policy struct {
	params Params
	times  map[*model.Profile]times
	split  bool // some slave tells map from reduce slots
	jobs   *online.Ranking[model.Time]
}

// times are a task's mean and longest time over the slaves that may run it.
type times struct{ mean, longest float64 }

// New makes MinEDF-WC, or MinEDF.
func New(params Params) online.Policy {
	due := func(_ *online.View, j *online.Job) model.Time { return j.Spec().Due() }
	return &policy{params: params, times: map[*model.Profile]times{}, jobs: online.NewRanking(due, cmp.Compare[model.Time])}
}

// Name implements online.Policy.
func (p *policy) Name() string { return "minedf-wc" }

// Asks implements online.Policy: the fewest slots grow as time passes.
func (p *policy) Asks() online.Asking {
	if p.params.Keep {
		return online.EveryBeat
	}
	return online.OnReady
}

// Start implements online.Starter.
func (p *policy) Start(v *online.View) {
	for s := range v.Slaves() {
		p.split = p.split || v.Slaves()[s].SplitSlots
	}
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	p.serve(v, o, false)
	p.serve(v, o, true)
}

// serve goes through the jobs by deadline: up to their fewest slots, or for what is spare.
func (p *policy) serve(v *online.View, o *online.Offer, spare bool) {
	jobs := p.jobs.Jobs(v)
	for i := range jobs {
		j := jobs[i].Job
		if spare && p.params.Keep && j.Spec().Kind != model.BestEffort {
			continue
		}
		for kind := model.MapSlot; kind <= model.ReduceSlot && !o.Full(); kind++ {
			p.serveKind(v, o, j, kind, spare)
		}
	}
}

func (p *policy) serveKind(v *online.View, o *online.Offer, j *online.Job, kind model.SlotKind, spare bool) {
	if j.ReadyFor(kind) == 0 {
		return
	}
	least := 0
	if !spare {
		least = p.least(v, j, kind)
	}
	for {
		has := p.running(j, kind)
		if !spare && has >= least {
			return
		}
		g := o.PickFor(j, kind)
		if g == nil {
			return
		}
		if o.Tracing() {
			key := fmt.Sprintf("spare, has %d", has)
			if !spare {
				key = fmt.Sprintf("has %d of %d", has, least)
			}
			o.Consider([]online.Candidate{g.Candidate(key)})
		}
		o.Give(g)
	}
}

// running is the number of slots of a kind that a job has.
func (p *policy) running(j *online.Job, kind model.SlotKind) int {
	if !p.split {
		return j.Running()
	}
	n := 0
	stages := j.Spec().Stages
	for k := range stages {
		if stages[k].Slot == kind && j.Open(k) {
			n += j.Left(k) - j.Ready(k)
		}
	}
	return n
}

// least is the fewest slots of a kind by which a job meets its deadline.
func (p *policy) least(v *online.View, j *online.Job, kind model.SlotKind) int {
	if j.Spec().Kind == model.BestEffort {
		return 0
	}
	work, within := p.work(j), float64(j.Spec().Due()-v.Now())
	if !p.split {
		return work.Common(within)
	}
	maps, reduces := work.Slots(within)
	if kind == model.ReduceSlot {
		return reduces
	}
	return maps
}

// work is what is left of a job.
func (p *policy) work(j *online.Job) Work {
	var w Work
	stages := j.Spec().Stages
	for k := range stages {
		if n := j.Left(k); n > 0 {
			t := p.ofStage(&stages[k])
			w.add(stages[k].Slot == model.ReduceSlot, n, t.mean, t.longest, p.params.Bound)
		}
	}
	return w
}

// ofStage is the mean over the tasks of a stage, and the longest.
func (p *policy) ofStage(st *model.Stage) times {
	var out times
	n := 0
	for _, g := range st.Groups {
		t := p.ofProfile(g.Profile)
		out.mean += float64(g.Count) * t.mean
		out.longest = max(out.longest, t.longest)
		n += g.Count
	}
	out.mean /= float64(n)
	return out
}

func (p *policy) ofProfile(profile *model.Profile) times {
	if t, known := p.times[profile]; known {
		return t
	}
	var t times
	n := 0.0
	profile.EachRun(func(wcet, transfer model.Time, count model.SlaveID) {
		if wcet > 0 {
			t.mean += float64(count) * float64(wcet+transfer)
			n += float64(count)
			t.longest = max(t.longest, float64(wcet+transfer))
		}
	})
	t.mean /= n
	p.times[profile] = t
	return t
}
