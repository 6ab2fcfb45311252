// Package gantt draws plans. layout.go lays a plan out once, as data: the rows of jobs and of
// slaves, what lies in them over time, and their words. picture.go gives that a size, marks.go
// and legend.go make shapes of it (shapes.go, colors.go), which svg.go and paint.go write as SVG,
// PNG and PDF. Pages have the layout as it is (package page). text.go draws with characters,
// which leaves room for no more than lanes and letters.
package gantt

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// Layout is a plan laid out: the rows of a chart from top to bottom, what lies in them over
// time, and the words at their heads. Pictures give it a size and draw it whole, with as many
// rows as can be read; the script of a page draws what is looked at of it. Times are ticks.
type Layout struct {
	// Until is the end of the time that can be looked at, at least 1, and Shown that of
	// pictures, and of what is seen at first.
	Until     model.Time `json:"until"`
	Shown     model.Time `json:"shown"`
	Heartbeat model.Time `json:"heartbeat"`
	Clock     Clock      `json:"clock"`
	// Named are the resources beside cores and slots, Pools what tasks on all slaves share.
	Named []string `json:"named"`
	Pools []string `json:"pools,omitempty"`
	// Colors are of jobs, and Inks of text upon them.
	Colors []Color `json:"colors"`
	Inks   []Color `json:"inks"`
	Jobs   []Job   `json:"jobs"`
	// Rows are those of jobs, in the order of the file.
	Rows   []Row   `json:"rows"`
	Slaves []Slave `json:"slaves"`
	// Classes have the rows of slaves, each class in the order of its first one.
	Classes []Class `json:"classes"`
	// Tracks are what is in use over time, of all slaves, and Shared what tasks on all slaves have
	// in common: pools and caps, each with a row of its own.
	Tracks []Track       `json:"tracks"`
	Shared []SharedTrack `json:"shared,omitempty"`
	// Plans is how many plans there are where these are several, 0 else: their slaves go by turns.
	Plans int `json:"plans,omitempty"`
	// DueLines tells that deadlines are led through the lanes.
	DueLines bool `json:"dueLines"`
	// RowHeights and LaneHeights are in pixels, where no height is asked for.
	RowHeights  Heights `json:"rowHeights"`
	LaneHeights Heights `json:"laneHeights"`
	// Needs are the different needs of tasks: cores, then units of Named, then of Pools.
	Needs [][]int64 `json:"needs"`
	// Bars are the attempts of the summary, in its order: by slave, and then by when they
	// were handed out.
	Bars []Bar `json:"-"`
}

// Clock says how ticks are read.
type Clock struct {
	// Unit is the length of a tick in seconds, 0 if it is not known.
	Unit float64 `json:"unit"`
	// Midnight is the time of day at tick 0, in seconds.
	Midnight float64 `json:"midnight"`
	// Offsets are seconds from UTC, each from a tick on, ascending from before tick 0;
	// none if points in time are not read by the clock.
	Offsets [][2]int64 `json:"offsets"`
	// Steps are the distances between marks of an axis in seconds, ascending; none where
	// ticks have no length.
	Steps []float64 `json:"steps"`
}

// The kinds of a job.
const (
	hard = iota
	soft
	bestEffort
)

// Job is one of the plan's. Due is -1 without a deadline, First and Finish are where the
// plan has no tasks of it.
type Job struct {
	Name     string     `json:"name"`
	Kind     int        `json:"kind"`
	KindText string     `json:"kindText"`
	Release  model.Time `json:"release"`
	Due      model.Time `json:"due"`
	First    model.Time `json:"first"`
	Finish   model.Time `json:"finish"`
	Late     model.Time `json:"late"`
	// Out says why there is nothing of the job, "" where there is.
	Out    string   `json:"out"`
	Color  int      `json:"color"` // of Layout.Colors
	After  []int    `json:"after"` // of Layout.Jobs
	Stages []string `json:"stages"`
	// Gangs are the stages the tasks of which start together, by their places in Stages.
	Gangs []int `json:"gangs,omitempty"`
}

// Row has a job, or instances of a recurring one.
type Row struct {
	Name string `json:"name"`
	Jobs []int  `json:"jobs"` // of Layout.Jobs
	// Family is the same for all rows of a recurring job.
	Family int `json:"family"`
	// Trouble says what is wrong with the jobs, "" for nothing.
	Trouble string `json:"trouble,omitempty"`
	// Slack is that of a job alone in its row, to be told where its deadline is not seen;
	// "" without one.
	Slack string `json:"slack,omitempty"`
	// Spare rows are beyond what is easily read, and have more slack than the others: they
	// are seen when they are asked for.
	Spare bool `json:"spare,omitempty"`
}

