package report

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/chart"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/jobfile"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

// picky turns some jobs away.
type picky struct {
	online.Policy
	out map[model.JobID]bool
}

func (p picky) Admit(_ *online.View, j *online.Job) (bool, string) { return !p.out[j.ID()], "" }

// play runs FIFO with failures, without the given jobs.
func play(t *testing.T, js *model.JobSet, seed uint64, rejected ...model.JobID) *Simulation {
	t.Helper()
	sim := &Simulation{JS: js, Options: online.Options{
		Seed: seed, Trace: true, Durations: durations.Uniform{Lo: 0.3, Hi: 1}, Faults: &online.Faults{MTBF: 20, MTTR: 5},
	}}
	p := picky{basic.FIFO(), map[model.JobID]bool{}}
	for _, id := range rejected {
		p.out[id] = true
	}
	out, err := online.Run(context.Background(), js, p, sim.Options)
	if err != nil {
		t.Fatal(err)
	}
	sim.Runs = []Run{{"fifo", out}}
	return sim
}

// A run with early ends, lost attempts and rejected jobs is summed up and drawn
// as it was: lanes follow each other, and nothing leaves the picture.
func TestRunsAreShownAsTheyWere(t *testing.T) {
	lost, early := 0, 0
	for seed := range uint64(100) {
		js := gen.Small(seed, 15)
		sim := play(t, js, seed, 0)
		out := sim.Runs[0].Outcome
		s := SummarizeRun(out)
		if n := len(js.Tasks) - int(js.Jobs[0].End-js.Jobs[0].First) + len(out.Lost); len(s.Attempts) != n {
			t.Fatalf("seed %d: %d attempts, not %d", seed, len(s.Attempts), n)
		}
		type lane struct {
			slave model.SlaveID
			lane  int
		}
		until := map[lane]model.Time{}
		for i := range s.Attempts {
			a := &s.Attempts[i]
			l := lane{a.Slave, a.Lane}
			if a.Assigned < until[l] || a.Fetched > a.Start || a.Start > a.Finish || a.Assigned > a.Fetch {
				t.Errorf("seed %d: %+v in a lane taken until %d", seed, a, until[l])
			}
			until[l] = a.Finish
			switch {
			case a.Lost:
				lost++
			case a.Finish != out.Ends[a.Task]:
				t.Errorf("seed %d: %s ends at %d, not %d", seed, js.TaskName(a.Task), out.Ends[a.Task], a.Finish)
			case a.Finish < a.Start+js.Tasks[a.Task].WCET(a.Slave):
				early++
			}
			if a.Lane >= s.Slaves[a.Slave].LaneCount() {
				t.Errorf("seed %d: lane %d of %d", seed, a.Lane, s.Slaves[a.Slave].LaneCount())
			}
			for _, away := range s.Away[a.Slave] {
				if away.Overlaps(model.Interval{Start: a.Assigned, End: a.Finish}) {
					t.Errorf("seed %d: %+v while the slave is away in %v", seed, a, away)
				}
			}
		}
		for i := range s.Jobs {
			want := out.Finishes[i]
			if i == 0 {
				want = 0
			}
			if s.Jobs[i].Finish != want || s.Jobs[i].Rejected != (i == 0) {
				t.Errorf("seed %d: %+v, finish %d", seed, s.Jobs[i], want)
			}
		}
		if len(s.Attempts) > 0 {
			keepsWithin(t, s)
		}
	}
	if lost < 100 || early < 100 {
		t.Errorf("%d lost attempts, %d early ends: too few to tell", lost, early)
	}
}

func keepsWithin(t *testing.T, s *Summary) {
	t.Helper()
	scene, err := newScene(s, "title", "subtitle", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range scene.groups {
		for _, sh := range g.shapes {
			if r, ok := sh.(rect); ok && (r.x < 0 || r.y < 0 || r.w < 0 || r.x+r.w > scene.width+0.01 || r.y+r.h > scene.height+0.01) {
				t.Errorf("%s: %+v leaves the picture of %v × %v", g.title, r, scene.width, scene.height)
			}
		}
	}
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
	s := SummarizeRun(out)
	wantSlave := []SlaveLine{{Tasks: 2, Run: 1 + 5 + 2, Held: 4 + 4 + 8 + 10, Fetch: 3 + 3, Up: 14, Lanes: [2]int{2, 0}}}
	if diff := cmp.Diff(wantSlave, s.Slaves); diff != "" {
		t.Errorf("(-by hand +got)\n%s", diff)
	}
	g, fits := newTextGantt(s, Page{Width: 60})
	if !fits {
		t.Fatal("does not fit")
	}
	var b strings.Builder
	g.write(&b, false)
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
		if err := DrawRun(b, Picture{Format: format}, sim, &sim.Runs[0]); err != nil {
			t.Fatal(err)
		}
	}
	checkXML(t, svg.Bytes())
	for _, text := range []string{">lost<", "lost at 4, as the slave failed", ">rejected<", "fifo rejects 1 job, 1 of them hard (misses 1)"} {
		if !strings.Contains(svg.String(), text) {
			t.Errorf("%q is not in the picture", text)
		}
	}
	if !strings.Contains(html.String(), "<td>rejected") || !strings.Contains(html.String(), worstCase) {
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
	if err := NewText(&b, Page{Width: 100}).Simulate(play(t, js, 1, all...)); err != nil {
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
