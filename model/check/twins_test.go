package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
)

// TestTwins reads testdata/twins: a job set, a valid plan, a plan one line
// away from it, and all that is wrong with that one.
func TestTwins(t *testing.T) {
	files, err := filepath.Glob("testdata/twins/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no twins: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part := parts(string(text))
		js, err := jobfile.Load(file+"/jobset.yaml", []byte(part["jobset.yaml"]))
		if err != nil {
			t.Fatal(err)
		}
		if n := changedLines(part["good.yaml"], part["bad.yaml"]); n != 1 {
			t.Errorf("%s: the twins are %d lines apart", file, n)
		}
		if rep := checkFile(t, js, file+"/good.yaml", part["good.yaml"]); !rep.OK() {
			t.Errorf("%s: the good twin: %v", file, rep.Err())
		}
		var got strings.Builder
		for _, v := range checkFile(t, js, file+"/bad.yaml", part["bad.yaml"]).Violations {
			got.WriteString(v.String() + "\n")
			seen[v.Rule] = true
		}
		if diff := cmp.Diff(part["want"], got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	for _, rule := range Rules() {
		// A plan of another version does not get past the reader.
		if !seen[rule.Name] && rule.Name != "version" {
			t.Errorf("no twins for %s", rule.Name)
		}
	}
}

// parts cuts a text at its lines "-- name --".
func parts(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(head, " --\n")
			continue
		}
		out[name] += line
	}
	return out
}

// checkFile validates the text of a plan for a job set; DIGEST stands for the
// set's digest, so that a twin need not be changed with the digest's form.
func checkFile(t *testing.T, js *model.JobSet, name, text string) *Report {
	p, err := planfile.Read(name, []byte(strings.ReplaceAll(text, "sha256:DIGEST", js.Digest())))
	if err != nil {
		t.Fatal(err)
	}
	rep := Plan(js, p)
	for i := range rep.Violations {
		v := &rep.Violations[i]
		v.Message = strings.ReplaceAll(v.Message, js.Digest(), "sha256:DIGEST")
	}
	return rep
}

// changedLines is the number of lines to change, insert or delete to make b of a.
func changedLines(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return max(len(x), len(y))
}
