package slotted

// fair is naive fair sharing.
type fair struct {
	*engine
	search
	tasks  []unlaunched // by job
	line   ranking      // jobs with tasks that no machine is promised
	offers []offer      // scratch: of this slot
}

// offer is a machine that takes a task of a job.
type offer struct {
	job     int32
	machine uint16
}

// newFair returns the policy without jobs.
func newFair(e *engine) *fair {
	return &fair{
		engine: e, line: ranking{jobs: &e.jobs},
		search: search{where: e.placer, total: len(e.machines), small: 64, block: 64},
	}
}

// open does nothing: decisions rest on the present only.
func (f *fair) open() {}

// arrive notes a job; where its tasks' data lie is drawn once it is asked.
func (f *fair) arrive(job int32, where stream) {
	for int(job) >= len(f.tasks) {
		f.tasks = append(f.tasks, unlaunched{})
		f.line.place = append(f.line.place, -1)
	}
	size := f.jobs.all[job].size
	f.tasks[job] = unlaunched{where: where, size: size, unpromised: size, left: size}
	f.line.fresh = append(f.line.fresh, job)
}

// dispatch asks idle machines in random order, as long as tasks are left. Which
// job a machine serves depends on numbers of running tasks only, so that is
// settled for all of them before any looks for a local task.
func (f *fair) dispatch() {
	f.offers = f.offers[:0]
	for len(f.idle) > 0 {
		job, some := f.line.first()
		if !some {
			break
		}
		m := f.idle[f.order.below(len(f.idle))]
		f.claim(m, job)
		f.offers = append(f.offers, offer{job, m})
		f.tasks[job].unpromised--
		f.line.passed(f.tasks[job].unpromised > 0)
	}
	f.prune()
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

// prune drops the first entry that an offer of this slot would meet in vain. The
// search would do that too, but then each offer waits for memory on its own: with
// a long backlog little of it is in the processor's caches. Here they wait
// together.
func (f *fair) prune() {
	for _, o := range f.offers {
		if t := &f.tasks[o.job]; t.heads != nil {
			t.dropFirst(o.machine)
		}
	}
}

// ended moves a job with tasks left forward.
func (f *fair) ended(job int32, _ uint16, _ service) {
	if f.line.place[job] >= 0 {
		f.line.update(job)
	}
}

// ranking orders jobs, fewest running tasks first, then the older. Jobs that
// have never had a task running are in order of arrival by themselves; the
// others are in a binary heap, which stays small however long the backlog is.
type ranking struct {
	jobs  *jobTable
	fresh []int32 // from fresh[gone] on
	gone  int
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
func (h *ranking) rank(job int32) uint64 {
	j := &h.jobs.all[job]
	return uint64(j.running)<<40 | uint64(j.number)
}

// freshFirst reports whether the first job is a fresh one. There must be a job.
func (h *ranking) freshFirst() bool {
	return h.gone < len(h.fresh) && (len(h.heap) == 0 || uint64(h.jobs.all[h.fresh[h.gone]].number) < h.heap[0].rank)
}

// first returns the first job, if there is any.
func (h *ranking) first() (job int32, some bool) {
	switch {
	case h.freshFirst():
		return h.fresh[h.gone], true
	case len(h.heap) > 0:
		return h.heap[0].job, true
	}
	return 0, false
}

// passed tells that the job that was first has got one more running task, and
// whether it stays in the ranking.
func (h *ranking) passed(stays bool) {
	switch {
	case h.freshFirst():
		job := h.fresh[h.gone]
		h.gone++
		if 2*h.gone > len(h.fresh) {
			h.fresh, h.gone = h.fresh[:copy(h.fresh, h.fresh[h.gone:])], 0
		}
		if stays {
			h.heap = append(h.heap, ranked{})
			h.up(len(h.heap)-1, ranked{h.rank(job), job})
		}
	case stays:
		h.update(h.heap[0].job)
	default:
		n := len(h.heap) - 1
		h.place[h.heap[0].job] = -1
		last := h.heap[n]
		h.heap = h.heap[:n]
		if n > 0 {
			h.down(0, last)
		}
	}
}

// update restores the order after the running tasks of a job in the heap have
// changed.
func (h *ranking) update(job int32) {
	i, r := int(h.place[job]), ranked{h.rank(job), job}
	if i > 0 && r.rank < h.heap[(i-1)/2].rank {
		h.up(i, r)
	} else {
		h.down(i, r)
	}
}

// up moves an entry from place i towards the top.
func (h *ranking) up(i int, r ranked) {
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
func (h *ranking) down(i int, r ranked) {
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
func (h *ranking) put(i int, r ranked) {
	h.heap[i] = r
	h.place[r.job] = int32(i)
}
