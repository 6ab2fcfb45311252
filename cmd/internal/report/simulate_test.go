package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
)

// play runs FIFO with failures, without the given jobs.
func play(t *testing.T, js *model.JobSet, seed uint64, rejected ...model.JobID) *Simulation {
	t.Helper()
	out, options := reporttest.Run(t, js, seed, rejected...)
	return &Simulation{JS: js, Options: options, Runs: []Run{{"fifo", out}}}
}

// By hand, a tick in three columns: a's first attempt is lost at 4 after one tick of running, so is b's
// while it waits; c is rejected.
func TestLostAndRejectedInCharts(t *testing.T) {
	js, err := jobfile.Load("lost", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 1, slots: 2, down: [[30, 40]]}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 6, transfer: 3}}
  - {name: b, deadline: 11, map: {tasks: 1, wcet: 3}}
  - {name: c, hard: true, deadline: 9, map: {tasks: 1, wcet: 1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	out := &online.Outcome{
		JobSet: js, Rejected: []model.JobID{2},
		Schedule: model.Schedule{{Slave: 0, Beat: 6, Fetch: 6, Start: 9}, {Slave: 0, Beat: 6, Fetch: 9, Start: 14}, {Slave: model.NoSlave}},
		Ends:     []model.Time{14, 16, model.Never}, Finishes: []model.Time{14, 16, model.Never},
		Lost: []online.Attempt{
			{Task: 0, Placement: model.Placement{Fetch: 0, Start: 3}, End: 4},
			{Task: 1, Placement: model.Placement{Fetch: 3, Start: 9}, End: 4},
		},
		Failures: []online.Failure{{Slave: 0, Interval: model.Interval{Start: 4, End: 6}}},
	}
	s := summary.SummarizeRun(out)
	wantSlave := []summary.SlaveLine{{Tasks: 2, Run: 1 + 5 + 2, Held: 4 + 4 + 8 + 10, Fetch: 3 + 3, Up: 14, Lanes: [2]int{2, 0}}}
	if diff := cmp.Diff(wantSlave, s.Slaves); diff != "" {
		t.Errorf("(-by hand +got)\n%s", diff)
	}
	g, fits := gantt.NewText(s, table.Page{Width: 60})
	if !fits {
		t.Fatal("does not fit")
	}
	var b strings.Builder
	g.Write(&b, false)
	want := strings.Join([]string{
		"    |0             |5             |10            |15",
		"due                         C     B",
		"s   ░░░░░░░░░▒▒▒××××××░░░░░░░░░AAAAAAAAAAAAAAA······",
		"    ────────────××××××────────────────────────BBBBBB",
	}, "\n")
	if got, _, _ := strings.Cut(b.String(), "\n░ fetch"); !strings.Contains(b.String(), "▒ lost") || !strings.Contains(b.String(), "C c (rejected)") || got != want {
		t.Errorf("got\n%s\nby hand\n%s", b.String(), want)
	}
	sim := &Simulation{JS: js, Runs: []Run{{"fifo", out}}}
	var svg, html bytes.Buffer
	for format, b := range map[string]*bytes.Buffer{"svg": &svg, "html": &html} {
		if err := DrawRun(b, gantt.Picture{Format: format}, sim, &sim.Runs[0]); err != nil {
			t.Fatal(err)
		}
	}
	reporttest.CheckXML(t, svg.Bytes())
	for _, text := range []string{">lost<", "lost at 4, as the machine failed", ">rejected<", "fifo rejects 1 job, 1 of them hard (misses 1)"} {
		if !strings.Contains(svg.String(), text) {
			t.Errorf("%q is not in the picture", text)
		}
	}
	if !strings.Contains(html.String(), `<td class="late">rejected`) || !strings.Contains(html.String(), worstCase) {
		t.Error("the page does not tell of the rejected job or of chance")
	}
}

// A run that rejects everything is shown in words.
func TestNothingRan(t *testing.T) {
	js := gen.Small(1, 12)
	all := make([]model.JobID, len(js.Jobs))
	for i := range all {
		all[i] = model.JobID(i)
	}
	var b bytes.Buffer
	if err := NewText(&b, table.Page{Width: 100}, false).Simulate(play(t, js, 1, all...)); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, "  rejected") != len(js.Jobs) || strings.Contains(text, "Chart") || !strings.Contains(text, "\naccepted  0 of ") {
		t.Errorf("%s", text)
	}
}

// The JSON holds all decisions of the trace, in order.
func TestTraceAsJSON(t *testing.T) {
	sim := play(t, gen.Small(3, 12), 3, 1)
	var b bytes.Buffer
	if err := NewJSON(&b).Simulate(sim); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Runs []struct {
			Lost  int
			Trace []struct {
				At       model.Time
				Task     string
				Accepted *bool
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	out := sim.Runs[0].Outcome
	if len(got.Runs) != 1 || got.Runs[0].Lost != len(out.Lost) || len(got.Runs[0].Trace) != len(out.Trace) {
		t.Fatalf("%+v", got)
	}
	for i, d := range got.Runs[0].Trace {
		want := &out.Trace[i]
		if d.At != want.At || (want.Task >= 0) != (d.Task != "") || (want.Task < 0) != (d.Accepted != nil) {
			t.Errorf("%+v for %+v", d, want)
		}
	}
}
