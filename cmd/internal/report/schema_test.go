package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"downbeat/cmd/internal/odds"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/verify"
	"downbeat/solve"
	"downbeat/solve/capacity"
	"downbeat/solve/clash"
	"downbeat/solve/remedy"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchemaAcceptsWhatIsPrinted: plans with and without tasks, verdicts with all that
// they can say, violations, and runs with their traces.
func TestSchemaAcceptsWhatIsPrinted(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(what string, text []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return schema.Validate(v)
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no reports in testdata")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(file, text); err != nil {
			t.Error(err)
		}
	}
	js := loadNightly(t)
	conflict := &solve.Conflict{
		Jobs: []model.JobID{0}, Proof: model.DualProof,
		Overloads: []proof.Overload{{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 40, Have: 30}},
	}
	wholeNo := &solve.Analysis{
		Alone:   []clash.Alone{{Job: 0, After: []model.JobID{1}, Earliest: 99, Path: []clash.Step{{Job: 0, Stage: 0, Ends: 99}}}},
		Clashes: []*solve.Conflict{conflict},
		Out:     clash.Out{Least: 1, Jobs: []model.JobID{0}},
		Groups:  []clash.Group{{Jobs: []model.JobID{0, 1}, Least: 1, Any: 1}},
	}
	for what, print := range map[string]func(View) error{
		"check": func(v View) error { return v.Check(js, &solve.Verdict{Status: model.Feasible}) },
		"check, no": func(v View) error {
			return v.Check(js, &solve.Verdict{
				Status: model.Infeasible, Conflict: conflict, Analysis: wholeNo, Remedies: &solve.Remedies{
					Single: laterDeadlines(js, 50), Together: laterDeadlines(js, 60),
					Vain: []remedy.Vain{{Change: model.Change{Kind: model.ChangeCores, Name: js.Slaves[0].Name, N: 3}, All: true}},
					Open: []model.Change{{Kind: model.ChangeSlots, Name: js.Slaves[0].Name, N: 3}},
				},
			})
		},
		"check, stats": func(v View) error { return v.Check(js, &solve.Verdict{Status: model.Feasible, Stats: searched()}) },
		"plan, stats":  func(v View) error { return v.Plan(js, &solve.Result{Stats: searched()}) },
		"validate":     func(v View) error { return v.Validate(js, nil, &verify.Report{}) },
		"validate, no": func(v View) error {
			return v.Validate(js, nil, verify.Plan(js, &model.Plan{Version: 1, Digest: "sha256:00"}))
		},
		"size":       func(v View) error { return v.Size(js, sizeOf(t, js), &capacity.Limit{}) },
		"size, none": func(v View) error { return v.Size(js, &capacity.SizeAnswer{None: true}, nil) },
		"frontier":   func(v View) error { return v.Frontier(js, frontierOf(t, js), nil) },
		"slack":      func(v View) error { return v.Slack(js, slackOf(t, js)) },
		"slack, no":  func(v View) error { return v.Slack(js, &capacity.SlackAnswer{Status: model.Infeasible}) },
		"simulate":   func(v View) error { return v.Simulate(play(t, gen.Small(3, 12), 3, 1)) },
		"simulate, many": func(v View) error {
			sim := play(t, js, 1)
			sim.Seeds = []uint64{1, 2}
			tally := odds.Tally{Policy: "edf", Runs: 2, HardMet: 1, InTime: make([]int, len(js.Jobs)), Declared: sim.Runs[0].Outcome}
			for range tally.Goal() {
				tally.Values = append(tally.Values, []float64{1, 2})
			}
			return v.Odds(sim, []odds.Tally{tally})
		},
		"plan, unknown": func(v View) error { return v.Plan(js, &solve.Result{}) },
	} {
		var b bytes.Buffer
		if err := print(NewJSON(&b)); err != nil {
			t.Fatal(err)
		}
		if err := valid(what, b.Bytes()); err != nil {
			t.Errorf("%s: %v\n%s", what, err, b.Bytes())
		}
	}
	for _, other := range []string{`{}`, `[]`, `{"version": 1}`, `{"version": 2, "tasks": []}`, `{"valid": 1, "violations": [], "hard_late": []}`} {
		if valid(other, []byte(other)) == nil {
			t.Errorf("%s is valid under the schema", other)
		}
	}
}
