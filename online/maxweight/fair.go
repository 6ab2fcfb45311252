package maxweight

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/online"
)

// fair is naive fair sharing with locality (Zaharia et al., EuroSys 2010,
// before delay scheduling): a free slot goes to the job with the fewest running
// tasks among those with a task for the slave, to a local task if the job has
// one; equals go by release. Unlike the policy fair it knows no weights.
type fair struct{ jobs []sharer }

// sharer is a job with the number of its running tasks.
type sharer struct {
	job     *online.Job
	running int
}

// NewFair makes naive fair sharing with locality.
func NewFair() online.Policy { return &fair{} }

// Name implements online.Policy.
func (f *fair) Name() string { return "fair-local" }

// Asks implements online.Policy.
func (f *fair) Asks() online.Asking { return online.OnReady }

// Heartbeat implements online.Policy.
func (f *fair) Heartbeat(v *online.View, o *online.Offer) {
	f.jobs = f.jobs[:0]
	for _, j := range v.Ready() {
		f.jobs = append(f.jobs, sharer{j, j.Running()})
	}
	slices.SortFunc(f.jobs, sharer.compare)
	// What has nothing for the slave now has nothing later in this heartbeat.
	for i := 0; i < len(f.jobs) && !o.Full(); {
		b := o.Pick(f.jobs[i].job)
		if b == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(candidates(f.jobs[i:]))
		}
		o.Give(b)
		f.jobs[i].running++
		f.sink(i)
	}
}

// sink moves the job at a place behind those that come before it now.
func (f *fair) sink(i int) {
	for ; i+1 < len(f.jobs) && f.jobs[i+1].compare(f.jobs[i]) < 0; i++ {
		f.jobs[i], f.jobs[i+1] = f.jobs[i+1], f.jobs[i]
	}
}

func (s sharer) compare(other sharer) int {
	return cmp.Or(
		cmp.Compare(s.running, other.running),
		cmp.Compare(s.job.Spec().Release, other.job.Spec().Release),
		cmp.Compare(s.job.ID(), other.job.ID()))
}

// candidates lists the jobs that have something ready.
func candidates(jobs []sharer) []online.Candidate {
	var out []online.Candidate
	for _, s := range jobs {
		if spec := s.job.Spec(); s.job.ReadyTasks() > 0 {
			key := fmt.Sprintf("running %d", s.running)
			out = append(out, online.Candidate{Job: spec.Name, Stage: spec.Stages[s.job.Stage()].Name, Key: key})
		}
	}
	return out
}
