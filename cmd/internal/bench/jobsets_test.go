package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string]string{
		"3": "[3]", "1-4": "[1 2 3 4]", "7, 1-2,9": "[7 1 2 9]", "18446744073709551615": "[18446744073709551615]",
		"": "", "4-1": "", "1,1": "", "1-5,3": "", "a": "", "1-": "", "-3": "", "0-99999999": "", "1--2": "",
	} {
		seeds, err := ParseSeeds(text)
		if got := fmt.Sprint(seeds); want != "" && (err != nil || got != want) || want == "" && err == nil {
			t.Errorf("%q gives %s, %v", text, got, err)
		}
	}
}

func TestParseSweep(t *testing.T) {
	for text, want := range map[string]string{
		"load=1,2,x": "load [1 2 x]", "u=0.1..0.9/5": "u [0.1 0.3 0.5 0.7 0.9]", "u=0..1/4": "u [0 0.333333 0.666667 1]",
		"u=7": "u [7]", "": "", "u": "", "=1": "", "u=": "", "u=1..0/3": "", "u=0..1/1": "", "u=0..1/x": "", "u=0..1/2000": "",
	} {
		s, err := ParseSweep(text)
		if got := fmt.Sprint(s.Parameter, " ", s.Values); want != "" && (err != nil || got != want) || want == "" && err == nil {
			t.Errorf("%q gives %s, %v", text, got, err)
		}
	}
}

// The name of a workload's set is a text that makes the same set; its level is
// what is swept, or else the load.
func TestFromWorkloads(t *testing.T) {
	sets, err := FromWorkloads([]string{"realtime:streams=3", "tiny"}, Sweep{}, []uint64{4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sets {
		got = append(got, fmt.Sprint(s.ID, " ", s.Parameter, " ", s.Level, " ", s.Seeds))
	}
	want := "realtime:streams=3,seed=4 utilisation 0.5 [4]|realtime:streams=3,seed=5 utilisation 0.5 [5]|tiny:seed=4  0 [4]|tiny:seed=5  0 [5]"
	if strings.Join(got, "|") != want {
		t.Errorf("sets are %s", strings.Join(got, "|"))
	}
	swept, err := FromWorkloads([]string{"realtime"}, Sweep{"streams", []string{"2", "4"}}, []uint64{1}, nil)
	if err != nil || len(swept) != 2 || swept[1].ID != "realtime:streams=4,seed=1" || swept[1].Parameter != "streams" || swept[1].Level != 4 {
		t.Errorf("swept sets %+v, %v", swept, err)
	}
	for _, bad := range []struct {
		text  string
		sweep Sweep
	}{{"nonsense", Sweep{}}, {"tiny:seed=3", Sweep{}}, {"tiny", Sweep{"streams", []string{"2"}}}, {"realtime:streams=3", Sweep{"streams", []string{"2"}}}} {
		if _, err := FromWorkloads([]string{bad.text}, bad.sweep, []uint64{1}, nil); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if CheckSets(append(sets, sets[0])) == nil || CheckSets(sets) != nil {
		t.Error("sets named twice are not told")
	}
}

// A folder stands for the job sets in it.
func TestFromFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.JSON", "notes.txt", "c.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "deep.yaml"), 0o777); err != nil {
		t.Fatal(err)
	}
	var loaded []string
	load := func(path string) (*model.JobSet, error) {
		loaded = append(loaded, filepath.Base(path))
		return &model.JobSet{}, nil
	}
	sets, err := FromFiles([]string{dir, "elsewhere.yaml"}, []uint64{1, 2}, load)
	if err != nil || fmt.Sprint(loaded) != "[a.JSON b.yaml c.yml elsewhere.yaml]" || len(sets) != 4 || len(sets[0].Seeds) != 2 {
		t.Errorf("loaded %v, %d sets, %v", loaded, len(sets), err)
	}
	if _, err := FromFiles([]string{filepath.Join(dir, "deep.yaml")}, nil, load); err == nil {
		t.Error("an empty folder is taken")
	}
}

// A folder that holds folders alone stands for the job sets in these, which are levels by their names.
func TestLevelsFromFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"load=0.5/a.yaml", "load=0.5/b.yaml", "load=0.75/a.yaml", "notes/readme.txt"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sets, err := FromFiles([]string{dir}, []uint64{1}, func(string) (*model.JobSet, error) { return &model.JobSet{}, nil })
	if err != nil || len(sets) != 3 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	var records []*Record
	for i, level := range []float64{0.5, 0.5, 0.75} {
		s := sets[i]
		if s.Parameter != "load" || s.Level != level {
			t.Errorf("%s: %s=%g", s.ID, s.Parameter, s.Level)
		}
		records = append(records, &Record{Set: s.ID, Digest: s.ID, Parameter: s.Parameter, Level: s.Level, Cells: []Cell{{Seed: 1, Policy: "edf"}}})
	}
	parameter, several, levels := parts(records)
	if parameter != "load" || several || len(levels) != 2 || len(levels[0].records) != 2 {
		t.Errorf("by %s, several workloads %t, %d levels", parameter, several, len(levels))
	}
	if units := observations(runsOf(records, "edf")); fmt.Sprint(units) != "[0 1 0]" {
		t.Errorf("observations %v: a.yaml is one at both levels", units)
	}
}

// What is written is read as the same job set, under names that differ and that any file
// system takes.
func TestWrite(t *testing.T) {
	sets, err := FromWorkloads([]string{"realtime:streams=2", "tiny", "family:name=misses"}, Sweep{}, []uint64{1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		js, err := s.Make(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteSet(&b, s.ID, js); err != nil {
			t.Fatal(err)
		}
		back, err := jobfile.Load(s.ID, b.Bytes())
		if err != nil || back.Digest() != js.Digest() || !strings.HasPrefix(b.String(), "# "+s.ID+"\n") {
			t.Errorf("%s comes back as another job set: %v", s.ID, err)
		}
	}
	long := strings.Repeat("ü", 150)
	sets = append(sets, Set{ID: "night.yaml"}, Set{ID: "Night.json"}, Set{ID: "../a b.yml"}, Set{ID: ".."}, Set{ID: long}, Set{ID: long + "x"}, Set{ID: `swim:file="a\b"`})
	names := FileNames(sets)
	want := []string{"realtime-streams=2,seed=1.yaml", "realtime-streams=2,seed=2.yaml", "tiny-seed=1.yaml", "tiny-seed=2.yaml", "family-name=misses,seed=1.yaml", "family-name=misses,seed=2.yaml",
		"night.yaml", "Night-2.yaml", "a b.yaml", "-2.yaml", strings.Repeat("ü", 100) + ".yaml", strings.Repeat("ü", 100) + "-2.yaml", "swim-file=-a-b-.yaml"}
	if !slices.Equal(names, want) {
		t.Errorf("names are %q, not %q", names, want)
	}
}
