package model

import (
	"fmt"
	"slices"
)

// MaxTakes is the largest number of different pools that a task takes of.
const MaxTakes = 8

// Pool is an amount that tasks on all slaves share (C11): licences, connections, a quota.
type Pool struct {
	Name string
	// Levels say how much there is over time: ascending, the first from 0 on, the last for ever.
	Levels []Level
	// Reserved is what was handed out before holds of it. A job set from a file has none.
	Reserved []SharedHold
}

// Level is an amount ≥ 0 that there is from a time on.
type Level struct {
	From   Time
	Amount int64
}

// SharedHold is a number of units that others hold for some time, and no more is said of them.
type SharedHold struct {
	Interval
	Units int64
}

// PoolNeed is what a task takes of a pool while it is held, [A, F). Pool counts from 1 in
// JobSet.Pools; 0 stands for no need.
type PoolNeed struct {
	Pool, Units int32
}

// SharedID numbers what JobSet.Shared lists, from 0.
type SharedID int32

// Shared is a limit that tasks on all slaves have in common (C11): a pool, or a cap, which is how
// many tasks of a stage or a job are held at once.
type Shared struct {
	// Pool is its place in JobSet.Pools, -1 for a cap.
	Pool int32
	// Job and Stage are those of a cap; Stage is -1 where it is one on the whole job.
	Job   JobID
	Stage int32
	// Levels say what tasks may hold over time, less what is reserved: ascending, the first from 0
	// on, neighbours different. An amount is below 0 only where more is reserved than there is.
	Levels []Level
	// Tasks lists, ascending, those that take of it.
	Tasks []TaskID
}

// Take is what a task holds of a limit during [A, F).
type Take struct {
	Shared SharedID
	Units  int64
}

// At is the amount at a time.
func (sh *Shared) At(t Time) int64 { return sh.Levels[sh.levelAt(t)].Amount }

// levelAt is the place of the level that holds at a time.
func (sh *Shared) levelAt(t Time) int {
	i, _ := slices.BinarySearchFunc(sh.Levels, t+1, func(l Level, t Time) int { return int(l.From - t) })
	return max(0, i-1)
}

// Most is the largest amount that there ever is.
func (sh *Shared) Most() int64 { return mostOf(sh.Levels) }

func mostOf(levels []Level) int64 {
	most := levels[0].Amount
	for _, l := range levels[1:] {
		most = max(most, l.Amount)
	}
	return most
}

// Last is the amount that there is in the end, for ever.
func (sh *Shared) Last() int64 { return sh.Levels[len(sh.Levels)-1].Amount }

// Least is the smallest amount during an interval that is not empty.
func (sh *Shared) Least(iv Interval) int64 {
	i := sh.levelAt(iv.Start)
	least := sh.Levels[i].Amount
	for i++; i < len(sh.Levels) && sh.Levels[i].From < iv.End; i++ {
		least = min(least, sh.Levels[i].Amount)
	}
	return least
}

// Shared lists the limits that tasks on all slaves have in common: all pools in the file's order,
// and then the caps that can bind, job by job, that of a job before those of its stages.
func (js *JobSet) Shared() []Shared { return js.shared }

// Takes is what a task of the set holds of such limits, ascending; nil for most.
func (js *JobSet) Takes(t TaskID) []Take {
	if js.takes == nil {
		return nil
	}
	return js.takes[t]
}

// Taken is what a task of the set holds of one of them.
func (js *JobSet) Taken(t TaskID, id SharedID) int64 {
	for _, take := range js.Takes(t) {
		if take.Shared == id {
			return take.Units
		}
	}
	return 0
}

// SharedName is what people call a limit: pool db, cap of etl, cap of etl/map.
func (js *JobSet) SharedName(id SharedID) string {
	switch sh := &js.shared[id]; {
	case sh.Pool >= 0:
		return "pool " + js.Pools[sh.Pool].Name
	case sh.Stage >= 0:
		job := &js.Jobs[sh.Job]
		return fmt.Sprintf("cap of %s/%s", job.Name, job.Stages[sh.Stage].Name)
	default:
		return "cap of " + js.Jobs[sh.Job].Name
	}
}

// Coupled reports whether anything but time ties tasks on different slaves to each other: a limit
// that some of them take of (C11), a gang or a stage whose tasks are apart (C12).
func (js *JobSet) Coupled() bool { return js.takes != nil || js.gangs }

// Gangs reports whether there is a gang or a stage whose tasks are apart.
func (js *JobSet) Gangs() bool { return js.gangs }

// IsGang reports whether the stage has tasks that start together (C12).
func (st *Stage) IsGang() bool { return st.Gang && (st.End-st.First > 1 || st.StartAt > 0) }

// IsApart reports whether the stage has tasks that may not share a slave (C12).
func (st *Stage) IsApart() bool { return st.Apart && st.End-st.First > 1 }

// GangOf is the stage of a task; gang tells whether it is one whose tasks start together.
func (js *JobSet) GangOf(t TaskID) (st *Stage, gang bool) {
	task := &js.Tasks[t]
	st = &js.Jobs[task.Job].Stages[task.Stage]
	return st, st.IsGang()
}

