package present

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"downbeat/internal/testkit/schematest"
)

// nasty are words that a shell or an engine would read otherwise if it could.
var nasty = []string{"--policy=a b", "it's", "$(JOB_COMPLETION_INDEX)", "$HOME", `"`, `\`, "", "-o=ü*.csv", "{program}", "a;b"}

func sweep() *Script {
	return &Script{
		Program: "/opt/a b/downbeat", Image: "registry/downbeat:1", Shards: 3, Workers: 2, Folder: "out/my sweep/",
		Bench: nasty, Report: []string{"--output=cells.csv", "it's"},
	}
}

// fakeSbatch notes how it was called, and runs what it was given as Slurm would: an array task
// by task. Its answer is that of a cluster with a name.
const fakeSbatch = `#!/bin/sh
echo "$*" >>calls
cat >body
case "$*" in
*--array=1-3*) for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i sh body; done; echo "17;cluster" ;;
*) sh body; echo "18" ;;
esac
`

// fakeDownbeat notes its arguments, one to a line.
const fakeDownbeat = `#!/bin/sh
for a in "$@"; do printf '%s\n' "$a" >>words; done
`

// runScript runs a script where sbatch does what it is given at once, with a downbeat that notes its
// arguments, and tells what it says, what downbeat gets and how sbatch was called.
func runScript(t *testing.T, script string) (says string, words, calls []string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here: ", err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"sbatch": fakeSbatch, "downbeat": fakeDownbeat, "run.sh": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(sh, "run.sh")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "DOWNBEAT="+filepath.Join(dir, "downbeat"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: it says %s", err, out)
	}
	lines := func(name string) []string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return string(out), lines("words"), lines("calls")
}

// What Slurm would run gets the words that the bench was called with, whatever stands in
// them; the report waits for all shards, however they end.
func TestSlurm(t *testing.T) {
	says, words, calls := runScript(t, sweep().Slurm())
	if want := "shards are job 17, the report is job 18; it will be in out/my sweep/report.log\n"; says != want {
		t.Fatalf("it says %s", says)
	}
	var want []string
	for i := 1; i <= 3; i++ {
		want = slices.Concat(want, []string{"bench"}, nasty,
			[]string{"--workers=2", fmt.Sprintf("--shard=%d/3", i), fmt.Sprintf("--resume=out/my sweep/shard-%d.jsonl", i)})
	}
	want = append(want, "bench", "report", "--output=cells.csv", "it's", "out/my sweep")
	if !slices.Equal(words, want) {
		t.Errorf("downbeat gets\n%q, not\n%q", words, want)
	}
	array, report := calls[0], calls[1]
	for _, flag := range []string{"--array=1-3", "--cpus-per-task=2", "--requeue", "--open-mode=append", "--output=out/my sweep/shard-%a.log"} {
		if !strings.Contains(array, flag) {
			t.Errorf("the array is submitted without %s: %s", flag, array)
		}
	}
	if !strings.Contains(report, "--dependency=afterany:17 ") || !strings.Contains(report, "--open-mode=append") {
		t.Errorf("the report is submitted as %s", report)
	}
	if !strings.Contains(sweep().Slurm(), `"${DOWNBEAT:-/opt/a b/downbeat}"`) {
		t.Error("the script does not name the program")
	}
}

// The manifest has no field and no value that the API does not know, as far as the schema of
// the fields goes; and the arguments stand in it as they are.
func TestKubernetes(t *testing.T) {
	text, err := sweep().Kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	objects := decode(t, text)
	if len(objects) != 3 {
		t.Fatalf("%d objects", len(objects))
	}
	schema := schematest.CompileFile(t, "testdata/kubernetes.schema.json")
	for _, o := range objects {
		if err := schema.Validate(o); err != nil {
			t.Error(err)
		}
	}
	at := func(o any, path ...any) any {
		for _, p := range path {
			switch p := p.(type) {
			case string:
				o = o.(map[string]any)[p]
			case int:
				o = o.([]any)[p]
			}
		}
		return o
	}
	pod := []any{"spec", "template", "spec", "containers", 0, "args"}
	var want []any
	for _, w := range append([]string{"bench"}, nasty...) {
		want = append(want, strings.ReplaceAll(w, "$(", "$$("))
	}
	want = append(want, "--workers=2", "--shard=$(JOB_COMPLETION_INDEX)/3", "--resume=shard-$(JOB_COMPLETION_INDEX).jsonl")
	if got := at(objects[1], pod...); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("a shard gets %q, not %q", got, want)
	}
	if got := fmt.Sprint(at(objects[2], pod...)); got != "[bench report --output=cells.csv it's .]" {
		t.Errorf("the report gets %s", got)
	}
	if at(objects[1], "spec", "completions") != 3 || at(objects[1], "spec", "maxFailedIndexes") != 3 || at(objects[2], "spec", "suspend") != true {
		t.Error("the jobs are not those of three shards and a report that waits")
	}
	for i, name := range []string{"downbeat-my-sweep", "downbeat-my-sweep", "downbeat-my-sweep-report"} {
		if got := at(objects[i], "metadata", "name"); got != name {
			t.Errorf("object %d is named %s", i, got)
		}
	}
	for folder, name := range map[string]string{".": "downbeat", "a/Übung_1": "downbeat-bung-1", strings.Repeat("x", 99): "downbeat-" + strings.Repeat("x", 40)} {
		if got := (&Script{Folder: folder}).name(); got != name {
			t.Errorf("folder %s makes the name %s", folder, got)
		}
	}
}

// The schema is strict: a slip in a name or a value is found.
func TestSchemaIsStrict(t *testing.T) {
	text, err := sweep().Kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	schema := schematest.CompileFile(t, "testdata/kubernetes.schema.json")
	for _, slip := range [][2]string{
		{"completionMode", "completionmode"}, {"completionMode: Indexed", "completionMode: indexed"}, {"completions: 3", `completions: "3"`}, {"batch/v1", "batch/v2"},
		{"restartPolicy: Never", "restartPolicy: Always"}, {"persistentVolumeClaim:", "persistentVolumeClaims:"}, {`status: "True"`, "status: true"},
		{"claimName", "name"}, {"name: downbeat-my-sweep", "name: downbeat_my_sweep"}, {`cpu: "2"`, "cpu: two"},
	} {
		changed := strings.Replace(text, slip[0], slip[1], 1)
		if changed == text {
			t.Errorf("there is no %s", slip[0])
		}
		found := false
		for _, o := range decode(t, changed) {
			found = found || schema.Validate(o) != nil
		}
		if !found {
			t.Errorf("%s in place of %s is not found", slip[1], slip[0])
		}
	}
}

func decode(t *testing.T, text string) (objects []any) {
	t.Helper()
	in := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o any
		switch err := in.Decode(&o); {
		case err == io.EOF:
			return objects
		case err != nil:
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
}

// Of a plan in cubes Slurm runs the plan, the shards after it, and the answer after these.
func TestSlurmCubes(t *testing.T) {
	s := &CubesScript{Program: "/opt/a b/downbeat", Shards: 3, Workers: 2, Folder: "my cubes/", Plan: append([]string{"--cubes=9"}, nasty...), Join: []string{"--proof=it's", "--join=my cubes"}}
	says, words, calls := runScript(t, s.Slurm())
	if want := "the plan is job 18, shards are job 17, the answer is job 18; it will be in my cubes-logs/answer.log\n"; says != want {
		t.Errorf("it says %s", says)
	}
	want := slices.Concat([]string{"plan", "--cubes=9"}, nasty, []string{"--workers=2", "--into=my cubes"})
	for i := 1; i <= 3; i++ {
		want = append(want, "cube", "my cubes", fmt.Sprintf("--shard=%d/3", i))
	}
	want = append(want, "plan", "--proof=it's", "--join=my cubes")
	if !slices.Equal(words, want) {
		t.Errorf("downbeat gets\n%q, not\n%q", words, want)
	}
	for k, flags := range [][]string{
		{"--cpus-per-task=2", "--requeue", "--output=my cubes-logs/plan.log"},
		{"--dependency=afterok:18", "--kill-on-invalid-dep=yes", "--array=1-3", "--cpus-per-task=1", "--requeue", "--open-mode=append", "--output=my cubes-logs/shard-%a.log"},
		{"--dependency=afterany:17", "--requeue", "--output=my cubes-logs/answer.log"},
	} {
		for _, flag := range flags {
			if !strings.Contains(calls[k], flag) {
				t.Errorf("sbatch is called with %s, without %s", calls[k], flag)
			}
		}
	}
}
