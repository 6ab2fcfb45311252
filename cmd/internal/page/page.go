// Package page writes a plan, or a bench, as one file for browsers: drawings to explore, which
// a script in the file draws from the plan's layout, and tables. page.go has the tables of a
// plan, bench.go what a bench says, viewer.js is the script.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/version"
)

// Format is the ending of the files that pages are written to.
const Format = "html"

// content is all that the page of a plan says.
type content struct {
	Title, Headline, Set string
	// Status is the headline as the solver has it, "" where it is no other.
	Status string
	// Notes stand above all, as warnings.
	Notes []string
	// Legend says how to read times, "" if they need no word.
	Legend string
	// Still is an SVG for paper and where no script runs, taken as it is; empty for plans
	// that are too large for one.
	Still template.HTML
	// Tall tells that Still is too high for a page of paper: then the script draws as many
	// pages as it takes.
	Tall bool
	// Linked tells that jobs come after others.
	Linked bool
	Jobs   []jobRow
	// MoreJobs and MoreSlaves say what the tables leave out, if anything.
	MoreJobs, MoreSlaves string
	// Series has a line for each recurring job whose instances share a row.
	Series []string
	// Named are the resources that slaves offer beside cores and slots.
	Named  []string
	Slaves []slaveRow
	// Shared has pools and caps, under their title; MoreShared says how many are left out, if any.
	Shared                  []sharedRow
	SharedTitle, MoreShared string
	Plan                    *gantt.Layout
}

// jobRow is a line of the table of jobs; Index is that of the first of its jobs in the layout.
type jobRow struct {
	Index                                                           int
	Color                                                           [2]string
	Name, Kind, After, Release, Deadline, Finish, Slack, Late, Uses string
	IsLate, IsOut                                                   bool
}

// slaveRow is a line of the table of slaves.
type slaveRow struct {
	Name, Has, Busy, Held, Fetching string
	Tasks                           int
	// Units are of content.Named.
	Units []string
}

// sharedRow is a line of the table of pools and caps.
type sharedRow struct {
	Name, There, Held string
	Peak              int64
}

//go:embed page.html bench.html parts.html
var sources embed.FS

//go:embed viewer.js
var script string

var templates = template.Must(template.ParseFS(sources, "*.html"))

// maxRows is how many rows a table has that browsers are quick with.
const maxRows = 2000

// Write writes a page to explore that needs nothing from elsewhere. Same drawing, same bytes.
func Write(w io.Writer, d *gantt.Drawing) error {
	s := d.Summary
	c := content{Title: d.Title(), Headline: d.Headline, Status: d.Status, Set: wording.SetLine(s.JS), Notes: d.Notes,
		Legend: s.Clock.Legend(), Linked: s.JS.JobsLinked(), Plan: gantt.LayOut(s)}
	if d.Chance != "" {
		c.Set += "; " + d.Chance
	}
	c.Named = c.Plan.Named
	c.addJobs(s)
	c.addSlaves(s)
	c.addShared(s)
	svg, tall, err := d.Still(c.Plan)
	if err != nil {
		return err
	}
	c.Still, c.Tall = template.HTML(svg), tall // its writer escapes all text
	return c.write(w)
}

// addJobs fills the table of jobs: all that are late, and of the others as many as fit.
func (c *content) addJobs(s *summary.Summary) {
	rows := s.JobRows()
	for _, row := range rows {
		if len(c.Jobs) >= maxRows && !s.Special(row[0]) {
			continue
		}
		t := s.JobTexts(row)
		c.Jobs = append(c.Jobs, jobRow{
			Index: int(row[0]), Color: c.Plan.Colors[c.Plan.Jobs[row[0]].Color].CSS(),
			Name: table.Printable(t.Name), Kind: t.Kind, After: table.Printable(t.After), Release: t.Release, Deadline: t.Deadline,
			Finish: t.Finish, Slack: t.Slack, Late: t.Late, Uses: table.Printable(t.Uses), IsLate: t.IsLate, IsOut: t.IsOut,
		})
	}
	if left := len(rows) - len(c.Jobs); left > 0 {
		c.MoreJobs = fmt.Sprintf("%s in time are left out here, not in the drawing", wording.Count(left, "job"))
	}
	for _, line := range s.SeriesLines(rows) {
		c.Series = append(c.Series, table.Printable(line))
	}
}

// addSlaves fills the table of slaves.
func (c *content) addSlaves(s *summary.Summary) {
	for i := range s.Slaves[:min(len(s.Slaves), maxRows)] {
		line, slave := &s.Slaves[i], &s.JS.Slaves[i]
		row := slaveRow{Name: c.Plan.Slaves[i].Name, Has: c.Plan.Slaves[i].Has, Tasks: line.Tasks}
		row.Busy, row.Held, row.Fetching = line.Shares(slave)
		for k := range s.JS.Named {
			row.Units = append(row.Units, line.UnitsShare(slave, k))
		}
		c.Slaves = append(c.Slaves, row)
	}
	if left := len(s.Slaves) - len(c.Slaves); left > 0 {
		c.MoreSlaves = fmt.Sprintf("%s are left out here, not in the drawing", wording.Count(left, "machine"))
	}
}

// addShared fills the table of pools and caps.
func (c *content) addShared(s *summary.Summary) {
	c.SharedTitle = s.SharedTitle()
	for i := range s.Shared[:min(len(s.Shared), maxRows)] {
		line := &s.Shared[i]
		c.Shared = append(c.Shared, sharedRow{table.Printable(line.Name), line.Amount(s.End), line.Share(), line.Peak})
	}
	if left := len(s.Shared) - len(c.Shared); left > 0 {
		c.MoreShared = fmt.Sprintf("%d are left out here", left)
	}
}

func (c *content) write(w io.Writer) error {
	data, err := json.Marshal(c.Plan)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	err = templates.ExecuteTemplate(&file, "page.html", struct {
		*content
		Data, Script template.JS
	}{c, template.JS(data), template.JS(script)})
	if err != nil {
		return err
	}
	_, err = w.Write(version.Stamp(Format, file.Bytes()))
	return err
}