// Slave is one of the plan's.
type Slave struct {
	Name  string `json:"name"`
	Class int    `json:"class"` // of Layout.Classes
	Has   string `json:"has"`
	// Lanes are drawn for its slots.
	Lanes int             `json:"lanes"`
	Away  [][2]model.Time `json:"away"`
}

// Class is slaves that stand together: those that do something with lanes of their own, in
// a line the others.
type Class struct {
	Name  string `json:"name"`
	Cores int    `json:"cores"`
	// Busy and Idle are of Layout.Slaves, ascending.
	Busy []int `json:"busy"`
	Idle []int `json:"idle"`
	// Open tells that each slave is seen at first, and not only how many cores of the class
	// are in use.
	Open bool `json:"open,omitempty"`
}

// all are the slaves of the class, ascending.
func (c *Class) all() []int { return slices.Sorted(slices.Values(slices.Concat(c.Busy, c.Idle))) }

// What a track counts; what comes after these are units of Layout.Named.
const (
	coresRunning = iota
	slotsHeld
	fetching
	unitsHeld
)

// Track is how much of something is in use, of so much in all.
type Track struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Of   int    `json:"of"`
}

// SharedTrack is how much of a pool, or of a cap, is held over time. Levels and Steps are times, each with
// an amount from then on: what there is, and what is held.
type SharedTrack struct {
	Name   string     `json:"name"`
	There  string     `json:"there"`
	Levels [][2]int64 `json:"levels"`
	Steps  [][2]int64 `json:"-"` // the script of a page adds them up
	// Pool is of Layout.Pools, -1 for a cap on Job, or on a Stage of it: that is -1 for all of them.
	Pool  int `json:"pool"`
	Job   int `json:"job"`
	Stage int `json:"stage"`
	// Plan is 1 or 2 where there are two plans, the slaves of which go by turns.
	Plan int `json:"plan,omitempty"`
}

// most is the height of a row: what there is or is held at most before a time, at least 1.
func (t *SharedTrack) most(until model.Time) int64 {
	most := int64(1)
	for _, list := range [][][2]int64{t.Levels, t.Steps} {
		for _, step := range list {
			if step[0] < int64(until) {
				most = max(most, step[1])
			}
		}
	}
	return most
}

// Heights are those of rows, the fewer there are the higher.
type Heights []Height

// Height is that of a row in pixels where there are no more than Most, 0 for any number.
type Height struct {
	Most   int     `json:"most"`
	Height float64 `json:"height"`
}

// of is the height of each of n rows.
func (h Heights) of(n int) float64 {
	k := slices.IndexFunc(h, func(h Height) bool { return n <= h.Most || h.Most == 0 })
	return h[k].Height
}

var (
	rowHeights  = Heights{{40, 20}, {300, 14}, {0, 10}}
	laneHeights = Heights{{60, 20}, {400, 14}, {0, 10}}
)

// Edge is what sets a bar apart from others.
type Edge int

// A task that another plan has elsewhere is told from others first, then one that is late.
const (
	noEdge Edge = iota
	lostEdge
	changedEdge
	lateEdge
)

// Bar is an attempt in its lane; Job, Stage, Slave and Need count from 0, Number from 1.
// Assigned ≤ Fetch ≤ Fetched ≤ Start ≤ Finish.
type Bar struct {
	Job, Stage, Number, Slave, Lane, Need   int
	Assigned, Fetch, Fetched, Start, Finish model.Time
	Edge                                    Edge
}

// Limits of what is seen without asking.
const (
	mostRows       = 100 // of jobs
	mostOpenSlaves = 60
	mostDueLines   = 12 // more deadlines through the lanes would hide the bars
	mostShared     = 24 // of pools and caps
)

// farOff is how many times the length of a plan a deadline may lie off to be looked at.
const farOff = 4

