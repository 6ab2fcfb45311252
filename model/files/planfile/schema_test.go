package planfile

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

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

// TestSchemaKnowsAllWords: lists of words are those of the program.
func TestSchemaKnowsAllWords(t *testing.T) {
	var schema struct {
		Properties struct{ Status struct{ Enum []string } }
		Defs       struct{ Proof struct{ Enum []string } } `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(schema.Properties.Status.Enum, model.StatusNames()) || !slices.Equal(schema.Defs.Proof.Enum, model.ProofNames()) {
		t.Errorf("schema.json knows the words %v", schema)
	}
}
