package trace

import (
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/schematest"
)

// What the schema takes as a line is read, and what it refuses is not.
func TestSchemaIsOfTheReader(t *testing.T) {
	schema := schematest.Compile(t, TableSchema(), "")
	origin := time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		heading string
		good    string // with | between
		bad     string
	}{
		{"tasks", "1|10|1000000|", "0|1.5|-2|2000000"},
		{"completions", "7", "x"},
		{"minutes", "12.5|0.1", "x|-1"},
		{"fetch", "30s|1h30m|00:12:30|90|2d|1.5h|", "soon|-3s|1:75"},
		{"cores", "2|0.5|", "two|-1"},
		{"memory", "512M|2G|2 GiB|100|1.5gb|", "2Q|much"},
		{"slot", "map|reduce|", "core"},
		{"release", "22:30|23:30:15|+1d 00:15|02:30+00:00|2026-11-22|2026-11-22 22:30|2026-11-22T22:30:00Z|2026-11-22 22:30:00.5|30m|+2h|", "late|30"},
		{"due", "+1d 06:00|2h", "x"},
		{"sla", "2h|90|", "then"},
		{"hard", "yes|no|TRUE|x|0|hard|", "maybe"},
		{"weight", "3|", "0|1.5"},
		{"x-mine", "whatever|", ""},
	} {
		check := func(cell string, want bool) {
			line := map[string]any{"job": "a", "seconds": "5", tc.heading: cell}
			head, cells := "job,seconds,"+tc.heading, "a,5,"+cell
			if valid := schema.Validate(line) == nil; valid != want {
				t.Errorf("%s %q: %v by the schema", tc.heading, cell, valid)
			}
			in, err := NewInput(t.Context(), "f", strings.NewReader(head+"\n"+cells+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			tr := New(Everything)
			r := &Table{Origin: origin}
			err = r.Read(in, tr)
			r.Close(tr)
			if read := err == nil && len(tr.Jobs) == 1 && tr.Unusable.Count() == 0; read != want {
				t.Errorf("%s %q: read is %v, %v, %+v", tc.heading, cell, read, err, tr.Unusable)
			}
		}
		for cell := range strings.SplitSeq(tc.good, "|") {
			check(cell, true)
		}
		for cell := range strings.SplitSeq(tc.bad, "|") {
			if cell != "" {
				check(cell, false)
			}
		}
	}
	for _, line := range []map[string]any{{"minutes": "1"}, {"job": " ", "minutes": "1"}, {"job": "a"}, {"job": "a", "minutes": ""}, {"job": "a", "minutes": 5}} {
		if schema.Validate(line) == nil {
			t.Errorf("the schema takes %v", line)
		}
	}
	lines := TableHeader()
	example := map[string]any{}
	for i, heading := range lines[0] {
		example[heading] = lines[1][i]
	}
	if err := schema.Validate(example); err != nil {
		t.Errorf("the example of the header: %v", err)
	}
}
