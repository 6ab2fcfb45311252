package workload

import (
	"os"
	"path/filepath"
	"testing"
)

// What job sets depend on is the workload file, and its tables wherever they stand; a change of any is seen in its own digest
// alone. Programs go by their labels, and what is built in has nothing.
func TestSources(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("own.yaml", `version: 1
cluster: {heartbeat: 1, slaves: [{name: s}]}
arrivals: {count: 2, gaps: {csv: {file: gaps.csv, column: gap}}}
jobs: [{name: a, map: {tasks: 1, wcet: {csv: {file: times.csv, column: seconds}}}}]
`)
	write("gaps.csv", "gap\n3\n")
	write("times.csv", "seconds\n4\n")
	write("more.csv", "seconds\n4\n")
	write("program.sh", "exit 1")
	of := func(spec string, names ...string) map[string]string {
		t.Helper()
		out, err := Sources(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if out[name] == "" {
				t.Errorf("%s depends on %v, not on %s", spec, out, name)
			}
		}
		if len(out) != len(names) {
			t.Errorf("%s depends on %v", spec, out)
		}
		return out
	}
	of("tiny:seed=3")
	own, program := path("own.yaml"), "mine=exec:sh "+path("program.sh")
	before, written := of(own, own, path("gaps.csv"), path("times.csv")), of(program+":x=1", "mine")
	of(own+":jobs.a.map.wcet.csv.file=more.csv", own, path("gaps.csv"), path("more.csv"))
	of("exec:sh "+path("program.sh")+":x=1", "exec:sh "+path("program.sh"))
	write("gaps.csv", "gap\n5\n")
	write("program.sh", "exit 2")
	after := of(own, own, path("gaps.csv"), path("times.csv"))
	for name := range before {
		if same := before[name] == after[name]; same != (name != path("gaps.csv")) {
			t.Errorf("%s is the same: %t", name, same)
		}
	}
	if of(program+":x=1", "mine")["mine"] == written["mine"] {
		t.Error("another program has the same digest")
	}
	if err := os.Remove(path("times.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := Sources(t.Context(), own); err == nil {
		t.Error("a table that is gone has a digest")
	}
}
