package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/solve"
	"downbeat/solve/capacity"
	"downbeat/solve/certify"
	"downbeat/solve/conflict"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/whatif"
)

// under says what is wrong with a text under the schema of reports, or a part of it.
func under(t *testing.T, fragment string) func(text []byte) error {
	t.Helper()
	schema := schematest.Compile(t, Schema(), fragment)
	return func(text []byte) error {
		t.Helper()
		return schema.Validate(schematest.Value(t, text))
	}
}

// argumentAlone is an argument as it is printed among reasons.
func argumentAlone(t *testing.T, js *model.JobSet, a incumbent.Argument) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(reasonsJSON(js, []incumbent.Reason{{Argument: a}}))
	if err != nil {
		t.Fatal(err)
	}
	var reasons []struct{ Argument json.RawMessage }
	if err := json.Unmarshal(text, &reasons); err != nil || len(reasons) != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	return reasons[0].Argument
}

// TestArguments: what bounds rest on is printed as data, all of it, as the schema says.
func TestArguments(t *testing.T) {
	js := reporttest.LoadNightly(t)
	valid := under(t, "#/$defs/argument")
	interval := model.Interval{Start: 3, End: 7}
	multipliers := &proof.DualBound{
		Multipliers: []proof.Multiplier{{Slave: 0, Resource: model.Cores, Interval: interval, Value: 5}}, Penalty: make([]int64, len(js.Jobs)),
	}
	for what, c := range map[string]struct {
		argument incumbent.Argument
		holds    []string
	}{
		"multipliers": {incumbent.Multipliers(multipliers), []string{`"price":5`, `"interval":[3,7]`}},
		"branching": {incumbent.Argument{Branching: &proof.Branching{
			Holds: &proof.Branching{Bound: multipliers}, Fails: &proof.Branching{Searched: true},
		}}, []string{`"holds":{"prices"`, `"searched":true`}},
		"energy": {incumbent.Argument{
			Overloads: []proof.Overload{{Jobs: []model.JobID{0}, Resource: proof.Ticks(model.Cores), Slaves: []model.SlaveID{1}, Interval: interval, Need: 9, Have: 8}},
			Allowed:   []model.Time{2},
		}, []string{`"need":9,"have":8,"allowed_late":2`, `"slaves":["` + js.Slaves[1].Name + `"]`, `"jobs":["` + js.Jobs[0].Name + `"]`}},
		"packing": {incumbent.Argument{Packing: &proof.Packing{Interval: interval, Prices: []proof.LengthPrice{{Length: 4, Price: 6}}}},
			[]string{`"packing":{"interval":[3,7],"prices":[{"length":4,"price":6}]}`}},
		"pools": {incumbent.Argument{Pooled: &proof.PoolBound{Step: 2, Unit: 10, Pools: [][]model.SlaveID{{0, 1}}, Prices: []proof.PoolPrice{{Resource: model.Cores, Interval: interval, Value: 3}}}},
			[]string{`"weight_unit":10`, `{"pool":0,"resource":"core","interval":[3,7],"price":3}`}},
	} {
		text := argumentAlone(t, js, c.argument)
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, part := range c.holds {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: %s has no %s", what, text, part)
			}
		}
	}
	if argumentAlone(t, js, incumbent.Argument{}) != nil {
		t.Error("where there is no argument as data one is printed")
	}
}

// explained is a certificate of a set, in steps of five ticks: nothing is known of
// what the first of its claims rests on, the second rests on fifteen.
func explained(js *model.JobSet) *certify.Certificate {
	c := &certify.Certificate{JS: js, Unit: 5, Proof: &certify.Delivered{}}
	basis := &certify.Basis{Slaves: []model.SlaveID{1}, Interval: model.Interval{Start: 10, End: 25}}
	for i := range model.JobID(15) {
		basis.Jobs = append(basis.Jobs, i%2) // many names
	}
	late := inference.Claim{Objective: model.Tardiness, Least: 2, Given: []inference.Limit{{Objective: model.Misses, Most: 3}}}
	c.Claims = []certify.Claim{{Claim: inference.Claim{Infeasible: true}}, {Claim: late}}
	c.Bases = []*certify.Basis{nil, basis}
	return c
}

