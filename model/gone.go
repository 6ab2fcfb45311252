package model

import "slices"

// GoneFrom is the time from which the slave is gone for good: the start of an absence
// without an end (its End is Never). Never, if it has none.
func (s *Slave) GoneFrom() Time {
	if n := len(s.Down); n > 0 && s.Down[n-1].End >= Never {
		return s.Down[n-1].Start
	}
	return Never
}

// AnyGone reports whether some slave goes for good.
func (js *JobSet) AnyGone() bool {
	return slices.ContainsFunc(js.Slaves, func(s Slave) bool { return s.GoneFrom() < Never })
}

// SettledFrom is the time from which on nothing of any slave is reserved, and none goes for good
// any more; nor does what tasks share change.
func (js *JobSet) SettledFrom() Time {
	from := js.ReservedUntil()
	for i := range js.shared {
		levels := js.shared[i].Levels
		from = max(from, levels[len(levels)-1].From)
	}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			from = max(from, js.Jobs[i].Stages[k].StartAt)
		}
	}
	for i := range js.Slaves {
		if gone := js.Slaves[i].GoneFrom(); gone < Never {
			from = max(from, gone)
		}
	}
	return from
}

// Horizon is a time by which every list schedule ends of which no task waits for a slave that
// is gone for good, or for a pool that ends too low: what list scheduling places later has no place
// before, and is no plan. Never where neither comes up.
func (js *JobSet) Horizon() Time {
	if js.horizon == 0 {
		return Never
	}
	return js.horizon
}

// SetHorizon works the horizon out. Link does it; so must whoever changes times of a set that
// is linked.
func (js *JobSet) SetHorizon() {
	js.horizon = 0
	if js.AnyGone() || js.poolsEnd() {
		js.horizon = js.sequential()
	}
}

// poolsEnd reports whether some task, or some gang, needs more of a pool than there is in the end.
func (js *JobSet) poolsEnd() bool {
	if js.takes == nil {
		return false
	}
	r := available{js: js, amount: (*Shared).Last}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			st, m := &js.Jobs[i].Stages[k], &Misfit{}
			if r.alone(m, st) || st.IsGang() && r.together(m, st) {
				return true
			}
		}
	}
	return false
}

// sequential is when a plan ends that runs one task after the other, each as long as it can
// take, once all is released and no slave goes or comes any more. No task waits for a heartbeat that comes each tick: so
// this is no later in ticks of a set's common tick than in its own, and what waits for a slave until then in the one does so in the other.
func (js *JobSet) sequential() Time {
	end := js.ReservedUntil()
	for i := range js.Slaves {
		s := &js.Slaves[i]
		end = max(end, s.FirstBeat)
		for k := len(s.Down) - 1; k >= 0; k-- {
			if d := s.Down[k]; d.End < Never {
				end = max(end, d.End)
				break
			}
			end = max(end, s.Down[k].Start)
		}
	}
	for i := range js.shared {
		levels := js.shared[i].Levels
		end = max(end, levels[len(levels)-1].From)
	}
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release)
	}
	longest := map[*Profile]Time{}
	for i := range js.Tasks {
		p := js.Tasks[i].Profile
		if _, known := longest[p]; !known {
			most := Time(0)
			p.EachRun(func(wcet, transfer Time, _ SlaveID) { most = max(most, wcet+transfer) })
			longest[p] = most
		}
		end += longest[p] + js.Heartbeat - 1
	}
	return end
}

// Returning is js with slaves that are gone for good back at the horizon, and pools at their most:
// list scheduling finds a place for every task then, and [JobSet.Stranded] tells what has none in
// fact. It is js where nothing ends for good.
func (js *JobSet) Returning() *JobSet {
	if js.horizon == 0 {
		return js
	}
	back := *js
	back.Slaves = slices.Clone(js.Slaves)
	for i := range back.Slaves {
		if s := &back.Slaves[i]; s.GoneFrom() < Never {
			s.Down = slices.Clone(s.Down)
			s.Down[len(s.Down)-1].End = js.horizon
		}
	}
	if len(back.Pools) > 0 {
		back.Pools = slices.Clone(js.Pools)
		for i := range back.Pools {
			p := &back.Pools[i]
			p.Levels = append(slices.Clip(p.Levels), Level{js.horizon, mostOf(p.Levels)})
		}
		back.linkShared()
	}
	return &back
}

// Stranded counts the jobs that finish after the horizon: their tasks wait for slaves that are
// gone for good, for pools that have ended too low, or for such tasks.
func (js *JobSet) Stranded(finishes []Time) (jobs int64) {
	if js.horizon == 0 {
		return 0
	}
	for _, finish := range finishes {
		if finish > js.horizon && finish < Never {
			jobs++
		}
	}
	return jobs
}

// ListValue is Value for the finishes of a list schedule: stranded jobs are hard misses, whatever
// their kind, as no plan has any.
func (js *JobSet) ListValue(o Objective, finishes []Time) int64 {
	value := js.Value(o, finishes)
	if o == HardMisses {
		value += js.Stranded(finishes)
	}
	return value
}

