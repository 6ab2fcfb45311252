package imports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/usage"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// imported is what import makes of files, after it has been written and read again.
func imported(t testing.TB, kind string, keep Keep, r Rules, paths ...string) (*Result, *model.JobSet, error) {
	t.Helper()
	var k *Kind
	if kind != "" {
		of, known := Named(kind)
		if !known {
			t.Fatalf("no kind %s", kind)
		}
		k = &of
	}
	if keep.Limit == 0 {
		keep.Limit = DefaultLimit
	}
	result, err := Import(t.Context(), k, paths, strings.NewReader(""), keep, r, false)
	if err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	if err := result.Write(&text); err != nil {
		t.Fatalf("%v: %v", paths, err)
	}
	js, err := jobfile.Load("night.yaml", text.Bytes())
	if err != nil {
		t.Fatalf("what was made of %v does not load: %v", paths, err)
	}
	if js.Digest() != result.Set.Digest() {
		t.Fatalf("what was made of %v is another set once it is read", paths)
	}
	return result, js, nil
}

// file writes a text to a new file of that name.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The template loads, and nothing in it is odd.
func TestTemplate(t *testing.T) {
	js, notes, err := jobfile.LoadNoted("template.yaml", []byte(Template))
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, notes %v", err, notes)
	}
	if len(js.Jobs) != 4 || len(js.Slaves) != 3 {
		t.Errorf("%d jobs, %d slaves", len(js.Jobs), len(js.Slaves))
	}
}

// shared is the folder of files that others made.
func shared(t *testing.T) string {
	dir := filepath.Join("..", "..", "..", "..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder ../shared/data is not there")
	}
	return dir
}

// Files that others made become job sets of which plans are found, or proved that there is
// none.
func TestFilesOfOthers(t *testing.T) {
	dir := shared(t)
	for _, c := range []struct {
		kind, files string
		jobs        int
		tasks       int
		rules       func(*Rules)
		infeasible  bool
	}{
		{"jhist", "hadoop-jhist", 2, 14, nil, false},
		{"history", "hadoop-jobhistory", 1, 2, nil, false},
		{"rumen", "hadoop-sls/2jobs2min-rumen-jh.json", 2, 192, nil, false},
		{"sls", "hadoop-sls/inputsls.json hadoop-sls/nodes.json", 2, 5, nil, false},
		{"sls", "hadoop-sls/sls_dag.json hadoop-sls/nodes-with-resources.json", 2, 5, nil, false},
		{"sls", "hadoop-sls/syn.json", 10, 107, nil, false},
		{"sls", "hadoop-sls/syn_generic.json", 10, 107, nil, false},
		{"reservation", "yarn-reservation/submit-reservation.json", 1, 220, nil, false},
		{"reservation", "yarn-reservation/submit-reservation.doc-sample.json", 1, 220, nil, true},
		{"spark", "spark-eventlog/app-20161116163331-0000", 1, 16, nil, false},
		{"spark", "spark-eventlog/local-1422981759269", 1, 33, nil, false},
		{"swim", "swim/FB-2009_samples_24_times_1hr_0_first50jobs.tsv", 50, 85, nil, false},
		{"wfcommons", "wfcommons/blast-chameleon-small-001.json", 1, 43, nil, false},
		{"wfcommons", "wfcommons/helloworld-forkjoin-10-chameleon.json", 1, 10, nil, false},
	} {
		rules := DefaultRules()
		rules.Hard = true
		var paths []string
		for name := range strings.FieldsSeq(c.files) {
			paths = append(paths, filepath.Join(dir, name))
		}
		_, js, err := imported(t, c.kind, Keep{}, rules, paths...)
		if err != nil {
			t.Errorf("%s: %v", c.files, err)
			continue
		}
		if len(js.Jobs) != c.jobs || len(js.Tasks) != c.tasks {
			t.Errorf("%s: %d jobs, %d tasks; want %d and %d", c.files, len(js.Jobs), len(js.Tasks), c.jobs, c.tasks)
		}
		verdict, err := solve.Check(t.Context(), js, solve.Options{Workers: 1, Budget: testkit.Sets[int64](300, 2000)})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.files, err)
		case c.infeasible && verdict.Status != model.Infeasible, !c.infeasible && verdict.Status != model.Feasible:
			t.Errorf("%s: %v", c.files, verdict.Status)
		case !c.infeasible:
			if err := check.Schedule(js, verdict.Schedule, false).Err(); err != nil {
				t.Errorf("%s: %v", c.files, err)
			}
		}
		first, _, _ := strings.Cut(c.files, " ")
		head, err := os.Open(filepath.Join(dir, first))
		if err != nil {
			t.Fatal(err)
		}
		start := make([]byte, HeadSize)
		n, _ := head.Read(start)
		head.Close()
		if of, known := Guess(start[:n]); n > 0 && (!known || of.Name != c.kind) {
			t.Errorf("%s looks like %q", first, of.Name)
		}
	}
}

