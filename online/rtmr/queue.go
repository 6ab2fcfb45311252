package rtmr

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Order ranks the jobs that wait.
type Order uint8

const (
	// EDF: earliest absolute deadline first, as in the paper.
	EDF Order = iota
	// FIFO: in the order of release.
	FIFO
	// LLF: least laxity first. Nothing of a waiting job has run, so that the
	// laxities of two of them differ by the same at all times.
	LLF
)

// String is the word for it on the command line.
func (o Order) String() string { return [...]string{"edf", "fifo", "llf"}[o] }

// ParseOrder reads what [Order.String] gives.
func ParseOrder(text string) (Order, error) {
	for o := EDF; o <= LLF; o++ {
		if o.String() == text {
			return o, nil
		}
	}
	return EDF, fmt.Errorf("%q is no order of jobs: write edf, fifo or llf", text)
}

// key is what waiting jobs are ordered by, smallest first.
func (o Order) key(v *online.View, j *online.Job) model.Time {
	due := j.Spec().Due()
	switch {
	case o == FIFO:
		return j.Spec().Release
	case o == LLF && due < model.Never:
		return due - v.Remaining(j)
	default:
		return due
	}
}

// record is what is remembered of a job's estimate.
type record struct {
	// free has T^m and T^r by pool: when slots are free once the job and all
	// before it in the queue are done.
	free [2]vector
	// finish is when the job is done (e).
	finish model.Time
}

// earlier takes the lower of each figure of two estimates. If both never are too
// low, as counts of slots that are busy later, nor is this.
func (r record) earlier(other record) record {
	for pool, v := range r.free {
		r.free[pool] = v.earlier(other.free[pool])
	}
	r.finish = min(r.finish, other.finish)
	return r
}

// entry is an accepted job that is not finished.
type entry struct {
	record
	job   *online.Job
	key   model.Time
	steps []step
	// order has the stages as they are estimated and served.
	order []int32
	begun bool
	// ends has by pool when tasks ended in fact, ascending (Ẽ^m and Ẽ^r).
	ends [2][]model.Time
	seen seen
}

// queue holds the accepted jobs that are not finished.
type queue struct {
	// entries before started are those that no new job can overtake: all that
	// have started, in the order in which they did, and among them any that a
	// later one overtook (having a task for a slave on which this one had none).
	entries []*entry
	started int
	// last is the record of the job that started last, finished or not; slots
	// free at 0 before there is one.
	last record
	byID map[model.JobID]*entry
}

// place is where a new job with this key goes.
func (q *queue) place(key model.Time) int {
	at := q.started
	for at < len(q.entries) && q.entries[at].key <= key {
		at++
	}
	return at
}

// before is the record of the predecessor of a new job at this place.
func (q *queue) before(at int) record {
	if at > q.started {
		return q.entries[at-1].record
	}
	return q.last
}

func (q *queue) insert(at int, e *entry) {
	q.entries = slices.Insert(q.entries, at, e)
	q.byID[e.job.ID()] = e
}

// begin notes that a task of the job was handed out.
func (q *queue) begin(e *entry) {
	if e.begun {
		return
	}
	e.begun = true
	if at := slices.Index(q.entries, e); at >= q.started {
		q.started = at + 1
		q.last = e.record
	}
}

// remove takes the finished job at this place off the queue.
func (q *queue) remove(at int) {
	delete(q.byID, q.entries[at].job.ID())
	q.entries = slices.Delete(q.entries, at, at+1)
	if at < q.started { // a job that is given up may not have started
		q.started--
	}
}
