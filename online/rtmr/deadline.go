package rtmr

import (
	"fmt"
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/online"
)

// DeadlineOptions of [DeadlineConstraint].
type DeadlineOptions struct {
	// NoBeat leaves the heartbeat interval out of the estimates, as in [Options].
	NoBeat bool
	// RunningOnly takes a reduce slot to be free at s_r^max unless a task that
	// runs now is estimated to hold it then. Else slots that accepted jobs have
	// yet to use count as well, from their own s_r^max on. The paper does not say
	// which; the first accepts more jobs and misses more deadlines.
	RunningOnly bool
	// Learning is as RTMR's, which takes over from this scheduler that estimates are by the longest time
	// of a task (section IV-A).
	Learning
}

// Deadline is the Deadline Constraint scheduler.
type Deadline struct {
	opts    DeadlineOptions
	cluster cluster
	history history
	// jobs are accepted and not finished, earliest deadline first.
	jobs []*demand
	byID map[model.JobID]*demand
}

// DeadlineConstraint makes the scheduler of Kc and Anyanwu as section III of
// the RTMR paper tells it, fit for one run. It lets a job's last stage, if there is one
// that comes after all others and it takes reduce slots, start all tasks at once and as
// late as it can (s_r^max), gives the stages before it the fewest slots with which they
// are done by then (n_m^min), and accepts the job if so many map slots are free now and
// so many reduce slots will be at s_r^max. Only that one moment is looked at, so that
// accepted jobs can miss their deadlines. Best-effort jobs are always accepted
// and run on one map slot.
//
// A job that comes after others is taken to start when these are done on the slots that
// they were accepted on, and to have their map slots then. The paper knows no such jobs.
func DeadlineConstraint(opts DeadlineOptions) *Deadline {
	return &Deadline{opts: opts, history: newHistory(opts.Learning), byID: map[model.JobID]*demand{}}
}

// demand is what an accepted job takes.
type demand struct {
	job   *online.Job
	steps []step
	// early are the stages before the last, each behind those that it comes after; maps
	// is n_m^min.
	early []int32
	maps  int
	// last is the stage whose tasks start together, len(steps) if none does; they
	// take length (ε̃^r) each, from reduceAt (s_r^max) on at the latest.
	last             int
	length, reduceAt model.Time
	// begin is when the jobs that it comes after are taken to be done, done when it is
	// itself.
	begin, done model.Time
	// until is when each running task of that stage ends at the latest.
	until map[model.TaskID]model.Time
	seen  seen
}

// Name implements online.Policy.
func (d *Deadline) Name() string { return "dc" }

// Asks implements online.Policy: slots stay free until a job's tasks end.
func (d *Deadline) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (d *Deadline) Start(v *online.View) { d.cluster = newCluster(v.Slaves()) }

// Admit implements online.Admitter: the schedulability test.
func (d *Deadline) Admit(v *online.View, j *online.Job) (accept bool, why string) {
	m := d.demand(v, j)
	if j.Spec().Kind == model.BestEffort {
		d.accept(v, m)
		return true, "no deadline"
	}
	if m.maps = d.fewest(v, m, m.reduceAt-m.begin); m.maps < 0 {
		return false, fmt.Sprintf("the stages before %d take longer on any number of slots", m.reduceAt)
	}
	if len(m.early) > 0 {
		if free := d.mapsFree(v, m); m.maps > free {
			return false, fmt.Sprintf("needs %d map slots now, %d are free", m.maps, free)
		}
	}
	if m.last < len(m.steps) {
		s := m.steps[m.last]
		if free := d.reducesFree(s.pool, m.reduceAt); s.tasks > free {
			return false, fmt.Sprintf("needs %d reduce slots at %d, %d are free", s.tasks, m.reduceAt, free)
		}
	}
	d.accept(v, m)
	return true, fmt.Sprintf("on %d map slots, reduces by %d", m.maps, m.reduceAt)
}

// CountsSlots implements online.SlotCounter.
func (d *Deadline) CountsSlots() {}

func (d *Deadline) demand(v *online.View, j *online.Job) *demand {
	spec := j.Spec()
	m := &demand{job: j, steps: d.cluster.steps(spec), maps: 1, begin: v.Now(), until: map[model.TaskID]model.Time{}}
	m.last, m.reduceAt = len(m.steps), spec.Due()
	if ends := spec.Ends(); len(ends) == 1 {
		if last := int(ends[0] - spec.FirstStage); m.steps[last].kind == model.ReduceSlot {
			m.last = last
			m.length = d.longest(v, m.steps, &m.steps[last])
			m.reduceAt -= m.length
		}
	}
	for _, k := range spec.Order() {
		if int(k) != m.last {
			m.early = append(m.early, k)
		}
	}
	for _, b := range v.Before(j) {
		m.begin = max(m.begin, d.byID[b.ID()].done)
	}
	return m
}

func (d *Deadline) accept(v *online.View, m *demand) {
	m.done = m.begin + d.duration(v, m, max(1, m.maps)) + m.length
	due := m.job.Spec().Due()
	at := sort.Search(len(d.jobs), func(i int) bool { return d.jobs[i].job.Spec().Due() > due })
	d.jobs = slices.Insert(d.jobs, at, m)
	d.byID[m.job.ID()] = m
}

