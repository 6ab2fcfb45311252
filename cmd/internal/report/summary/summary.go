// Package summary looks at a plan or a run from its jobs and its slaves: what is drawn and
// tabulated of it. summary.go says in which row of a slave each task is drawn, jobs.go which
// jobs share a line of a table.
package summary

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/online"
)

// Attempt is one task's stay on a slave: it holds a slot during
// [Assigned, Finish), fetches during [Fetch, Fetched) and runs during
// [Start, Finish).
type Attempt struct {
	Task                                    model.TaskID
	Slave                                   model.SlaveID
	Assigned, Fetch, Fetched, Start, Finish model.Time
	// Lost at Finish, as the slave failed; what it would have begun later is at
	// Finish too.
	Lost bool
	// Changed tells that another plan has it elsewhere.
	Changed bool
	// Lane is the slot that the chart draws it in, from 0 within the slave.
	Lane int
}

// JobLine is what a plan means for one job.
type JobLine struct {
	ID model.JobID
	// First is the first assignment, Finish the last finish.
	First, Finish model.Time
	Late          model.Time
	// Rejected jobs, and those that a plan leaves out, have no First and no Finish.
	Rejected, Unplanned bool
	// Uses counts the job's tasks by slave, most first.
	Uses []Use
}

// Slack is due − finish, meaningless for best-effort jobs.
func (l *JobLine) Slack(js *model.JobSet) model.Time { return js.Jobs[l.ID].Due() - l.Finish }

// Out says why there is nothing of a job, "" where there is: it was rejected, or the plan has
// no tasks of it.
func (l *JobLine) Out() string {
	switch {
	case l.Rejected:
		return "rejected"
	case l.Unplanned:
		return "no tasks"
	}
	return ""
}

// Use is a number of tasks on a slave.
type Use struct {
	Slave model.SlaveID
	Tasks int
}

// SlaveLine is what a plan asks of one slave.
type SlaveLine struct {
	ID model.SlaveID
	// Tasks does not count lost attempts.
	Tasks int
	// Run, Held and Fetch are sums over the attempts, in ticks of cores, slots and the
	// fetch line.
	Run, Held, Fetch model.Time
	// Units are sums over the attempts, in ticks of each of JobSet.Named.
	Units [model.MaxNamed]int64
	// Up is the time that the slave is there before the plan ends.
	Up model.Time
	// Lanes drawn for each kind of slot that the slave tells apart.
	Lanes [2]int
}

// Summary is a plan seen from its jobs and its slaves.
type Summary struct {
	JS    *model.JobSet
	Clock wording.Clock
	// Attempts by slave, then assignment.
	Attempts []Attempt
	// Away has, by slave, when it is not there: ascending and disjoint.
	Away   [][]model.Interval
	Jobs   []JobLine
	Slaves []SlaveLine
	// Families are the jobs by recurring job, and FamilyOf has the index among them by job.
	Families []Family
	FamilyOf []int
	// Shared has what is taken of each of JobSet.Shared, of two plans before and after by turns.
	Shared []SharedLine
	// End is the last finish.
	End model.Time

	// twice tells that the slaves are those of two plans by turns.
	twice bool
}

// Summarize looks at a schedule of js that is complete but for jobs that are left out.
func Summarize(js *model.JobSet, schedule model.Schedule) *Summary {
	s := newSummary(js)
	for t, p := range schedule {
		if p.Slave != model.NoSlave {
			s.add(model.TaskID(t), p, js.Finish(model.TaskID(t), p))
		}
	}
	s.sum()
	for i := range s.Jobs {
		s.Jobs[i].Unplanned = len(s.Jobs[i].Uses) == 0
	}
	return s
}

// SummarizeRun looks at what an online run left.
func SummarizeRun(out *online.Outcome) *Summary {
	s := newSummary(out.JobSet)
	for t, p := range out.Schedule {
		if p.Slave != model.NoSlave {
			s.add(model.TaskID(t), p, out.Ends[t])
		}
	}
	for _, a := range out.Lost {
		s.add(a.Task, a.Placement, a.End)
		s.Attempts[len(s.Attempts)-1].lose()
	}
	for _, f := range out.Failures {
		s.Away[f.Slave] = append(s.Away[f.Slave], f.Interval)
	}
	for i := range s.Away {
		s.Away[i] = union(s.Away[i])
	}
	s.sum()
	for _, id := range out.Rejected {
		s.Jobs[id].Rejected = true
	}
	for _, id := range out.LeftOut {
		s.Jobs[id].Unplanned = true
	}
	return s
}

