package online

import "slices"

// Ranking keeps the jobs that have a task to hand out in the order of a key, so
// that a policy need not sort them at every heartbeat. It serves one run.
type Ranking[K any] struct {
	key     func(v *View, j *Job) K
	compare func(a, b K) int
	jobs    []*Ranked[K]
	byJob   map[*Job]*Ranked[K]
}

// Ranked is a job with its key as of the last [Ranking.Jobs].
type Ranked[K any] struct {
	Job *Job
	Key K
}

// NewRanking ranks by key, smallest first as compare has it; equals go by
// arrival. A key may depend on what is waiting, running and done of the job, and on
// what [Ranking.Renew] is told of.
func NewRanking[K any](key func(v *View, j *Job) K, compare func(a, b K) int) *Ranking[K] {
	return &Ranking[K]{key: key, compare: compare, byJob: map[*Job]*Ranked[K]{}}
}

// Jobs lists the jobs by the keys that they have now, best first. It must not be
// written to and holds until the next call; meanwhile a job may be left with
// nothing to hand out.
func (r *Ranking[K]) Jobs(v *View) []*Ranked[K] {
	for _, j := range v.st.changed {
		j.changed = false
		r.place(v, j)
	}
	v.st.changed = v.st.changed[:0]
	return r.jobs
}

// Renew has a job ranked anew, as its key has changed for a reason of the
// policy's own.
func (r *Ranking[K]) Renew(v *View, j *Job) { v.st.change(j) }

// place moves a job to where its key is now.
func (r *Ranking[K]) place(v *View, j *Job) {
	e := r.byJob[j]
	if j.state != accepted || j.ReadyTasks() == 0 {
		if e != nil {
			r.remove(e)
			delete(r.byJob, j)
		}
		return
	}
	k := r.key(v, j)
	switch {
	case e == nil:
		e = &Ranked[K]{Job: j}
		r.byJob[j] = e
	case r.compare(k, e.Key) == 0:
		e.Key = k
		return
	default:
		r.remove(e)
	}
	e.Key = k
	at, _ := slices.BinarySearchFunc(r.jobs, e, r.order)
	r.jobs = slices.Insert(r.jobs, at, e)
}

func (r *Ranking[K]) remove(e *Ranked[K]) {
	at, _ := slices.BinarySearchFunc(r.jobs, e, r.order)
	r.jobs = slices.Delete(r.jobs, at, at+1)
}

func (r *Ranking[K]) order(a, b *Ranked[K]) int {
	if c := r.compare(a.Key, b.Key); c != 0 {
		return c
	}
	return byArrival(a.Job, b.Job)
}