// longest is ε̃ of a stage of a job with these.
func (d *Deadline) longest(v *online.View, steps []step, s *step) model.Time {
	length := d.history.longest(steps, s)
	if !d.opts.NoBeat {
		length += v.Heartbeat()
	}
	return length
}

// duration is how long the stages before the last take on so many slots, in rounds of
// one task a slot: their critical path, and no less than all their tasks take spread
// over the slots. Where each stage comes after the one before it is the sum of the rounds.
func (d *Deadline) duration(v *online.View, m *demand, slots int) model.Time {
	ends := make([]model.Time, len(m.steps))
	longest, work := model.Time(0), model.Time(0)
	for _, k := range m.early {
		s := &m.steps[k]
		begin, length := model.Time(0), d.longest(v, m.steps, s)
		for _, b := range m.job.Spec().Stages[k].After {
			begin = max(begin, ends[b])
		}
		ends[k] = begin + model.Time((s.tasks+slots-1)/slots)*length
		longest = max(longest, ends[k])
		work += model.Time(s.tasks) * length
	}
	return max(longest, (work+model.Time(slots)-1)/model.Time(slots))
}

// fewest is the least number of slots on which the stages before the last are
// done within the window; 0 if there are none, -1 if no number is enough.
func (d *Deadline) fewest(v *online.View, m *demand, window model.Time) int {
	most := 0
	for _, k := range m.early {
		most += m.steps[k].tasks
	}
	if most == 0 {
		if window < 0 {
			return -1
		}
		return 0
	}
	slots := 1 + sort.Search(most, func(i int) bool { return d.duration(v, m, 1+i) <= window })
	if slots > most {
		return -1
	}
	return slots
}

// mapsFree is the number of slots that are free for a job's first stages: of those that
// are free now what no accepted job is still to get up to its own minimum, and those of
// the jobs that it comes after.
func (d *Deadline) mapsFree(v *online.View, asks *demand) int {
	pool := asks.steps[asks.early[0]].pool
	free := d.cluster.free(v)[pool]
	for _, m := range d.jobs {
		free -= max(0, min(m.maps-m.job.Running(), m.ready(pool)))
	}
	for _, b := range v.Before(asks.job) {
		free += d.byID[b.ID()].maps
	}
	return free
}

// ready counts the tasks of stages before the last that wait for slots of a pool.
func (m *demand) ready(pool int) int {
	tasks := 0
	for _, k := range m.early {
		if m.steps[k].pool == pool {
			tasks += m.job.Ready(int(k))
		}
	}
	return tasks
}

// atLast reports whether the job has come to its last stage.
func (m *demand) atLast() bool { return m.last < len(m.steps) && m.job.Open(m.last) }

// reducesFree is the number of slots that are free at a time, if running tasks
// take as long as estimated and those to come start as late as they can.
func (d *Deadline) reducesFree(pool int, at model.Time) int {
	free := d.cluster.slots[pool]
	for _, m := range d.jobs {
		if m.last == len(m.steps) || m.steps[m.last].pool != pool {
			continue
		}
		waiting := m.steps[m.last].tasks
		if m.atLast() {
			waiting = m.job.ReadyTasks()
		}
		if !d.opts.RunningOnly && m.reduceAt <= at && at < m.reduceAt+m.length {
			free -= waiting
		}
		for _, until := range m.until {
			if until > at {
				free--
			}
		}
	}
	return free
}

// Watch implements online.Watcher.
func (d *Deadline) Watch(v *online.View, ev online.Event) {
	m := d.byID[ev.Job.ID()]
	switch ev.Kind {
	case online.Assigned:
		d.history.given[ev.Task] = v.Now()
		if ev.Stage == m.last {
			m.until[ev.Task] = v.Now() + m.length
		}
	case online.Ended:
		d.history.ended(v, &d.cluster, &m.seen, m.steps, ev.Task)
		delete(m.until, ev.Task)
	case online.Lost:
		delete(d.history.given, ev.Task)
		delete(m.until, ev.Task)
	case online.Finished:
		if m.job.Finish() < model.Never { // else it was given up
			d.history.learn(&m.seen, m.steps)
		}
		delete(d.byID, ev.Job.ID())
		d.jobs = slices.DeleteFunc(d.jobs, func(other *demand) bool { return other == m })
	}
}

// Heartbeat implements online.Policy: jobs by deadline, each with at most its
// minimum of slots before its last stage, and with all that it can get there.
func (d *Deadline) Heartbeat(v *online.View, o *online.Offer) {
	for i, m := range d.jobs {
		for m.atLast() || m.job.Running() < m.maps {
			b := o.Pick(m.job)
			if b == nil {
				break
			}
			if o.Tracing() {
				o.Consider(d.candidates(d.jobs[i:]))
			}
			o.Give(b)
		}
		if o.Full() {
			return
		}
	}
}

func (d *Deadline) candidates(jobs []*demand) []online.Candidate {
	var out []online.Candidate
	for _, m := range jobs {
		early := !m.atLast()
		if m.job.ReadyTasks() == 0 || early && m.job.Running() >= m.maps {
			continue
		}
		key := "due never"
		if due := m.job.Spec().Due(); due < model.Never {
			key = fmt.Sprintf("due %d", due)
		}
		if early {
			key += fmt.Sprintf(", has %d of %d map slots", m.job.Running(), m.maps)
		}
		out = append(out, m.job.Candidate(key))
	}
	return out
}
