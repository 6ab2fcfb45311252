package slotted

// fair is naive fair sharing.
type fair struct {
	*engine
	tasks  []unlaunched // by job
	order  jobHeap      // jobs with tasks that no machine is promised
	offers []offer      // scratch: of this slot
	spare  [][]uint32   // heads of jobs that are through
	warm   uint32       // see prefetch

	small int32 // largest job that is searched rather than indexed
	block int32 // tasks of a larger job that are drawn at a time
}

// offer is a machine that takes a task of a job.
type offer struct {
	job     int32
	machine uint16
}

// newFair returns the policy without jobs.
func newFair(e *engine) *fair {
	return &fair{engine: e, order: jobHeap{jobs: &e.jobs}, small: 64, block: 64}
}

// open does nothing: decisions rest on the present only.
func (f *fair) open() {}

// arrive notes a job; where its tasks' data lie is drawn once it is asked.
func (f *fair) arrive(job int32, where stream) {
	for int(job) >= len(f.tasks) {
		f.tasks = append(f.tasks, unlaunched{})
		f.order.place = append(f.order.place, -1)
	}
	size := f.jobs.all[job].size
	f.tasks[job] = unlaunched{where: where, size: size, unpromised: size, left: size}
	f.order.push(job)
}

// dispatch asks idle machines in random order, as long as tasks are left. Which
// job a machine serves depends on numbers of running tasks only, so that is
// settled for all of them before any looks for a local task.
func (f *fair) dispatch() {
	f.offers = f.offers[:0]
	for len(f.idle) > 0 && len(f.order.heap) > 0 {
		m := f.idle[f.engine.order.below(len(f.idle))]
		job := f.order.heap[0].job
		f.claim(m, job)
		f.offers = append(f.offers, offer{job, m})
		if f.tasks[job].unpromised--; f.tasks[job].unpromised > 0 {
			f.order.update(job)
		} else {
			f.order.remove(job)
		}
	}
	f.prefetch()
	for _, o := range f.offers {
		t := &f.tasks[o.job]
		as := local
		if !f.takeLocal(t, o.machine) {
			as = remote
			t.takeAny()
		}
		if t.left == 0 {
			f.release(t)
		}
		f.begin(o.machine, as)
	}
}

// prefetch reads what the offers of this slot will look at first. With a long
// backlog little of it is in the processor's caches, and here, unlike in the
// search itself, the reads do not wait for each other.
func (f *fair) prefetch() {
	for _, o := range f.offers {
		if t := &f.tasks[o.job]; len(t.heads) > 0 {
			f.warm += t.heads[o.machine]
		}
	}
	for _, o := range f.offers {
		if t := &f.tasks[o.job]; len(t.heads) > 0 {
			if e := t.heads[o.machine]; e > 0 {
				f.warm += t.next[e-1]
			}
		}
	}
}

// ended moves a job with tasks left forward.
func (f *fair) ended(job int32, _ uint16, _ service) {
	if f.order.place[job] >= 0 {
		f.order.update(job)
	}
}

// jobHeap is a binary heap of jobs, fewest running tasks first, then the older.
type jobHeap struct {
	jobs  *jobTable
	heap  []ranked
	place []int32 // in the heap, by job; -1 if not there
}

// ranked is a job with its rank: running tasks, then order of arrival.
type ranked struct {
	rank uint64
	job  int32
}

// rank puts both keys into one number: 24 bits for running tasks (there are
// fewer machines), 40 for the number of the job.
func (h *jobHeap) rank(job int32) uint64 {
	j := &h.jobs.all[job]
	return uint64(j.running)<<40 | uint64(j.number)
}

// push adds a job.
func (h *jobHeap) push(job int32) {
	h.heap = append(h.heap, ranked{})
	h.up(len(h.heap)-1, ranked{h.rank(job), job})
}

// update restores the order after a job's running tasks have changed.
func (h *jobHeap) update(job int32) {
	h.settle(int(h.place[job]), ranked{h.rank(job), job})
}

// remove takes a job out.
func (h *jobHeap) remove(job int32) {
	at, n := int(h.place[job]), len(h.heap)-1
	last := h.heap[n]
	h.heap = h.heap[:n]
	h.place[job] = -1
	if at < n {
		h.settle(at, last)
	}
}

// settle puts an entry at place i or where it belongs from there.
func (h *jobHeap) settle(i int, r ranked) {
	if i > 0 && r.rank < h.heap[(i-1)/2].rank {
		h.up(i, r)
	} else {
		h.down(i, r)
	}
}

// up moves an entry from place i towards the top.
func (h *jobHeap) up(i int, r ranked) {
	for i > 0 {
		parent := (i - 1) / 2
		if h.heap[parent].rank < r.rank {
			break
		}
		h.put(i, h.heap[parent])
		i = parent
	}
	h.put(i, r)
}

// down moves an entry from place i away from the top.
func (h *jobHeap) down(i int, r ranked) {
	for {
		child := 2*i + 1
		if child >= len(h.heap) {
			break
		}
		if child+1 < len(h.heap) && h.heap[child+1].rank < h.heap[child].rank {
			child++
		}
		if r.rank < h.heap[child].rank {
			break
		}
		h.put(i, h.heap[child])
		i = child
	}
	h.put(i, r)
}

// put sets place i.
func (h *jobHeap) put(i int, r ranked) {
	h.heap[i] = r
	h.place[r.job] = int32(i)
}
