package planfile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"

	"github.com/google/go-cmp/cmp"
)

var updatePlans = flag.Bool("update-plans", false, "rewrite testdata/plans/*.{json,yaml,csv}")

func ptr[T any](v T) *T { return &v }

// examplePlan has everything that a plan can have but what executed plans add.
func examplePlan() *model.Plan {
	return &model.Plan{
		Version: 1, JobSet: "nightly", Digest: "sha256:00ff", Status: "feasible",
		Objectives: []model.ObjectiveValue{{Name: "misses", Value: 1, Bound: ptr(int64(0))}, {Name: "makespan", Value: 40}},
		Jobs:       []model.JobResult{{Job: "etl", Finish: 40, Deadline: ptr(model.Time(120))}, {Job: "yes", Finish: 9}},
		Tasks: []model.TaskResult{
			{Job: "etl", Stage: "map", Task: 1, Slave: "fast-1", Start: 1, Finish: 6},
			{Job: "yes", Stage: "3", Task: 1, Slave: "a \"slow\" one, ü", Beat: 1, Assigned: 3, Fetch: 3, Start: 3, Finish: 9},
		},
		Solver: &model.SolverInfo{Seconds: 0.02, Proof: "bound", Seed: math.MaxUint64},
	}
}

// exampleClocked has a clock that is put back while the plan runs.
func exampleClocked() *model.Plan {
	p := exampleExecuted()
	p.Program, p.TimeUnit, p.Zone = "v1.2.3", 15*time.Minute, "Europe/Berlin"
	zone, _, _ := clock.Zone(p.Zone)
	p.Origin = time.Date(2026, 10, 25, 1, 0, 0, 0, zone)
	p.Jobs = []model.JobResult{{Job: "etl", Finish: 12, Deadline: ptr(model.Time(8)), Late: 4}, {Job: "yes", Finish: 9}}
	return p
}

func exampleExecuted() *model.Plan {
	return &model.Plan{
		Version: 1, Kind: model.KindExecuted, JobSet: "nightly",
		Tasks:    []model.TaskResult{{Job: "etl", Stage: "map", Task: 1, Slave: "fast-2", Beat: 2, Assigned: 6, Fetch: 6, Start: 7, Finish: 12}},
		Rejected: []string{"ads"},
		Lost:     []model.TaskResult{{Job: "etl", Stage: "map", Task: 1, Slave: "fast-1", Start: 1, Finish: 4}},
	}
}

func TestPlanFilesAreAsTheyWere(t *testing.T) {
	for name, p := range map[string]*model.Plan{
		"planned": examplePlan(), "executed": exampleExecuted(), "clocked": exampleClocked(), "infeasible": {Version: 1, Status: "infeasible"},
	} {
		for _, ext := range []string{"json", "yaml", "csv"} {
			file := filepath.Join("testdata", "plans", name+"."+ext)
			format, err := FormatOf(file)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := Write(&got, p, format); err != nil {
				t.Fatal(err)
			}
			if *updatePlans {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-file +written):\n%s", file, diff)
			}
			sent := p
			if format == CSV {
				sent = &model.Plan{Version: 1, Kind: p.Kind, Tasks: p.Tasks, Lost: p.Lost, Rejected: p.Rejected}
			}
			for _, name := range []string{file, "-"} {
				back, err := Read(name, want)
				if err != nil {
					t.Errorf("%s as %s: %v", file, name, err)
				} else if diff := cmp.Diff(sent, back); diff != "" {
					t.Errorf("%s as %s (-sent +read):\n%s", file, name, diff)
				}
			}
		}
	}
}

func TestPlanFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.json": JSON, "b/c.YAML": YAML, "d.yml": YAML, "e.csv": CSV} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "-", "plan", "plan.txt", "json", "plan.json.gz"} {
		if _, err := FormatOf(path); err == nil || !strings.Contains(err.Error(), ".csv") {
			t.Errorf("%s: error %v does not name the formats", path, err)
		}
	}
}