// linkShared lists limits and who takes of them. Link does it; so must whoever changes pools or
// times of a set that is linked.
func (js *JobSet) linkShared() {
	js.shared, js.takes, js.gangs = make([]Shared, 0, len(js.Pools)), nil, false
	for i := range js.Pools {
		p := &js.Pools[i]
		js.shared = append(js.shared, Shared{Pool: int32(i), Levels: less(p.Levels, p.Reserved)})
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		ofJob := js.cap(JobID(i), -1, job.AtMost, job.Reserved, job.End-job.First)
		for k := range job.Stages {
			st := &job.Stages[k]
			js.gangs = js.gangs || st.IsGang() || st.IsApart()
			ofStage := js.cap(JobID(i), int32(k), st.AtMost, st.Reserved, st.End-st.First)
			js.takeOf(st, ofJob, ofStage)
		}
	}
}

// cap lists a cap, and gives what each of its tasks takes; nothing where it cannot bind.
func (js *JobSet) cap(job JobID, stage int32, most int64, reserved []SharedHold, tasks TaskID) []Take {
	if most == 0 || most >= int64(tasks) && len(reserved) == 0 {
		return nil
	}
	js.shared = append(js.shared, Shared{
		Pool: -1, Job: job, Stage: stage, Levels: less([]Level{{Amount: most}}, reserved),
	})
	return []Take{{Shared: SharedID(len(js.shared) - 1), Units: 1}}
}

// takeOf notes what the tasks of a stage take: of caps, and of pools by their profiles.
func (js *JobSet) takeOf(st *Stage, ofJob, ofStage []Take) {
	if len(js.Pools) == 0 && ofJob == nil && ofStage == nil {
		return
	}
	var profile *Profile
	var takes []Take
	for t := st.First; t < st.End; t++ {
		if p := js.Tasks[t].Profile; p != profile {
			profile, takes = p, nil
			for _, need := range p.needs.Pools {
				if need.Pool > 0 && need.Units > 0 {
					takes = append(takes, Take{SharedID(need.Pool - 1), int64(need.Units)})
				}
			}
			takes = append(append(takes, ofJob...), ofStage...)
		}
		if len(takes) == 0 {
			continue
		}
		if js.takes == nil {
			js.takes = make([][]Take, len(js.Tasks))
		}
		js.takes[t] = takes
		for _, take := range takes {
			sh := &js.shared[take.Shared]
			sh.Tasks = append(sh.Tasks, t)
		}
	}
}

// less is what levels leave where some of it is reserved; neighbours differ.
func less(levels []Level, reserved []SharedHold) []Level {
	type step struct {
		at    Time
		delta int64
	}
	steps, before := make([]step, 0, len(levels)+2*len(reserved)), int64(0)
	for _, l := range levels {
		steps, before = append(steps, step{l.From, l.Amount - before}), l.Amount
	}
	for _, r := range reserved {
		steps = append(steps, step{r.Start, -r.Units}, step{r.End, r.Units})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(a.at - b.at) })
	var out []Level
	amount := int64(0)
	for i, s := range steps {
		amount += s.delta
		switch n := len(out); {
		case i+1 < len(steps) && steps[i+1].at == s.at:
		case n == 0 || out[n-1].Amount != amount:
			out = append(out, Level{s.at, amount})
		}
	}
	return out
}

// Ticks is what there is over an interval, in units × ticks; nothing where more is reserved than there
// is.
func (sh *Shared) Ticks(iv Interval) int64 {
	sum := int64(0)
	for i := sh.levelAt(iv.Start); i < len(sh.Levels) && sh.Levels[i].From < iv.End; i++ {
		level := Interval{Start: sh.Levels[i].From, End: Never}
		if i+1 < len(sh.Levels) {
			level.End = sh.Levels[i+1].From
		}
		sum += max(0, sh.Levels[i].Amount) * int64(level.Intersect(iv).Len())
	}
	return sum
}

// ShareAs has js share what another set does that has the same jobs and tasks by number, and stages of
// its own: relaxations join stages, and what their tasks take stays what it was.
func (js *JobSet) ShareAs(of *JobSet) { js.shared, js.takes = of.shared, of.takes }

// Alike reports whether tasks take the same of every slave for the same time, and of what slaves share.
func (js *JobSet) Alike(t, u TaskID) bool {
	return js.Tasks[t].Alike(&js.Tasks[u]) && slices.Equal(js.Takes(t), js.Takes(u))
}

// SharedLike is the number here of a limit of another set, whose job i is jobs[i] here, or job i where
// jobs is nil; -1 where nothing here is limited so.
func (js *JobSet) SharedLike(of *Shared, jobs []JobID) SharedID {
	if of.Pool >= 0 {
		return SharedID(of.Pool)
	}
	job := of.Job
	if jobs != nil {
		job = jobs[job]
	}
	return SharedID(slices.IndexFunc(js.shared, func(sh Shared) bool {
		return sh.Pool < 0 && sh.Job == job && sh.Stage == of.Stage
	}))
}
