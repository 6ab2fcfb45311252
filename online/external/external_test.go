package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/schematest"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/external"
	"downbeat/online/policies"
)

// python is the interpreter itself: what stands on the PATH may be a script that takes
// longer to begin than all the rest.
var python = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// program is a command that runs a file of Python, or its text.
func program(t testing.TB, file string, args ...string) []string {
	t.Helper()
	if python() == "" {
		t.Skip("python3 is not on the PATH")
	}
	if strings.Contains(file, "\n") {
		path := filepath.Join(t.TempDir(), "policy.py")
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		file = path
	} else {
		file = filepath.Join("../../examples/policies", file)
	}
	return append([]string{python(), "-S", file}, args...)
}

// firstFit is FIFO that hands out tasks: they are listed in that order. With an argument
// it does so one by one.
const firstFit = `
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "start": a = {"version": 1, "decides": "tasks", "candidates": "numbers"}
    elif m["type"] == "heartbeat":
        groups = m["candidates"]
        a = {"give": groups[:1], "again": True} if sys.argv[1:] else {"rank": groups}
    else: break
    print(json.dumps(a), flush=True)
`

// sets are small ones of many kinds, with what befalls their runs.
func set(seed uint64) (*model.JobSet, online.Options) {
	opts := online.Options{Seed: seed}
	if seed%2 == 1 {
		opts.Durations = durations.Uniform{Lo: 0.5, Hi: 1.5}
	}
	if seed%4 == 2 {
		opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
	}
	if seed%7 == 3 {
		return gen.Coupled(gen.TodaySmall(seed, 10+int(seed%40)), seed, false), opts
	}
	switch seed % 3 {
	case 0:
		return gen.TodaySmall(seed, 10+int(seed%40)), opts
	case 1:
		return gen.Small(seed, 20+int(seed%40)), opts
	default:
		return gen.TodayTiny(seed), opts
	}
}

