package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downbeat/cmd/internal/journal"
)

func TestMean(t *testing.T) {
	for want, e := range map[string]estimate{
		"3 (few)":               sample{1, 2, 3, 4, 5}.Mean(),
		"7.0 (4.6 to 9.4)":      sample{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}.Mean().plus(0).times(1),
		"0.125":                 exactly(0.125),
		"56.8 % (53.0 to 60.0)": {0.568, 0.53, 0.60},
	} {
		text := e.String()
		if strings.Contains(want, "%") {
			text = e.AsPercent()
		}
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

func TestTable(t *testing.T) {
	var d document
	d.Table([]string{"name", "figure"}, [][]string{{"a", "1"}, {"b", "2"}})
	want := "| name | figure |\n|---|---:|\n| a | 1 |\n| b | 2 |\n\n"
	if !bytes.Equal(d.text.Bytes(), []byte(want)) {
		t.Errorf("%q", d.text.String())
	}
}

func TestMatrixCounts(t *testing.T) {
	var d document
	d.Claim(claim{Where: "Table I", Text: "a", Verdict: Holds, Setting: "s", Inferred: true})
	d.Claim(claim{Where: "Table I", Text: "b", Verdict: fails})
	d.Matrix(d.Claims())
	for _, want := range []string{"2 lines, holds 1, not 1.", "| Table I | a | s (inferred) |"} {
		if !strings.Contains(d.text.String(), want) {
			t.Errorf("no %q in\n%s", want, d.text.String())
		}
	}
}

// What a journal holds is not computed again; a line that was being written is dropped;
// a journal of another run is refused and left alone.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	o := Options{Seeds: 2, Scale: 1, Program: "test", Workers: 1}
	collect := func(o Options) (values []number, computed int) {
		t.Helper()
		var err error
		if o.Journal, err = journal.OpenPieces(path, nil, Call("paper", o), journal.Shard{}); err != nil {
			t.Fatal(err)
		}
		values, err = Collect(context.Background(), o, "squares", 4, func(_ context.Context, i int) (number, error) {
			computed++
			if i == 3 {
				return number(math.NaN()), nil
			}
			return number(i * i), nil
		})
		if err = errors.Join(err, o.Journal.Close()); err != nil {
			t.Fatal(err)
		}
		return values, computed
	}
	check := func(values []number) {
		t.Helper()
		if values[2] != 4 || !math.IsNaN(float64(values[3])) {
			t.Errorf("values %v", values)
		}
	}
	values, computed := collect(o)
	if check(values); computed != 4 {
		t.Errorf("%d computed, want 4", computed)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	values, computed = collect(o)
	if check(values); computed != 1 {
		t.Errorf("%d computed, want the one that was cut off", computed)
	}
	for name, other := range map[string]Options{"--sets": {Seeds: 3, Scale: 1, Program: "test"}, "--scale": {Seeds: 2, Scale: 0.5, Program: "test"}, "version": {Seeds: 2, Scale: 1, Program: "other"}} {
		var refused *journal.Mismatch
		if _, err := journal.OpenPieces(path, nil, Call("paper", other), journal.Shard{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, []byte("something else\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.OpenPieces(path, nil, Call("paper", o), journal.Shard{}); err == nil {
		t.Error("a file that is no journal was opened")
	}
}

func TestNumber(t *testing.T) {
	text, err := json.Marshal([]number{1.5, number(math.NaN())})
	if err != nil || string(text) != "[1.5,null]" {
		t.Errorf("%s, %v", text, err)
	}
}