func newSummary(js *model.JobSet) *Summary {
	s := &Summary{JS: js, Clock: wording.ClockOf(js), Away: make([][]model.Interval, len(js.Slaves))}
	for i := range js.Slaves {
		s.Away[i] = slices.Clone(js.Slaves[i].Down)
	}
	s.Families, s.FamilyOf = families(js)
	return s
}

func (s *Summary) add(t model.TaskID, p model.Placement, finish model.Time) {
	s.Attempts = append(s.Attempts, Attempt{
		Task: t, Slave: p.Slave, Assigned: s.JS.Assigned(p),
		Fetch: p.Fetch, Fetched: p.Fetch + s.JS.Tasks[t].Transfer(p.Slave),
		Start: p.Start, Finish: finish,
	})
}

// lose ends all that an attempt does at its finish.
func (a *Attempt) lose() {
	a.Lost = true
	a.Fetch, a.Fetched, a.Start = min(a.Fetch, a.Finish), min(a.Fetched, a.Finish), min(a.Start, a.Finish)
}

// union sorts intervals and joins those that meet.
func union(ivs []model.Interval) []model.Interval {
	slices.SortFunc(ivs, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	var out []model.Interval
	for _, iv := range ivs {
		if n := len(out); n > 0 && iv.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, iv.End)
		} else {
			out = append(out, iv)
		}
	}
	return out
}

// sum derives everything else from the attempts.
func (s *Summary) sum() {
	slices.SortFunc(s.Attempts, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(a.Slave, b.Slave), cmp.Compare(a.Assigned, b.Assigned),
			cmp.Compare(a.Start, b.Start), cmp.Compare(a.Task, b.Task))
	})
	for i := range s.Attempts {
		s.End = max(s.End, s.Attempts[i].Finish)
	}
	s.sumJobs()
	s.sumSlaves()
	s.sumShared()
	s.assignLanes()
}

func (s *Summary) sumJobs() {
	s.Jobs = make([]JobLine, len(s.JS.Jobs))
	for i := range s.Jobs {
		s.Jobs[i] = JobLine{ID: model.JobID(i), First: model.Never}
	}
	for i := range s.Attempts { // by slave: a job's uses of one slave come in a row
		a := &s.Attempts[i]
		line := &s.Jobs[s.JS.Tasks[a.Task].Job]
		line.First = min(line.First, a.Assigned)
		if a.Lost {
			continue
		}
		line.Finish = max(line.Finish, a.Finish)
		if n := len(line.Uses); n > 0 && line.Uses[n-1].Slave == a.Slave {
			line.Uses[n-1].Tasks++
		} else {
			line.Uses = append(line.Uses, Use{a.Slave, 1})
		}
	}
	for i := range s.Jobs {
		line := &s.Jobs[i]
		line.Late = s.JS.Jobs[i].Late(line.Finish)
		sortUses(line.Uses)
	}
}

func (s *Summary) sumSlaves() {
	s.Slaves = make([]SlaveLine, len(s.JS.Slaves))
	for i := range s.Slaves {
		up := s.End
		for _, away := range s.Away[i] {
			up -= away.Intersect(model.Interval{Start: 0, End: s.End}).Len()
		}
		s.Slaves[i] = SlaveLine{ID: model.SlaveID(i), Up: up}
	}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		line := &s.Slaves[a.Slave]
		if !a.Lost {
			line.Tasks++
		}
		needs := s.JS.Tasks[a.Task].Needs()
		line.Run += (a.Finish - a.Start) * model.Time(needs.Cores)
		line.Held += a.Finish - a.Assigned
		line.Fetch += a.Fetched - a.Fetch
		for k := range s.JS.Named {
			line.Units[k] += needs.Units[k] * int64(a.Finish-a.Assigned)
		}
	}
}

// maxIdleLanes bounds the lanes that are shown for slots nobody uses.
const maxIdleLanes = 6

