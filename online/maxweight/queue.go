package maxweight

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// queue is a queue of ready tasks.
type queue struct {
	// waits in order of arrival. Over all queues, the tasks that wait of a group
	// are as many as it has left.
	waits []wait
	// length is what the policy compares.
	length int
}

// wait is how many tasks of a group wait in a queue.
type wait struct {
	group *online.Group
	tasks int
}

// put appends tasks.
func (q *queue) put(b *online.Group, tasks int) {
	q.length += tasks
	if n := len(q.waits); n > 0 && q.waits[n-1].group == b {
		q.waits[n-1].tasks += tasks
		return
	}
	q.waits = append(q.waits, wait{b, tasks})
}

// pick is the place of what goes next of what fits, -1 if nothing does.
func (q *queue) pick(o *online.Offer, fifo bool) int {
	best := -1
	for i, w := range q.waits {
		if best >= 0 && w.group.Job().Running() >= q.waits[best].group.Job().Running() {
			continue
		}
		if o.Fits(w.group) {
			best = i
			if fifo {
				break
			}
		}
	}
	return best
}

// drop removes what waits of a gang that was handed out with one of its tasks, and counts it.
func (q *queue) drop(g *online.Group) {
	q.waits = slices.DeleteFunc(q.waits, func(w wait) bool {
		gone := w.group.Job() == g.Job() && w.group.Stage() == g.Stage()
		if gone {
			q.length -= w.tasks
		}
		return gone
	})
}

// part removes what waits for a slave that has had another task of a stage whose tasks are apart.
func (q *queue) part(v *online.View, s model.SlaveID) (out []wait) {
	q.waits = slices.DeleteFunc(q.waits, func(w wait) bool {
		apart := v.Apart(s, w.group)
		if apart {
			q.length -= w.tasks
			out = append(out, w)
		}
		return apart
	})
	return out
}

// take removes the first task at a place, and leaves length to the caller.
func (q *queue) take(at int) *online.Group {
	b := q.waits[at].group
	q.waits[at].tasks--
	if q.waits[at].tasks == 0 {
		q.waits = slices.Delete(q.waits, at, at+1)
	}
	return b
}

// candidates lists the jobs of a queue, the chosen one first.
func (q *queue) candidates(chosen int, why string) []online.Candidate {
	seen := map[*online.Job]bool{}
	var out []online.Candidate
	add := func(g *online.Group) {
		if j := g.Job(); !seen[j] {
			seen[j] = true
			out = append(out, g.Candidate(fmt.Sprintf("%s, running %d", why, j.Running())))
		}
	}
	add(q.waits[chosen].group)
	for _, w := range q.waits {
		add(w.group)
	}
	return out
}

// reduceCandidates lists jobs with reduces to hand out, each by its first group of them.
func reduceCandidates(jobs []*online.Job) []online.Candidate {
	var out []online.Candidate
	for _, j := range jobs {
		for _, g := range j.Groups() {
			if g.Slot() == model.ReduceSlot && g.Len() > 0 {
				out = append(out, g.Candidate(fmt.Sprintf("reduce, release %d", j.Spec().Release)))
				break
			}
		}
	}
	return out
}

// comparison has αQ_m and γQ̄.
type comparison struct{ own, common float64 }

func (c comparison) local() bool { return c.own >= c.common }

// words says what queue is served, and why.
func (c comparison) words(common bool) string {
	queue, sign := "own", "≥"
	if common {
		queue = "common"
	}
	if !c.local() {
		sign = "<"
	}
	why := ""
	if common == c.local() {
		why = ", the other has nothing that fits"
	}
	return fmt.Sprintf("%s queue: %.3g %s %.3g%s", queue, c.own, sign, c.common, why)
}
