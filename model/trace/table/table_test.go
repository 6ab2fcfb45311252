package table

import (
	"testing"

	"downbeat/model/trace/tracetest"
)

// Synonyms, units, separators and times in the ways of spreadsheets.
func TestTables(t *testing.T) {
	tr := tracetest.Read(t, &Reader{}, "DAG id;Task ID;hostname;start_date;end_date;state;pool\n"+
		"a;x;h1;2026-11-21 22:00:00.250+00:00;2026-11-21T22:00:10.250Z;success;p\n"+
		"a;y;h1;2026-11-21 22:00:00;2026-11-21 22:01;failed;p\n\"b;\"\"c\"\"\";x;;2026-11-21;2026-11-22;;\n")
	if len(tr.Jobs) != 2 || !tr.Epoch || tr.Jobs[1].Name != `b;"c"` || tr.Remarks.Count() != 2 {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Remarks)
	}
	if tk := tr.Jobs[0].Stages[0].Tasks[0]; tk.Time != 10_000 || tr.HostName(tk.Host) != "h1" || tk.Start%1000 != 250 || tr.Jobs[1].Stages[0].Tasks[0].Time != 24*3600*1000 {
		t.Errorf("%+v", tk)
	}
}

// Durations and memory in all their forms.
func TestCells(t *testing.T) {
	comma := &Reader{separator: ','}
	for text, want := range map[string]int64{"90": 90_000, "1.5": 1500, "90s": 90_000, "1h30m": 5_400_000, "00:01:30": 90_000, "1:30": 5_400_000, "2d": 172_800_000, "15 min": 900_000, "x": -1, "-3": -1, "": -1} {
		got, ok := comma.duration(text, 1000)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got, ok := (&Reader{separator: ';'}).duration("2,5", 60e3); !ok || got != 150_000 {
		t.Errorf("2,5 minutes: %d, %v", got, ok)
	}
	for text, want := range map[string]int64{"512": 512 << 20, "2G": 2 << 30, "1.5 GiB": 3 << 29, "64MB": 64 << 20, "1T": 1 << 40, "2 apples": -1} {
		got, ok := comma.memory(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
