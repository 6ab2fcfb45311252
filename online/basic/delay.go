// Delay has delay scheduling: Zaharia, Borthakur, Sen Sarma, Elmeleegy, Shenker and
// Stoica, "Delay Scheduling: A Simple Technique for Achieving Locality and Fairness in
// Cluster Scheduling" (EuroSys 2010), Algorithm 2.
//
// A free slot goes to the job with the fewest running tasks, as in fair sharing. If that job
// has a task whose input the slave holds, it gets the slot; if not, it is skipped, and after
// it has been skipped so often it may start a task anywhere. A local task starts the count
// anew.
//
// What the paper does not know is settled thus:
//   - There are no racks, and so one level of locality.
//   - A task that is the same everywhere is no reason to wait: it counts as local.
//   - A job is skipped at most once at a heartbeat, whatever the number of free slots.

package basic

import (
	"cmp"
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// PerSlave stands for as many skips as there are slaves: a job that waits sees each of them
// about once.
const PerSlave = -1

type policy struct {
	most  int
	skips map[model.JobID]int
	// alike has the tasks to which no slave is nearer than others.
	alike map[*model.Profile]bool
	jobs  *online.Ranking[int]
}

// Delay makes delay scheduling with so many skips, at least 0, or PerSlave.
func Delay(skips int) online.Policy {
	running := func(_ *online.View, j *online.Job) int { return j.Running() }
	return &policy{most: skips, skips: map[model.JobID]int{}, alike: map[*model.Profile]bool{}, jobs: online.NewRanking(running, cmp.Compare[int])}
}

// Name implements online.Policy.
func (p *policy) Name() string { return "delay" }

// Asks implements online.Policy: jobs are skipped at heartbeats at which nothing happens.
func (p *policy) Asks() online.Asking { return online.EveryBeat }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) {
	if p.most == PerSlave {
		p.most = len(v.Slaves())
	}
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	skipped := map[model.JobID]bool{}
	jobs := p.jobs.Jobs(v)
	for i := 0; i < len(jobs) && !o.Full(); {
		j := jobs[i].Job
		g, why := p.choose(o, j, skipped)
		if g == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider([]online.Candidate{g.Candidate(fmt.Sprintf("running %d, %s", j.Running(), why))})
		}
		o.Give(g)
		jobs, i = p.jobs.Jobs(v), 0
	}
}

// choose is what a job starts on the offer's slave, nil for nothing; why is for the trace.
func (p *policy) choose(o *online.Offer, j *online.Job, skipped map[model.JobID]bool) (g *online.Group, why string) {
	if g = o.Local(j); g != nil {
		p.skips[j.ID()] = 0
		return g, "local"
	}
	if g = p.everywhere(j, o); g != nil {
		return g, "the same everywhere"
	}
	if g = o.Pick(j); g == nil {
		return nil, ""
	}
	n := p.skips[j.ID()]
	if n >= p.most {
		return g, fmt.Sprintf("skipped %d times", n)
	}
	if !skipped[j.ID()] {
		skipped[j.ID()] = true
		p.skips[j.ID()] = n + 1
	}
	return nil, ""
}

// everywhere is the first group of a job that fits and that no slave is nearer to.
func (p *policy) everywhere(j *online.Job, o *online.Offer) *online.Group {
	for _, g := range j.Groups() {
		alike, known := p.alike[g.Profile()]
		if !known {
			alike = g.Profile().Nearest() == nil
			p.alike[g.Profile()] = alike
		}
		if alike && o.Fits(g) {
			return g
		}
	}
	return nil
}
