package slotted

import "context"

// service is what a machine is doing.
type service uint8

const (
	idle   service = iota
	local          // a task at rate Alpha
	remote         // a task at rate Gamma
)

// job is a job that has arrived and not finished.
type job struct {
	arrived int64 // slot
	number  int64 // in order of arrival
	size    int32 // tasks
	undone  int32 // tasks not finished
	running int32 // tasks in service
}

// jobTable holds the jobs in the system; numbers of finished ones are given out
// again.
type jobTable struct {
	all   []job
	free  []int32
	count int64 // in the system
}

// add returns the place of a new job.
func (t *jobTable) add(j job) int32 {
	t.count++
	if n := len(t.free); n > 0 {
		at := t.free[n-1]
		t.free = t.free[:n-1]
		t.all[at] = j
		return at
	}
	t.all = append(t.all, j)
	return int32(len(t.all) - 1)
}

// remove gives a job's place back.
func (t *jobTable) remove(at int32) {
	t.count--
	t.free = append(t.free, at)
}

// machine is the state of one machine.
type machine struct {
	job    int32 // whose task it runs, where it is not idle
	next   int32 // next machine due in the same slot, or -1
	place  int32 // in the list of idle machines, where it is idle
	doing  service
	goesOn bool // at its place in the ring the service is drawn again
}

// scheduler is a policy at work on an engine. The engine keeps jobs' counts of
// running and undone tasks itself.
type scheduler interface {
	// open tells that a slot begins: services that ended have left.
	open()
	// arrive takes the tasks of a new job; places gives where they lie.
	arrive(job int32, places stream)
	// dispatch starts tasks on idle machines.
	dispatch()
	// ended tells that a task left a machine, before its job is removed.
	ended(job int32, by uint16, was service)
}

// engine is one run: the machines, the jobs, and the clock.
type engine struct {
	config   *Config
	now      int64
	machines []machine
	idle     []uint16    // in no particular order
	due      [ring]int32 // first machine due in a slot, by slot modulo ring; -1 for none
	jobs     jobTable
	tasks    int64 // in the system
	seen     measures
	policy   scheduler
	placer   *placer

	arrivals, service, order stream
	lengths                  [remote + 1]geometric
	placeSeed                uint64
	nextJob                  int64
	batchEnd                 int64
}

// newEngine returns an empty system at slot 0, without a policy.
func newEngine(c *Config) (*engine, error) {
	placer, err := newPlacer(c.System)
	if err != nil {
		return nil, err
	}
	e := &engine{
		config:    c,
		machines:  make([]machine, c.System.Machines),
		placer:    placer,
		arrivals:  newStream(c.Seed, forArrivals),
		service:   newStream(c.Seed, forService),
		order:     newStream(c.Seed, forOrder),
		placeSeed: scramble(c.Seed ^ scramble(forPlaces)),
		batchEnd:  int64(c.Warmup),
	}
	e.lengths[local] = newGeometric(c.System.Alpha)
	e.lengths[remote] = newGeometric(c.System.Gamma)
	for m := range e.machines {
		e.rest(uint16(m))
	}
	for i := range e.due {
		e.due[i] = -1
	}
	e.seen.batches = make([]batch, 0, c.Batches)
	e.seen.now = &e.seen.before
	return e, nil
}

// run lives through all slots.
func (e *engine) run(ctx context.Context) (Result, error) {
	const between = 256 // slots between looks at the context
	end := int64(e.config.Warmup + e.config.Slots)
	for e.now = 0; e.now < end; e.now++ {
		if e.now%between == 0 && ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		e.slot()
	}
	r := e.seen.result(e.config)
	r.LeftJobs, r.LeftTasks = e.jobs.count, e.tasks
	return r, nil
}

// slot lives through one slot.
func (e *engine) slot() {
	if e.now == e.batchEnd {
		e.nextBatch()
	}
	e.finish()
	e.seen.now.slots++
	e.seen.now.queue += float64(e.tasks)
	e.policy.open()
	if p, ok := e.policy.(*maxWeight); ok && e.config.Apart {
		e.seen.now.apart += p.apart()
	}
	e.arrive()
	e.seen.now.jobs += float64(e.jobs.count)
	if every := int64(e.config.SampleEvery); every > 0 && e.now%every == 0 {
		e.seen.samples = append(e.seen.samples, int32(e.jobs.count))
	}
	e.policy.dispatch()
}

// nextBatch begins the next part of the measured slots.
func (e *engine) nextBatch() {
	e.seen.batches = append(e.seen.batches, batch{})
	n := int64(len(e.seen.batches))
	e.seen.now = &e.seen.batches[n-1]
	e.batchEnd = int64(e.config.Warmup) + n*int64(e.config.Slots)/int64(e.config.Batches)
}

// arrive lets the jobs of this slot come in.
func (e *engine) arrive() {
	for range e.config.Arrivals.Jobs.draw(&e.arrivals) {
		size := e.config.Arrivals.Tasks.draw(&e.arrivals)
		if size == 0 {
			continue
		}
		n := int32(size)
		at := e.jobs.add(job{arrived: e.now, number: e.nextJob, size: n, undone: n})
		e.nextJob++
		e.tasks += int64(size)
		e.seen.now.arrivedJobs++
		e.seen.now.arrivedTasks += int64(size)
		e.policy.arrive(at, newStream(e.placeSeed, uint64(e.nextJob)))
	}
}

// claim takes an idle machine for a task of a job, which must begin in this
// slot.
func (e *engine) claim(m uint16, job int32) {
	it := &e.machines[m]
	last := e.idle[len(e.idle)-1]
	e.idle[it.place] = last
	e.machines[last].place = it.place
	e.idle = e.idle[:len(e.idle)-1]
	it.job = job
	e.jobs.all[job].running++
}

// begin starts the service for which a machine was claimed.
func (e *engine) begin(m uint16, as service) {
	e.machines[m].doing = as
	e.wait(m)
}

// wait draws how long a machine's service lasts, or lasts still, and puts its
// end into the ring.
func (e *engine) wait(m uint16) {
	it := &e.machines[m]
	slots, over := e.lengths[it.doing].draw(&e.service)
	it.goesOn = !over
	due := &e.due[(e.now+int64(slots))%ring]
	it.next, *due = *due, int32(m)
}

// rest makes a machine idle.
func (e *engine) rest(m uint16) {
	it := &e.machines[m]
	it.doing = idle
	it.place = int32(len(e.idle))
	e.idle = append(e.idle, m)
}

// finish lets the tasks leave whose service ended with the slot before.
func (e *engine) finish() {
	due := &e.due[e.now%ring]
	m := *due
	*due = -1
	for m >= 0 {
		next := e.machines[m].next
		if e.machines[m].goesOn {
			e.wait(uint16(m))
		} else {
			e.leave(uint16(m))
		}
		m = next
	}
}

// leave ends the task of a machine, and its job if that was the last.
func (e *engine) leave(m uint16) {
	it := &e.machines[m]
	j := &e.jobs.all[it.job]
	b := e.seen.now
	delay := float64(e.now - j.arrived)
	b.doneTasks++
	b.taskDelay += delay
	if it.doing == local {
		b.localTasks++
	}
	e.tasks--
	j.running--
	j.undone--
	e.policy.ended(it.job, m, it.doing)
	if j.undone == 0 {
		b.doneJobs++
		b.jobDelay += delay
		e.jobs.remove(it.job)
	}
	e.rest(m)
}
