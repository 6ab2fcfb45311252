package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// A write that fails leaves the old file and nothing else.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.json")
	write := func(text string, fail error) error {
		return Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return fail
		})
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("half of the n", errors.New("disk full")); err == nil || err.Error() != path+": disk full" {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("file holds %q, %v", got, err)
	}
	if err := write("new", nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("file holds %q, %v", got, err)
	}
}

// A target that is the file behind standard input, or in a folder that takes
// no files, is refused before the search; the probe leaves nothing behind.
func TestCheckTarget(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(path, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s := terminal.New(in, io.Discard, io.Discard)
	if err := CheckTarget(s, path, "-"); err == nil || !strings.HasSuffix(err.Error(), "jobs.json is the input; name another file") {
		t.Errorf("the file behind standard input: %v", err)
	}
	if err := CheckTarget(s, path, "other.json"); err != nil {
		t.Errorf("an old file: %v", err)
	}
	if err := CheckTarget(s, filepath.Join(dir, "new.json"), "-"); err != nil {
		t.Errorf("a new file: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if _, err := os.Stat("/proc"); err != nil {
		t.Skip("no /proc here, a folder that takes no files from anyone")
	}
	if err := CheckTarget(s, "/proc/plan.json", "-"); err == nil {
		t.Error("a folder that takes no files went through")
	}
}

const small = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a}]}
jobs: [{name: load, deadline: 9, map: {tasks: 1, wcet: 3}}]
`

// Job sets and plans come from files and from standard input; what is wrong
// with them is a fault of the call.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	in := func(text string) *terminal.Streams { return terminal.New(strings.NewReader(text), nil, nil) }
	if js, err := JobSet(t.Context(), in(""), write("small.yaml", small), nil); err != nil || len(js.Jobs) != 1 {
		t.Errorf("file: %v", err)
	}
	if js, err := JobSet(t.Context(), in(small), "-", nil); err != nil || len(js.Jobs) != 1 {
		t.Errorf("standard input: %v", err)
	}
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	idle := strings.Replace(small, "{name: a}", "{name: a}, {name: b}", 1)
	idle = strings.Replace(idle, "wcet: 3", "wcet: {a: 3}", 1)
	if _, err := JobSet(t.Context(), in(idle), "-", note); err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "<stdin>:2:52: no task can run on b;") {
		t.Errorf("notes %q, %v", notes, err)
	}
	if plan, err := Plan(t.Context(), in(""), write("plan.csv", "job,stage,task,slave,beat,assigned,fetch,start,finish\nload,map,1,a,0,0,0,0,3\n")); err != nil || len(plan.Tasks) != 1 {
		t.Errorf("plan: %v", err)
	}
	_, wrong := JobSet(t.Context(), in("versoin: 1\n"), "-", nil)
	_, wrongPlan := Plan(t.Context(), in(""), write("wrong.json", "{"))
	_, missing := JobSet(t.Context(), in(""), filepath.Join(dir, "missing.yaml"), nil)
	_, missingPlan := Plan(t.Context(), in(""), filepath.Join(dir, "missing.json"))
	_, folder := JobSet(t.Context(), in(""), dir, nil)
	for err, want := range map[error]string{
		wrong: "<stdin>:1:1: ", wrongPlan: "wrong.json:1:", missing: "missing.yaml: no such file", missingPlan: "missing.json: no such file", folder: ": is a directory",
	} {
		var fault *usage.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := terminal.New(r, nil, nil)
	if _, err := JobSet(ctx, s, "-", nil); !errors.Is(err, terminal.ErrInterrupted) {
		t.Errorf("interrupted: %v", err)
	}
}

// A file that is something else than was asked for is called by its name, in a line.
func TestMistaken(t *testing.T) {
	plan := `{"version": 1, "status": "optimal", "digest": "sha256:0", "tasks": []}`
	dir := t.TempDir()
	table := "job,stage,task,slave,beat,assigned,fetch,start,finish\n"
	for _, c := range []struct{ name, text, asJobSet, asPlan string }{
		{"p.json", plan, "this is a plan; the job set comes first", ""},
		{"p.json", strings.Replace(plan, "optimal", "fine", 1), "this is a plan; the job set comes first", ":1:"},
		{"p.yaml", "version: 1\ntasks: []\n", "this is a plan; the job set comes first", ""},
		{"p.csv", table, "this is a plan; the job set comes first", ""},
		{"-", table, "this is a plan; the job set comes first", ""},
		{"s.yaml", small, "", "this is a job set, where a plan is expected"},
		{"s.yaml", strings.Replace(small, "wcet", "wect", 1), ":3:", "this is a job set, where a plan is expected"},
		{"i.yaml", "# Made by downbeat import csv, version 1, from 2 files.\n" + strings.Replace(small, "wcet", "wect", 1), ":4:", "this is a job set, where a plan is expected"},
		{"a.csv", "name;release\n", "import csv", ":1:"},
		{"b.txt", "id,submitted,mappers\n1,2,3\n", "looks like a table (CSV)", ":1:"},
		{"j.jhist", "Avro-Json\n{}", "j.jhist: this is a job history file of Hadoop; use: downbeat import jhist ", ":1:"},
		{"jobs.csv", "job,tasks,minutes\netl,3,5\n", "this is a table (CSV); use: downbeat import csv ", ":1:"},
		{"app", "{\"Event\":\"SparkListenerLogStart\"}\n{\"Event\":\"x\"}", "this is an event log of Spark; use: downbeat import spark ", ":1:"},
		{"t.tsv", "job0\t49\t49\t740773\t2339561\t627471\n", "this is a trace of SWIM; use: downbeat import swim ", ":1:"},
		{"-", "Avro-Binary\n{}", "this is a job history file of Hadoop", ":1:"},
		{"x.json", "{", ":1:", ":1:"},
	} {
		path := "-"
		if c.name != "-" {
			path = filepath.Join(dir, c.name)
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := func() *terminal.Streams { return terminal.New(strings.NewReader(c.text), nil, nil) }
		_, set := JobSet(t.Context(), s(), path, nil)
		_, plan := Plan(t.Context(), s(), path)
		for _, found := range []struct {
			err  error
			want string
		}{{set, c.asJobSet}, {plan, c.asPlan}} {
			switch {
			case found.want == "" && found.err != nil:
				t.Errorf("%s: %v", c.text, found.err)
			case found.want != "" && (found.err == nil || !strings.Contains(found.err.Error(), found.want)):
				t.Errorf("%s: %v, not %s", c.text, found.err, found.want)
			}
		}
	}
}

// What is written to a link goes to the file behind it, there already or not.
func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		real, first, second := filepath.Join(dir, name), filepath.Join(dir, name+"-1"), filepath.Join(dir, name+"-2")
		if name == "old" {
			if err := os.WriteFile(real, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(name, first); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(first, second); err != nil {
			t.Fatal(err)
		}
		err := Write(second, func(w io.Writer) error { _, err := io.WriteString(w, "plan"); return err })
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(real); err != nil || string(got) != "plan" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
		if behind, err := os.Readlink(second); err != nil || behind != first {
			t.Errorf("the link is gone: %q, %v", behind, err)
		}
	}
}

// What cannot be written is said in the name of the file.
func TestTargetsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := terminal.New(strings.NewReader(""), nil, nil)
	for path, want := range map[string]string{
		filepath.Join(dir, "none", "plan.json"): "plan.json: no such file or directory",
		filepath.Join(file, "plan.json"):        "file is not a folder",
		dir:                                     " is a folder",
		file:                                    "file is the input; name another file",
	} {
		if err := CheckTarget(s, path, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", path, err, want)
		}
	}
	if err := Write(filepath.Join(dir, "none", "plan.json"), nil); err == nil || !strings.Contains(err.Error(), "plan.json: no such file") {
		t.Errorf("%v", err)
	}
}

// A folder stands for the job sets in it, any other path for itself.
func TestJobSets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.JSON", "notes.txt", "c.yml"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	deep := filepath.Join(dir, "deep.yaml")
	if err := os.Mkdir(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	found, err := JobSets(dir)
	if want := []string{filepath.Join(dir, "a.JSON"), filepath.Join(dir, "b.yaml"), filepath.Join(dir, "c.yml")}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v", found, err)
	}
	if found, err := JobSets("elsewhere.yaml"); err != nil || !slices.Equal(found, []string{"elsewhere.yaml"}) {
		t.Errorf("%q, %v", found, err)
	}
	if _, err := JobSets(deep); err == nil {
		t.Error("a folder without job sets is taken")
	}
}

// TestStreamEnds: who reads a file as it comes is left behind where ctx ends, be it that
// nothing comes or that it makes much of what came.
func TestStreamEnds(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan bool)
	go func() {
		<-begun
		cancel()
	}()
	_, err := Stream(ctx, &terminal.Streams{In: in}, "-", func(_ context.Context, _ string, r io.Reader) (int, error) {
		close(begun)
		return r.Read(make([]byte, 1))
	})
	if !errors.Is(err, terminal.ErrInterrupted) {
		t.Errorf("%v", err)
	}
}

// Of several that write a file once the first stays, whole, and nothing is left beside it.
func TestWriteOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claim")
	for _, text := range []string{"first", "second"} {
		if err := WriteOnce(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
