package gantt

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/page"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// Limits of a page: tables that browsers are quick with, and a still that stays legible.
const (
	maxPageRows      = 2000
	maxStillAttempts = 2000
	maxStillLanes    = maxLanesShown
)

// writePage writes a page to explore that needs nothing from elsewhere.
func (d *Drawing) writePage(w io.Writer, title string) error {
	s := d.Summary
	p := page.Page{Title: table.Printable(title), Headline: d.Headline, Status: d.Status, Set: wording.SetLine(s.JS), Notes: d.Notes,
		Legend: s.Clock.Legend(), Linked: s.JS.JobsLinked(), Plan: PagePlan(s)}
	if d.Chance != "" {
		p.Set += "; " + d.Chance
	}
	for _, name := range s.JS.Named {
		p.Named = append(p.Named, table.Printable(name))
	}
	pageJobs(s, &p)
	pageSlaves(s, &p)
	if len(s.Attempts) <= maxStillAttempts && s.Lanes() <= maxStillLanes {
		pic, err := newScene(s, p.Title, p.Headline, chart.Size{})
		if err != nil {
			return err
		}
		var svg bytes.Buffer
		pic.writeSVG(&svg)
		p.Still, p.Tall = template.HTML(svg.String()), pic.Height > 0.62*pic.Width // its writer escapes all text
	}
	return page.Write(w, &p)
}

// pageJobs fills the table of jobs: all that are late, and of the others as many as fit.
func pageJobs(s *summary.Summary, p *page.Page) {
	rows := s.JobRows()
	for _, row := range rows {
		if len(p.Jobs) >= maxPageRows && !s.Special(row[0]) {
			continue
		}
		t := s.JobTexts(row)
		p.Jobs = append(p.Jobs, page.JobRow{
			Index: int(row[0]), Color: pageColor(jobColor(s.FamilyOf[row[0]])),
			Name: table.Printable(t.Name), Kind: t.Kind, After: table.Printable(t.After), Release: t.Release, Deadline: t.Deadline,
			Finish: t.Finish, Slack: t.Slack, Late: t.Late, Uses: table.Printable(t.Uses), IsLate: t.IsLate, IsOut: t.IsOut,
		})
	}
	if left := len(rows) - len(p.Jobs); left > 0 {
		p.MoreJobs = fmt.Sprintf("%s in time are left out here, not in the drawing", wording.Count(left, "job"))
	}
	for _, line := range s.SeriesLines(rows) {
		p.Series = append(p.Series, table.Printable(line))
	}
}

// pageSlaves fills the table of slaves.
func pageSlaves(s *summary.Summary, p *page.Page) {
	for i := range s.Slaves[:min(len(s.Slaves), maxPageRows)] {
		line, slave := &s.Slaves[i], &s.JS.Slaves[i]
		row := page.SlaveRow{Name: table.Printable(slave.Name), Has: capacityText(s.JS, slave), Tasks: line.Tasks}
		row.Busy, row.Held, row.Fetching = line.Shares(slave)
		for k := range s.JS.Named {
			row.Units = append(row.Units, line.UnitsShare(slave, k))
		}
		p.Slaves = append(p.Slaves, row)
	}
	if left := len(s.Slaves) - len(p.Slaves); left > 0 {
		p.MoreSlaves = fmt.Sprintf("%s are left out here, not in the drawing", wording.Count(left, "machine"))
	}
}

// farOff is how many times the length of a plan a deadline may lie off to be looked at.
const farOff = 4

