package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/schedulers"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// sets are tiny job sets at two levels.
func sets(n int) []Set {
	var out []Set
	for i := range n {
		seed := uint64(i + 1)
		out = append(out, Set{
			ID: fmt.Sprintf("tiny-%d", seed), Parameter: "part", Level: float64(i % 2), Seeds: []uint64{seed},
			Make: func(context.Context) (*model.JobSet, error) { return gen.Tiny(seed), nil },
		})
	}
	return out
}

// benches differ in all that decides which members there are.
func benches() map[string]*Config {
	config := func(change func(*Config)) *Config {
		c := &Config{Policies: []string{"fifo", "edf", "rtmr"}, New: schedulers.New, SolverSeed: 1, Workers: 1, Program: "test", Budget: 20}
		change(c)
		return c
	}
	return map[string]*Config{
		"plain":      config(func(*Config) {}),
		"no optimum": config(func(c *Config) { c.NoOptimum = true }),
		"disturbed": config(func(c *Config) {
			c.Durations, c.Faults, c.Memory = durations.Uniform{Lo: 0.5, Hi: 1}, &online.Faults{MTBF: 90, MTTR: 5}, 1<<30
		}),
		"objectives": config(func(c *Config) { c.Objectives = []model.Objective{model.Misses, model.Makespan} }),
	}
}

// The schemas take what is written, and not what is spelt or counted otherwise.
func TestSchemas(t *testing.T) {
	summary, cells := schematest.Compile(t, SummarySchema(), ""), schematest.Compile(t, CellsSchema(), "")
	seen := ""
	for what, c := range benches() {
		list := sets(14)
		records, err := Run(t.Context(), c, list, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, compare := range [][]string{nil, c.Policies} {
			for n := range 2 { // once with all sets, once with none that is done
				var b, f bytes.Buffer
				some := slices.Clone(records)
				if n == 1 {
					clear(some)
				}
				if err := c.Summarize(some, compare).WriteJSON(&b); err != nil {
					t.Fatal(err)
				}
				if err := summary.Validate(schematest.Value(t, b.Bytes())); err != nil {
					t.Errorf("%s: %v\n%s", what, err, b.Bytes())
				}
				if err := c.WriteJSON(&f, list, some, compare != nil); err != nil {
					t.Fatal(err)
				}
				if err := cells.Validate(schematest.Value(t, f.Bytes())); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				seen += b.String() + f.String()
			}
		}
	}
	for _, part := range []string{`"reason": "few"`, `"low": 0.`, `"answer": null`, `"gap_makespan": `, `"differs": "`, `"run_seconds"`, `"faults":[`} {
		if !strings.Contains(seen, part) {
			t.Errorf("no bench has %s", part)
		}
	}
}

func TestSchemasRefuse(t *testing.T) {
	c, list := benches()["plain"], sets(8)
	records, err := Run(t.Context(), c, list, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b, f bytes.Buffer
	if err := c.Summarize(records, c.Policies).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteJSON(&f, list, records, true); err != nil {
		t.Fatal(err)
	}
	for _, slip := range []struct {
		schema, text []byte
		old, other   string
	}{
		{SummarySchema(), b.Bytes(), `"sets": 8`, `"sets": -8`}, {SummarySchema(), b.Bytes(), `"locality"`, `"localty"`},
		{SummarySchema(), b.Bytes(), `"compared": {`, `"compare": {`}, {SummarySchema(), b.Bytes(), `"level": 0`, `"level": "0"`},
		{SummarySchema(), b.Bytes(), `"p": 1`, `"p": 2`}, {SummarySchema(), b.Bytes(), `"mean": `, `"meen": `},
		{CellsSchema(), f.Bytes(), `"version": 1`, `"version": 2`}, {CellsSchema(), f.Bytes(), `"hard-met": 1`, `"hard-met": 2`},
		{CellsSchema(), f.Bytes(), `"makespan": `, `"makespan": -`}, {CellsSchema(), f.Bytes(), `"differs"`, `"differ"`},
		{CellsSchema(), f.Bytes(), `"solver_seconds": `, `"solver_seconds": -`}, {CellsSchema(), f.Bytes(), `"policies":["fifo"`, `"policies":[1`},
	} {
		changed := bytes.Replace(slip.text, []byte(slip.old), []byte(slip.other), 1)
		if bytes.Equal(changed, slip.text) {
			t.Errorf("there is no %s in %s", slip.old, slip.text)
			continue
		}
		if schematest.Compile(t, slip.schema, "").Validate(schematest.Value(t, changed)) == nil {
			t.Errorf("%s in place of %s is taken", slip.other, slip.old)
		}
	}
}

// The schemas say what the types say that are written, and know the words of the program.
func TestSchemasAreOfTypes(t *testing.T) {
	objectives := model.ObjectiveNames()
	answers := []string{model.Feasible.String(), model.Infeasible.String(), model.Unknown.String()}
	schematest.Types{
		Of: map[string]any{"#": printedSummary{}},
		Words: map[string][]string{
			"#/$defs/measures/propertyNames": MeasureNames(), "#/$defs/objectives/propertyNames": objectives, "#/$defs/sample/properties/reason": {few},
		},
	}.Check(t, SummarySchema())
	schematest.Types{
		Of: map[string]any{
			"#": struct {
				Sum string `json:"crc32c"`
			}{},
			"#/$defs/header": header{}, "#/$defs/request": request{}, "#/$defs/record": Record{},
		},
		Words: map[string][]string{"#/$defs/header/properties/journal": {journalName}, "#/$defs/record/properties/answer": answers},
	}.Check(t, JournalSchema())
	schematest.Types{
		Of: map[string]any{"#": struct {
			Version int      `json:"version"`
			Config  identity `json:"config"`
			Cells   any      `json:"cells"`
		}{}},
		Apart: []string{"#/properties/cells", "#/$defs/cell", "#/$defs/count", "#/$defs/share"},
	}.Check(t, CellsSchema())
}

// The cells have the columns of the CSV, and those of timing where it is asked for.
func TestSchemaOfCells(t *testing.T) {
	var s struct {
		Defs struct {
			Cell struct {
				Required          []string
				Properties        map[string]any
				PatternProperties map[string]any
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(CellsSchema(), &s); err != nil {
		t.Fatal(err)
	}
	names := func(objectives []string, timing bool) (out []string) {
		for _, col := range columns(objectives, timing) {
			out = append(out, col.name)
		}
		return out
	}
	cell := s.Defs.Cell
	if diff := cmp.Diff(names(nil, false), cell.Required); diff != "" {
		t.Errorf("required (-columns +schema):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(names(nil, true))), slices.Sorted(maps.Keys(cell.Properties))); diff != "" {
		t.Errorf("properties (-columns +schema):\n%s", diff)
	}
	var patterns []string
	for _, name := range names([]string{"o"}, true) {
		if !slices.Contains(names(nil, true), name) {
			patterns = append(patterns, "^"+strings.TrimSuffix(name, "o"))
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(patterns)), slices.Sorted(maps.Keys(cell.PatternProperties))); diff != "" {
		t.Errorf("by objective (-columns +schema):\n%s", diff)
	}
}
