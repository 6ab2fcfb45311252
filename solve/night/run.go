package night

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Attempt is how far a task has come on a slave. What has not happened yet stands at some
// time that is not in the past, model.Never say.
type Attempt struct {
	model.Placement
	Finish model.Time
}

// Happened is the past of a run: attempts has by TaskID the one that has finished or is
// under way, on NoSlave if there is none.
//
// Tasks that have finished by now took as long as they did, and the input of those that have
// started had come by then, however long is declared. Those under way keep their
// slave and what they have begun; the rest of it goes as is declared, in the order of
// assignment as on slaves of package online: inputs come one after the other from now on,
// tasks start in that order as cores are free, and none ends before the tick after now.
// Those that are then still on a slave that goes away are to be handed out anew.
func Happened(js *model.JobSet, attempts []Attempt, now model.Time) (*Past, error) {
	h := &history{
		Past: &Past{Now: now, Declared: js}, attempts: attempts, starts: make([]model.Time, js.Stages()),
	}
	h.noteFetches()
	if !js.Gangs() {
		h.goOnAll()
		return h.Past, h.take()
	}
	return h.Past, h.goOnTogether()
}

// take sets the job set in which tasks took as long as they did.
func (h *history) take() (err error) {
	h.Set, err = taking(h.Declared, h.took)
	return err
}

// mostPutOff is how often the start of a gang is put off for tasks of it that were not handed out yet.
const mostPutOff = 40

// goOnTogether works out how all attempts go on where there are gangs. One of which some tasks wait to
// be handed out starts as soon as there is room for these; if none is found it is lost.
func (h *history) goOnTogether() error {
	for off := 0; ; off++ {
		for h.goOnAll(); h.waitForGangs(); h.goOnAll() {
		}
		h.Set = h.Declared
		h.loseGangs()
		if err := h.forget(); err != nil {
			return err
		}
		stage := h.roomless()
		if stage == nil {
			return nil
		}
		if off == mostPutOff {
			h.loseRoomless()
			return h.forget()
		}
		id := h.Declared.StageOf(&h.Declared.Tasks[stage.First])
		start, _ := h.begun(stage)
		h.starts[id] = start + h.Declared.Heartbeat<<(off/4)
	}
}

// forget is take where tasks that were lost since are to take as long as is declared.
func (h *history) forget() error {
	for t := range h.took {
		if !h.Of(t) {
			delete(h.took, t)
		}
	}
	return h.take()
}

// goOnAll works out how all attempts go on.
func (h *history) goOnAll() {
	h.Place, h.took = model.NewSchedule(len(h.attempts)), map[model.TaskID]*model.Profile{}
	h.Lost, h.Parted, h.Doomed, h.Overdue = nil, nil, nil, nil
	js := h.Declared
	underWay := make([][]model.TaskID, len(js.Slaves))
	for t, a := range h.attempts {
		switch id := model.TaskID(t); {
		case a.Slave == model.NoSlave || js.Assigned(a.Placement) >= h.Now:
		case a.Finish <= h.Now:
			h.keep(id, a.Placement, a.Finish)
		default:
			underWay[a.Slave] = append(underWay[a.Slave], id)
		}
	}
	for s, tasks := range underWay {
		h.expect(model.SlaveID(s), tasks)
	}
	slices.Sort(h.Lost)
	slices.Sort(h.Doomed)
}

// waitForGangs notes when gangs start whose tasks have not, the last of them for which there is an
// expectation, and reports whether one starts later than was thought (C12). Those behind them
// in the line of a slave do not overtake.
func (h *history) waitForGangs() (later bool) {
	if !h.Declared.Gangs() {
		return false
	}
	for id := range model.StageID(h.Declared.Stages()) {
		stage, _ := h.Declared.Stage(id)
		for t := stage.First; t < stage.End && stage.IsGang(); t++ {
			if p := h.Place[t]; p.Slave != model.NoSlave && p.Start >= h.Now && p.Start > h.starts[id] {
				h.starts[id], later = p.Start, true
			}
		}
	}
	return later
}

// history makes a past out of what is known of a run.
type history struct {
	*Past
	// took has how long tasks took, or are taken to take, where that is not as declared.
	took     map[model.TaskID]*model.Profile
	attempts []Attempt
	// starts has, by stage, when a gang starts at the earliest of which no task has started.
	starts []model.Time
	// fetches has by slave, ascending, when inputs began to come before now.
	fetches [][]model.Time
}

func (h *history) keep(t model.TaskID, at model.Placement, finish model.Time) {
	h.Place[t] = at
	task := &h.Declared.Tasks[t]
	p := task.Profile
	if took := finish - at.Start; took != p.WCET(at.Slave) {
		p = p.Taking(at.Slave, took)
	}
	if came := h.came(t, at); came < p.Transfer(at.Slave) {
		p = p.Fetching(at.Slave, came)
	}
	if p != task.Profile {
		h.took[t] = p
	}
}

// noteFetches fills fetches.
func (h *history) noteFetches() {
	h.fetches = make([][]model.Time, len(h.Declared.Slaves))
	for _, a := range h.attempts {
		if a.Slave != model.NoSlave && a.Fetch < h.Now {
			h.fetches[a.Slave] = append(h.fetches[a.Slave], a.Fetch)
		}
	}
	for _, times := range h.fetches {
		slices.Sort(times)
	}
}