// PagePlan is what the drawing of a page shows.
func PagePlan(s *summary.Summary) page.Plan {
	shown := summary.ChartEnd(s)
	p := page.Plan{Until: int64(shown), Shown: int64(shown), Heartbeat: int64(s.JS.Heartbeat), Named: []string{},
		Clock: pageClock(s.Clock, farOff*shown), Jobs: make([]page.Job, len(s.Jobs)), Rows: pageRows(s), Slaves: make([]page.Slave, len(s.Slaves))}
	for _, name := range s.JS.Named {
		p.Named = append(p.Named, table.Printable(name))
	}
	for i := range jobColorCount {
		p.Colors = append(p.Colors, pageColor(jobColor(i)))
		p.Inks = append(p.Inks, pageColor(inkOn(jobColor(i))))
	}
	for i := range s.Jobs {
		p.Jobs[i] = pageJob(s, &s.Jobs[i])
		if due := p.Jobs[i].Due; due <= farOff*int64(shown) {
			p.Until = max(p.Until, due)
		}
	}
	for i := range s.Slaves {
		p.Slaves[i] = pageSlave(s, i, p.Until)
	}
	needs := map[model.Needs]int{}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		task := &s.JS.Tasks[a.Task]
		what := task.Needs()
		n, known := needs[what]
		if !known {
			n = len(p.Needs)
			needs[what] = n
			p.Needs = append(p.Needs, append([]int64{what.Cores}, what.Units[:len(s.JS.Named)]...))
		}
		p.Attempts = append(p.Attempts, page.Attempt{
			Job: int(task.Job), Stage: int(task.Stage), Number: int(task.Number), Slave: int(a.Slave), Lane: a.Lane, Need: n,
			Assigned: int64(a.Assigned), Fetch: int64(a.Fetch), Fetched: int64(a.Fetched), Start: int64(a.Start), Finish: int64(a.Finish),
			Lost: a.Lost, Changed: a.Changed,
		})
	}
	return p
}

// pageRows are the rows of jobs that pictures have, and those that these leave out.
func pageRows(s *summary.Summary) []page.RowOfJobs {
	rows, _ := chartRows(s)
	out := make([]page.RowOfJobs, len(rows))
	for r := range rows {
		out[r] = page.RowOfJobs{Name: table.Printable(rows[r].Title()), Family: s.FamilyOf[rows[r].Jobs[0]], Spare: true}
		for _, id := range rows[r].Jobs {
			out[r].Jobs = append(out[r].Jobs, int(id))
		}
	}
	for _, r := range mostUrgent(s, rows, foldings[0].rows) {
		out[r].Spare = false
	}
	return out
}

func pageColor(c Color) page.Color { return page.Color{hex(c.Light), hex(c.Dark)} }

func pageJob(s *summary.Summary, line *summary.JobLine) page.Job {
	job := &s.JS.Jobs[line.ID]
	out := page.Job{Name: table.Printable(job.Name), Kind: page.BestEffort, KindText: wording.Kind(job), Release: int64(job.Release), Due: -1,
		First: -1, Finish: -1, Late: int64(line.Late), Out: line.Out(), After: []int{},
		Color: s.FamilyOf[line.ID] % jobColorCount}
	if job.Kind != model.BestEffort {
		out.Due, out.Kind = int64(job.Due()), page.Soft
		if job.Kind == model.Hard {
			out.Kind = page.Hard
		}
	}
	if line.First != model.Never && line.Out() == "" {
		out.First, out.Finish = int64(line.First), int64(line.Finish)
	}
	for _, before := range job.After {
		out.After = append(out.After, int(before))
	}
	for k := range job.Stages {
		out.Stages = append(out.Stages, table.Printable(job.Stages[k].Name))
	}
	return out
}

// pageSlave is a slave; what it is away for ends where nothing is shown any more.
func pageSlave(s *summary.Summary, i int, until int64) page.Slave {
	slave := &s.JS.Slaves[i]
	out := page.Slave{Name: table.Printable(slave.Name), Class: table.Printable(slave.Class), Has: capacityText(s.JS, slave),
		Cores: slave.Cores, Slots: slave.TotalSlots(), Lanes: s.Slaves[i].LaneCount(), Units: []int64{}, Away: [][2]int64{}}
	for k := range s.JS.Named {
		out.Units = append(out.Units, int64(slave.Offers(k)))
	}
	for _, away := range s.Away[i] {
		if int64(away.Start) > until {
			break
		}
		out.Away = append(out.Away, [2]int64{int64(away.Start), min(int64(away.End), until+1)})
	}
	return out
}

// pageClock is the clock of the script in a page, which knows no zones.
func pageClock(c wording.Clock, until model.Time) page.Clock {
	out := page.Clock{Unit: c.Unit.Seconds()}
	if c.Unit == 0 || c.Origin.IsZero() {
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
