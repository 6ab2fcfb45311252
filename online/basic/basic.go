// Package basic has the schedulers that everyone knows: FIFO, Fair, EDF and
// LLF. Each ranks jobs at every heartbeat and serves the first that has a task
// for the slave, a local one if it can, as Hadoop does. None leaves a slot free
// while something that is ready fits.
package basic

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// ranking is a policy that orders jobs by a key, smallest first; equals go by
// arrival.
type ranking struct {
	name string
	// key is what jobs are compared by; nil leaves them in order of arrival.
	key func(v *online.View, j *online.Job) key
	// moves says that giving a task away changes keys.
	moves bool
	// words says a key for the trace.
	words string
	buf   []ranked
}

// key is a fraction num/den, den > 0.
type key struct{ num, den int64 }

type ranked struct {
	key
	job *online.Job
}

// FIFO serves jobs in the order of their release (Hadoop's default).
func FIFO() online.Policy { return &ranking{name: "fifo", words: "release"} }

// EDF serves the job with the earliest absolute deadline; those without one
// come last.
func EDF() online.Policy {
	return &ranking{name: "edf", words: "due", key: func(_ *online.View, j *online.Job) key {
		return key{int64(j.Spec().Due()), 1}
	}}
}

// LLF serves the job with the least laxity: time to its deadline less the least
// time that what is left of it must take.
func LLF() online.Policy {
	return &ranking{name: "llf", words: "laxity", key: func(v *online.View, j *online.Job) key {
		return key{int64(Laxity(v, j)), 1}
	}}
}

// Fair serves the job with the fewest running tasks for its share, where
// shares are as the jobs' weights.
func Fair() online.Policy {
	return &ranking{name: "fair", words: "running per share", moves: true, key: func(_ *online.View, j *online.Job) key {
		return key{int64(j.Running()), j.Spec().Weight}
	}}
}

// Laxity is the time that a job can still wait: what is left until its
// deadline, less the longest ready task and the longest of each later stage,
// each on the slave where it is quickest. model.Never without a deadline.
func Laxity(v *online.View, j *online.Job) model.Time {
	due := j.Spec().Due()
	if due == model.Never {
		return model.Never
	}
	return due - v.Now() - v.Remaining(j)
}

// Name implements online.Policy.
func (r *ranking) Name() string { return r.name }

// Asks implements online.Policy.
func (r *ranking) Asks() online.Asking { return online.OnReady }

// Heartbeat implements online.Policy.
func (r *ranking) Heartbeat(v *online.View, o *online.Offer) {
	if r.key == nil && !o.Tracing() {
		serveInOrder(v, o)
		return
	}
	jobs := r.rank(v)
	for i := 0; i < len(jobs) && !o.Full(); {
		b := o.Pick(jobs[i].job)
		if b == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(r.candidates(jobs[i:]))
		}
		o.Give(b)
		if r.moves {
			jobs, i = r.rank(v), 0
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

func (r *ranking) rank(v *online.View) []ranked {
	r.buf = r.buf[:0]
	for _, j := range v.Ready() {
		k := key{int64(j.Spec().Release), 1}
		if r.key != nil {
			k = r.key(v, j)
		}
		r.buf = append(r.buf, ranked{k, j})
	}
	slices.SortStableFunc(r.buf, func(a, b ranked) int { return cmp.Compare(a.num*b.den, b.num*a.den) })
	return r.buf
}

func (r *ranking) candidates(jobs []ranked) []online.Candidate {
	var out []online.Candidate
	for _, c := range jobs {
		if c.job.ReadyTasks() == 0 {
			continue
		}
		key := fmt.Sprintf("%s %d", r.words, c.num)
		switch {
		case c.num == int64(model.Never):
			key = r.words + " never"
		case c.den > 1:
			key = fmt.Sprintf("%s %d/%d", r.words, c.num, c.den)
		}
		spec := c.job.Spec()
		out = append(out, online.Candidate{Job: spec.Name, Stage: spec.Stages[c.job.Stage()].Name, Key: key})
	}
	return out
}
