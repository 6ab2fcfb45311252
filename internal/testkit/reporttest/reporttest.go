// Package reporttest has the job sets and plans that tests of reports show.
package reporttest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

const nightly = `version: 1
name: nightly <1>
time_unit: 1s
origin: 2026-11-21T23:59:40Z
cluster:
  heartbeat: 3
  slaves:
    - {name: fast, cores: 2, slots: 3}
    - {name: slow, map_slots: 1, reduce_slots: 1, first_heartbeat: 1, down: [[18, 24]]}
jobs:
  - name: etl
    deadline: 30
    hard: true
    map: {tasks: 2, wcet: {fast: 5, slow: 9}, transfer: 2}
    reduce: {tasks: 1, wcet: 6, transfer: 1}
  - {name: "report & \"mail\"", release: 2, deadline: 15, weight: 2, map: {tasks: 2, wcet: 7, transfer: 1}}
  - {name: sweep, map: {tasks: 1, wcet: 10}}
`

// NightlyPlan places the tasks of LoadNightly by hand.
var NightlyPlan = model.Schedule{
	{Slave: 0, Beat: 0, Fetch: 0, Start: 2},
	{Slave: 1, Beat: 0, Fetch: 1, Start: 3},
	{Slave: 0, Beat: 4, Fetch: 12, Start: 14},
	{Slave: 0, Beat: 1, Fetch: 3, Start: 7},
	{Slave: 0, Beat: 2, Fetch: 6, Start: 14},
	{Slave: 1, Beat: 8, Fetch: 25, Start: 25},
}

// LoadNightly is the job set of NightlyPlan: it has both kinds of slots, an absence, a wait, a
// late job and a job without a deadline; its clock passes midnight.
func LoadNightly(tb testing.TB) *model.JobSet {
	tb.Helper()
	js, err := jobfile.Load("nightly", []byte(nightly))
	if err != nil {
		tb.Fatal(err)
	}
	if err := check.Schedule(js, NightlyPlan, false).Err(); err != nil {
		tb.Fatal(err)
	}
	return js
}

// series has a recurring job on a slave that has room for one task at a time, another
// that comes after it instance by instance, and a job after all of the first.
const series = `version: 1
time_unit: 1m
origin: 2026-10-24T22:00:00+02:00
zone: Europe/Berlin
cluster: {heartbeat: 1, slaves: [{name: a, cores: 4, resources: {memory: 8}}]}
jobs:
  - {name: etl, deadline: 20, repeat: {every: 1h, times: 5}, map: {tasks: 1, wcet: 10, cores: 2, resources: {memory: 6}}}
  - {name: mail, after: [etl], repeat: {every: 1h, times: 5}, map: {tasks: 1, wcet: 5}}
  - {name: sum, after: [etl], map: {tasks: 2, wcet: 5, resources: {memory: 2}}}
`

// SeriesPlan is a set with a recurring job, and a plan of it. Each task begins when it can, but those that delay names later.
func SeriesPlan(tb testing.TB, delay map[string]model.Time) (*model.JobSet, model.Schedule) {
	tb.Helper()
	js, err := jobfile.Load("series", []byte(series))
	if err != nil {
		tb.Fatal(err)
	}
	plan := model.NewSchedule(len(js.Tasks))
	ends := make([]model.Time, len(js.Jobs))
	for _, id := range js.JobOrder() {
		job := &js.Jobs[id]
		at := job.Release + delay[job.Name]
		for _, before := range job.After {
			at = max(at, ends[before])
		}
		for k := job.First; k < job.End; k++ {
			plan[k] = model.Placement{Slave: 0, Beat: at, Fetch: at, Start: at}
			ends[id] = max(ends[id], js.Finish(k, plan[k]))
		}
	}
	if err := check.Schedule(js, plan, false).Err(); err != nil {
		tb.Fatal(err)
	}
	return js, plan
}

// ListPlan is a plan that lists make.
func ListPlan(tb testing.TB, js *model.JobSet) model.Schedule {
	tb.Helper()
	board := heuristics.NewBoard(heuristics.NewFigures(js), 1)
	board.Construct(tb.Context(), heuristics.Rules()[0].Order(heuristics.NewFigures(js)), heuristics.NewDeferral(js, js.Objectives, nil))
	return board.Place
}

// CheckXML reads XML to the end and refuses an attribute given twice, which the
// decoder lets pass.
func CheckXML(tb testing.TB, text []byte) {
	tb.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			tb.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			seen := map[xml.Name]bool{}
			for _, a := range start.Attr {
				if seen[a.Name] {
					tb.Errorf("<%s> has %s twice", start.Name.Local, a.Name.Local)
				}
				seen[a.Name] = true
			}
		}
	}
}

// picky turns some jobs away.
type picky struct {
	online.Policy
	out map[model.JobID]bool
}

func (p picky) Admit(_ *online.View, j *online.Job) (bool, string) { return !p.out[j.ID()], "" }

// Run runs FIFO with early ends and failures, without the given jobs.
func Run(tb testing.TB, js *model.JobSet, seed uint64, rejected ...model.JobID) (*online.Outcome, online.Options) {
	tb.Helper()
	options := online.Options{
		Seed: seed, Trace: true, Durations: durations.Uniform{Lo: 0.3, Hi: 1}, Faults: &online.Faults{MTBF: 20, MTTR: 5},
	}
	p := picky{basic.FIFO(), map[model.JobID]bool{}}
	for _, id := range rejected {
		p.out[id] = true
	}
	out, err := online.Run(tb.Context(), js, p, options)
	if err != nil {
		tb.Fatal(err)
	}
	return out, options
}
