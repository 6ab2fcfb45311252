package maxweight

import (
	"cmp"
	"fmt"

	"downbeat/online"
)

// fair is naive fair sharing with locality (Zaharia et al., EuroSys 2010,
// before delay scheduling): a free slot goes to the job with the fewest running
// tasks among those with a task for the slave, to a local task if the job has
// one; equals go by release. Unlike the policy fair it knows no weights.
type fair struct{ jobs *online.Ranking[int] }

// sharer is a job with the number of its running tasks.
type sharer = online.Ranked[int]

// NewFair makes naive fair sharing with locality.
func NewFair() online.Policy {
	running := func(_ *online.View, j *online.Job) int { return j.Running() }
	return &fair{online.NewRanking(running, cmp.Compare[int])}
}

// Name implements online.Policy.
func (f *fair) Name() string { return "fair-local" }

// Asks implements online.Policy.
func (f *fair) Asks() online.Asking { return online.OnReady }

// Heartbeat implements online.Policy.
func (f *fair) Heartbeat(v *online.View, o *online.Offer) {
	jobs := f.jobs.Jobs(v)
	// What has nothing for the slave now has nothing later in this heartbeat.
	for i := 0; i < len(jobs) && !o.Full(); {
		b := o.Pick(jobs[i].Job)
		if b == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(candidates(jobs[i:]))
		}
		o.Give(b)
		jobs = f.jobs.Jobs(v)
	}
}

// candidates lists jobs.
func candidates(jobs []*sharer) []online.Candidate {
	var out []online.Candidate
	for _, s := range jobs {
		out = append(out, s.Job.Candidate(fmt.Sprintf("running %d", s.Key)))
	}
	return out
}