// TestRandomPlansComeBack writes and reads plans with names and numbers from
// the edges of what is allowed.
func TestRandomPlansComeBack(t *testing.T) {
	for seed := range testkit.Sets[uint64](750, 3000) {
		p := randomPlan(rand.New(rand.NewPCG(seed, 0)), allNames)
		for format, name := range map[Format]string{JSON: "p.json", YAML: "p.yaml", ClockedJSON: "p.json"} {
			var b bytes.Buffer
			if err := Write(&b, p, format); err != nil {
				t.Fatal(err)
			}
			back, err := Read(name, b.Bytes())
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, b.Bytes())
			}
			if diff := cmp.Diff(p, back); diff != "" {
				t.Fatalf("seed %d (-sent +read):\n%s\n%s", seed, diff, b.Bytes())
			}
		}
		// CSV has no escapes, so a byte order mark cannot stand in a name.
		p = randomPlan(rand.New(rand.NewPCG(seed, 1)), allNames[1:])
		var b bytes.Buffer
		if err := Write(&b, p, CSV); err != nil {
			t.Fatal(err)
		}
		back, err := Read("p.csv", b.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, b.Bytes())
		}
		sent := &model.Plan{Version: 1, Kind: p.Kind, Tasks: p.Tasks, Lost: p.Lost, Rejected: p.Rejected}
		if diff := cmp.Diff(sent, back); diff != "" {
			t.Fatalf("seed %d (-sent +read):\n%s\n%s", seed, diff, b.Bytes())
		}
	}
}

// allNames are names that formats might take for something else.
var allNames = []string{"\ufeffbom", "etl", "yes", "NULL", "~", "3", "0x1F", "1e3", "a b", " x ", "-", "- a", "#c", "a: b", "{", "]", "<&>", "\"", "'", "\\",
	"é", "日本", "😀", "2026-11-21", "a,b", "*x", "&x", "!t", "%", "@", "`", "|", ">", "=1+1", "<<", ".5", "true", strings.Repeat("n", document.MaxName)}

func randomPlan(r *rand.Rand, names []string) *model.Plan {
	name := func() string { return names[r.IntN(len(names))] }
	number := func() int64 {
		edges := []int64{0, 1, -1, math.MaxInt64, math.MinInt64}
		if i := r.IntN(10); i < len(edges) {
			return edges[i]
		}
		return r.Int64N(1000)
	}
	tm := func() model.Time { return model.Time(number()) }
	task := func() model.TaskResult {
		line := model.TaskResult{Job: name(), Stage: name(), Task: int(number()), Slave: name(), Beat: tm(), Assigned: tm(), Fetch: tm(), Start: tm(), Finish: tm()}
		if r.IntN(4) == 0 {
			line.Duration = tm()
		}
		return line
	}
	proof := func() string { return model.ProofNames()[r.IntN(len(model.ProofNames()))] }
	p := &model.Plan{Version: 1, Relaxed: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		p.Program, p.JobSet, p.Digest, p.Status = name(), name(), name(), model.StatusNames()[r.IntN(len(model.StatusNames()))]
		p.Solver = &model.SolverInfo{Seconds: math.Ldexp(r.Float64(), r.IntN(80)-40), Proof: proof(), Seed: r.Uint64()}
		if r.IntN(2) == 0 {
			p.Solver.From = &model.FromInfo{Kept: int(number()), Moved: int(number()), New: int(number()), Unchanged: int(number())}
		}
		if r.IntN(2) == 0 {
			p.Certificate = &model.CertificateInfo{Digest: name(), Certified: r.IntN(2) == 0}
		}
	}
	if r.IntN(2) == 0 {
		p.TimeUnit = time.Duration(1 + r.Int64N(math.MaxInt64))
		if r.IntN(2) == 0 {
			p.Origin = time.Unix(r.Int64N(1<<33), r.Int64N(1e9)).In(time.FixedZone("", 60*(r.IntN(1440)-720)))
		}
	}
	for range r.IntN(4) {
		p.Tasks = append(p.Tasks, task())
	}
	for range r.IntN(3) {
		o := model.ObjectiveValue{Name: name(), Value: number()}
		if r.IntN(2) == 0 {
			o.Bound, o.Proof = ptr(number()), proof()
			if r.IntN(2) == 0 {
				o.Certified = ptr(number())
			}
		}
		p.Objectives = append(p.Objectives, o)
		j := model.JobResult{Job: name(), Finish: tm(), Late: tm()}
		if r.IntN(2) == 0 {
			j.Deadline = ptr(tm())
		}
		p.Jobs = append(p.Jobs, j)
	}
	if r.IntN(2) == 0 {
		p.Kind = model.KindExecuted
		for range r.IntN(3) {
			p.Lost = append(p.Lost, task())
			p.Rejected = append(p.Rejected, name())
		}
	}
	return p
}