// Confined marks, by JobID, the jobs with a task that can run only on slaves which go for good, or by
// pools that end too low, or with a gang that in the end does not fit; nil where there are none.
func (js *JobSet) Confined() []bool {
	if js.horizon == 0 {
		return nil
	}
	var stay []SlaveID
	for s := range js.Slaves {
		if js.Slaves[s].GoneFrom() == Never {
			stay = append(stay, SlaveID(s))
		}
	}
	var confined []bool
	known := map[*Profile]bool{}
	for t := range js.Tasks {
		p := js.Tasks[t].Profile
		anywhere, seen := known[p]
		if !seen {
			anywhere = slices.ContainsFunc(stay, p.Eligible)
			known[p] = anywhere
		}
		if anywhere {
			continue
		}
		if confined == nil {
			confined = make([]bool, len(js.Jobs))
		}
		confined[js.Tasks[t].Job] = true
	}
	return js.confinedTogether(confined)
}

// confinedTogether marks the jobs with tasks that in the end do not fit for what they share, or have
// to be together or apart.
func (js *JobSet) confinedTogether(confined []bool) []bool {
	if !js.Coupled() {
		return confined
	}
	r := js.availableInTheEnd()
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			if confined != nil && confined[i] || r.misfit(JobID(i), int32(k)) == nil {
				continue
			}
			if confined == nil {
				confined = make([]bool, len(js.Jobs))
			}
			confined[i] = true
		}
	}
	return confined
}

// availableInTheEnd is what there is once all is gone that goes for good.
func (js *JobSet) availableInTheEnd() available {
	return available{js: js, slave: func(s SlaveID) bool { return js.Slaves[s].GoneFrom() == Never }, amount: (*Shared).Last, end: true}
}

// availableEver is the most that there ever is.
func (js *JobSet) availableEver() available {
	return available{js: js, slave: func(s SlaveID) bool { return js.Slaves[s].GoneFrom() > 0 }, amount: (*Shared).Most}
}

// Misfit says why a stage of a job can never run for what its tasks share, or as they have to be together or
// apart: with all that there ever is, or else with what there is in the end. Nil where nothing of the kind is
// found: then slaves are what the job has too few of, if it is confined.
func (js *JobSet) Misfit(job JobID) *Misfit {
	if !js.Coupled() {
		return nil
	}
	for _, r := range []available{js.availableEver(), js.availableInTheEnd()} {
		for k := range js.Jobs[job].Stages {
			if m := r.misfit(job, int32(k)); m != nil {
				return m
			}
		}
	}
	return nil
}

// Nowhere lists the tasks that could never run, the first of each profile that is so: every slave
// of theirs is gone from the beginning, or, of a gang or where they are apart, so many that there is never
// room. Such a set is no mistake where it is asked what would be lost, but it is one in a flag.
func (js *JobSet) Nowhere() (tasks []TaskID) {
	var here []SlaveID
	for s := range js.Slaves {
		if js.Slaves[s].GoneFrom() > 0 {
			here = append(here, SlaveID(s))
		}
	}
	var last *Profile
	lastJob := JobID(-1)
	for t := range js.Tasks {
		task := &js.Tasks[t]
		if (task.Profile != last || task.Job != lastJob) && !slices.ContainsFunc(here, task.Eligible) {
			tasks = append(tasks, TaskID(t))
		}
		last, lastJob = task.Profile, task.Job
	}
	if tasks == nil && js.Coupled() {
		r := js.availableEver()
		for i := range js.Jobs {
			for k := range js.Jobs[i].Stages {
				if r.misfit(JobID(i), int32(k)) != nil {
					tasks = append(tasks, js.Jobs[i].Stages[k].First)
				}
			}
		}
	}
	return tasks
}

// Leavable marks, by JobID, the jobs that a plan may leave out: those that are confined to
// slaves or pools which end for good, and all jobs after them. A plan leaves a job out together with all
// jobs after it. Nil where there are none.
func (js *JobSet) Leavable() []bool {
	leavable := js.Confined()
	if leavable == nil {
		return nil
	}
	return js.WithAfter(leavable)
}

// HardAfter marks the hard jobs, and those that a hard one comes after.
func (js *JobSet) HardAfter() []bool {
	marked := make([]bool, len(js.Jobs))
	for _, i := range slices.Backward(js.JobOrder()) {
		marked[i] = marked[i] || js.Jobs[i].Kind == Hard
		for _, k := range js.Jobs[i].After {
			marked[k] = marked[k] || marked[i]
		}
	}
	return marked
}

// Needed lists the jobs, ascending, that every plan has which meets all hard deadlines: all but
// those that may be left out and that no hard one comes after.
func (js *JobSet) Needed() (jobs []JobID) {
	leavable, hard := js.Leavable(), js.HardAfter()
	for i := range js.Jobs {
		if leavable == nil || !leavable[i] || hard[i] {
			jobs = append(jobs, JobID(i))
		}
	}
	return jobs
}

// WithAfter marks in place, by JobID, all jobs that come after marked ones, too.
func (js *JobSet) WithAfter(marked []bool) []bool {
	for _, i := range js.JobOrder() {
		marked[i] = marked[i] || slices.ContainsFunc(js.Jobs[i].After, func(k JobID) bool { return marked[k] })
	}
	return marked
}
