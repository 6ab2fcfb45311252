package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
)

// TestSchemaAcceptsWhatIsWritten: every plan that comes back when it is read.
func TestSchemaAcceptsWhatIsWritten(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	plans := []*model.Plan{examplePlan(), exampleExecuted(), exampleClocked(), {Version: 1, Status: "infeasible"}}
	for seed := range testkit.Sets[uint64](50, 1000) {
		plans = append(plans, randomPlan(rand.New(rand.NewPCG(seed, 2)), allNames))
	}
	for i, p := range plans {
		for _, format := range []Format{JSON, ClockedJSON} {
			var b bytes.Buffer
			if err := Write(&b, p, format); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(schematest.Value(t, b.Bytes())); err != nil {
				t.Fatalf("plan %d: %v\n%s", i, err, b.Bytes())
			}
		}
	}
}

// What stands in a file, as package model has it but for clock times beside ticks, durations as
// text, and what is null.
type (
	filePlan struct {
		Version    int                    `json:"version"`
		Program    string                 `json:"program,omitempty"`
		Kind       string                 `json:"kind,omitempty"`
		JobSet     string                 `json:"jobset,omitempty"`
		Digest     string                 `json:"digest,omitempty"`
		TimeUnit   string                 `json:"time_unit,omitempty"`
		Origin     string                 `json:"origin,omitempty"`
		Zone       string                 `json:"zone,omitempty"`
		Status     string                 `json:"status,omitempty"`
		Relaxed    bool                   `json:"relaxed,omitempty"`
		Now        model.Time             `json:"now,omitempty"`
		NowClock   string                 `json:"now_clock,omitempty"`
		Objectives []model.ObjectiveValue `json:"objectives"`
		Jobs       []fileJob              `json:"jobs"`
		Tasks      []fileTask             `json:"tasks"`
		Changes    []model.Change         `json:"changes,omitempty"`
		LeftOut    []string               `json:"left_out,omitempty"`
		Rejected   []string               `json:"rejected,omitempty"`
		Lost       []fileTask             `json:"lost,omitempty"`
		Solver     *model.SolverInfo      `json:"solver,omitempty"`

		Certificate *model.CertificateInfo `json:"certificate,omitempty"`
	}
	fileJob struct {
		Job           string      `json:"job"`
		Finish        model.Time  `json:"finish"`
		FinishClock   string      `json:"finish_clock,omitempty"`
		Deadline      *model.Time `json:"deadline"`
		DeadlineClock string      `json:"deadline_clock,omitempty"`
		Late          *model.Time `json:"late"`
	}
	fileTask struct {
		Job           string      `json:"job"`
		Stage         string      `json:"stage"`
		Task          int         `json:"task"`
		Slave         string      `json:"slave"`
		Beat          model.Time  `json:"beat"`
		Assigned      model.Time  `json:"assigned"`
		AssignedClock string      `json:"assigned_clock,omitempty"`
		Fetch         *model.Time `json:"fetch"`
		FetchClock    string      `json:"fetch_clock,omitempty"`
		Start         *model.Time `json:"start"`
		StartClock    string      `json:"start_clock,omitempty"`
		Finish        *model.Time `json:"finish"`
		FinishClock   string      `json:"finish_clock,omitempty"`
		Duration      model.Time  `json:"duration,omitempty"`
	}
)

// TestSchemaIsOfTypes: the schema says what the types say of a file, lists the words of the
// program, and the types are what is written.
func TestSchemaIsOfTypes(t *testing.T) {
	schematest.Types{
		Of:  map[string]any{"#": filePlan{}},
		Lax: []string{"#", "#/properties/objectives/items", "#/properties/solver", "#/properties/solver/properties/from"},
		Words: map[string][]string{
			"#/properties/kind": {model.KindExecuted}, "#/properties/status": model.StatusNames(), "#/$defs/proof": model.ProofNames(),
			"#/properties/changes/items/properties/change": model.ChangeKinds(),
		},
		// What comes with an answer that is no plan, or with what bounds rest on, is of package report.
		Apart: []string{"#/properties/conflict", "#/properties/analysis", "#/properties/remedies", "#/properties/stats", "#/properties/why",
			"#/properties/claims", "#/properties/notes", "#/properties/certainly_late", "#/properties/followed", "#/$defs/interval", "#/$defs/basis"},
	}.Check(t, Schema())
	for seed := range testkit.Sets[uint64](50, 1000) {
		plan := randomPlan(rand.New(rand.NewPCG(seed, 2)), allNames)
		var b bytes.Buffer
		if err := Write(&b, plan, ClockedJSON); err != nil {
			t.Fatal(err)
		}
		var file filePlan
		dec := json.NewDecoder(&b)
		text := bytes.Clone(b.Bytes())
		dec.DisallowUnknownFields()
		if err := dec.Decode(&file); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		var written, typed any
		if err := errors.Join(json.Unmarshal(text, &written), json.Unmarshal(again, &typed)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written, typed); diff != "" {
			t.Fatalf("what is written is not what the types say (-written +types):\n%s", diff)
		}
	}
}