// came is how long the input of a task took at most, of which the fetch has begun: it had come
// when the task started, and when the next one began where they come one at a time.
func (h *history) came(t model.TaskID, at model.Placement) model.Time {
	came := h.Declared.Tasks[t].Transfer(at.Slave)
	if at.Start < h.Now && at.Start >= at.Fetch {
		came = min(came, at.Start-at.Fetch)
	}
	fetches := h.fetches[at.Slave]
	next, _ := slices.BinarySearch(fetches, at.Fetch+1)
	if next < len(fetches) && h.Declared.Fetch == model.FetchExclusive {
		came = min(came, fetches[next]-at.Fetch)
	}
	return came
}

// expect places the tasks that are under way on a slave.
func (h *history) expect(s model.SlaveID, tasks []model.TaskID) {
	slices.SortStableFunc(tasks, h.inOrder)
	e := expectation{history: h, slave: s}
	for _, t := range tasks {
		if a := h.attempts[t]; a.Fetch < h.Now {
			e.fetched = max(e.fetched, a.Fetch+h.came(t, a.Placement))
		}
	}
	for _, t := range tasks {
		if h.attempts[t].Start < h.Now {
			e.goOn(t)
		}
	}
	for _, t := range tasks {
		if h.attempts[t].Start >= h.Now {
			e.begin(t)
		}
	}
}

// inOrder is the order in which a slave got its tasks; those of one heartbeat in the order
// of what they did.
func (h *history) inOrder(a, b model.TaskID) int {
	x, y := h.attempts[a], h.attempts[b]
	return cmp.Or(cmp.Compare(x.Beat, y.Beat), cmp.Compare(x.Start, y.Start), cmp.Compare(x.Fetch, y.Fetch),
		cmp.Compare(h.Declared.Tasks[a].Transfer(x.Slave), h.Declared.Tasks[b].Transfer(y.Slave)))
}

// expectation is how a slave goes on.
type expectation struct {
	*history
	slave model.SlaveID
	// fetched is when the fetch line has done, started when the last task has started that
	// was handed out earlier.
	fetched, started model.Time
	running          []run
}

// run is the time in which cores are taken.
type run struct {
	end   model.Time
	cores int64
}

// goOn is for a task that runs.
func (e *expectation) goOn(t model.TaskID) {
	a := e.attempts[t]
	end := a.Start + e.Declared.Tasks[t].WCET(e.slave)
	if end <= e.Now {
		e.Overdue = append(e.Overdue, t)
		end = e.Now + 1
	}
	e.stay(t, a.Placement, end)
}

// begin is for a task that has not started.
func (e *expectation) begin(t model.TaskID) {
	at, task := e.attempts[t].Placement, &e.Declared.Tasks[t]
	if at.Fetch >= e.Now {
		at.Fetch = e.Now
		if e.Declared.Fetch == model.FetchExclusive {
			at.Fetch = max(e.Now, e.fetched)
		}
	}
	arrived := at.Fetch + e.came(t, at)
	at.Start = e.free(max(e.Now, arrived, e.started, e.starts[e.Declared.StageOf(task)]), task.Cores())
	if e.stay(t, at, at.Start+task.WCET(e.slave)) {
		e.fetched, e.started = max(e.fetched, arrived), at.Start
	}
}

// free is the first time from t on at which so many cores are free. Whatever runs has
// started by t, so they stay free.
func (e *expectation) free(t model.Time, cores int64) model.Time {
	for {
		left, next := int64(e.Declared.Slaves[e.slave].Cores), model.Never
		for _, r := range e.running {
			if r.end > t {
				left -= r.cores
				next = min(next, r.end)
			}
		}
		if left >= cores || next == model.Never {
			return t
		}
		t = next
	}
}

// stay keeps a task where it is until its end, or notes that the slave is gone before.
func (e *expectation) stay(t model.TaskID, at model.Placement, end model.Time) bool {
	switch away := e.Declared.Slaves[e.slave].UpUntil(e.Declared.Assigned(at)); {
	case away >= end:
		e.keep(t, at, end)
		e.running = append(e.running, run{end, e.Declared.Tasks[t].Cores()})
		return true
	case away <= e.Now:
		e.Lost = append(e.Lost, t)
	default:
		e.Doomed = append(e.Doomed, t)
	}
	return false
}

// taking is the job set in which tasks have other profiles.
func taking(js *model.JobSet, took map[model.TaskID]*model.Profile) (*model.JobSet, error) {
	if len(took) == 0 {
		return js, nil
	}
	set := *js
	set.Tasks, set.Slaves, set.Jobs = nil, slices.Clone(js.Slaves), slices.Clone(js.Jobs)
	for i := range set.Jobs {
		job := &set.Jobs[i]
		job.Stages = slices.Clone(job.Stages)
		for k := range job.Stages {
			stage := &job.Stages[k]
			groups, t := stage.Groups, stage.First
			stage.Groups = nil
			for g := range groups {
				for range groups[g].Count {
					profile := groups[g].Declared()
					if other := took[t]; other != nil {
						profile = other
					}
					stage.Groups = withOne(stage.Groups, profile)
					t++
				}
			}
		}
	}
	return &set, set.Assemble()
}

// withOne adds a task to groups.
func withOne(groups []model.Group, p *model.Profile) []model.Group {
	if n := len(groups); n > 0 && groups[n-1].Profile == p {
		groups[n-1].Count++
		return groups
	}
	return append(groups, model.Group{Count: 1, Profile: p})
}
