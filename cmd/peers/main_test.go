package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/model"
)

// TestMain lets the test's binary answer for downbeat, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{answerCommand, playCommand, trialCommand}, os.Args[1]) {
		os.Exit(int(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)))
	}
	os.Exit(m.Run())
}

// tiny has two jobs of which one must be late.
const tiny = `version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 1, slots: 1}]}
jobs:
  - {name: i, deadline: 5, map: {tasks: 1, wcet: 4}}
  - {name: j, deadline: 5, map: {tasks: 1, wcet: 4}}
`

func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tiny.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := folder(t, tiny)
	csv := filepath.Join(dir, "runs.csv")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"-limit", "20s", "-solvers", "downbeat", "-rounds", "2", "-csv", csv, dir}, &out, &errs)
	if code != exit.Done || !strings.Contains(out.String(), "tiny  2      1       downbeat  optimal  1      1 ") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	if !strings.Contains(errs.String(), "2 of 2: tiny, downbeat: optimal in ") {
		t.Errorf("progress:\n%s", &errs)
	}
	text, err := os.ReadFile(csv)
	if err != nil || strings.Count(string(text), ",2,2,1,downbeat,,") != 2 {
		t.Errorf("%v\n%s", err, text)
	}

	// A second time there is nothing to do but the third round.
	errs.Reset()
	code = run(t.Context(), []string{"-limit", "20s", "-solvers", "downbeat", "-rounds", "3", "-csv", csv, dir}, &out, &errs)
	if code != exit.Done || strings.Count(errs.String(), " of 3: ") != 1 || !strings.Contains(errs.String(), "has 2 runs with this limit") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestCurve goes from sets of families to the picture.
func TestCurve(t *testing.T) {
	dir := t.TempDir()
	csv, picture, sets := filepath.Join(dir, "runs.csv"), filepath.Join(dir, "curve.svg"), filepath.Join(dir, "sets")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{
		"-limit", "20s", "-solvers", "downbeat", "-parallel", "2", "-drop", "-csv", csv, "-save", sets,
		"family:infeasible-10:1-2", "family:infeasible-20:1",
	}, &out, &errs)
	if code != exit.Done {
		t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
	if kept, err := os.ReadDir(sets); err != nil || len(kept) != 3 || kept[0].Name() != "infeasible-10-1.yaml" {
		t.Errorf("%v in %s: %v", kept, sets, err)
	}
	out.Reset()
	if code := run(t.Context(), []string{"curve", "-by", "10s,20s", "-o", picture, csv}, &out, &errs); code != exit.Done {
		t.Fatalf("exit code %d\n%s", code, &errs)
	}
	if !strings.Contains(out.String(), "infeasible  10     downbeat  2     2       2\n") {
		t.Errorf("table:\n%s", &out)
	}
	if text, err := os.ReadFile(picture); err != nil || !strings.Contains(string(text), ">infeasible, 20s<") {
		t.Errorf("picture: %v", err)
	}
}

func TestScale(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"scale", "-tasks", "200,100", "-seeds", "1", "-limit", "2s", "-o", dir}, &out, &errs); code != exit.Done {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "scale.csv")); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "scale.svg")); err != nil || !strings.Contains(string(text), ">first plan<") {
		t.Errorf("picture: %v", err)
	}
}

func TestBudget(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"budget", "-budgets", "1,50", "family:tiny:1"}, &out, &errs); code != exit.Done {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	if strings.Count(out.String(), "\n") != 3 || !strings.Contains(out.String(), "\ntiny-1  ") {
		t.Errorf("table:\n%s", &out)
	}
}

func TestPolicies(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"policies", "--tasks", "200", "--policy", "edf", "--policy", "rtmr:order=fifo,feedback=no"}, &out, &errs)
	if lines := strings.Split(out.String(), "\n"); code != exit.Done || len(lines) != 4 || !strings.HasPrefix(lines[0], "policy ") || !strings.HasPrefix(lines[2], "rtmr:order=fifo,feedback=no ") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	code = run(t.Context(), []string{"policies", "--tasks", "100", "--policy", "edv"}, &out, &errs)
	if code == exit.Done || !strings.Contains(errs.String(), `did you mean "edf"?`) {
		t.Errorf("exit code %d\n%s", code, &errs)
	}
}

// TestForgets: sets of families leave no folder behind unless asked to.
func TestForgets(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, args := range [][]string{
		{"budget", "-budgets", "1", "family:tiny:1"},
		{"budget", "-budgets", "1", "family:tiny:1", "missing.yaml"},
	} {
		run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{})
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %v (%v)", args, left, err)
		}
	}
}

