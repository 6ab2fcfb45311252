package slotted

import (
	"math"
	"slices"
)

// waiting is how many tasks of one job wait in a queue.
type waiting struct {
	job, tasks int32
}

// queue is a queue of waiting tasks, jobs in order of arrival.
// Invariant: tasks is the sum over jobs, each of which has at least one.
type queue struct {
	jobs  []waiting
	tasks int32
}

// put appends a task. The tasks of a job arrive together, so they stay
// neighbours.
func (q *queue) put(job int32) {
	q.tasks++
	if n := len(q.jobs); n > 0 && q.jobs[n-1].job == job {
		q.jobs[n-1].tasks++
		return
	}
	q.jobs = append(q.jobs, waiting{job: job, tasks: 1})
}

// take removes the first task of the job at place i and returns that job.
func (q *queue) take(i int) int32 {
	job := q.jobs[i].job
	q.tasks--
	q.jobs[i].tasks--
	if q.jobs[i].tasks == 0 {
		q.jobs = slices.Delete(q.jobs, i, i+1)
	}
	return job
}

// maxWeight is JSQ routing with MaxWeight scheduling.
type maxWeight struct {
	*engine
	reading      Reading
	alpha, gamma float64
	queues       []queue  // one a machine, then the common one
	length       []int32  // of the queues, as the reading counts
	view         []int32  // lengths that decisions see; length itself if they are live
	rivals       []uint16 // scratch: idle machines that may serve the common queue
}

// newMaxWeight returns the policy with empty queues.
func newMaxWeight(e *engine) *maxWeight {
	n := e.config.System.Machines + 1
	p := &maxWeight{
		engine:  e,
		reading: e.config.Reading,
		alpha:   e.config.System.Alpha,
		gamma:   e.config.System.Gamma,
		queues:  make([]queue, n),
		length:  make([]int32, n),
	}
	p.view = p.length
	if !p.reading.Live {
		p.view = make([]int32, n)
	}
	return p
}

// common is the place of the common queue.
func (p *maxWeight) common() int { return len(p.queues) - 1 }

// open notes the lengths at the start of the slot.
func (p *maxWeight) open() {
	if !p.reading.Live {
		copy(p.view, p.length)
	}
}

// apart is the length of what is left of the queues of machines with data and the
// common one without their mean.
func (p *maxWeight) apart() float64 {
	held := p.config.System.Holds()
	sum, square, n := 0.0, 0.0, 0.0
	for q, l := range p.length {
		if q == p.common() || held[q] {
			sum, square, n = sum+float64(l), square+float64(l)*float64(l), n+1
		}
	}
	return math.Sqrt(max(0, square-sum*sum/n))
}

// arrive routes the tasks of a job, one after the other.
func (p *maxWeight) arrive(job int32, where stream) {
	for range p.jobs.all[job].size {
		places := p.placer.draw(&where)
		q := p.route(&places)
		p.queues[q].put(job)
		p.length[q]++
	}
}

// route returns the shortest of a task's local queues and the common one. The
// k-th of several equally short ones replaces the choice so far with
// probability 1/k, which makes all of them equally likely.
func (p *maxWeight) route(places *places) int {
	best := p.common()
	shortest, ties := p.view[best], 1
	for _, m := range places.at[:places.n] {
		switch l := p.view[m]; {
		case l < shortest:
			best, shortest, ties = int(m), l, 1
		case l == shortest:
			ties++
			if p.order.below(ties) == 0 {
				best = int(m)
			}
		}
	}
	return best
}

// prefersCommon is the MaxWeight rule for an idle machine.
func (p *maxWeight) prefersCommon(m uint16) bool {
	return p.alpha*float64(p.view[m]) < p.gamma*float64(p.view[p.common()])
}

// dispatch starts tasks on idle machines: first on those that serve their own
// queues, where none is in another's way, then in random order on those that
// compete for the common queue.
func (p *maxWeight) dispatch() {
	p.rivals = p.rivals[:0]
	for i := 0; i < len(p.idle); {
		m := p.idle[i]
		switch {
		case p.prefersCommon(m):
			p.rivals = append(p.rivals, m)
		case p.queues[m].tasks > 0:
			p.serve(int(m), m, local) // another idle machine moves to place i
			continue
		case p.reading.Fallback:
			p.rivals = append(p.rivals, m)
		}
		i++
	}
	common := &p.queues[p.common()]
	for n := len(p.rivals); n > 0; n-- {
		k := n - 1
		if common.tasks > 0 {
			k = p.order.below(n)
		} else if !p.reading.Live && !p.reading.Fallback {
			return // what these machines chose has nothing left to start
		}
		m := p.rivals[k]
		p.rivals[k] = p.rivals[n-1]
		p.compete(m)
	}
}

// compete starts a task on a machine that the common queue may serve.
func (p *maxWeight) compete(m uint16) {
	own, common := p.queues[m].tasks > 0, p.queues[p.common()].tasks > 0
	prefers := p.prefersCommon(m)
	switch {
	case common && (prefers || p.reading.Fallback && !own):
		p.serve(p.common(), m, remote)
	case own && (!prefers || p.reading.Fallback):
		p.serve(int(m), m, local)
	}
}

// serve starts a task of a queue on a machine.
func (p *maxWeight) serve(q int, m uint16, as service) {
	job := p.queues[q].take(p.pick(&p.queues[q], p.reading.FIFO))
	if p.reading.WaitingOnly {
		p.length[q]--
	}
	p.claim(m, job)
	p.begin(m, as)
}

// pick returns the place of the job that goes next in a queue.
func (e *engine) pick(q *queue, fifo bool) int {
	if fifo {
		return 0
	}
	best, fewest := 0, e.jobs.all[q.jobs[0].job].running
	for i := 1; i < len(q.jobs) && fewest > 0; i++ {
		if n := e.jobs.all[q.jobs[i].job].running; n < fewest {
			best, fewest = i, n
		}
	}
	return best
}

// ended takes a finished task out of the length of the queue it came from.
func (p *maxWeight) ended(_ int32, by uint16, was service) {
	if p.reading.WaitingOnly {
		return
	}
	if was == local {
		p.length[by]--
	} else {
		p.length[p.common()]--
	}
}
