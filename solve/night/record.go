package night

import (
	"fmt"
	"maps"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/clock"
	"downbeat/model/near"
)

// Record is what a plan of kind executed says of a job set up to some time.
type Record struct {
	js  *model.JobSet
	now model.Time
	// attempts has by TaskID the one that has finished or is under way, and at its line.
	attempts []Attempt
	at       []place
	// Lost counts the attempts that were lost by then.
	Lost int
	// Later counts the lines that tell of now or later, and FirstLater is the task of the first.
	Later      int
	FirstLater string
	// Moved are tasks that were begun between two heartbeats, after the first of which something
	// ended that they had to wait for: they are taken to have begun at the second. Of Fresh ones
	// the second is not before now: they are taken not to have begun.
	Moved, Fresh []model.TaskID
	// derived are tasks whose heartbeat the run does not say, told is what it says of all, and
	// plan the one that it follows, nil for none.
	derived []model.TaskID
	told    []Attempt
	plan    model.Schedule
	// Unknown are jobs of the run that the job set does not have, each once. What the run
	// says of them is left out.
	Unknown []string
}

// place is where a line stands: in Tasks or in Lost.
type place struct {
	index int
	lost  bool
}

// LineError is a fault of a line of a run.
type LineError struct {
	// Index is that of the line in Tasks, or in Lost if Lost is set.
	Index int
	Lost  bool
	// Message says what is wrong, Advice what to write instead.
	Message, Advice string
}

// Error implements error.
func (e *LineError) Error() string { return e.Message + "; " + e.Advice }

// TimeOf is the time of a run in ticks: its now, or else the first at which all has happened
// that it tells of: the last at which a task finishes or is lost, or the tick after it was
// handed out.
func TimeOf(run *model.Plan) model.Time {
	if run.Now > 0 {
		return run.Now
	}
	last := model.Time(0)
	for _, lines := range [][]model.TaskResult{run.Tasks, run.Lost} {
		for i := range lines {
			for _, t := range [...]model.Time{handedOut(&lines[i]) + 1, lines[i].Finish} {
				if t < model.Never {
					last = max(last, t)
				}
			}
		}
	}
	return last
}

// handedOut is when a task was handed out, at the latest if a run does not say when.
func handedOut(line *model.TaskResult) model.Time {
	if line.Assigned != model.Unsaid {
		return line.Assigned
	}
	return min(line.Start, line.Finish)
}

// Rejected are the changes that take out of the job set what a run has rejected before now:
// jobs that had arrived by then, and those after them, which can never run.
func Rejected(js *model.JobSet, run *model.Plan, now model.Time) []change.Change {
	var drops []change.Change
	arrived, gone := make([]model.Time, len(js.Jobs)), make([]bool, len(js.Jobs))
	for _, id := range js.JobOrder() {
		job := &js.Jobs[id]
		at, after := job.Release, false
		for _, k := range job.After {
			at, after = max(at, arrived[k]), after || gone[k]
		}
		arrived[id] = at
		if (after || at < now) && slices.Contains(run.Rejected, job.Name) {
			gone[id] = true
			drops = append(drops, change.Change{Kind: change.Drop, Name: job.Name})
		}
	}
	return drops
}

// Read reads what a run says of a job set up to now; what it says of later is passed over.
// The error is a *[LineError].
func Read(js *model.JobSet, run *model.Plan, now model.Time) (*Record, error) {
	return ReadAfter(js, run, now, nil)
}

