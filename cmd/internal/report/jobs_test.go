package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/jobfile"
	"downbeat/model/longtest"
	"downbeat/model/verify"
	"downbeat/solve"

	"github.com/google/go-cmp/cmp"
)

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

// seriesPlan has each task begin when it can, but those that delay names later.
func seriesPlan(t *testing.T, delay map[string]model.Time) (*model.JobSet, model.Schedule) {
	t.Helper()
	js, err := jobfile.Load("series", []byte(series))
	if err != nil {
		t.Fatal(err)
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
	if err := verify.Schedule(js, plan, false).Err(); err != nil {
		t.Fatal(err)
	}
	return js, plan
}

// Instances of a recurring job share a line but for those that are late; the figures of
// the line are those of the others.
func TestRecurringJobsShareALine(t *testing.T) {
	js, plan := seriesPlan(t, map[string]model.Time{"etl-2": 15, "etl-4": 3})
	s := Summarize(js, plan)
	var rows []string
	for _, row := range s.jobRows() {
		texts := s.jobTexts(row)
		rows = append(rows, strings.Join([]string{texts.Name, texts.After, texts.Release, texts.Deadline, texts.Finish, texts.Slack, texts.Late, texts.Uses}, " | "))
	}
	want := []string{
		"etl ×4 |  | every 1h | in 20m | in ≤ 13m | ≥ 7m | - | a ×4",
		"etl-2 |  | 23:00 | 23:20 | 23:25 | - | 5m | a ×1",
		"mail ×5 | etl | every 1h | - | in ≤ 30m | - | - | a ×5",
		"sum | etl ×5 | 22:00 | - | +1d 02:15 | - | - | a ×2",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	lines := []string{"etl ×5, released 22:00 to +1d 02:00, 1 late: etl-2", "mail ×5, released 22:00 to +1d 02:00"}
	if diff := cmp.Diff(lines, s.seriesLines(s.jobRows())); diff != "" {
		t.Errorf("below the table (-want +got):\n%s", diff)
	}
	chart, fits := newTextGantt(s, Page{Width: 80})
	if !fits {
		t.Fatal("there is no chart")
	}
	legend := strings.Join(chart.legend(), "\n")
	for _, entry := range []string{"A etl ×5 (1 late, a task is on 2 cores)", "B mail ×5 ", "C sum"} {
		if !strings.Contains(legend+"\n", entry) {
			t.Errorf("the legend does not say %q:\n%s", entry, legend)
		}
	}
}

// Fewer than minFolded ordinary instances have lines of their own.
func TestFewInstancesStandAlone(t *testing.T) {
	js, plan := seriesPlan(t, map[string]model.Time{"etl-1": 15, "etl-3": 15, "etl-5": 15})
	s := Summarize(js, plan)
	for i, row := range s.jobRows()[:5] {
		if name := js.Jobs[row[0]].Name; len(row) != 1 || name != fmt.Sprintf("etl-%d", i+1) {
			t.Errorf("line %d is of %d jobs, the first of them %s", i, len(row), name)
		}
	}
}

// What a plan holds is what is counted tick by tick from its tasks.
func TestUseCountedTickByTick(t *testing.T) {
	held := 0
	for seed := range longtest.Sets[uint64](100, 2000) {
		js := gen.TodayTiny(seed)
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		s := Summarize(js, plan)
		for i := range s.Slaves {
			var run model.Time
			var units [model.MaxNamed]int64
			for now := range s.End {
				for k, p := range plan {
					task, finish := &js.Tasks[k], js.Finish(model.TaskID(k), p)
					if p.Slave != model.SlaveID(i) || now < js.Assigned(p) || now >= finish {
						continue
					}
					if now >= p.Start {
						run += model.Time(js.Need(task, p.Slave, model.Cores))
					}
					for r := range js.Named {
						units[r] += js.Need(task, p.Slave, model.FirstNamed+model.ResourceID(r))
						held++
					}
				}
			}
			if line := &s.Slaves[i]; line.Run != run || line.Units != units {
				t.Errorf("seed %d, slave %s: run %d, units %v; counted %d, %v", seed, js.Slaves[i].Name, line.Run, line.Units, run, units)
			}
		}
	}
	if held == 0 {
		t.Error("no set has named resources")
	}
}

// Tables, page and chart of recurring jobs and containers.
func TestGoldenSeries(t *testing.T) {
	js, plan := seriesPlan(t, map[string]model.Time{"etl-2": 15, "etl-4": 3})
	res := &solve.Result{Status: model.Feasible, Schedule: plan, Objectives: []model.ObjectiveValue{{Name: "misses", Value: 1}}}
	for name, format := range map[string]string{"series.txt": "", "series.html": "html"} {
		var b bytes.Buffer
		err := NewText(&b, Page{Width: 80}).Plan(js, res)
		if format != "" {
			b.Reset()
			err = drawPage(&b, js, res)
		}
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// Over a change of clocks marks are where clocks show round times.
func TestAxisOverAChangeOfClocks(t *testing.T) {
	js, _ := seriesPlan(t, nil)
	for limit, want := range map[int]string{
		12: "22:00@0 +1d 00:00@120 02:00@240 04:00@420 06:00@540 08:00@660 10:00@780",
		3:  "+1d 00:00@120 06:00@540",
	} {
		var got []string
		for _, m := range ClockOf(js).Axis(800, limit) {
			got = append(got, fmt.Sprintf("%s@%g", m.Label, m.At))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("at most %d: %s; want %s", limit, text, want)
		}
	}
	days := ClockOf(js).Axis(10*24*60, 6)
	if len(days) != 5 || days[0].Label != "+2d" || days[0].At != 27*60 || days[1].At-days[0].At != 48*60 {
		t.Errorf("marks of ten days: %v", days)
	}
}