// What others made and holds no job is told, with the reason.
func TestFilesOfOthersWithoutJobs(t *testing.T) {
	dir := shared(t)
	for path, want := range map[string]string{
		"hadoop-jhist/job_2.4.0-FAILED.jhist":     "no job to import:\njobs of which no task finished (1); the first:\n",
		"spark-eventlog/local-1430917381535_1":    "applications without a task that finished (1)",
		"hadoop-sls/nodes.json":                   "no job to import",
		"hadoop-jobhistory/info.json":             "no job to import",
		"hadoop-jobhistory/attempt-counters.json": "no job to import",
	} {
		_, _, err := imported(t, "", Keep{}, DefaultRules(), filepath.Join(dir, path))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		var fault *usage.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v is no fault of the call", path, err)
		}
	}
}

// A window of a day of Facebook's, at whole length.
func TestDaysOfSWIM(t *testing.T) {
	dir := shared(t)
	for name, jobs := range map[string]int{
		"FB-2009_samples_24_times_1hr_0.tsv": 5894, "FB-2009_samples_24_times_1hr_1.tsv": 6638, "FB-2010_samples_24_times_1hr_0.tsv": 24442,
	} {
		path := filepath.Join(dir, "swim", name)
		_, js, err := imported(t, "swim", Keep{Since: "1h", Window: 10 * 60e9, Limit: 40}, DefaultRules(), path)
		if err != nil || len(js.Jobs) == 0 || len(js.Jobs) > 40 {
			t.Errorf("%s: %v", name, err)
		}
		result, _, err := imported(t, "swim", Keep{Limit: 30}, DefaultRules(), path)
		if want := fmt.Sprintf("%d more left out", jobs-30); err != nil || !strings.Contains(fmt.Sprint(result.Notes), want) {
			t.Errorf("%s: %v, notes %v, want %s", name, err, result.Notes, want)
		}
	}
}

// Reading ends with its context.
func TestImportHeedsItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, k := range Kinds() {
		if _, err := Import(ctx, &k, []string{file(t, "x", "job,minutes\na,3\n")}, nil, Keep{Limit: 1}, DefaultRules(), false); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

// With --runs last the limit counts names: the last run of each is the job, however long the history.
func TestLimitOfLastRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.csv")
	text := "job,run,minutes,release\n"
	for run := range 5 {
		for _, name := range []string{"a", "b", "c"} {
			text += fmt.Sprintf("%s,r%d,%d,2026-11-2%d 22:00\n", name, run, 10+run, run)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	rules := DefaultRules()
	rules.Runs = LastRun
	result, js, err := imported(t, "csv", Keep{Limit: 2}, rules, file)
	if err != nil {
		t.Fatal(err)
	}
	if len(js.Jobs) != 2 || js.Jobs[1].Name != "b" || js.Jobs[0].Release != 0 || js.Origin.Day() != 24 {
		t.Errorf("%d jobs, from %v on", len(js.Jobs), js.Origin)
	}
	if want := "10 runs of the first 2 names taken, 5 runs more left out"; !slices.ContainsFunc(result.Notes, func(n string) bool { return strings.Contains(n, want) }) {
		t.Errorf("notes %q", result.Notes)
	}
}
