package rtmr

import (
	"fmt"

	"downbeat/online"
)

// Admit implements online.Admitter: Algorithm I. The job is accepted if it is
// estimated to meet its deadline at its place in the queue, and all that come
// after it still meet theirs.
func (p *Policy) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	e := &entry{job: j, key: p.opts.Order.key(v, j), steps: p.cluster.steps(j.Spec())}
	at := p.queue.place(e.key)
	behind := append([]*entry{e}, p.queue.entries[at:]...)
	records := make([]record, len(behind))
	before := p.queue.before(at)
	for i, b := range behind {
		records[i] = p.estimate(v, b, before)
		if due := b.job.Spec().Due(); records[i].finish > due {
			return false, fmt.Sprintf("job %s would finish by %d only and is due at %d", b.job.Spec().Name, records[i].finish, due)
		}
		before = records[i]
	}
	p.queue.insert(at, e)
	for i, b := range behind {
		b.record = records[i]
	}
	return true, fmt.Sprintf("finishes by %d, as number %d in the queue", e.finish, at+1)
}
