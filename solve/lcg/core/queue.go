package core

// PropagatorID names a propagator of a solver.
type PropagatorID int32

// priorities of propagators are 0 (cheap, first) to priorities − 1.
const priorities = 3

// queue holds the propagators that wait to be run, by priority, each once.
type queue struct {
	priority []int8 // by propagator
	queued   []bool
	waiting  [priorities]fifo
}

// fifo holds what waits at one priority: ids[head:].
type fifo struct {
	ids  []PropagatorID
	head int
}

// add makes a place for the next propagator.
func (q *queue) add(priority int) PropagatorID {
	q.priority = append(q.priority, int8(priority))
	q.queued = append(q.queued, false)
	return PropagatorID(len(q.queued) - 1)
}

func (q *queue) wake(r PropagatorID) {
	if !q.queued[r] {
		q.queued[r] = true
		f := &q.waiting[q.priority[r]]
		f.ids = append(f.ids, r)
	}
}

func (q *queue) next() (r PropagatorID, any bool) {
	for k := range q.waiting {
		f := &q.waiting[k]
		if f.head < len(f.ids) {
			r = f.ids[f.head]
			f.head++
			q.queued[r] = false
			return r, true
		}
		f.ids, f.head = f.ids[:0], 0
	}
	return 0, false
}

func (q *queue) clear() {
	for k := range q.waiting {
		f := &q.waiting[k]
		for _, r := range f.ids[f.head:] {
			q.queued[r] = false
		}
		f.ids, f.head = f.ids[:0], 0
	}
}