// LayOut lays out what a summary tells.
func LayOut(s *summary.Summary) *Layout {
	shown := summary.ChartEnd(s)
	l := &Layout{Until: shown, Shown: shown, Heartbeat: s.JS.Heartbeat, Named: []string{}, Clock: clockOf(s.Clock, farOff*shown),
		Jobs: make([]Job, len(s.Jobs)), Rows: rowsOf(s), DueLines: len(s.Jobs) <= mostDueLines,
		RowHeights: rowHeights, LaneHeights: laneHeights}
	for _, name := range s.JS.Named {
		l.Named = append(l.Named, table.Printable(name))
	}
	for i := range s.JS.Pools {
		l.Pools = append(l.Pools, table.Printable(s.JS.Pools[i].Name))
	}
	if n := s.Plans(); n > 1 {
		l.Plans = n
	}
	for i := range jobColorCount {
		l.Colors = append(l.Colors, jobColor(i))
		l.Inks = append(l.Inks, inkOn(jobColor(i)))
	}
	for i := range s.Jobs {
		l.Jobs[i] = jobOf(s, &s.Jobs[i])
		if due := l.Jobs[i].Due; due <= farOff*shown {
			l.Until = max(l.Until, due)
		}
	}
	l.addSlaves(s)
	l.addTracks(s.JS)
	l.addShared(s)
	l.addBars(s)
	return l
}

// rowsOf are the rows of jobs; instances of a recurring job share one if each has ended, and
// is due, before the next is released.
func rowsOf(s *summary.Summary) []Row {
	var list []summary.Family
	rowOf := make([]int, len(s.Families)) // plus 1, of those that share one
	for i, f := range s.FamilyOf {
		id := model.JobID(i)
		switch {
		case rowOf[f] > 0:
			row := &list[rowOf[f]-1]
			row.Jobs = append(row.Jobs, id)
		case apart(s, &s.Families[f]):
			list = append(list, summary.Family{Name: s.Families[f].Name, Jobs: []model.JobID{id}})
			rowOf[f] = len(list)
		default:
			list = append(list, summary.Family{Name: s.JS.Jobs[i].Name, Jobs: []model.JobID{id}})
		}
	}
	rows := make([]Row, len(list))
	for r := range list {
		f := &list[r]
		rows[r] = Row{Name: table.Printable(f.Title()), Family: s.FamilyOf[f.Jobs[0]], Trouble: s.Troubles(f), Slack: slackOf(s, f), Spare: true}
		for _, id := range f.Jobs {
			rows[r].Jobs = append(rows[r].Jobs, int(id))
		}
	}
	for _, r := range mostUrgent(s, rows, mostRows) {
		rows[r].Spare = false
	}
	return rows
}

// apart tells that each job of a family has ended, and is due, before the next is released.
func apart(s *summary.Summary, f *summary.Family) bool {
	until := model.Time(0)
	for _, id := range f.Jobs {
		job := &s.JS.Jobs[id]
		if job.Release < until {
			return false
		}
		until = s.Jobs[id].Finish
		if job.Kind != model.BestEffort {
			until = max(until, job.Due())
		}
	}
	return true
}

// slackOf is the slack of a job alone in its row.
func slackOf(s *summary.Summary, row *summary.Family) string {
	line := &s.Jobs[row.Jobs[0]]
	if len(row.Jobs) > 1 || s.JS.Jobs[line.ID].Kind == model.BestEffort || line.Out() != "" || line.Late > 0 {
		return ""
	}
	return "slack " + s.Clock.Span(line.Slack(s.JS))
}

// mostUrgent are so many rows of jobs at most, in their order: those that are late or rejected
// first, then those with the least slack, in the order of the file.
func mostUrgent(s *summary.Summary, rows []Row, most int) []int {
	slack := make([]model.Time, len(rows))
	order := make([]int, len(rows))
	for r := range rows {
		order[r], slack[r] = r, model.Never
		for _, j := range rows[r].Jobs {
			id := model.JobID(j)
			switch line := &s.Jobs[id]; {
			case s.Special(id):
				slack[r] = -1
			case s.JS.Jobs[id].Kind != model.BestEffort:
				slack[r] = min(slack[r], line.Slack(s.JS))
			}
		}
	}
	if len(rows) <= most {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(slack[a], slack[b]) })
	keep := order[:most]
	slices.Sort(keep)
	return keep
}

