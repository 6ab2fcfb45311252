package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/planfile"
	"downbeat/model/proof"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func nightlyResult() *solve.Result {
	bound := int64(1)
	return &solve.Result{
		Status: model.Feasible, Schedule: reporttest.NightlyPlan, Seed: 1, Elapsed: 1234 * time.Millisecond,
		Objectives: []model.ObjectiveValue{{Name: "misses", Value: 2, Bound: &bound}, {Name: "makespan", Value: 35}},
	}
}

// golden compares with a file in testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func TestGoldenReports(t *testing.T) {
	js, res := reporttest.LoadNightly(t), nightlyResult()
	for name, print := range map[string]func(io.Writer) error{
		"plan.txt":   printText(js, res, table.Page{Width: 100}),
		"plan.ansi":  printText(js, res, table.Page{Width: 100, Color: true}),
		"plan.json":  func(w io.Writer) error { return NewJSON(w).Plan(js, res) },
		"plan.svg":   func(w io.Writer) error { return Draw(w, gantt.Picture{Format: "svg"}, js, res) },
		"plan.html":  func(w io.Writer) error { return drawPage(w, js, res) },
		"narrow.txt": printText(js, res, table.Page{Width: 45, Fit: true}),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
	}
}

// drawPage draws a page without what is the same in all: style and script.
func drawPage(w io.Writer, js *model.JobSet, res *solve.Result) error {
	var b bytes.Buffer
	if err := Draw(&b, gantt.Picture{Format: "html"}, js, res); err != nil {
		return err
	}
	_, err := w.Write(regexp.MustCompile(`(?s)<style>\n:root.*?</style>\n|<script>.*?</script>\n`).ReplaceAll(b.Bytes(), nil))
	return err
}

// printText prints a plan on a page.
func printText(js *model.JobSet, res *solve.Result, page table.Page) func(io.Writer) error {
	return func(w io.Writer) error { return NewText(w, page, false).Plan(js, res) }
}

// The JSON of an answer without a plan is one object, and a plan file to read.
func TestJSONWithoutPlan(t *testing.T) {
	js := reporttest.LoadNightly(t)
	for name, res := range map[string]*solve.Result{
		"unknown": {Notes: []string{"a \"note\""}},
		"conflict": {Status: model.Infeasible, Conflict: &solve.Conflict{
			Jobs: []model.JobID{0}, Irreducible: true, Proof: model.EnergyProof,
			Overloads: []proof.Overload{{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 40, Have: 30}},
		}, Repairs: &solve.Repairs{Single: laterDeadlines(js, 50, 40)}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := NewJSON(&b).Plan(js, res); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", b.Bytes())
			var object map[string]any
			if err := json.Unmarshal(b.Bytes(), &object); err != nil {
				t.Error(err)
			}
			plan, err := planfile.Read("plan.json", b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(res.Status.String(), plan.Status); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A real plan as JSON comes back as the plan that it is.
func TestJSONPlanComesBack(t *testing.T) {
	js := reporttest.LoadNightly(t)
	res, err := solve.Plan(context.Background(), js, solve.Options{Workers: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := NewJSON(&b).Plan(js, res); err != nil {
		t.Fatal(err)
	}
	plan, err := planfile.Read("plan.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Stamped(PlanFile(js, res)), plan); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := check.Plan(js, plan).Err(); err != nil {
		t.Error(err)
	}
}

// laterDeadlines are repairs for job 0, the last of several the least; of the others a tick
// less may do.
func laterDeadlines(js *model.JobSet, deadlines ...model.Time) []whatif.Repair {
	var out []whatif.Repair
	for k, d := range deadlines {
		later := func(at model.Time) []model.Change {
			return []model.Change{{Kind: model.ChangeDeadline, Name: js.Jobs[0].Name, At: at}}
		}
		r := whatif.Repair{Changes: later(d), Least: []bool{k > 0 && k == len(deadlines)-1}, AtLeast: later(d)}
		if !r.Settled() {
			r.AtLeast = later(d - 1)
		}
		out = append(out, r)
	}
	return out
}

// Tables, page and chart of recurring jobs and containers.
func TestGoldenSeries(t *testing.T) {
	js, plan := reporttest.SeriesPlan(t, map[string]model.Time{"etl-2": 15, "etl-4": 3})
	res := &solve.Result{Status: model.Feasible, Schedule: plan, Objectives: []model.ObjectiveValue{{Name: "misses", Value: 1}}}
	for name, format := range map[string]string{"series.txt": "", "series.html": "html"} {
		var b bytes.Buffer
		err := NewText(&b, table.Page{Width: 80}, false).Plan(js, res)
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