// TestReadFaults has a twin for each fault: {good} in the text stands for
// the good version, and the bad one must be found where it stands.
func TestReadFaults(t *testing.T) {
	const item = `{"job": "a", "stage": "map", "task": 1, "slave": "s", "beat": 0, "assigned": 0, "fetch": 0, "start": 0, "finish": 5}`
	plan := func(rest string) string { return `{"version": 1` + rest + "}" }
	tasks := func(with string) string { return plan(", \"tasks\": [\n" + with + "]") }
	for _, c := range []struct{ what, file, good, bad, want string }{
		{"version of the future", "p.json", plan(`, "tasks": []`), `{"version": 2, "tasks": []}`, "p.json:1:13: version is 2"},
		{"no version", "p.json", plan(`, "tasks": []`), `{"tasks": []}`, "p.json:1:1: the plan has no version"},
		{"no tasks", "p.json", plan(`, "tasks": []`), plan(""), "the plan has no tasks"},
		{"tasks no list", "p.json", plan(`, "tasks": []`), plan(`, "tasks": {}`), "tasks is a mapping where a list is expected"},
		{"unit", "p.json", plan(`, "tasks": [], "time_unit": "15m"`), plan(`, "tasks": [], "time_unit": 15`), "time_unit is 15 without a unit"},
		{"origin", "p.json", plan(`, "tasks": [], "time_unit": "15m", "origin": "2026-10-25T01:00:00Z"`), plan(`, "tasks": [], "time_unit": "15m", "origin": "2026-10-25"`), `origin is "2026-10-25"`},
		{"origin without unit", "p.json", plan(`, "tasks": [], "time_unit": "15m", "origin": "2026-10-25T01:00:00Z"`), plan(`, "tasks": [], "origin": "2026-10-25T01:00:00Z"`), "add time_unit"},
		{"zone", "p.json", plan(`, "tasks": [], "time_unit": "15m", "origin": "2026-10-25T01:00:00Z", "zone": "Europe/Berlin"`), plan(`, "tasks": [], "zone": "Europe/Berlin"`), "zone is given without origin"},
		{"status", "p.json", plan(`, "tasks": [], "status": "optimal"`), plan(`, "tasks": [], "status": "optimum"`), `did you mean optimal?`},
		{"kind", "p.json", plan(`, "tasks": [], "kind": "executed"`), plan(`, "tasks": [], "kind": "done"`), `kind is "done"`},
		{"relaxed", "p.json", plan(`, "tasks": [], "relaxed": true`), plan(`, "tasks": [], "relaxed": 1`), "relaxed is 1; write true"},
		{"proof", "p.json", plan(`, "tasks": [], "solver": {"proof": "sat"}`), plan(`, "tasks": [], "solver": {"proof": "SAT"}`), "did you mean sat?"},
		{"proof of an objective", "p.json", plan(`, "tasks": [], "objectives": [{"name": "misses", "value": 1, "bound": 1, "proof": "bound"}]`),
			plan(`, "tasks": [], "objectives": [{"name": "misses", "value": 1, "bound": 1, "proof": "bond"}]`), "did you mean bound?"},
		{"seconds", "p.json", plan(`, "tasks": [], "solver": {"seconds": 1.5}`), plan(`, "tasks": [], "solver": {"seconds": -1.5}`), "seconds is -1.5"},
		{"seconds without end", "p.json", plan(`, "tasks": [], "solver": {"seconds": 1e300}`), plan(`, "tasks": [], "solver": {"seconds": 1e400}`), "seconds is 1e400"},
		{"seed", "p.json", plan(`, "tasks": [], "solver": {"seed": 18446744073709551615}`), plan(`, "tasks": [], "solver": {"seed": 18446744073709551616}`), "seed is 18446744073709551616"},
		{"unknown field", "p.json", plan(`, "tasks": [], "x-mine": 1`), plan(`, "tasks": [], "mine": 1`), `unknown field "mine"`},
		{"what comes with an answer without a plan", "p.json", plan(`, "tasks": [], "conflict": {"jobs": ["a"]}, "notes": ["n"]`), plan(`, "tasks": [], "conflicts": {}`), "did you mean conflict?"},
		{"nearly a field", "p.json", tasks(item), tasks(strings.Replace(item, "slave", "slav", 1)), "p.json:2:41: unknown field \"slav\" in the task; did you mean slave?"},
		{"missing figure", "p.json", tasks(item), tasks(strings.Replace(item, `"beat": 0, `, "", 1)), "p.json:2:1: the task has no beat"},
		{"twice", "p.json", tasks(item), tasks(strings.Replace(item, `"beat": 0`, `"beat": 0, "beat": 0`, 1)), `"beat" is given twice`},
		{"fraction", "p.json", tasks(item), tasks(strings.Replace(item, `"finish": 5`, `"finish": 5.0`, 1)), "p.json:2:115: finish is 5.0, not a plain whole number; write 5"},
		{"exponent", "p.json", tasks(item), tasks(strings.Replace(item, `"finish": 5`, `"finish": 5e0`, 1)), "write 5"},
		{"text", "p.json", tasks(item), tasks(strings.Replace(item, `"finish": 5`, `"finish": "5"`, 1)), "write 5 without quotes"},
		{"too large", "p.json", tasks(strings.Replace(item, "5}", "9223372036854775807}", 1)), tasks(strings.Replace(item, "5}", "9223372036854775808}", 1)), "does not fit in 64 bits"},
		{"too small", "p.json", tasks(strings.Replace(item, "5}", "-9223372036854775808}", 1)), tasks(strings.Replace(item, "5}", "-9223372036854775809}", 1)), "does not fit in 64 bits"},
		{"null figure", "p.json", tasks(item), tasks(strings.Replace(item, `"finish": 5`, `"finish": null`, 1)), "p.json:2:115: finish is"},
		{"name of another kind", "p.json", tasks(item), tasks(strings.Replace(item, `"a"`, `7`, 1)), `write it in quotes: "7"`},
		{"null bound is fine, null value not", "p.json", plan(`, "tasks": [], "objectives": [{"name": "misses", "value": 0, "bound": null}]`),
			plan(`, "tasks": [], "objectives": [{"name": "misses", "value": null, "bound": 0}]`), "p.json:1:72: value is"},
		{"null deadline is fine, null late with one not", "p.json", plan(`, "tasks": [], "jobs": [{"job": "a", "finish": 1, "deadline": null, "late": null}]`),
			plan(`, "tasks": [], "jobs": [{"job": "a", "finish": 1, "deadline": 2, "late": null}]`), "late is null"},
		{"JSON", "p.json", plan(`, "tasks": []`), plan(`, "tasks": [],`), "not JSON"},
		{"after the end", "p.json", plan(`, "tasks": []`), plan(`, "tasks": []`) + "x", "p.json:1:28: not JSON: text after the end"},
		{"YAML", "p.yaml", "version: 1\ntasks: []\n", "version: 1\n tasks: []\n", "not YAML"},
		{"two documents", "p.yaml", "version: 1\ntasks: []\n", "version: 1\ntasks: []\n---\nversion: 1\n", "p.yaml:3:1: a second document starts here; keep one plan"},
		{"octal", "p.yaml", "version: 1\ntasks: [{job: a, stage: m, task: 1, slave: s, beat: 0, assigned: 0, fetch: 0, start: 0, finish: 17}]\n",
			"version: 1\ntasks: [{job: a, stage: m, task: 1, slave: s, beat: 0, assigned: 0, fetch: 0, start: 0, finish: 017}]\n", "write 17 (or 15 if octal was meant)"},
		{"empty", "p.yaml", "version: 1\ntasks: []\n", "", "the file is empty"},
		{"UTF-8", "p.json", plan(`, "tasks": [], "jobset": "ü"`), plan(`, "tasks": [], "jobset": "` + "\xfc" + `"`), "is not UTF-8"},
		{"column", "p.csv", csvHeader + "\n", strings.Replace(csvHeader, "slave", "node", 1) + "\n", `p.csv:1:16: unknown column "node"`},
		{"no column", "p.csv", csvHeader + "\n", strings.Replace(csvHeader, "beat,", "", 1) + "\n", "there is no column beat"},
		{"column twice", "p.csv", csvHeader + ",x-a,x-a\n", csvHeader + ",beat\n", "column beat is given twice"},
		{"short line", "p.csv", csvHeader + "\na,map,1,s,0,0,0,0,5\n", csvHeader + "\na,map,1,s,0,0,0,0\n", "p.csv:2:1: the line has 8 fields, the header has 9"},
		{"CSV fraction", "p.csv", csvHeader + "\nä,map,1,s,0,0,0,0,5\n", csvHeader + "\nä,map,1,s,0,0,0,0,5.5\n", "p.csv:2:19: finish is 5.5"},
		{"CSV figure missing", "p.csv", csvHeader + "\na,map,1,s,0,0,0,0,5\n", csvHeader + "\na,map,1,s,0,,0,0,5\n", "p.csv:2:13: assigned is"},
		{"CSV name missing", "p.csv", csvHeader + "\na,map,1,s,0,0,0,0,5\n", csvHeader + "\n,map,1,s,0,0,0,0,5\n", "p.csv:2:1: "},
		{"CSV quotes", "p.csv", csvHeader + "\n\"a\"\"b\",map,1,s,0,0,0,0,5\n", csvHeader + "\na\"b,map,1,s,0,0,0,0,5\n", "not CSV"},
		{"outcome", "p.csv", csvHeader + ",outcome\na,map,1,s,0,0,0,0,5,lost\n", csvHeader + ",outcome\na,map,1,s,0,0,0,0,5,failed\n", `outcome is "failed"`},
		{"rejected", "p.csv", csvHeader + ",outcome\na,,,,,,,,,rejected\n", csvHeader + ",outcome\na,map,,,,,,,,rejected\n", "p.csv:2:3: stage is given for a rejected job"},
		{"no header", "p.csv", csvHeader + "\n", "", "p.csv:1:1: the file is empty; start with the line job,"},
	} {
		if _, err := Read(c.file, []byte(c.good)); err != nil {
			t.Errorf("%s: the good twin fails: %v", c.what, err)
		}
		_, err := Read(c.file, []byte(c.bad))
		var faults *document.Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: error %v, want faults with %q", c.what, err, c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %q", c.what, err, c.want)
		}
	}
}