func jobOf(s *summary.Summary, line *summary.JobLine) Job {
	job := &s.JS.Jobs[line.ID]
	out := Job{Name: table.Printable(job.Name), Kind: bestEffort, KindText: wording.Kind(job), Release: job.Release, Due: -1,
		First: -1, Finish: -1, Late: line.Late, Out: line.Out(), After: []int{},
		Color: s.FamilyOf[line.ID] % jobColorCount}
	if job.Kind != model.BestEffort {
		out.Due, out.Kind = job.Due(), soft
		if job.Kind == model.Hard {
			out.Kind = hard
		}
	}
	if line.First != model.Never && line.Out() == "" {
		out.First, out.Finish = line.First, line.Finish
	}
	for _, before := range job.After {
		out.After = append(out.After, int(before))
	}
	for k := range job.Stages {
		out.Stages = append(out.Stages, table.Printable(job.Stages[k].Name))
		if job.Stages[k].IsGang() {
			out.Gangs = append(out.Gangs, k)
		}
	}
	return out
}

// addSlaves lays out slaves and classes.
func (l *Layout) addSlaves(s *summary.Summary) {
	l.Slaves = make([]Slave, len(s.Slaves))
	classAt := map[string]int{}
	for i := range s.Slaves {
		slave := &s.JS.Slaves[i]
		k, known := classAt[slave.Class]
		if !known {
			k = len(l.Classes)
			classAt[slave.Class] = k
			l.Classes = append(l.Classes, Class{Name: table.Printable(slave.Class), Busy: []int{}, Idle: []int{}, Open: len(s.Slaves) <= mostOpenSlaves})
		}
		c := &l.Classes[k]
		c.Cores += slave.Cores
		if s.Slaves[i].Held == 0 && len(s.Away[i]) == 0 {
			c.Idle = append(c.Idle, i)
		} else {
			c.Busy = append(c.Busy, i)
		}
		l.Slaves[i] = Slave{Name: table.Printable(slave.Name), Class: k, Has: capacityText(s.JS, slave),
			Lanes: s.Slaves[i].LaneCount(), Away: l.away(s.Away[i])}
	}
}

// away is what a slave is away for; it ends where nothing is shown any more.
func (l *Layout) away(all []model.Interval) [][2]model.Time {
	out := [][2]model.Time{}
	for _, iv := range all {
		if iv.Start > l.Until {
			break
		}
		out = append(out, [2]model.Time{iv.Start, min(iv.End, l.Until+1)})
	}
	return out
}

// capacityText says what a slave has.
func capacityText(js *model.JobSet, s *model.Slave) string {
	slots := wording.Count(s.Slots, "slot")
	if s.SplitSlots {
		slots = fmt.Sprintf("%d+%d slots", s.MapSlots, s.ReduceSlots)
	}
	parts := []string{wording.Count(s.Cores, "core"), slots}
	for k, name := range js.Named {
		if units := s.Offers(k); units > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", units, name))
		}
	}
	return table.Printable(strings.Join(parts, ", "))
}

// addTracks lays out what there is any of.
func (l *Layout) addTracks(js *model.JobSet) {
	tracks := []Track{{"cores in use", 0, coresRunning}, {"slots held", 0, slotsHeld}, {"machines fetching", int64(len(js.Slaves)), fetching}}
	for r, name := range l.Named {
		tracks = append(tracks, Track{name + " held", 0, unitsHeld + r})
	}
	for i := range js.Slaves {
		slave := &js.Slaves[i]
		tracks[coresRunning].Size += int64(slave.Cores)
		tracks[slotsHeld].Size += int64(slave.TotalSlots())
		for r := range l.Named {
			tracks[unitsHeld+r].Size += int64(slave.Offers(r))
		}
	}
	l.Tracks = slices.DeleteFunc(tracks, func(t Track) bool { return t.Size == 0 })
}

// addShared lays out pools and caps, as many as can be looked at.
func (l *Layout) addShared(s *summary.Summary) {
	pairs := func(levels []model.Level) [][2]int64 {
		out := [][2]int64{}
		for _, level := range levels {
			if level.From <= l.Until {
				out = append(out, [2]int64{int64(level.From), level.Amount})
			}
		}
		return out
	}
	for i := range s.Shared[:min(len(s.Shared), mostShared)] {
		line := &s.Shared[i]
		sh := &s.JS.Shared()[line.ID]
		l.Shared = append(l.Shared, SharedTrack{
			Name: table.Printable(line.Name), There: line.Amount(l.Until) + " there", Levels: pairs(line.Levels), Steps: pairs(line.Steps),
			Pool: int(sh.Pool), Job: int(sh.Job), Stage: int(sh.Stage), Plan: line.Plan,
		})
	}
}

