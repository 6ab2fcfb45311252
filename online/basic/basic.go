// Package basic has the schedulers that everyone knows: FIFO, Fair, EDF and
// LLF. Each ranks jobs at every heartbeat and serves the first that has a task
// for the slave, a local one if it can, as Hadoop does. None leaves a slot free
// while something that is ready fits.
package basic

import (
	"cmp"
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// ranking is a policy that orders jobs by a key, smallest first; equals go by
// arrival.
type ranking struct {
	name string
	jobs *online.Ranking[key]
	// arrival is set if the key is the order of arrival.
	arrival bool
	// moves says that giving a task away changes keys.
	moves bool
	// until says that keys are ticks, and that the trace shows the time until then.
	until bool
	// words says a key for the trace.
	words string
}

// ranked is a job in its place.
type ranked = online.Ranked[key]

// key is a fraction num/den, den > 0.
type key struct{ num, den int64 }

func (k key) compare(other key) int { return cmp.Compare(k.num*other.den, other.num*k.den) }

// by is the policy of this name with this key, called words in the trace.
func by(name, words string, k func(v *online.View, j *online.Job) key) *ranking {
	return &ranking{name: name, words: words, jobs: online.NewRanking(k, key.compare)}
}

// FIFO serves jobs in the order of their release, as Hadoop 1 did by default (its queue took
// priorities first, which jobs here do not have). Since YARN the default is the Capacity Scheduler.
func FIFO() online.Policy {
	r := by("fifo", "release", func(_ *online.View, j *online.Job) key {
		return key{int64(j.Spec().Release), 1}
	})
	r.arrival = true
	return r
}

// EDF serves the job with the earliest absolute deadline; those without one
// come last.
func EDF() online.Policy {
	return by("edf", "due", func(_ *online.View, j *online.Job) key {
		return key{int64(j.Spec().Due()), 1}
	})
}

// LLF serves the job with the least laxity: time to its deadline less the least
// time that what is left of it must take. As time takes from all laxities alike,
// jobs are ranked by the tick at which theirs is used up.
func LLF() online.Policy {
	r := by("llf", "laxity", func(v *online.View, j *online.Job) key {
		return key{int64(latest(v, j)), 1}
	})
	r.until = true
	return r
}

// Fair serves the job with the fewest running tasks for its share, where
// shares are as the jobs' weights.
func Fair() online.Policy {
	r := by("fair", "running per share", func(_ *online.View, j *online.Job) key {
		return key{int64(j.Running()), j.Spec().Weight}
	})
	r.moves = true
	return r
}

// latest is the tick until which a job can still wait: its deadline less what
// remains of it (online.View.Remaining). model.Never without a deadline.
func latest(v *online.View, j *online.Job) model.Time {
	due := j.Spec().Due()
	if due == model.Never {
		return model.Never
	}
	return due - v.Remaining(j)
}

// Name implements online.Policy.
func (r *ranking) Name() string { return r.name }

// Asks implements online.Policy.
func (r *ranking) Asks() online.Asking { return online.OnReady }

// Heartbeat implements online.Policy.
func (r *ranking) Heartbeat(v *online.View, o *online.Offer) {
	if r.arrival && !o.Tracing() {
		serveInOrder(v, o)
		return
	}
	jobs := r.jobs.Jobs(v)
	for i := 0; i < len(jobs) && !o.Full(); {
		b := o.Pick(jobs[i].Job)
		if b == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(r.candidates(v, jobs[i:]))
		}
		o.Give(b)
		if r.moves {
			jobs, i = r.jobs.Jobs(v), 0
		}
	}
}

// serveInOrder serves jobs by arrival until nothing fits.
func serveInOrder(v *online.View, o *online.Offer) {
	for i := 0; i < len(v.Ready()) && !o.Full(); {
		j := v.Ready()[i]
		b := o.Pick(j)
		if b == nil {
			i++
			continue
		}
		o.Give(b) // which takes j off the list with its last task
	}
}

func (r *ranking) candidates(v *online.View, jobs []*ranked) []online.Candidate {
	var out []online.Candidate
	for _, c := range jobs {
		if c.Job.ReadyTasks() == 0 {
			continue
		}
		num, den := c.Key.num, c.Key.den
		if r.until && num != int64(model.Never) {
			num -= int64(v.Now())
		}
		key := fmt.Sprintf("%s %d", r.words, num)
		switch {
		case num == int64(model.Never):
			key = r.words + " never"
		case den > 1:
			key = fmt.Sprintf("%s %d/%d", r.words, num, den)
		}
		out = append(out, c.Job.Candidate(key))
	}
	return out
}
