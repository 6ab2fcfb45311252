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
	// Mean 3, standard deviation √2.5, t(4, 0.975) = 2.776: 2.776·√(2.5/5).
	got := sample{1, 2, 3, 4, 5}.Mean()
	if got.Value != 3 || math.Abs(got.Half-1.963) > 0.001 {
		t.Errorf("mean %v", got)
	}
	if text := got.String(); text != "3 ± 2" {
		t.Errorf("%q", text)
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

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		got, want verdict
	}{
		{verdictNear(estimate{0.95, 0}, 1, fails), Holds},
		{verdictNear(estimate{0.8, 0.3}, 1, fails), Holds},
		{verdictNear(estimate{0.8, 0.1}, 1, inShape), inShape},
		{larger(sample{5, 6, 7, 5, 6, 7}, sample{1, 2, 3, 2, 1, 3}), Holds},
		{larger(sample{1, 2, 3, 2, 1, 3}, sample{5, 6, 7, 5, 6, 7}), fails},
		{larger(sample{2, 3}, sample{1, 1}), unsaid},
		{always(sample{1, 1}), Holds},
		{always(sample{1, 0.99}), fails},
		{yes(true), Holds},
		{yes(false), fails},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestReduction(t *testing.T) {
	// 3 − 2 over 3 in the mean, each pair 1 apart.
	if r := reduction(sample{1, 2, 3}, sample{2, 3, 4}); math.Abs(r.Value-1.0/3) > 1e-12 || r.Half > 1e-12 {
		t.Errorf("%+v", r)
	}
	if text := shareBelow(sample{1, 2}, sample{0, 0}); text != "-" {
		t.Errorf("%q below nothing", text)
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