func TestUsage(t *testing.T) {
	dir := folder(t, tiny)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "peers: name a folder of job sets, files, or families"},
		{[]string{"-lmit", "3s", dir}, "peers: unknown flag --lmit; did you mean \"--limit\"?"},
		{[]string{"-limit", "soon", dir}, `peers: --limit: "soon" is no duration`},
		{[]string{"-limit", "0s", dir}, "peers: --limit must be more than 0"},
		{[]string{"-workers", "0", dir}, "peers: --workers must be at least 1"},
		{[]string{"-rounds", "0", dir}, "peers: --rounds must be at least 1"},
		{[]string{"-solvers", "downbeet", dir}, `peers: no solver is called "downbeet" here; there are downbeat`},
		{[]string{filepath.Join(dir, "missing")}, "no such file"},
		{[]string{folder(t, "versoin: 1\n")}, "tiny.yaml:1:1: "},
		{[]string{"-parallel", "0", dir}, "peers: --parallel must be at least 1"},
		{[]string{"-csv", filepath.Join(dir, "tiny.yaml"), "-solvers", "downbeat", dir}, "tiny.yaml: "},
		{[]string{"family:tihgt-40:1"}, `unknown family "tihgt-40"`},
		{[]string{"family:tight-40"}, "write a family and its seeds, as in family:tight-40:1-5"},
		{[]string{"curve"}, "peers: name files that were written with --csv"},
		{[]string{"curve", "-by", "soon", dir}, `peers: --by: time: invalid duration "soon"`},
		{[]string{"curve", filepath.Join(dir, "tiny.yaml")}, "this is no file of runs"},
		{[]string{"scale", "-tasks", "10"}, "100 at least"},
		{[]string{"scale", "-limit", "0s"}, "peers: --limit must be more than 0"},
		{[]string{"scale", "-workers", "0"}, "peers: --workers must be at least 1"},
		{[]string{"scale", dir}, "peers: scale makes its own sets"},
		{[]string{"budget"}, "peers: name a folder of job sets"},
		{[]string{"budget", "-budgets", "0", dir}, "0 is no amount of work"},
		{[]string{"answer", "x"}, "peers: answer takes a file, a limit and a number of workers"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), test.args, &out, &errs); code != exit.Usage || !strings.Contains(errs.String(), test.want) || out.Len() > 0 {
			t.Errorf("%q: exit code %d, %s%s", test.args, code, &errs, &out)
		}
	}
}

// TestHelp: a command's help has a line for each of its flags.
func TestHelp(t *testing.T) {
	for command, flags := range map[string]string{
		"":       "limit workers rounds parallel drop solvers python csv save",
		"curve":  "by output",
		"scale":  "tasks limit workers seeds python output",
		"budget": "budgets",
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(strings.Fields(command), "--help"), &out, &errs); code != exit.Done || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", command, code, &errs)
		}
		for _, flag := range strings.Fields(flags) {
			if !strings.Contains(out.String(), " --"+flag+" ") {
				t.Errorf("%s --help does not tell of --%s:\n%s", command, flag, &out)
			}
		}
		if strings.Contains(out.String(), "\n  answer") {
			t.Errorf("the help tells of the command that is for the program itself:\n%s", &out)
		}
	}
}

// Long flags may have one dash or two.
func TestTwoDashes(t *testing.T) {
	got := twoDashes([]string{"-limit", "3s", "--csv", "-", "-o", "-o=x.svg", "-by=3s", "a-b"})
	if want := []string{"--limit", "3s", "--csv", "-", "-o", "-o=x.svg", "--by=3s", "a-b"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestJudge: a fault, and answers that contradict each other, are told by the
// exit code.
func TestJudge(t *testing.T) {
	set := &peers.Set{Name: "tiny"}
	none := &peers.Run{Set: set, Peer: "a", Status: model.Infeasible}
	plan := &peers.Run{Set: set, Peer: "b", Planned: true, Values: []int64{1}}
	for _, test := range []struct {
		runs []*peers.Run
		want error
		text string
	}{
		{[]*peers.Run{plan}, nil, ""},
		{[]*peers.Run{{Set: set, Fault: "it crashed"}, plan}, exit.No, ""},
		{[]*peers.Run{none, plan}, exit.No, "contradiction: tiny: a says infeasible, b has a plan with [1]\n"},
	} {
		var errs bytes.Buffer
		if err := judge(test.runs, &errs); err != test.want || errs.String() != test.text {
			t.Errorf("%v, %q", err, &errs)
		}
	}
}

// TestPages: the program takes the commands that README.md and docs tell, and
// these know their flags.
func TestPages(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^(?:go run \./cmd/)?peers( (?:--|curve |scale|budget |speedup|published )(?:.*\\\n)*[^#\n]*)`)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commands.FindAllStringSubmatch(string(text), -1) {
			told++
			cmd, args, err := newRootCmd().Find(strings.Fields(strings.ReplaceAll(m[1], "\\\n", " ")))
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			if err != nil {
				t.Errorf("%s: peers%s: %v", page, m[1], err)
			}
		}
	}
	if told < 6 {
		t.Errorf("only %d commands found", told)
	}
}

// TestGen: sets of families, large ones too, are written to a folder.
func TestGen(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"gen", "-o", dir, "family:scale-shared-200:1-2", "family:tight-20:3"}, &out, &errs)
	var want string
	for _, name := range []string{"scale-shared-200-1.yaml", "scale-shared-200-2.yaml", "tight-20-3.yaml"} {
		want += filepath.Join(dir, name) + "\n"
	}
	if code != exit.Done || out.String() != want {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "scale-shared-200-2.yaml"))
	if err != nil || !strings.Contains(string(text), "gang: true") || !strings.Contains(string(text), "pools:") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, args := range [][]string{{"gen", "family:tight-20:3"}, {"gen", "-o", dir}, {"gen", "-o", dir, "family:none:1"}} {
		if code := run(t.Context(), args, &out, &errs); code != exit.Usage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}