const csvHeader = "job,stage,task,slave,beat,assigned,fetch,start,finish"

func TestReadTellsAllFaults(t *testing.T) {
	_, err := Read("-", []byte(csvHeader+"\na,map,x,s,y,0,0,0,5\nb,map,1,s,0,0,0,z,5\n"))
	var faults *document.Faults
	if !errors.As(err, &faults) || len(faults.List) != 3 {
		t.Fatalf("want 3 faults, got %v", err)
	}
	if at := fmt.Sprint(faults.List[0].Column, faults.List[1].Column, faults.List[2].Line); at != "7 11 3" {
		t.Errorf("positions %s\n%v", at, err)
	}
}

// FuzzRead: whatever is read is either refused with positions or comes
// back from JSON and YAML as it is.
func FuzzRead(f *testing.F) {
	for _, p := range []*model.Plan{examplePlan(), exampleExecuted(), exampleClocked()} {
		for i, name := range []string{"p.json", "p.yaml", "p.csv"} {
			var b bytes.Buffer
			if err := Write(&b, p, Format(i)); err != nil {
				f.Fatal(err)
			}
			f.Add(name, b.Bytes())
		}
	}
	f.Add("-", []byte("version: 1\ntasks: &t []\nlost: *t\n"))
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		p, err := Read(name, src)
		if err != nil {
			var faults *document.Faults
			if !errors.As(err, &faults) || len(faults.List) == 0 || faults.List[0].Line < 1 {
				t.Fatalf("error without a position: %v", err)
			}
			return
		}
		for i, name := range []string{"p.json", "p.yaml"} {
			var b bytes.Buffer
			if err := Write(&b, p, Format(i)); err != nil {
				t.Fatal(err)
			}
			back, err := Read(name, b.Bytes())
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, b.Bytes())
			}
			if diff := cmp.Diff(p, back); diff != "" {
				t.Fatalf("%s (-first +second):\n%s", name, diff)
			}
		}
	})
}

// BenchmarkRead reads plans of 100,000 tasks.
func BenchmarkRead(b *testing.B) {
	p := &model.Plan{Version: model.PlanVersion}
	for i := range 100_000 {
		at := model.Time(3 * i)
		p.Tasks = append(p.Tasks, model.TaskResult{
			Job: "etl", Stage: "map", Task: i + 1, Slave: "fast-1", Beat: model.Time(i),
			Assigned: at, Fetch: at, Start: at + 1, Finish: at + 6,
		})
	}
	for i, name := range []string{"p.json", "p.yaml", "p.csv"} {
		var file bytes.Buffer
		if err := Write(&file, p, Format(i)); err != nil {
			b.Fatal(err)
		}
		b.Run("tasks=100000/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if back, err := Read(name, file.Bytes()); err != nil || len(back.Tasks) != len(p.Tasks) {
					b.Fatalf("%d tasks, %v", len(back.Tasks), err)
				}
			}
		})
	}
}
