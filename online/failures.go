package online

import (
	"errors"
	"fmt"

	"downbeat/model"
)

func (e *engine) startFaults() {
	e.faults = make([]faultStream, len(e.slaves))
	for i := range e.slaves {
		e.faults[i] = e.opts.faultStream(i)
		e.push(e.faults[i].after(e.opts.Faults.MTBF), slaveFails, i)
	}
}

func (e *engine) fail(id model.SlaveID) error {
	s := &e.slaves[id]
	s.failed = true
	back := e.now + e.faults[id].after(e.opts.Faults.MTTR)
	e.push(back, slaveReturns, int(id))
	e.failures = append(e.failures, Failure{id, model.Interval{Start: e.now, End: back}})
	gone := s.held
	for _, h := range gone {
		e.lost = append(e.lost, Attempt{h.task, e.placed[h.task], e.now})
		e.placed[h.task] = model.Placement{Slave: model.NoSlave}
		e.attempts[h.task]++
		e.running--
	}
	s.empty(e.now)
	e.markIdle(id)
	for _, h := range gone {
		j := &e.jobs[e.js.Tasks[h.task].Job]
		j.nRunning--
		j.add(e.js, h.task)
		e.readyJob(j)
		started := h.start
		if started >= e.now {
			started = model.Never
		}
		e.watch(Lost, j, h.task, id, started)
	}
	if len(gone) > 0 || e.asks == OnChange {
		e.wakeAll()
	}
	return e.hopeless(gone)
}

// maxAttempts bounds how often a task may be lost.
const maxAttempts = 1000

// ErrHopeless is in the error of a run in which slaves fail so often that a
// task was lost 1000 times.
var ErrHopeless = errors.New("slaves fail too often for tasks as long as this")

// hopeless is the error of a task that failures will hardly ever let finish.
func (e *engine) hopeless(gone []held) error {
	for _, h := range gone {
		if e.attempts[h.task] == maxAttempts {
			return fmt.Errorf("%s has been lost %d times: %w", e.js.TaskName(h.task), maxAttempts, ErrHopeless)
		}
	}
	return nil
}

func (e *engine) comeBack(id model.SlaveID) {
	e.slaves[id].failed = false
	e.push(e.now+e.faults[id].after(e.opts.Faults.MTBF), slaveFails, int(id))
	e.markIdle(id)
	if e.asks == OnChange {
		e.wakeAll()
	} else {
		e.wake(id, e.now)
	}
}
