// Package aria has MinEDF-WC: Verma, Cherkasova and Campbell, "ARIA: Automatic Resource
// Inference and Allocation for MapReduce Environments" (ICAC 2011) with the spare slots of
// Verma, Cherkasova, Kumar and Campbell, "Deadline-based Workload Management for MapReduce
// Environments: Pieces of the Performance Puzzle" (NOMS 2012).
//
// Jobs are served earliest deadline first, but each only up to the fewest slots that meet
// its deadline by ARIA's bounds on the time of a stage ([StageTime]), worked out anew for what
// is left of it whenever a slot is to be given. Slots beyond all of these are spare and go to
// the earliest deadline; they come back as tasks end, as then another job may be short of its
// least. With Params.Kill they are taken back, as the NOMS paper's abstract has it ("allocating and
// deallocating (if necessary) spare resources"): where a job of which tasks become ready is short
// of its fewest slots beyond those that are free, tasks are killed of jobs that have more than their
// fewest and a later deadline, the latest first and of these what was handed out last. Otherwise nothing is killed.
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
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Params are the policy's readings.
type Params struct {
	Bound Bound
	// Keep leaves spare slots free (MinEDF) unless only jobs without a deadline want them.
	Keep bool
	// Kill takes spare slots back by killing what runs there, where a job with an earlier deadline is
	// short of its fewest.
	Kill bool
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

// Kill implements online.Killer.
func (p *policy) Kill(v *online.View, j *online.Job) []model.TaskID {
	if !p.params.Kill || j.Spec().Kind == model.BestEffort {
		return nil
	}
	var out []model.TaskID
	for kind := model.MapSlot; kind <= model.ReduceSlot; kind++ {
		short := min(p.least(v, j, kind)-p.running(j, kind), j.ReadyFor(kind))
		for s := range model.SlaveID(len(v.Slaves())) {
			if v.Up(s) {
				short -= v.Free(s, kind)
			}
		}
		if short > 0 {
			out = append(out, p.spare(v, j, kind, short)...)
		}
		if !p.split {
			break
		}
	}
	return out
}

// spare are up to n tasks on slots of a kind that jobs with later deadlines have beyond their
// fewest. Those of gangs are not among them: a gang would be lost as a whole.
func (p *policy) spare(v *online.View, j *online.Job, kind model.SlotKind, n int) []model.TaskID {
	type held struct {
		online.Held
		job *online.Job
	}
	var all []held
	beyond := map[model.JobID]int{}
	for s := range model.SlaveID(len(v.Slaves())) {
		for _, h := range v.Held(s) {
			task := v.Task(h.Task)
			other := v.Job(task.Job)
			if other.Spec().Due() <= j.Spec().Due() || p.split && task.Slot != kind || other.Spec().Stages[task.Stage].IsGang() {
				continue
			}
			if _, known := beyond[other.ID()]; !known {
				beyond[other.ID()] = p.running(other, kind) - p.least(v, other, kind)
			}
			all = append(all, held{h, other})
		}
	}
	slices.SortFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(b.job.Spec().Due(), a.job.Spec().Due()), cmp.Compare(b.Assigned, a.Assigned), int(b.Task-a.Task))
	})
	var out []model.TaskID
	for _, h := range all {
		if len(out) < n && beyond[h.job.ID()] > 0 {
			beyond[h.job.ID()]--
			out = append(out, h.Task)
		}
	}
	return out
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