// TestWhatClaimsRestOn: each claim that was explained says it, with a few of many names; programs
// hear of all.
func TestWhatClaimsRestOn(t *testing.T) {
	js := reporttest.LoadNightly(t)
	verdict := &solve.Verdict{Status: model.Infeasible, Certificate: explained(js)}
	var text, object strings.Builder
	if err := NewText(&text, table.Page{Width: 80}, false).Check(js, verdict, nil, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  no plan meets all hard deadlines\n  every plan with misses of at most 3 has tardiness of at least 10s\n    this rests on jobs etl, report",
		" and 3 more; machines slow; what is short from 23:59:50 to +1d 00:00:05\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if err := NewJSON(&object).Check(js, verdict, nil, false); err != nil {
		t.Fatal(err)
	}
	got := struct {
		Claims []struct {
			Least int64                           `json:"least"`
			Basis struct{ Jobs, Slaves []string } `json:"rests_on"`
		}
	}{}
	if err := json.Unmarshal([]byte(object.String()), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Claims) != 1 || got.Claims[0].Least != 10 || len(got.Claims[0].Basis.Jobs) != 15 {
		t.Errorf("programs hear %+v", got)
	}
}

// TestSchemaAcceptsWhatIsPrinted: plans with and without tasks, verdicts with all that
// they can say, violations, and runs with their traces.
func TestSchemaAcceptsWhatIsPrinted(t *testing.T) {
	valid := under(t, "")
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no reports in testdata")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(text); err != nil {
			t.Error(err)
		}
	}
	js := reporttest.LoadNightly(t)
	first := &solve.Conflict{
		Jobs: []model.JobID{0}, Proof: model.DualProof,
		Overloads: []proof.Overload{{Jobs: []model.JobID{0}, Resource: proof.CriticalPath, Need: 40, Have: 30}},
	}
	wholeNo := &solve.Analysis{
		Alone:     []conflict.Alone{{Job: 0, After: []model.JobID{1}, Earliest: 99, Path: []conflict.Step{{Job: 0, Stage: 0, Ends: 99}}}},
		Conflicts: []*solve.Conflict{first},
		Out:       conflict.Out{Least: 1, Jobs: []model.JobID{0}},
		Groups:    []conflict.Group{{Jobs: []model.JobID{0, 1}, Least: 1, Any: 1}},
	}
	for what, print := range map[string]func(View) error{
		"check": func(v View) error { return v.Check(js, &solve.Verdict{Status: model.Feasible}, slackOf(t, js), true) },
		"check, soft": func(v View) error {
			soft := &solve.SoftAnswer{Jobs: 1, Misses: model.ObjectiveValue{Name: "misses", Value: 1}}
			return v.Check(js, &solve.Verdict{Status: model.Feasible, Schedule: reporttest.ListPlan(t, js), Soft: soft}, nil, true)
		},
		"check, no": func(v View) error {
			return v.Check(js, &solve.Verdict{
				Status: model.Infeasible, Conflict: first, Analysis: wholeNo, Repairs: &solve.Repairs{
					Single: laterDeadlines(js, 50), Together: laterDeadlines(js, 60),
					Vain:    []whatif.Vain{{Change: model.Change{Kind: model.ChangeCores, Name: js.Slaves[0].Name, N: 3}, All: true}},
					Open:    []model.Change{{Kind: model.ChangeSlots, Name: js.Slaves[0].Name, N: 3}},
					Tried:   []whatif.Together{{Changes: 2, Of: []whatif.Vain{{Change: model.Change{Kind: model.ChangeSlots, Name: js.Slaves[0].Name, N: 3}}}, Choices: 3, Helped: 1}},
					Refuted: [][]model.Change{{{Kind: model.ChangeSoften, Name: js.Jobs[0].Name}}},
				},
			}, nil, false)
		},
		"check, why": func(v View) error {
			return v.Check(js, &solve.Verdict{Status: model.Infeasible, Conflict: first, Certificate: explained(js)}, nil, false)
		},
		"plan, why": func(v View) error { return v.Plan(js, &solve.Result{Certificate: explained(js)}) },
		"size, why": func(v View) error {
			return v.Size(js, &capacity.SizeAnswer{None: true, Certificate: explained(js)}, nil)
		},
		"proof trim": func(v View) error {
			found := Proof{Verdict: &inference.Verdict{Claims: []inference.Claim{{Infeasible: true}}}}
			return v.Trimmed(js, &Trimmed{Proof: found, Steps: 3, Basis: explained(js).Bases[1]})
		},
		"check, stats": func(v View) error {
			return v.Check(js, &solve.Verdict{Status: model.Feasible, Stats: searched()}, nil, false)
		},
		"plan, stats": func(v View) error { return v.Plan(js, &solve.Result{Stats: searched()}) },
		"validate":    func(v View) error { return v.Validate(js, nil, &check.Report{}) },
		"validate, no": func(v View) error {
			return v.Validate(js, nil, check.Plan(js, &model.Plan{Version: 1, Digest: "sha256:00"}))
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
			tally := ontime.Tally{Policy: "edf", Runs: 2, HardMet: 1, InTime: make([]int, len(js.Jobs)), Declared: sim.Runs[0].Outcome}
			for range js.Jobs {
				tally.Starts, tally.Finishes = append(tally.Starts, []model.Time{3, 4}), append(tally.Finishes, []model.Time{7, model.Never})
			}
			for range tally.Goal() {
				tally.Values = append(tally.Values, []float64{1, 2})
			}
			return v.Odds(sim, []ontime.Tally{tally})
		},
		"plan, unknown": func(v View) error { return v.Plan(js, &solve.Result{}) },
	} {
		var b bytes.Buffer
		if err := print(NewJSON(&b)); err != nil {
			t.Fatal(err)
		}
		if err := valid(b.Bytes()); err != nil {
			t.Errorf("%s: %v\n%s", what, err, b.Bytes())
		}
	}
	for _, other := range []string{`{}`, `[]`, `{"version": 1}`, `{"version": 2, "tasks": []}`, `{"valid": 1, "violations": [], "hard_late": []}`} {
		if valid([]byte(other)) == nil {
			t.Errorf("%s is valid under the schema", other)
		}
	}
}

