package model

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sharedFiles lists files of the folder that lies beside the project, and
// skips the test where there is none.
func sharedFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "shared")
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
			var faults *Faults
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
			js.writeCanonical(&b)
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

// TestTwins loads files that say the same in different ways.
func TestTwins(t *testing.T) {
	for _, twins := range [][]string{
		{"minimal.yaml", "minimal.json", "minimal-explicit.yaml", "minimal-flow.yaml", "minimal-json-text.yaml", "minimal-bom-crlf.yaml"},
		{"durations.yaml", "ticks.yaml"},
		{"map-reduce.yaml", "map-reduce-as-stages.yaml"},
		{"aliases.yaml", "aliases-written-out.yaml"},
		{"merge.yaml", "merge-written-out.yaml"},
		{"names.yaml", "names.json"},
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
