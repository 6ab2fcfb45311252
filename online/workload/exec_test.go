package workload

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is a workload of a shell script.
func program(t *testing.T, script string) Workload {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	path := filepath.Join(t.TempDir(), "w")
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := Parse("exec:sh " + path + ":tasks=3,name=night")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A program gets the seed and the keys, and its answer is read as a job set.
func TestProgram(t *testing.T) {
	js, err := program(t, `read line
echo "version: 1"
echo "cluster: {heartbeat: 1, slaves: [{name: s}]}"
echo "jobs: [{name: '$line', map: {tasks: 2, wcet: 4}}]"
`).Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"version":1,"seed":7,"keys":{"name":"night","tasks":3}}`; js.Jobs[0].Name != want || js.Name != "exec-7" || len(js.Tasks) != 2 {
		t.Errorf("set %s, job %s, %d tasks", js.Name, js.Jobs[0].Name, len(js.Tasks))
	}
}

// What a program does wrong is told with its command, and where in what it wrote.
func TestFaultsOfPrograms(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3":                ": it failed (exit status 3)",
		"":                      ": it wrote nothing",
		"exec sleep 60":         ": it did not end within 100ms",
		"echo 'version: 2'":     " writes:1:10: version is 2, and this program reads version 1 only",
		"yes 2>/dev/null":       "it ",
		"echo '{\"jobs\": 1,}'": "a comma too many",
	} {
		limit := 100 * time.Millisecond
		_, err := program(t, script).GenerateContext(t.Context(), 1, &Programs{Limit: map[bool]time.Duration{true: limit, false: time.Minute}[strings.Contains(script, "sleep") || strings.Contains(script, "yes")]})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "exec:sh ") {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if _, err := program(t, "exec sleep 60").GenerateContext(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
	if _, err := Parse("exec:"); err == nil || !strings.Contains(err.Error(), "the command is empty") {
		t.Errorf("without a command: %v", err)
	}
	if _, err := Parse("small=exec:true"); err == nil || !strings.Contains(err.Error(), "small is a workload; take another label") {
		t.Errorf("a label that is a workload: %v", err)
	}
	if _, err := Parse("exec:no-such-program-here"); err != nil {
		t.Errorf("a program that is not there is missed when it is asked: %v", err)
	}
}

// A program goes by its label where it has one; nothing else has one.
func TestLabelsOfPrograms(t *testing.T) {
	for spec, want := range map[string]string{
		"exec:a:x=1": "exec:a:x=1", "mine=exec:a/b c": "mine", "mine=exec:a b:x=1": "mine:x=1", "m=1=exec:a": "m=1=exec:a",
		"small:tasks=9": "small:tasks=9", "load=1/w.yaml": "load=1/w.yaml",
	} {
		if got := Shown(spec); got != want {
			t.Errorf("%s is shown as %s", spec, got)
		}
	}
	if w, err := Parse("mine=exec:true"); err != nil || w.name != "mine" {
		t.Errorf("%v, %v", w, err)
	}
}

// Parameters follow the last colon that stands before a name and an equals sign, outside of quotes.
func TestCommandsAndParameters(t *testing.T) {
	for spec, want := range map[string][2]string{
		"exec:a b":               {"exec:a b", ""},
		"exec:a b:x=1,y=2":       {"exec:a b", "x=1,y=2"},
		"exec:a host:80:load=.5": {"exec:a host:80", "load=.5"},
		"exec:a 'k:x=1'":         {"exec:a 'k:x=1'", ""},
		"exec:c:/p x.yaml":       {"exec:c:/p x.yaml", ""},
		"mine=exec:a/b:x=1":      {"mine=exec:a/b", "x=1"},
	} {
		name, parameters := cut(spec)
		if name != want[0] || parameters != want[1] {
			t.Errorf("%s: %q and %q", spec, name, parameters)
		}
		if with := With(spec, "seed", "3"); Without(with, "seed") != spec {
			t.Errorf("%s becomes %s", spec, with)
		}
	}
}