// TestSchemaIsOfTypes: the schema says what the types say that are printed.
func TestSchemaIsOfTypes(t *testing.T) {
	found := []string{model.Feasible.String(), model.Infeasible.String(), model.Unknown.String()}
	var ends []string
	for _, r := range event.Reasons() {
		ends = append(ends, string(r))
	}
	schematest.Types{
		Of: map[string]any{
			"#/$defs/check": checkJSON{}, "#/$defs/losses": failuresJSON{}, "#/$defs/size": sizeJSON{}, "#/$defs/frontier": frontierJSON{},
			"#/$defs/slack": slackJSON{}, "#/$defs/validate": validateJSON{}, "#/$defs/diff": diffJSON{}, "#/$defs/next": nextJSON{}, "#/$defs/late": lateJSON{},
			"#/$defs/proof": schematest.Union{proofJSON{}, trimmedJSON{}}, "#/$defs/simulate": schematest.Union{runsJSON{}, chancesJSON{}},
			// What plan prints beside a plan file, of which package planfile has the rest.
			"#/$defs/plan/properties/why": []reasonJSON{}, "#/$defs/argument": argumentJSON{}, "#/$defs/plan/properties/certainly_late": []lostJob{},
		},
		Apart: []string{"#/$defs/plan", "#/$defs/plan/properties/why/items/properties/argument"},
		Words: map[string][]string{
			"#/$defs/check/properties/status": model.StatusNames(), "#/$defs/slack/properties/status": found, "#/$defs/losses/properties/losses/items/properties/status": found,
			"#/$defs/check/properties/proof": model.ProofNames(), "#/$defs/clash/properties/proof": model.ProofNames(), "#/$defs/losses/properties/losses/items/properties/proof": model.ProofNames(),
			"#/$defs/diff/properties/tasks/items/properties/kind": {string(model.DiffMoved), string(model.DiffLater), string(model.DiffEarlier), string(model.DiffAdded), string(model.DiffRemoved)},
			"#/$defs/risk/properties/kind":                        {model.Hard.String(), model.Soft.String()},
			"#/$defs/plan/$defs/stats/properties/reason":          ends,
		},
	}.Check(t, Schema())
}
