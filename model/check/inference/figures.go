package inference

import (
	"math"
	"math/bits"
	"slices"

	"downbeat/model"
)

// figures are those of the job set, in ticks of the proof.
type figures struct {
	calendar
	tick model.Time // in ticks of the file
	// By SlaveID: ample says that its slots let no more tasks run than there are cores for,
	// presences are the times between its absences, of which there are so many in all: spans.
	ample     []bool
	presences [][]model.Interval
	spans     int
	// limits has what tasks on all slaves have in common (C11), by the numbers of a proof: pools,
	// then jobs and stages, which may have caps; nil where nothing is limited.
	limits []*model.Shared
}

// measure states the job set in ticks of the proof, which have to divide all of its times; heartbeats may come more often, many to a tick.
func (c *checker) measure(tick model.Time) {
	js, odd := *c.js, model.Time(0)
	part := func(t model.Time) model.Time {
		switch {
		case t == model.Never: // of an absence without an end
			return t
		case t%tick != 0:
			odd = t
		}
		return t / tick
	}
	if tick%js.Heartbeat == 0 {
		js.Heartbeat = tick
	}
	js.Heartbeat = part(js.Heartbeat)
	js.Slaves = slices.Clone(js.Slaves)
	for i := range js.Slaves {
		s := &js.Slaves[i]
		s.FirstBeat, s.Down, s.Reservations = part(s.FirstBeat), slices.Clone(s.Down), slices.Clone(s.Reservations)
		for k, away := range s.Down {
			s.Down[k] = model.Interval{Start: part(away.Start), End: part(away.End)}
		}
		for k, taken := range s.Reservations {
			s.Reservations[k].Interval = model.Interval{Start: part(taken.Start), End: part(taken.End)}
		}
	}
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		js.Jobs[i].Release, js.Jobs[i].Deadline = part(js.Jobs[i].Release), part(js.Jobs[i].Deadline)
	}
	shareIn(&js, part)
	js.Tasks = slices.Clone(js.Tasks)
	divide := func(t model.Time) model.Time { return t / tick } // of figures where it is barred, too
	divided, most := model.NewMapper(divide, divide), int64(1)
	for t := range js.Tasks {
		task := &js.Tasks[t]
		task.EachRun(func(run, fetch model.Time, _ model.SlaveID) { part(run); part(fetch) })
		task.Profile, most = divided.Profile(task.Profile), max(most, task.Cores())
	}
	if shares(&js) {
		if err := js.Link(); err != nil {
			c.fail("%w", err)
		}
	}
	c.calendar, c.tick, c.limits = newCalendar(&js), tick, limitsOf(&js)
	for _, s := range js.Slaves {
		c.ample = append(c.ample, len(s.Reservations) == 0 && times(int64(s.TotalSlots()), most) <= int64(s.Cores))
		here, back := []model.Interval(nil), model.Time(0)
		for _, away := range s.Down {
			here, back = append(here, model.Interval{Start: back, End: away.Start}), away.End
		}
		c.presences = append(c.presences, append(here, model.Interval{Start: back, End: model.Never}))
		c.spans += 1 + len(here)
	}
	if odd != 0 {
		c.fail("a tick of %d does not divide all times of the job set: %d", tick, odd)
	}
}

// shares reports whether tasks on all slaves have anything in common, be it a pool of which none takes any.
func shares(js *model.JobSet) bool { return js.Coupled() || len(js.Pools) > 0 }

// shareIn states in ticks of the proof what tasks on all slaves have in common. Jobs and their stages are
// those of js alone afterwards.
func shareIn(js *model.JobSet, part func(model.Time) model.Time) {
	if !shares(js) {
		return
	}
	held := func(all []model.SharedHold) []model.SharedHold {
		all = slices.Clone(all)
		for k, h := range all {
			all[k].Interval = model.Interval{Start: part(h.Start), End: part(h.End)}
		}
		return all
	}
	js.Pools = slices.Clone(js.Pools)
	for i := range js.Pools {
		p := &js.Pools[i]
		p.Levels, p.Reserved = slices.Clone(p.Levels), held(p.Reserved)
		for k := range p.Levels {
			p.Levels[k].From = part(p.Levels[k].From)
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.Reserved, job.Stages = held(job.Reserved), slices.Clone(job.Stages)
		for k := range job.Stages {
			st := &job.Stages[k]
			st.Reserved, st.StartAt = held(st.Reserved), part(st.StartAt)
		}
	}
}

// limitsOf numbers the limits of a set.
func limitsOf(js *model.JobSet) []*model.Shared {
	all := js.Shared()
	out := make([]*model.Shared, len(js.Pools)+len(js.Jobs)+js.Stages())
	for i := range all {
		sh := &all[i]
		n := int(sh.Pool)
		if n < 0 {
			n = len(js.Pools) + int(sh.Job)
		}
		if sh.Pool < 0 && sh.Stage >= 0 {
			n = len(js.Pools) + len(js.Jobs) + int(js.Jobs[sh.Job].FirstStage) + int(sh.Stage)
		}
		out[n] = sh
	}
	return out
}

// lengths are E and C of a task on a slave; 0 for the former where it cannot run.
func (g *figures) lengths(t model.TaskID, s model.SlaveID) (run, fetch model.Time) {
	if task := &g.js.Tasks[t]; task.Eligible(s) {
		return task.WCET(s), task.Transfer(s)
	}
	return 0, 0
}

// tied reports whether R = S − C for a task that has a fetch of a length on a slave. Those of a gang
// wait for each other.
func (g *figures) tied(t model.TaskID, s model.SlaveID, fetch model.Time) bool {
	_, gang := g.js.GangOf(t)
	return g.js.Fetch == model.FetchConcurrent || fetch == 0 || g.ample[s] && !g.js.FIFO && !gang
}

// largest stands for all numbers that are too large.
const largest = math.MaxInt64

// plus and times are sums and products of numbers ≥ 0, the largest number if they are
// larger: a sum that is seen to be greater than another is.
func plus(a, b int64) int64 {
	if a > largest-b {
		return largest
	}
	return a + b
}

func times(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low <= largest {
		return int64(low)
	}
	return largest
}
