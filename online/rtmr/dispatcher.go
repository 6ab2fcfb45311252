package rtmr

import (
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

// Heartbeat implements online.Policy: Algorithm IV. Jobs are served in the
// order of the queue; a task is handed out only if the free slots that it could
// take outnumber the tasks that the later stages of earlier jobs will have.
//
// With split slots nothing is ever reserved of map slots by jobs of a map and a
// reduce stage: maps go as in Hadoop.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	if p.freeAt != v.Now() {
		p.free, p.freeAt = p.cluster.free(v), v.Now()
	}
	var reserved [2]int
	for i, e := range p.queue.entries {
		stage := e.job.Stage()
		pool := e.steps[stage].pool
		for p.spare(pool, reserved[pool]) {
			b := o.Pick(e.job)
			if b == nil {
				break
			}
			if o.Tracing() {
				o.Consider(p.candidates(i))
			}
			o.Give(b)
		}
		if o.Full() {
			return
		}
		for s := stage + 1; s < len(e.steps); s++ {
			reserved[e.steps[s].pool] += e.steps[s].tasks
		}
	}
}

// spare reports whether a slot of the pool can be given away while so many are
// reserved.
func (p *Policy) spare(pool, reserved int) bool {
	if p.opts.LiteralReserve {
		return reserved <= p.free[pool]
	}
	return reserved < p.free[pool]
}

// candidates lists the jobs from this place on that have a task to hand out.
func (p *Policy) candidates(from int) []online.Candidate {
	var out []online.Candidate
	for i, e := range p.queue.entries[from:] {
		if e.job.ReadyTasks() == 0 {
			continue
		}
		spec := e.job.Spec()
		key := fmt.Sprintf("place %d, estimated finish %d", from+i+1, e.finish)
		if due := spec.Due(); due < model.Never {
			key += fmt.Sprintf(", due %d", due)
		}
		out = append(out, online.Candidate{Job: spec.Name, Stage: spec.Stages[e.job.Stage()].Name, Key: key})
	}
	return out
}
