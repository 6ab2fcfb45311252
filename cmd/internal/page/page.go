// Package page writes a plan, or a bench, as one file for browsers: drawings to explore, drawn
// from compact data by a script in the file, and tables. It knows no job sets: what it shows
// is handed to it as data.
package page

import (
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"html/template"
	"io"
)

// Page is all that the file says.
type Page struct {
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
	Jobs   []JobRow
	// MoreJobs and MoreSlaves say what the tables leave out, if anything.
	MoreJobs, MoreSlaves string
	// Series has a line for each recurring job whose instances share a row.
	Series []string
	// Named are the resources that slaves offer beside cores and slots.
	Named  []string
	Slaves []SlaveRow
	Plan   Plan
}

// JobRow is a line of the table of jobs; Index is that of the first of its jobs in Plan.Jobs.
type JobRow struct {
	Index                                                           int
	Color                                                           Color
	Name, Kind, After, Release, Deadline, Finish, Slack, Late, Uses string
	IsLate, IsOut                                                   bool
}

// Color is what is seen on a light page, and what on a dark one, each as #rrggbb.
type Color [2]string

// SlaveRow is a line of the table of slaves.
type SlaveRow struct {
	Name, Has, Busy, Held, Fetching string
	Tasks                           int
	// Units are of Page.Named.
	Units []string
}

// Plan is what the script draws. Times are ticks.
type Plan struct {
	// Until is the end of the time that can be looked at, at least 1, and Shown that of what
	// is seen at first.
	Until     int64 `json:"until"`
	Shown     int64 `json:"shown"`
	Heartbeat int64 `json:"heartbeat"`
	Clock     Clock `json:"clock"`
	// Named are the resources beside cores and slots.
	Named []string `json:"named"`
	// Colors are of jobs, and Inks of text upon them.
	Colors []Color     `json:"colors"`
	Inks   []Color     `json:"inks"`
	Jobs   []Job       `json:"jobs"`
	Rows   []RowOfJobs `json:"rows"`
	Slaves []Slave     `json:"slaves"`
	// Needs are the different needs of tasks: cores, then units of Named.
	Needs [][]int64 `json:"needs"`
	// Attempts are by slave, and then by when they were handed out.
	Attempts []Attempt `json:"-"`
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
}

// The kinds of a job.
const (
	Hard = iota
	Soft
	BestEffort
)

// Job is one of the plan's. Due is -1 without a deadline, First and Finish are where the
// plan has no tasks of it.
type Job struct {
	Name     string `json:"name"`
	Kind     int    `json:"kind"`
	KindText string `json:"kindText"`
	Release  int64  `json:"release"`
	Due      int64  `json:"due"`
	First    int64  `json:"first"`
	Finish   int64  `json:"finish"`
	Late     int64  `json:"late"`
	// Out says why there is nothing of the job, "" where there is.
	Out    string   `json:"out"`
	Color  int      `json:"color"` // of Plan.Colors
	After  []int    `json:"after"` // of Plan.Jobs
	Stages []string `json:"stages"`
}

// RowOfJobs has a job, or instances of a recurring one.
type RowOfJobs struct {
	Name string `json:"name"`
	Jobs []int  `json:"jobs"` // of Plan.Jobs
	// Family is the same for all rows of a recurring job.
	Family int `json:"family"`
	// Spare rows are seen when they are asked for.
	Spare bool `json:"spare,omitempty"`
}

// Slave is one of the plan's.
type Slave struct {
	Name  string `json:"name"`
	Class string `json:"class"`
	Has   string `json:"has"`
	Cores int    `json:"cores"`
	Slots int    `json:"slots"`
	// Lanes are drawn for its slots.
	Lanes int        `json:"lanes"`
	Units []int64    `json:"units"` // of Plan.Named
	Away  [][2]int64 `json:"away"`
}

// Attempt is a task's stay on a slave; Job, Stage, Slave and Need count from 0, Number from 1.
// Assigned ≤ Fetch ≤ Fetched ≤ Start ≤ Finish.
type Attempt struct {
	Job, Stage, Number, Slave, Lane, Need   int
	Assigned, Fetch, Fetched, Start, Finish int64
	Lost, Changed                           bool
}

//go:embed page.html bench.html parts.html
var sources embed.FS

//go:embed viewer.js
var script string

var layouts = template.Must(template.ParseFS(sources, "*.html"))

// Write writes the page. Same page, same bytes.
func Write(w io.Writer, p *Page) error {
	data, err := json.Marshal(&p.Plan)
	if err != nil {
		return err
	}
	return layouts.ExecuteTemplate(w, "page.html", struct {
		*Page
		Data, Script template.JS
	}{p, template.JS(data), template.JS(script)})
}

// MarshalJSON writes what the script reads.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	return json.Marshal(struct {
		*plain
		Count    int    `json:"count"`
		Attempts string `json:"attempts"`
	}{(*plain)(p), len(p.Attempts), encode(p.Attempts)})
}

// encode packs attempts: numbers of 7 bits a byte, least first, most of them differences
// from the one before, so that 100,000 tasks take less than 2 MB. The script unpacks them.
func encode(attempts []Attempt) string {
	var b []byte
	put := func(n int64) { b = binary.AppendUvarint(b, uint64(n)) }
	slave, assigned := 0, int64(0)
	for i := range attempts {
		a := &attempts[i]
		put(int64(a.Slave - slave))
		if a.Slave != slave {
			slave, assigned = a.Slave, 0
		}
		put(a.Assigned - assigned)
		put(a.Fetch - a.Assigned)
		put(a.Fetched - a.Fetch)
		put(a.Start - a.Fetched)
		put(a.Finish - a.Start)
		put(int64(a.Job))
		put(int64(a.Stage))
		put(int64(a.Number))
		put(int64(a.Lane))
		put(int64(a.Need))
		put(flags(a))
		assigned = a.Assigned
	}
	return base64.StdEncoding.EncodeToString(b)
}

func flags(a *Attempt) int64 {
	var f int64
	if a.Lost {
		f |= 1
	}
	if a.Changed {
		f |= 2
	}
	return f
}