func play(t testing.TB, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Play(t.Context(), js, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Programs that are FIFO and least laxity leave the plans that the built-in policies
// leave, with containers, graphs of stages, jobs after jobs, failures and overruns.
func TestSamePlansAsBuiltIn(t *testing.T) {
	for _, c := range []struct {
		builtIn string
		command []string
	}{
		{"llf", program(t, "least_laxity.py")}, {"fifo", program(t, "least_laxity.py", "fifo")},
		{"fifo", program(t, firstFit)}, {"fifo", program(t, firstFit, "one by one")},
	} {
		for seed := range testkit.Sets[uint64](6, 25) {
			js, opts := set(seed)
			p, err := policies.New(c.builtIn, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := play(t, js, p, opts).Plan()
			got := play(t, js, external.New("mine", c.command, external.Options{Limit: time.Minute}), opts).Plan()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %s by %v:\n%s", seed, c.builtIn, c.command[2:], diff)
			}
		}
	}
}

// What a program may not do ends the run with a Fault that says so.
func TestFaults(t *testing.T) {
	js := gen.Tiny(3)
	for name, c := range map[string]struct{ code, want string }{
		"no such file":   {"import nowhere", "it ended (exit status 1) and gave no answer"},
		"ends in order":  {"sys.exit(0)", "it ended and gave no answer"},
		"text":           {`say("hello")`, `its answer "\"hello\"" cannot be read: `},
		"no JSON":        {`print("here", flush=True)`, `its answer "here" cannot be read: invalid character 'h'`},
		"twice":          {`print("{} {}", flush=True)`, `its answer "{} {}" cannot be read: there is more after it`},
		"other version":  {`say({"version": 2, "decides": "jobs"})`, "it speaks version 2; this program speaks version 1"},
		"unknown field":  {`say({"version": 1, "decide": "jobs"})`, `unknown field "decide"`},
		"unknown word":   {`say({"version": 1, "decides": "all"})`, `it answers with decides "all"; known are jobs, tasks`},
		"unknown figure": {`say({"version": 1, "decides": "jobs", "on": ["due"]})`, `on "due"; known are ready, running, remaining, time`},
		"on for tasks":   {`say({"version": 1, "decides": "tasks", "on": ["ready"]})`, "on, which is for programs that decide jobs"},
		"asks for jobs":  {`say({"version": 1, "decides": "jobs", "asks": "beat"})`, "asks or candidates, which are for programs that decide tasks"},
		"too slow":       {`time.sleep(9)`, "it gave no answer within 200ms"},
		"closes output":  {`os.close(1); time.sleep(60)`, "and gave no answer"},
		"too long":       {`print("x" * (17 << 20), flush=True)`, "its answer is longer than 16 MB"},
		"unasked":        {`print('{"version": 1, "decides": "jobs"}\n"and"', flush=True); ask(); say({"keys": [1]}); ask()`, `it writes "\"and\"", which nobody asked for`},
		"too few keys":   {`say({"version": 1, "decides": "jobs"}); ask(); say({"keys": []})`, "it answers with 0 keys for"},
		"no keys":        {`say({"version": 1, "decides": "jobs"}); ask(); say({"rank": [1]})`, `unknown field "rank"`},
		"neither":        {`say({"version": 1, "decides": "tasks"}); ask(); say({})`, `its answer needs either "give" or "rank"`},
		"both":           {`say({"version": 1, "decides": "tasks"}); ask(); say({"give": [], "rank": []})`, `its answer needs either "give" or "rank"`},
		"unknown group":  {`say({"version": 1, "decides": "tasks"}); ask(); say({"give": [999]})`, "it names group 999; there are"},
		"does not fit":   {`say({"version": 1, "decides": "tasks"}); m = ask(); say({"give": [m["candidates"][0]["group"]] * 99})`, "it gives slave"},
		"no admission":   {`say({"version": 1, "decides": "tasks", "admits": True}); ask(); say({"why": "no"})`, `its answer has no "accept"`},
	} {
		t.Run(name, func(t *testing.T) {
			command := program(t, "import json, os, sys, time\ndef say(x): print(json.dumps(x), flush=True)\ndef ask(): return json.loads(input())\nask()\n"+c.code+"\nask()\n")
			limit := time.Minute
			if name == "too slow" {
				limit = 200 * time.Millisecond
			}
			_, err := online.Run(t.Context(), js, external.New("mine", command, external.Options{Limit: limit}), online.Options{})
			var fault *external.Fault
			if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "policy mine, at tick ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	_, err := online.Run(t.Context(), js, external.New("mine", []string{"no-such-program"}, external.Options{}), online.Options{})
	if err == nil || !strings.Contains(err.Error(), "it cannot be run: ") {
		t.Error(err)
	}
}

// What a program writes to standard error comes through, line by line; and a run that is
// interrupted does not wait for it.
func TestStderrAndInterrupt(t *testing.T) {
	command := program(t, "import sys, time\nsys.stderr.write('one\\ntwo\\nthr'); sys.stderr.flush()\nwhile True: time.sleep(60)\n")
	ctx, stop := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer stop()
	var errs strings.Builder
	_, err := online.Run(ctx, gen.Tiny(1), external.New("mine", command, external.Options{Stderr: &errs}), online.Options{})
	if err == nil || errs.String() != "one\ntwo\n" {
		t.Errorf("%v, standard error %q", err, errs.String())
	}
}

// A program that hands nothing out is told from one that breaks a rule.
func TestStarved(t *testing.T) {
	command := program(t, strings.Replace(firstFit, `groups = m["candidates"]`, "groups = []", 1))
	_, err := online.Run(t.Context(), gen.Tiny(1), external.New("mine", command, external.Options{}), online.Options{})
	var starved *online.StarvedError
	if !errors.As(err, &starved) || starved.Policy != "mine" {
		t.Error(err)
	}
}

// refuseOdd turns jobs with an odd number away.
const refuseOdd = `
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "start": a = {"version": 1, "decides": "jobs", "admits": True}
    elif m["type"] == "admit": a = {"accept": m["job"] % 2 == 0, "why": "it is odd"}
    elif m["type"] == "rank": a = {"keys": [None for j in m["jobs"]]}
    else: break
    print(json.dumps(a), flush=True)
`

func TestAdmission(t *testing.T) {
	js := gen.Small(5, 20)
	out := play(t, js, external.New("mine", program(t, refuseOdd), external.Options{}), online.Options{Trace: true})
	if len(out.Rejected) != len(js.Jobs)/2 {
		t.Errorf("%d of %d jobs rejected", len(out.Rejected), len(js.Jobs))
	}
	for _, d := range out.Trace {
		if d.Task < 0 && !d.Accepted && d.Why != "it is odd" {
			t.Errorf("%+v", d)
		}
	}
}

// echo keeps what it is told in the file that it is given, and is FIFO.
const echo = `
import json, sys
groups = []
with open(sys.argv[1], "w") as kept:
    for line in sys.stdin:
        kept.write(line)
        kept.flush()
        m = json.loads(line)
        groups += [g["group"] for e in m.get("events", []) if e["event"] == "arrived" for s in e["stages"] for g in s["groups"]]
        if m["type"] == "start": a = json.loads(sys.argv[2])
        elif m["type"] == "admit": a = {"accept": True}
        elif m["type"] == "rank": a = {"keys": [j["remaining"] for j in m["jobs"]]}
        elif m["type"] == "heartbeat": a = {"rank": [c["group"] if type(c) is dict else c for c in m.get("candidates", groups)]}
        else: break
        print(json.dumps(a), flush=True)
`

// helloTasks asks for all that there is to tell.
const helloTasks = `{"version": 1, "decides": "tasks", "events": ["opened", "assigned", "ended", "lost", "finished"], "admits": true}`

// told is what a program that answers hello is told in a run.
func told(t *testing.T, js *model.JobSet, opts online.Options, hello string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "told")
	play(t, js, external.New("mine", program(t, echo, path, hello), external.Options{Seed: 7}), opts)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// now is the tick of a line.
func now(t *testing.T, line string) model.Time {
	t.Helper()
	var m struct{ Now *model.Time }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if m.Now == nil { // the end
		return model.Never
	}
	return *m.Now
}

// The schema takes answers of every kind, and not others.
func TestSchemaOfAnswers(t *testing.T) {
	schema := schematest.Compile(t, external.Schema(), "")
	for text, ok := range map[string]bool{
		`{"version": 1, "decides": "jobs", "on": ["remaining"]}`:                                  true,
		`{"version": 1, "decides": "tasks", "asks": "beat", "events": ["lost"], "admits": false}`: true,
		`{"version": 2, "decides": "jobs"}`:                                                       false,
		`{"version": 1, "decides": "jobs", "on": ["due"]}`:                                        false,
		`{"accept": true, "why": "it fits"}`:                                                      true,
		`{"accept": "yes"}`:                                                                       false,
		`{"keys": [1, 2.5, null]}`:                                                                true,
		`{"keys": 1}`:                                                                             false,
		`{"give": [3, 3], "again": true}`:                                                         true,
		`{"rank": []}`:                                                                            true,
		`{"rank": [1], "give": [1]}`:                                                              false,
		`{}`:                                                                                      false,
	} {
		if err := schema.Validate(schematest.Value(t, []byte(text))); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The schema says of the lines that go to programs no less than what is in them, and no more.
func TestSchemaOfLines(t *testing.T) {
	use := schematest.NewUse(t, external.Schema())
	for _, seed := range []uint64{1, 6, 8, 10, 73, 178} {
		js, opts := set(seed)
		opts.Faults = &online.Faults{MTBF: 80, MTTR: 5}
		for _, hello := range []string{helloTasks, `{"version": 1, "decides": "jobs", "on": ["ready", "remaining"]}`, `{"version": 1, "decides": "tasks", "candidates": "none", "asks": "beat"}`} {
			for _, line := range told(t, js, opts, hello) {
				use.Take([]byte(line))
			}
		}
	}
	use.Check("start", "admit", "rank", "heartbeat", "end", "state", "candidate", "event")
}

// A program is told the same each time, whatever comes later: two sets that differ only
// in jobs that are released last look the same until then.
func TestNothingIsToldBeforehand(t *testing.T) {
	schema := schematest.Compile(t, external.Schema(), "")
	for seed := range testkit.Sets[uint64](4, 12) {
		js, opts := set(3*seed + 1)
		last := model.Time(0)
		for i := range js.Jobs {
			last = max(last, js.Jobs[i].Release)
		}
		other := *js
		other.Jobs = append([]model.Job(nil), js.Jobs...)
		for i := range other.Jobs {
			if j := &other.Jobs[i]; j.Release == last {
				j.Name, j.Release, j.Kind, j.Deadline = fmt.Sprint("other-", i), last+3, model.Hard, 77
			}
		}
		a, b, again := told(t, js, opts, helloTasks), told(t, &other, opts, helloTasks), told(t, js, opts, helloTasks)
		if diff := cmp.Diff(a, again); diff != "" {
			t.Fatalf("seed %d: told otherwise the second time:\n%s", seed, diff)
		}
		for _, line := range a {
			if err := schema.Validate(schematest.Value(t, []byte(line))); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, line, err)
			}
		}
		for i := 0; i < len(a) && now(t, a[i]) < last; i++ {
			if a[i] != b[i] {
				t.Fatalf("seed %d: before %d:\n%s\n%s", seed, last, a[i], b[i])
			}
		}
	}
}

// books hands out tasks in the order of their groups, and keeps count of them itself.
const books = `
import json, sys
job, stages, left = {}, {}, {}
for line in sys.stdin:
    m = json.loads(line)
    for e in m.get("events", []):
        what = e["event"]
        if what == "assigned":
            left[e["group"]] -= 1
            if not left[e["group"]]: del left[e["group"]]
        elif what == "lost": left[e["group"]] = left.get(e["group"], 0) + 1
        elif what == "arrived": job[e["job"]] = e
        elif what == "opened":
            for g in job[e["job"]]["stages"][e["stage"]]["groups"]: left[g["group"]] = g["tasks"]
    if m["type"] == "start": a = {"version": 1, "decides": "tasks", "candidates": "none", "asks": "beat", "events": ["opened", "assigned", "lost"]}
    elif m["type"] == "heartbeat":
        first = []
        for g in left:
            first.append(g)
            if len(first) == 8: break
        a = {"rank": first}
    else: break
    print(json.dumps(a), flush=True)
`

// A program may keep count of what is left itself; each task is told of as it comes to be
// handed out, is, and is lost.
func TestOwnBooks(t *testing.T) {
	for seed := range testkit.Sets[uint64](3, 30) {
		js, opts := set(seed)
		play(t, js, external.New("mine", program(t, books), external.Options{Limit: time.Minute}), opts)
	}
}

// BenchmarkDecisions counts tasks handed out a second, starting the program included.
func BenchmarkDecisions(b *testing.B) {
	js := gen.Scale(20_000, 1)
	for name, command := range map[string][]string{
		"least laxity, ranks jobs": program(b, "least_laxity.py"), "fifo, ranks jobs": program(b, "least_laxity.py", "fifo"),
		"fifo, hands out tasks": program(b, firstFit), "by groups, hands out tasks, keeps books": program(b, books),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := online.Run(b.Context(), js, external.New("mine", command, external.Options{}), online.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(js.Tasks)*b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}

// The command is split as a shell does with words and quotes, and no more.
func TestCommand(t *testing.T) {
	for text, want := range map[string]string{
		"python3 my.py": "[python3 my.py]", "  a   b ": "[a b]", `a 'b c' "d 'e"`: `[a b c d 'e]`, `a''b ""`: `[ab ]`, `a\ b`: `[a\ b]`,
	} {
		if got, err := external.Command(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "  ", "a 'b", `a "b'`} {
		if got, err := external.Command(text); err == nil {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

// A program that says so stays for more runs, one for each that are under way at a time, and ends with
// its pool.
func TestStays(t *testing.T) {
	counts := `
import json, os, sys
runs = 0
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "start":
        runs += 1
        sys.stderr.write("%d %d\n" % (os.getpid(), runs))
        sys.stderr.flush()
        a = {"version": 1, "decides": "jobs", "stays": True}
    elif m["type"] == "rank": a = {"keys": [None for j in m["jobs"]]}
    else: continue
    print(json.dumps(a), flush=True)
`
	command := program(t, counts)
	var pool external.Pool
	var errs strings.Builder
	js := gen.Tiny(3)
	want := play(t, js, external.New("mine", command, external.Options{}), online.Options{}).Plan()
	for range 3 {
		got := play(t, js, external.New("mine", command, external.Options{Pool: &pool, Stderr: &errs}), online.Options{}).Plan()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-alone +kept)\n%s", diff)
		}
	}
	pool.Close()
	play(t, js, external.New("mine", command, external.Options{Pool: &pool, Stderr: &errs}), online.Options{})
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	first, _, _ := strings.Cut(lines[0], " ")
	if len(lines) != 4 || lines[1] != first+" 2" || lines[2] != first+" 3" || !strings.HasSuffix(lines[3], " 1") || strings.HasPrefix(lines[3], first+" ") {
		t.Errorf("processes and their runs: %q", lines)
	}
}
