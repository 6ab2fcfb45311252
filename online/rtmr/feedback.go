package rtmr

import (
	"slices"

	"downbeat/online"
)

// finished takes a job off the queue and brings the records of those after it
// up to date if feedback says so.
func (p *Policy) finished(v *online.View, e *entry) {
	p.history.learn(e)
	at := slices.Index(p.queue.entries, e)
	if p.opts.Feedback && p.astray(v, e) {
		p.feedback(v, at)
	}
	p.queue.remove(at)
}

// astray reports whether a job ended too far from its estimate: Algorithm V,
// line 7. The estimate is the one on record: made anew at this time, as line 6
// has it, it would always lie behind.
func (p *Policy) astray(v *online.View, e *entry) bool {
	delta := p.opts.Delta
	if delta == TypicalMap {
		delta = p.history.mapTime / max(1, p.history.maps)
	}
	off := e.finish - v.Now()
	return max(off, -off) >= delta || v.Now() > e.job.Spec().Due()
}

// feedback is Algorithm V, lines 8 to 19, for the finished job at this place.
// Finished jobs are no longer in the queue: what they held is free by now.
func (p *Policy) feedback(v *online.View, at int) {
	q := &p.queue
	var before record
	for pool, n := range p.cluster.slots {
		before.free[pool] = make(vector, n)
	}
	if at > 0 {
		before = q.entries[at-1].record
	}
	e := q.entries[at]
	for pool := range e.free {
		e.free[pool] = before.free[pool].update(e.ends[pool])
	}
	before = e.record
	for _, next := range q.entries[at+1:] {
		r := p.estimate(v, next, before)
		if p.opts.Keep && next.begun {
			r = r.earlier(next.record)
		}
		next.record = r
		before = next.record
	}
	q.last = q.entries[q.started-1].record
}