// addBars lays out the attempts.
func (l *Layout) addBars(s *summary.Summary) {
	needs := map[model.Needs]int{}
	l.Bars = make([]Bar, len(s.Attempts))
	for i := range s.Attempts {
		a := &s.Attempts[i]
		task := &s.JS.Tasks[a.Task]
		what := task.Needs()
		n, known := needs[what]
		if !known {
			n = len(l.Needs)
			needs[what] = n
			l.Needs = append(l.Needs, l.needsOf(&what))
		}
		l.Bars[i] = Bar{Job: int(task.Job), Stage: int(task.Stage), Number: int(task.Number), Slave: int(a.Slave), Lane: a.Lane, Need: n,
			Assigned: a.Assigned, Fetch: a.Fetch, Fetched: a.Fetched, Start: a.Start, Finish: a.Finish}
		switch bar := &l.Bars[i]; {
		case a.Lost:
			bar.Edge = lostEdge
		case a.Changed:
			bar.Edge = changedEdge
		case a.Finish > s.JS.Jobs[task.Job].Due():
			bar.Edge = lateEdge
		}
	}
}

// needsOf are needs as Layout.Needs has them.
func (l *Layout) needsOf(n *model.Needs) []int64 {
	out := append([]int64{n.Cores}, n.Units[:len(l.Named)]...)
	for range l.Pools {
		out = append(out, 0)
	}
	for _, take := range n.Pools {
		if take.Pool > 0 {
			out[len(l.Named)+int(take.Pool)] = int64(take.Units)
		}
	}
	return out
}

// change is one of the cores in use.
type change struct {
	at model.Time
	by int64
}

// coresInUse are the changes of the cores that slaves, ascending, use together; ascending, one
// for each time.
func (l *Layout) coresInUse(slaves []int) []change {
	var all []change
	for i := range l.Bars {
		b := &l.Bars[i]
		if _, ours := slices.BinarySearch(slaves, b.Slave); ours && b.Finish > b.Start {
			n := l.Needs[b.Need][0]
			all = append(all, change{b.Start, n}, change{b.Finish, -n})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && out[n-1].at == c.at {
			out[n-1].by += c.by
		} else {
			out = append(out, c)
		}
	}
	return out
}

// clockOf is the clock of the script in a page, which knows no zones.
func clockOf(c wording.Clock, until model.Time) Clock {
	out := Clock{Unit: c.Unit.Seconds(), Steps: []float64{}}
	if c.Unit == 0 {
		return out
	}
	for _, step := range wording.AxisSteps() {
		if step >= c.Unit {
			out.Steps = append(out.Steps, step.Seconds())
		}
	}
	if len(out.Steps) == 0 {
		out.Steps = append(out.Steps, out.Unit)
	}
	if c.Origin.IsZero() {
		return out
	}
	h, m, s := c.Origin.Clock()
	out.Midnight = float64(3600*h+60*m+s) + float64(c.Origin.Nanosecond())/1e9
	for at := c.Origin; ; {
		_, offset := at.Zone()
		tick := int64((at.Sub(c.Origin) + c.Unit - 1) / c.Unit)
		out.Offsets = append(out.Offsets, [2]int64{tick, int64(offset)})
		_, next := at.ZoneBounds()
		if end, ok := c.At(until); next.IsZero() || !ok || next.After(end) {
			return out
		}
		at = next
	}
}

// MarshalJSON writes what the script of a page reads.
func (l *Layout) MarshalJSON() ([]byte, error) {
	type plain Layout
	return json.Marshal(struct {
		*plain
		Count int    `json:"count"`
		Bars  string `json:"bars"`
	}{(*plain)(l), len(l.Bars), encode(l.Bars)})
}

// encode packs bars: numbers of 7 bits a byte, least first, most of them differences from the
// one before, so that 100,000 tasks take less than 2 MB. The script unpacks them.
func encode(bars []Bar) string {
	var b []byte
	put := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	slave, assigned := 0, model.Time(0)
	for i := range bars {
		a := &bars[i]
		put(int64(a.Slave - slave))
		if a.Slave != slave {
			slave, assigned = a.Slave, 0
		}
		for _, step := range []model.Time{a.Assigned - assigned, a.Fetch - a.Assigned, a.Fetched - a.Fetch, a.Start - a.Fetched, a.Finish - a.Start} {
			put(int64(step))
		}
		for _, n := range []int{a.Job, a.Stage, a.Number, a.Lane, a.Need, int(a.Edge)} {
			put(int64(n))
		}
		assigned = a.Assigned
	}
	return base64.StdEncoding.EncodeToString(b)
}