// TestSpeedup: sets are tried with several numbers of workers, and what is in the file is not tried again.
func TestSpeedup(t *testing.T) {
	dir := folder(t, tiny)
	csv, picture := filepath.Join(dir, "speedup.csv"), filepath.Join(dir, "speedup.svg")
	args := []string{"speedup", "--workers", "1,2", "--seeds", "1,2", "--csv", csv, "-o", picture, filepath.Join(dir, "tiny.yaml")}
	for _, want := range []int{4, 0} {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, &out, &errs)
		if code != exit.Done || !strings.Contains(out.String(), "tiny  2      1        2 of 2") || !strings.Contains(out.String(), "not by others within 2m0s: none") {
			t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
		}
		if tried := strings.Count(errs.String(), "tiny, workers "); tried != want {
			t.Errorf("%d were tried, not %d:\n%s", tried, want, &errs)
		}
	}
	if _, err := os.Stat(picture); err != nil {
		t.Error(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"speedup", "--workers", "1,2", "--seeds", "1", "--after", "1s", filepath.Join(dir, "tiny.yaml")}, &out, &errs)
	if code != exit.Done || !strings.Contains(out.String(), "2 workers: worse in the median of seeds on 0 sets") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
	for _, wrong := range [][]string{{"--workers", "0"}, {"--seeds", ""}, {"--limit", "0s"}, {"--after", "-1s"}, {"--budget", "-1"}, {"--after", "1s", "-o", picture}, {"nowhere.yaml"}} {
		if code := run(t.Context(), append([]string{"speedup"}, wrong...), &out, &errs); code != exit.Usage {
			t.Errorf("%v: exit code %d", wrong, code)
		}
	}
}

// TestPublished: sets of the literature are read from folders, what came of them stays in the file, and the
// table is of all that is there.
func TestPublished(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shops/two.txt": "2 2\n0 3 1 4\n1 5 0 6\n", "shops/two2.txt": "2 2\n0 1 1 4\n1 5 0 6\n", "shops/notes.txt": "no set",
		"single/wt2.txt": "3 4 7 8 3 4\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	csv := filepath.Join(t.TempDir(), "runs.csv")
	const want = `| family | solver | seconds | workers | sets | proved | best plan |
|---|---|---:|---:|---:|---:|---:|
| shops | downbeat one | 20 | 1 | 1 | 1 | 1 |
| single | downbeat one | 20 | 1 | 1 | 1 | 1 |
| all | downbeat | 20 | 1 | 2 | 2 | 2 |
`
	call := []string{"published", "--csv", csv, "--solvers", "downbeat", "--limit", "20s", "--label", "one"}
	for _, runs := range []int{2, 0} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(call, "--of-each", "1", dir), &out, &errs)
		if code != exit.Done || out.String() != want || strings.Count(errs.String(), "downbeat: optimal") != runs {
			t.Errorf("exit code %d\n%s%s", code, &out, &errs)
		}
		if !strings.Contains(errs.String(), "passed over: notes: this is no job shop") {
			t.Errorf("what is no set is not told of:\n%s", &errs)
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), call, &out, &errs); code != exit.Done || out.String() != want {
		t.Errorf("without sets: exit code %d\n%s%s", code, &out, &errs)
	}
	later := strings.Replace(want, "shops | downbeat one", "shops | downbeat two", 1)
	out.Reset()
	if code := run(t.Context(), append(call, "--label", "two", "--of-each", "1", filepath.Join(dir, "shops")), &out, &errs); code != exit.Done {
		t.Errorf("exit code %d\n%s", code, &errs)
	}
	out.Reset()
	if code := run(t.Context(), call, &out, &errs); code != exit.Done || out.String() != later {
		t.Errorf("after a later run: exit code %d\n%s%s", code, &out, &errs)
	}
	for _, wrong := range [][]string{{"published"}, append(call, "--of-each", "-1"), append(call, t.TempDir()), append(call, "nowhere")} {
		if code := run(t.Context(), wrong, &out, &errs); code != exit.Usage {
			t.Errorf("%v: exit code %d", wrong, code)
		}
	}
}

// TestPublishedPage: the page has the table of the file of runs beside it.
func TestPublishedPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/published.md")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := peers.PublishedTable(&table, "../../docs/published.csv"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/published.md has not\n%s", &table)
	}
}

// TestSpeedupSets: those that are tried by default are 16.
func TestSpeedupSets(t *testing.T) {
	sets, err := peers.Load(peers.SpeedupSets(), t.TempDir())
	if err != nil || len(sets) != 16 {
		t.Errorf("%d sets, %v", len(sets), err)
	}
}
