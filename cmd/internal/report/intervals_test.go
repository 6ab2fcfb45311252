package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/planfile"
)

// What show adds of a plan that was followed is as the schema of plans says, and the plan is read as
// before; what never comes is null in JSON, empty in CSV and never in text.
func TestFollowed(t *testing.T) {
	js := reporttest.LoadNightly(t)
	plan := &model.Plan{Version: model.PlanVersion, JobSet: js.Name, Digest: js.Digest(), Status: "feasible"}
	tally := &ontime.Tally{Policy: "follow", Runs: 10, InTime: make([]int, len(js.Jobs))}
	for range js.Jobs {
		tally.Starts = append(tally.Starts, []model.Time{5, 6, 7})
		tally.Finishes = append(tally.Finishes, []model.Time{60, 70, model.Never})
	}
	var out bytes.Buffer
	if err := NewJSON(&out).Show(js, plan, &check.Report{}, tally); err != nil {
		t.Fatal(err)
	}
	if err := schematest.Compile(t, planfile.Schema(), "").Validate(schematest.Value(t, out.Bytes())); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
	if text := out.String(); !strings.Contains(text, `"p90": null`) || !strings.Contains(text, `"p10_clock": "2026-11-21T23:59:45Z"`) {
		t.Errorf("no null, or no clock time:\n%s", text)
	}
	if _, err := planfile.Read("plan.json", out.Bytes()); err != nil {
		t.Error(err)
	}
	out.Reset()
	if err := NewText(&out, table.Page{}, false).Show(js, plan, &check.Report{}, tally); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), " to never") {
		t.Errorf("the interval is not told:\n%s", out.String())
	}
	out.Reset()
	if err := IntervalsCSV(&out, js, []ontime.Tally{*tally}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(lines) != 1+len(js.Jobs) || len(lines[0]) != 18 || lines[1][17] != "" || lines[1][14] != "70" {
		t.Errorf("%v: %q", err, lines[:min(2, len(lines))])
	}
}