// ReadAfter is Read for a run that follows a plan, nil for none, as far as it goes: tasks that
// were begun where and when that says, and of which the run does not say when they were handed
// out, are taken to have been handed out and fetched as planned. That may be more than machines
// had slots for, if others went otherwise.
func ReadAfter(js *model.JobSet, run *model.Plan, now model.Time, plan model.Schedule) (*Record, error) {
	r := &Record{js: js, now: now, attempts: make([]Attempt, len(js.Tasks)), at: make([]place, len(js.Tasks))}
	for t := range r.attempts {
		r.attempts[t].Slave = model.NoSlave
	}
	reader := lineReader{Record: r, find: model.NewTaskFinder(js), jobs: map[string]bool{}, slaves: map[string]model.SlaveID{}}
	for i := range js.Jobs {
		reader.jobs[js.Jobs[i].Name] = true
	}
	for s := range js.Slaves {
		reader.slaves[js.Slaves[s].Name] = model.SlaveID(s)
	}
	for i := range run.Lost {
		if err := reader.take(&run.Lost[i], place{i, true}); err != nil {
			return nil, err
		}
	}
	for i := range run.Tasks {
		if err := reader.take(&run.Tasks[i], place{i, false}); err != nil {
			return nil, err
		}
	}
	r.told, r.plan = slices.Clone(r.attempts), plan
	return r, nil
}

// After is the past of a plan, in which all has gone as planned, checked; s has its places.
// Where it has tasks take other times than the job set does, by a margin say or as it was made
// during the night, those that have finished took what the plan says, and the others go on as
// with a run.
func After(js *model.JobSet, plan *model.Plan, s model.Schedule, now model.Time) (*Past, error) {
	find := model.NewTaskFinder(js)
	other := func(line model.TaskResult) bool {
		t, known := find.Task(&line)
		if !known || line.Assigned >= now || s[t].Slave < 0 || int(s[t].Slave) >= len(js.Slaves) {
			return false
		}
		return line.Finish != js.Finish(t, s[t]) || s[t].Start-s[t].Fetch < js.Tasks[t].Transfer(s[t].Slave)
	}
	if slices.ContainsFunc(plan.Tasks, other) {
		record, err := Read(js, plan, now)
		if err != nil {
			return nil, err
		}
		return record.Past()
	}
	past := Cut(js, s, now)
	return past, past.Check()
}

// Past is the past that the record tells of, checked. The error is a *[LineError] where a
// line is at fault. Where the run does not say when tasks were handed out the past is the first
// that passes: the one of the plan that the run follows, one in which tasks end when they did, one
// in which they may be put off.
func (r *Record) Past() (*Past, error) {
	if len(r.derived) == 0 {
		return r.past()
	}
	if r.plan != nil {
		r.derive(r.plan, false)
		if past, err := r.past(); err == nil {
			return past, nil
		}
	}
	r.derive(nil, false)
	past, fault := r.past()
	if fault == nil {
		return past, nil
	}
	r.derive(nil, true)
	if past, err := r.past(); err == nil {
		return past, nil
	}
	return nil, fault
}

// past is the past of the attempts as they are, checked.
func (r *Record) past() (*Past, error) {
	past, err := Happened(r.js, r.attempts, r.now)
	if err != nil {
		return nil, err
	}
	fault, _ := past.Check().(*Fault)
	if fault == nil {
		return past, nil
	}
	at := r.at[fault.Task]
	advice := "write times and places that keep to the rule (downbeat help rules)"
	switch {
	case fault.Rule == "":
		advice = "write what came before as well"
	case slices.Contains(r.derived, fault.Task) && r.js.Heartbeat > 1:
		advice += fmt.Sprintf("; machines of the job set are handed tasks every %s, and if yours are at any time a shorter heartbeat says so", clock.Of(r.js).Length(r.js.Heartbeat))
	}
	return nil, &LineError{at.index, at.lost, fault.Error(), advice}
}

// lineReader finds the lines of a run in the job set.
type lineReader struct {
	*Record
	find   model.TaskFinder
	jobs   map[string]bool
	slaves map[string]model.SlaveID
}

