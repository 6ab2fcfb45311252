package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"downbeat/internal/testkit/schematest"
)

// valueOf is what a column of a type says, nil where there is nothing; not ok if it is none of the type.
func valueOf(kind, text string) (v any, ok bool) {
	var err error
	switch {
	case text == "":
		return nil, true
	case kind == wholeKind:
		v, err = strconv.ParseInt(text, 10, 64)
	case kind == numberKind:
		v, err = strconv.ParseFloat(text, 64)
	case kind == booleanKind:
		v, err = strconv.ParseBool(text)
	default:
		v = text
	}
	return v, err == nil
}

// Tables have the columns that the description names, with values of their types, by the schema too; they have
// a row to each set, run, gap, mean and difference.
func TestDataPackage(t *testing.T) {
	schema := schematest.Compile(t, DataSchema(), "")
	for what, c := range benches() {
		records, err := Run(t.Context(), c, sets(14), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, compare := range [][]string{nil, c.Policies} {
			for _, some := range [][]*Record{records, make([]*Record, 14)} {
				s := c.Summarize(some, compare)
				tables := map[string][]map[string]any{}
				files := map[string]string{}
				for _, f := range c.DataPackage(some, s) {
					var b bytes.Buffer
					if err := f.Write(&b); err != nil {
						t.Fatal(err)
					}
					files[f.Name] = b.String()
				}
				var d descriptor
				if err := json.Unmarshal([]byte(files["datapackage.json"]), &d); err != nil {
					t.Fatal(err)
				}
				if len(files) != len(d.Resources)+1 {
					t.Errorf("%d files, %d described", len(files), len(d.Resources))
				}
				for _, r := range d.Resources {
					tables[r.Name] = rowsOf(t, r, files[r.Path])
				}
				text, err := json.Marshal(tables)
				if err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(schematest.Value(t, text)); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if s.Sets == 0 {
					continue
				}
				pairs := 2 * map[bool]int{true: 1}[compare != nil]
				names := len(measures) + len(s.Objectives)
				for name, want := range map[string]int{"sets": 14, "runs": 14 * 3, "intervals": 2 * 3 * names} {
					if len(tables[name]) != want {
						t.Errorf("%s: %d rows of %s, want %d", what, len(tables[name]), name, want)
					}
				}
				if n := len(tables["comparisons"]); n > 2*pairs*names || (n == 0) != (pairs == 0) {
					t.Errorf("%s: %d comparisons of %d pairs", what, n, pairs)
				}
				if (len(tables["feasible"]) == 0) != c.NoOptimum || len(tables["gaps"]) > 14*3*len(s.Objectives) {
					t.Errorf("%s: %d rows of feasible, %d gaps", what, len(tables["feasible"]), len(tables["gaps"]))
				}
			}
		}
	}
}

// rowsOf are the rows of a table as objects, empty ones as an empty list.
func rowsOf(t *testing.T, r dataResource, text string) []map[string]any {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%s: %v", r.Path, err)
	}
	var names []string
	for _, f := range r.Schema.Fields {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, lines[0]) {
		t.Errorf("%s: columns %v, described are %v", r.Path, lines[0], names)
	}
	rows := []map[string]any{}
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, f := range r.Schema.Fields {
			v, ok := valueOf(f.Type, line[i])
			if !ok || v == nil && f.Constraints.Required {
				t.Errorf("%s: %s is %q, which is no %s", r.Path, f.Name, line[i], f.Type)
			}
			row[f.Name] = v
		}
		rows = append(rows, row)
	}
	return rows
}
