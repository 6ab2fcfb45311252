package rtmr

import (
	"math"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// estimate is when a job is done, and slots are free, if none of it has run yet
// and slots are free as in from once the jobs before it are done: Algorithms II
// and III, and likewise for any graph of stages. Each stage starts when those that it
// comes after are estimated to end, the first ones now, or when the jobs that this one
// comes after are.
func (p *Policy) estimate(v *online.View, e *entry, from record) record {
	begin := v.Now()
	for _, b := range v.Before(e.job) {
		begin = max(begin, p.queue.byID[b.ID()].finish)
	}
	r := record{free: from.free, finish: begin}
	ends := make([]model.Time, len(e.steps))
	for _, k := range e.order {
		s, ready := &e.steps[k], begin
		for _, b := range e.job.Spec().Stages[k].After {
			ready = max(ready, ends[b])
		}
		r.free[s.pool], ends[k] = r.free[s.pool].fill(s.tasks, ready, p.longest(v, e, s))
		r.finish = max(r.finish, ends[k])
	}
	return r
}

// longest is ε̃: the longest time that a task of the stage takes.
func (p *Policy) longest(v *online.View, e *entry, s *step) model.Time {
	length := p.history.longest(e.steps, s)
	if !p.opts.NoBeat {
		length += v.Heartbeat()
	}
	return length
}

// Learning says what estimates take for the longest time of a task; the zero value takes what is
// declared.
type Learning struct {
	// Learn estimates c_m^max, c_r^max and η from the jobs that have finished,
	// as the paper does, instead of taking declared times. There is no guarantee
	// then. Declared times stand for data sizes unless Blocks is set.
	Learn bool
	// Blocks takes data sizes from the numbers of tasks when learning: a map reads a
	// block, and a reduce an equal share of as many blocks as the job has maps (η = 1).
	// So a reduce is estimated the longer the more maps there are to it.
	Blocks bool
	// Cost has c_m^max and c_r^max in ticks a block as they are known at the start, by
	// kind of slot, where Blocks is set; 0 where nothing is, and then declared times
	// count until a job has finished.
	Cost [2]float64
}

// seen is by kind of slot the largest share of its declared time, or the longest time a block, that a task
// of a job took.
type seen [2]float64

// history is what has been seen of finished tasks and jobs.
type history struct {
	Learning
	// given is when each task that is held was handed out.
	given map[model.TaskID]model.Time
	// cost is by kind of slot the largest share of its declared time, or with
	// Options.Blocks the longest time a block, that a task took (c_m^max and c_r^max),
	// 0 before there is one.
	cost [2]float64
	// growth is the largest ratio of the declared times of a job's reduces to
	// those of its maps (η), 0 before there is one.
	growth float64
	// maps is the number of map tasks that have ended, mapTime how long they held
	// slots.
	maps, mapTime model.Time
}

func newHistory(l Learning) history {
	return history{Learning: l, cost: l.Cost, given: map[model.TaskID]model.Time{}}
}

// ended takes in a task of a job.
func (h *history) ended(v *online.View, c *cluster, of *seen, steps []step, t model.TaskID) {
	task := v.Task(t)
	took := v.Now() - h.given[t]
	size := float64(c.longest(task.Profile))
	if h.Blocks {
		size = blocks(steps, task.Slot)
	}
	if size > 0 {
		of[task.Slot] = max(of[task.Slot], float64(took)/size)
	}
	if task.Slot == model.MapSlot {
		h.maps++
		h.mapTime += took
	}
	delete(h.given, t)
}

// learn takes in a finished job.
func (h *history) learn(of *seen, steps []step) {
	for kind, ratio := range of {
		h.cost[kind] = max(h.cost[kind], ratio)
	}
	if maps, reduces := input(steps), total(steps, model.ReduceSlot); maps > 0 {
		h.growth = max(h.growth, float64(reduces)/float64(maps))
	}
}

// longest is ε̃ of a stage of a job with these, without the heartbeat interval.
func (h *history) longest(steps []step, s *step) model.Time {
	switch {
	case h.Learn && h.Blocks:
		return h.longestOf(steps, s)
	case h.Learn:
		return h.longestBy(steps, s)
	default:
		return s.longest
	}
}

// longestBy is c^max times the largest input of a task. Inputs of maps are known;
// those of reduces are an equal share each of at most η times the job's input,
// once η is known and for jobs that have maps.
func (h *history) longestBy(steps []step, s *step) model.Time {
	size := float64(s.longest)
	if in := input(steps); s.kind == model.ReduceSlot && h.growth > 0 && in > 0 {
		tasks := 0
		for i := range steps {
			if steps[i].kind == model.ReduceSlot {
				tasks += steps[i].tasks
			}
		}
		size = h.growth * float64(in) / float64(tasks)
	}
	if cost := h.cost[s.kind]; cost > 0 {
		size *= cost
	}
	return max(1, model.Time(math.Ceil(size)))
}

// longestOf is c^max times the blocks of a task, and what is declared while either is
// not known.
func (h *history) longestOf(steps []step, s *step) model.Time {
	size := blocks(steps, s.kind)
	if h.cost[s.kind] == 0 || size == 0 {
		return s.longest
	}
	return max(1, model.Time(math.Ceil(h.cost[s.kind]*size)))
}

// blocks is how many a task of a kind reads: a map one, a reduce its share of one for
// each map. 0 where a job has no maps.
func blocks(steps []step, k model.SlotKind) float64 {
	if k == model.MapSlot {
		return 1
	}
	var tasks [2]int
	for i := range steps {
		tasks[steps[i].kind] += steps[i].tasks
	}
	return float64(tasks[model.MapSlot]) / float64(max(1, tasks[model.ReduceSlot]))
}

// input is the size of a job's input (δ), in declared times of its maps.
func input(steps []step) model.Time { return total(steps, model.MapSlot) }

func total(steps []step, k model.SlotKind) model.Time {
	sum := model.Time(0)
	for i := range steps {
		if steps[i].kind == k {
			sum += steps[i].total
		}
	}
	return sum
}

// finished takes a job off the queue and brings the records of those after it
// up to date if feedback says so.
func (p *Policy) finished(v *online.View, e *entry) {
	at := slices.Index(p.queue.entries, e)
	if e.job.Finish() < model.Never { // else it was given up
		p.history.learn(&e.seen, e.steps)
		if p.opts.Feedback && p.astray(v, e) {
			p.feedback(v, at)
		}
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
		before.free[pool] = uniform(n)
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