// take takes up a line that tells of something before now.
func (r *lineReader) take(line *model.TaskResult, at place) error {
	switch {
	case handedOut(line) >= r.now:
		if r.Later++; r.Later == 1 {
			r.FirstLater = fmt.Sprintf("%s/%s/%d", line.Job, line.Stage, line.Task)
		}
		return nil
	case !r.jobs[line.Job]:
		if !slices.Contains(r.Unknown, line.Job) {
			r.Unknown = append(r.Unknown, line.Job)
		}
		return nil
	}
	t, slave, message, advice := r.resolve(line)
	if message == "" {
		message, advice = r.misfit(slave, line)
	}
	switch over := line.Finish <= r.now; {
	case message != "":
	case at.lost && over:
		r.Lost++
		return nil
	case over && line.Finish <= line.Start:
		message, advice = fmt.Sprintf("finishes at %s and has not started before", r.point(line.Finish)), "write a start before that, or no finish while it runs"
	case r.attempts[t].Slave != model.NoSlave:
		message, advice = "is given more than once", "write attempts that came to nothing under lost, or with the state FAILED"
	default:
		beat, _ := r.js.BeatAtOrBefore(slave, handedOut(line))
		fetch := line.Fetch
		if fetch == model.Unsaid {
			fetch = line.Start // the input had come by then
		}
		r.attempts[t] = Attempt{model.Placement{Slave: slave, Beat: beat, Fetch: fetch, Start: line.Start}, line.Finish}
		r.at[t] = at
		if line.Beat == model.Unsaid {
			r.derived = append(r.derived, t)
		}
		return nil
	}
	return &LineError{at.index, at.lost, fmt.Sprintf("%s/%s/%d %s", line.Job, line.Stage, line.Task, message), advice}
}

// point is a point in time as people write it.
func (r *lineReader) point(t model.Time) string { return clock.Of(r.js).Point(t) }

// resolve finds task and slave of a line, or says why there are none.
func (r *lineReader) resolve(line *model.TaskResult) (t model.TaskID, s model.SlaveID, message, advice string) {
	t, known := r.find.Task(line)
	s, there := r.slaves[line.Slave]
	switch {
	case !known:
		return t, s, "is no task of the job set", "tasks go by job, stage and their number in the stage, from 1"
	case !there:
		advice := fmt.Sprintf("leave the machine in, and say --without %s@TIME if it is gone", line.Slave)
		if meant := near.Word(line.Slave, slices.Sorted(maps.Keys(r.slaves))); meant != "" {
			advice = fmt.Sprintf("did you mean %s? Else %s", meant, advice)
		}
		return t, s, fmt.Sprintf("was on %s, which is not in the cluster", line.Slave), advice
	case !r.js.Tasks[t].Eligible(s):
		return t, s, fmt.Sprintf("was on %s, where it may not run", line.Slave), "let the job set allow it"
	}
	return t, s, "", ""
}

// misfit says which times of a line cannot be, nothing if all can.
func (r *lineReader) misfit(s model.SlaveID, line *model.TaskResult) (message, advice string) {
	beat, heartbeat := r.js.BeatAtOrBefore(s, line.Assigned)
	switch {
	case line.Beat == model.Unsaid && (line.Fetch == model.Unsaid || line.Start >= r.now):
	case line.Beat == model.Unsaid && line.Start < line.Fetch:
		return fmt.Sprintf("starts at %s, before its input begins to come", r.point(line.Start)), fmt.Sprintf("write a fetch of %s or before", r.point(line.Start))
	case line.Beat == model.Unsaid:
	case heartbeat != line.Assigned || beat < 0:
		return fmt.Sprintf("is assigned at %s, when %s has no heartbeat", r.point(line.Assigned), line.Slave),
			fmt.Sprintf("write the heartbeat that handed it out, and its beat, or no beat; in ticks they are at %d + %d·beat", r.js.Slaves[s].FirstBeat, r.js.Heartbeat)
	case beat != line.Beat:
		return fmt.Sprintf("is assigned at %s by beat %d", r.point(line.Assigned), line.Beat), fmt.Sprintf("write beat: %d, or none", beat)
	case line.Start < r.now && line.Start < line.Fetch:
		return fmt.Sprintf("starts at %s, before its input begins to come", r.point(line.Start)), fmt.Sprintf("write a fetch of %s or before", r.point(line.Start))
	}
	return "", ""
}
