package jobfile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downbeat/model/files/document"

	"github.com/google/go-cmp/cmp"
)

// sharedFiles lists files of the folder that lies beside the project, and
// skips the test where there is none.
func sharedFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no folder ../shared beside the project")
	}
	var out []string
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, files...)
	}
	if len(out) == 0 {
		t.Fatalf("no files match %q", patterns)
	}
	return out
}

func TestLoadSharedJobSets(t *testing.T) {
	for _, file := range sharedFiles(t, "bench/*.yaml", "bench/*/*.yaml") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		js, err := Load(file, src)
		if filepath.Base(file) == "aliasbig.yaml" { // thousands of references to one large stage
			if js != nil || err == nil || !strings.Contains(err.Error(), "aliases written out") {
				t.Errorf("%s is not refused for its size: %v", file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(js.Tasks) == 0 || len(js.Slaves) == 0 {
			t.Errorf("%s: %d tasks on %d slaves", file, len(js.Tasks), len(js.Slaves))
		}
	}
}

var update = flag.Bool("update", false, "write the .out files of testdata anew")

// inputs lists the job sets of a folder of testdata.
func inputs(t testing.TB, folder string) []string {
	t.Helper()
	var out []string
	for _, ext := range []string{"*.yaml", "*.json"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, ext))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, files...)
	}
	if len(out) == 0 {
		t.Fatalf("testdata/%s is empty", folder)
	}
	return out
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestFaults compares the whole message of each broken file with the .out
// file beside it.
func TestFaults(t *testing.T) {
	for _, file := range inputs(t, "err") {
		base := filepath.Base(file)
		t.Run(base, func(t *testing.T) {
			js, err := Load(base, read(t, file))
			var faults *document.Faults
			if js != nil || !errors.As(err, &faults) {
				t.Fatalf("loaded: %v, error %v", js != nil, err)
			}
			got := err.Error() + "\n"
			out := file + ".out"
			if *update {
				if err := os.WriteFile(out, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, out)), got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// TestOK compares what each good file means, in the form that the digest is
// of, with the .out file beside it.
func TestOK(t *testing.T) {
	for _, file := range inputs(t, "ok") {
		base := filepath.Base(file)
		t.Run(base, func(t *testing.T) {
			js, err := Load(base, read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "name %q, tick %v, origin %v, objectives %v, goal %v\n",
				js.Name, js.TimeUnit, js.Origin.Format(time.RFC3339Nano), js.Objectives, js.Goal())
			js.Canonical(func(line []byte) { b.Write(line) })
			out := file + ".out"
			if *update {
				if err := os.WriteFile(out, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, out)), b.String()); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			rewritten(t, js)
		})
	}
}

// TestNotes compares the notes on each file with the .out file beside it.
func TestNotes(t *testing.T) {
	for _, file := range inputs(t, "notes") {
		base := filepath.Base(file)
		js, notes, err := LoadNoted(base, read(t, file))
		if err != nil || js == nil {
			t.Errorf("%v", err)
			continue
		}
		got := strings.Join(append(notes, ""), "\n")
		out := file + ".out"
		if *update {
			if err := os.WriteFile(out, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(read(t, out)), got); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", base, diff)
		}
	}
}

// TestTwins loads files that say the same in different ways.
func TestTwins(t *testing.T) {
	for _, twins := range [][]string{
		{"minimal.yaml", "minimal.json", "minimal-explicit.yaml", "minimal-flow.yaml", "minimal-json-text.yaml", "minimal-bom-crlf.yaml"},
		{"durations.yaml", "ticks.yaml"},
		{"map-reduce.yaml", "map-reduce-as-stages.yaml"},
		{"aliases.yaml", "aliases-written-out.yaml"},
		{"merge.yaml", "merge-written-out.yaml"},
		{"names.yaml", "names.json"},
		{"repeat.yaml", "repeat-written-out.yaml"},
	} {
		digests := map[string]string{}
		for _, name := range twins {
			js, err := Load(name, read(t, filepath.Join("testdata", "ok", name)))
			if err != nil {
				t.Fatal(err)
			}
			digests[name] = js.Digest()
			if digests[name] != digests[twins[0]] {
				t.Errorf("%s means something else than %s", name, twins[0])
			}
		}
	}
}

// TestLimits: files that are small to write and large to expand are refused
// in little time.
func TestLimits(t *testing.T) {
	for what, c := range map[string]struct{ src, want string }{
		"size":     {strings.Repeat("#", maxFileSize+1), "more than 64 MiB"},
		"entries":  {"name: [" + strings.Repeat(",", document.MaxNodes+1) + "]", "more than 10000000 entries"},
		"nesting":  {strings.Repeat("[", 5000), "not YAML"},
		"brackets": {strings.Repeat("[", 50_000), "not YAML"},
		"delays": {"version: 1\ncluster: {heartbeat: 1, slaves: [{name: s}]}\njobs:\n" +
			"  - {name: j, deadline: 5, hard: false, weight: 1000000, map: {tasks: 20000, wcet: 1000000000}}\n",
			"the sum of weighted delays could not be told"},
	} {
		t.Run(what, func(t *testing.T) {
			js, err := Load("x.yaml", []byte(c.src))
			if js != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("job set %v, error %.300v, want %q", js != nil, err, c.want)
			}
		})
	}
}

// TestTooManyFigures starts a loader that has reached the bound already.
func TestTooManyFigures(t *testing.T) {
	const src = "version: 1\ncluster: {heartbeat: 3, slaves: [{name: s, count: 4}]}\njobs:\n  - {name: j, map: {tasks: [{wcet: 1}, {wcet: 2}, {wcet: 3}]}}\n"
	l := newLoader(document.NewReader("job set", []byte(src)))
	l.rowFigures = maxFigures - 8 // wcet 1 and transfer 0
	if _, err := l.load("x.yaml"); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:4:51: too many different groups of tasks up to here for 4 slaves;") {
		t.Errorf("got %v", err)
	}
	l = newLoader(document.NewReader("job set", []byte(src)))
	l.rowFigures = maxFigures - 12
	if _, err := l.load("x.yaml"); err != nil {
		t.Errorf("got %v", err)
	}
}