// assignLanes gives each attempt the first lane of its kind of slot that is free when
// it is assigned, and each kind its lanes: all of its slots, or, where there
// are many, those in use.
func (s *Summary) assignLanes() {
	free := make([][2][]model.Time, len(s.Slaves))
	pool := func(a *Attempt) int { return s.JS.Slaves[a.Slave].Pool(s.JS.Tasks[a.Task].Slot) }
	for i := range s.Attempts {
		a := &s.Attempts[i]
		lanes := &free[a.Slave][pool(a)]
		a.Lane = slices.IndexFunc(*lanes, func(until model.Time) bool { return until <= a.Assigned })
		if a.Lane < 0 {
			a.Lane = len(*lanes)
			*lanes = append(*lanes, 0)
		}
		(*lanes)[a.Lane] = a.Finish
	}
	for i := range s.Slaves {
		slave := &s.JS.Slaves[i]
		for p := range slave.Pools() {
			s.Slaves[i].Lanes[p] = max(len(free[i][p]), min(slave.PoolSize(p), maxIdleLanes))
		}
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; pool(a) == 1 {
			a.Lane += s.Slaves[a.Slave].Lanes[0]
		}
	}
}

// LaneCount is the number of lanes drawn for the slave.
func (l *SlaveLine) LaneCount() int { return l.Lanes[0] + l.Lanes[1] }

// Lanes is the number of lanes over all slaves.
func (s *Summary) Lanes() int {
	n := 0
	for i := range s.Slaves {
		n += s.Slaves[i].LaneCount()
	}
	return n
}

// HasAway tells whether a slave is away where a chart shows it.
func (s *Summary) HasAway() bool {
	end := ChartEnd(s)
	return slices.ContainsFunc(s.Away, func(list []model.Interval) bool { return len(list) > 0 && list[0].Start < end })
}

// HasLost tells whether attempts were lost.
func (s *Summary) HasLost() bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool { return a.Lost })
}

// LateJobs lists the jobs that miss their deadlines.
func (s *Summary) LateJobs() []model.JobID {
	var late []model.JobID
	for i := range s.Jobs {
		if s.Jobs[i].Late > 0 {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// deadlineTexts are deadline, slack and lateness of a job, "-" where there is
// none.
func (s *Summary) deadlineTexts(line *JobLine) (due, slack, late string) {
	j := &s.JS.Jobs[line.ID]
	switch {
	case j.Kind == model.BestEffort:
		return "-", "-", "-"
	case line.Out() != "":
		return s.Clock.Point(j.Due()), "-", "-"
	case line.Late > 0:
		return s.Clock.Point(j.Due()), "-", s.Clock.Span(line.Late)
	default:
		return s.Clock.Point(j.Due()), s.Clock.Span(line.Slack(s.JS)), "-"
	}
}

// finishText is when a job ends, or why it does not.
func (s *Summary) finishText(line *JobLine) string {
	if out := line.Out(); out != "" {
		return out
	}
	return s.Clock.Point(line.Finish)
}

// Shares are the parts of core, slot and fetch time that the plan takes while
// the slave is there.
func (l *SlaveLine) Shares(slave *model.Slave) (busy, held, fetching string) {
	return wording.Percent(l.Run, l.Up*model.Time(slave.Cores)),
		wording.Percent(l.Held, l.Up*model.Time(slave.TotalSlots())),
		wording.Percent(l.Fetch, l.Up)
}

// UnitsShare is the part of a named resource that the plan holds while the slave is
// there, "43% of 64"; "-" if the slave offers none.
func (l *SlaveLine) UnitsShare(slave *model.Slave, named int) string {
	units := slave.Offers(named)
	if units == 0 {
		return "-"
	}
	return fmt.Sprintf("%s of %d", wording.Percent(model.Time(l.Units[named]), l.Up*model.Time(units)), units)
}

// ChartEnd is the last finish, or the last deadline that is not so far behind that it would
// squeeze the plan; of a plan without tasks the last deadline, 1 where there is none.
func ChartEnd(s *Summary) model.Time {
	end := max(1, s.End)
	for i := range s.JS.Jobs {
		if job := &s.JS.Jobs[i]; job.Kind != model.BestEffort && (s.End == 0 || job.Due() <= s.End+s.End/4) {
			end = max(end, job.Due())
		}
	}
	return end
}
