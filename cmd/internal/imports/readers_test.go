package imports

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// body is the written job set without comments, and without its head up to the slaves.
func body(t *testing.T, kind string, rules func(*Rules)) string {
	t.Helper()
	r := DefaultRules()
	r.Deadline.name = "column"
	if rules != nil {
		rules(&r)
	}
	result, _, err := imported(t, kind, Keep{}, r, file(t, "sample", samples[kind]))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jobfile.Write(&text, result.Set); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text.String(), "  slaves:\n")
	return fmt.Sprintf("%v\n%s", result.Set.TimeUnit, rest)
}

// What readers and rules make of the samples, worked out by hand.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		kind  string
		rules func(*Rules)
		want  string
	}{
		// Maps of 20 s and 30 s; the reduce fetches from the last map's end, at 39 s, for 5 s and
		// runs for 30. 84480000 MB·ms in 55000 ms are 1536 MB, on 2 cores. node1 holds a map of
		// 2 cores and 1536 MB, and nothing beside it. Both hold the map's input.
		{"jhist", nil, `1s
    - {name: node1, cores: 2, slots: 2, resources: {memory: 1536}}
    - {name: node2, cores: 2, slots: 2, resources: {memory: 1536}}
jobs:
  - name: etl
    map:
      tasks: 2
      wcet: 30
      cores: 2
      resources: {memory: 1536}
    reduce:
      tasks: 1
      wcet: 30
      transfer: 5
`},
		{"jhist", func(r *Rules) { r.WCET.name, r.AddRetries, r.Memory, r.Network = "own", true, 0, 0 }, `1s
    - {name: node1, cores: 2, slots: 2}
    - {name: node2, cores: 2, slots: 2}
jobs:
  - name: etl
    map:
      cores: 2
      tasks:
        - {wcet: 20}
        - {wcet: 35}
    reduce:
      tasks: 1
      wcet: 30
      transfer: 5
`},
		// m_1 has no attempt: its task's 30 s count. The reduce's input is there 14 s after its
		// start, 13 s after the last map's end at 31 s.
		{"history", nil, `1s
    - {name: node1, cores: 1, slots: 1, resources: {memory: 2048}}
    - {name: node2, cores: 1, slots: 1, resources: {memory: 3072}}
jobs:
  - name: etl
    map:
      tasks: 2
      wcet: 30
      resources: {memory: 2048}
    reduce:
      tasks: 1
      wcet: 30
      transfer: 13
      resources: {memory: 3072}
`},
		// What node2 has of memory is not told, so that it is left out; 2 GB at 100 MB a second are
		// 20 s.
		{"rumen", func(r *Rules) { r.WCET.name = "mean+2sd" }, `1s
    - {name: node1, cores: 1, slots: 1}
    - {name: node2, cores: 1, slots: 1}
jobs:
  - name: etl
    map:
      tasks: 1
      wcet: 20
      transfer: {default: 0, node2: 20}
    reduce:
      tasks: 1
      wcet: 30
      transfer: 5
`},
		{"reservation", func(r *Rules) { _ = r.Cluster.Set("2x4x8GB") }, `1s
    - {name: node, count: 2, cores: 4, slots: 4, resources: {memory: 8192}}
jobs:
  - name: res_1
    deadline: 7200
    hard: true
    stages:
      - name: request-1
        tasks: 4
        wcet: 60
        resources: {memory: 1024}
      - name: request-2
        tasks: 2
        wcet: 120
        cores: 2
        resources: {memory: 2048}
`},
		// join comes after load and side, which come after nothing; save after join, the last
		// of the job before. The second executor takes the place of the first.
		{"spark", nil, `1s
    - {name: executor-1, cores: 4, slots: 4}
jobs:
  - name: scores
    stages:
      - name: "0 load"
        tasks: 2
        wcet: 20
        cores: 2
      - name: "1 side"
        after: []
        tasks: 1
        wcet: 30
        cores: 2
      - name: "2 join"
        after: ["0 load", "1 side"]
        tasks: 1
        wcet: 15
        cores: 2
      - name: "3 save"
        tasks: 1
        wcet: 5
        cores: 2
`},
		{"wfcommons", func(r *Rules) { r.Tick = time.Second }, `1s
    - {name: w1, cores: 4, slots: 4, resources: {memory: 3814}}
    - {name: w2, cores: 4, slots: 4, resources: {memory: 3814}}
jobs:
  - name: align
    stages:
      - name: split
        tasks: 1
        wcet: 3
      - name: align
        tasks: 2
        wcet: 25
        cores: 2
        resources: {memory: 954}
      - name: merge
        tasks: 1
        wcet: 5
`},
		// A gang with a task a node. Three tasks of the array wait, and two at most run at once. report
		// may begin when it is eligible, and has 4 GB for each of 8 cores. cn02 held a task of the gang.
		{"slurm", nil, `1m0s
    - {name: cn01, cores: 8, slots: 8, resources: {memory: 32768}}
    - {name: cn02, cores: 8, slots: 8, resources: {memory: 32768}}
    - {name: cn03, cores: 4, slots: 4, resources: {memory: 8192}}
    - {name: cn04, cores: 4, slots: 4, resources: {memory: 8192}}
jobs:
  - name: etl
    release: 1
    stages:
      - name: run
        gang: true
        apart: true
        tasks: 2
        wcet: 42
        cores: 8
        resources: {memory: 32768}
  - name: scan
    release: 5
    stages:
      - name: run
        at_most: 2
        tasks: 5
        wcet: 10
        cores: 4
        resources: {memory: 8192}
  - name: report
    release: 20
    stages:
      - name: run
        tasks: 1
        wcet: 25
        cores: 8
        resources: {memory: 32768}
`},
		{"slurm", func(r *Rules) { r.WCET.name, r.Memory = "column", 0; _ = r.Cluster.Set("2x16") }, `1m0s
    - {name: node, count: 2, cores: 16, slots: 16}
jobs:
  - name: etl
    release: 1
    stages:
      - name: run
        gang: true
        apart: true
        tasks: 2
        wcet: 60
        cores: 8
  - name: scan
    release: 5
    stages:
      - name: run
        at_most: 2
        tasks: 5
        wcet: 30
        cores: 4
  - name: report
    release: 20
    stages:
      - name: run
        tasks: 1
        wcet: 1440
        cores: 8
`},
		// The next run of etl is at 23:30 in Berlin, 22:30 UTC, half an hour after what is told last;
		// its longest pod took 10m30s. The GPUs of both flavors are one quota; the queue's 3.5 cores
		// are 3.
		{"kubernetes", nil, `1m0s
    - {name: n1, cores: 7, slots: 7, resources: {memory: 16384, nvidia.com/gpu: 1}}
    - {name: n2, cores: 4, slots: 4, resources: {memory: 8192}}
jobs:
  - name: train
    stages:
      - name: run
        tasks: 1
        wcet: 60
        resources: {nvidia.com/gpu: 1}
        pools: {c/cpu: 1, c/nvidia.com/gpu: 1}
  - name: etl
    release: 30
    stages:
      - name: run
        at_most: 2
        tasks: 3
        wcet: {n1: 11}
        cores: 2
        resources: {memory: 1024}
`},
		{"swf", func(r *Rules) { r.WCET.name = "column" }, `1m0s
    - {name: machine, cores: 16, slots: 16}
jobs:
  - name: job-1
    stages:
      - name: run
        tasks: 1
        wcet: 15
        cores: 4
  - name: job-2
    release: 1
    after: [job-1]
    stages:
      - name: run
        tasks: 1
        wcet: 30
        cores: 16
`},
		{"swf", func(r *Rules) { _ = r.Cluster.Set("2x8") }, `1m0s
    - {name: node, count: 2, cores: 8, slots: 8}
jobs:
  - name: job-1
    stages:
      - name: run
        tasks: 1
        wcet: 10
        cores: 4
  - name: job-2
    release: 1
    after: [job-1]
    stages:
      - name: run
        tasks: 16
        wcet: 20
`},
		// A run may begin when its first task was queued. The graph is not told: check and load began when
		// extract had ended, send after all. Loads of 575 s and 660 s take two slots each of a pool of which
		// two were held at once. Of mail nothing is known, and never was not to run.
		{"airflow", nil, `1m0s
    - {name: w1, cores: 1, slots: 1}
    - {name: w2, cores: 2, slots: 2}
jobs:
  - name: etl
    release: 1
    stages:
      - name: extract
        tasks: 1
        wcet: 20
        pools: {db: 1}
      - name: check
        tasks: 1
        wcet: 5
      - name: load
        after: [extract]
        tasks: 2
        wcet: 11
        pools: {db: 2}
      - name: send
        after: [check, load]
        tasks: 1
        wcet: 1
  - name: report
    release: 61
    stages:
      - name: sum
        tasks: 1
        wcet: 10
`},
		// The report reads stg through a model that is no table of its own, and in a build waits for the
		// test of stg. A tick is at most a tenth of the median, 2.5 s.
		{"dbt", nil, `100ms
    - {name: thread, count: 2, cores: 1, slots: 1}
jobs:
  - name: sales
    stages:
      - name: seed.raw
        tasks: 1
        wcet: 25
      - name: model.stg
        tasks: 1
        wcet: 10
      - name: test.unique_stg.1a
        tasks: 1
        wcet: 40
      - name: model.report
        after: [model.stg, test.unique_stg.1a]
        tasks: 1
        wcet: 300
`},
		// Of two runs the last; times are the longest of both.
		{"csv", func(r *Rules) { r.Runs = LastRun; _ = r.Cluster.Set("1x4x8GB") }, `1m0s
    - {name: node, count: 1, cores: 4, slots: 4, resources: {memory: 8192}}
jobs:
  - name: etl
    deadline: 180
    hard: true
    stages:
      - name: extract
        tasks: 6
        wcet: 13
        transfer: 1
        cores: 2
        resources: {memory: 2048}
      - name: load
        tasks: 2
        wcet: 25
        transfer: 2
        resources: {memory: 4096}
  - name: report
    release: 30
    weight: 2
    after: [etl]
    stages:
      - name: tasks
        tasks: 3
        wcet: 15
`},
	} {
		if got := body(t, c.kind, c.rules); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.kind, got, c.want)
		}
	}
}

// The binary encoding tells what the other tells.
func TestBinaryHistory(t *testing.T) {
	r := DefaultRules()
	result, js, err := imported(t, "jhist", Keep{}, r, file(t, "x.jhist", binaryHistory()))
	if err != nil || !slices.Equal(result.Notes, []string{"the only deadline is soft, and check is about hard ones: --hard makes it hard"}) {
		t.Fatalf("%v, notes %v", err, result.Notes)
	}
	if len(js.Tasks) != 2 || js.Jobs[0].Name != "scan" || js.Tasks[0].WCET(0) != 30 || js.Slaves[0].Name != "node1" || js.Slaves[0].Cores != 2 {
		t.Errorf("%d tasks of %d on %v", len(js.Tasks), js.Tasks[0].WCET(0), js.Slaves)
	}
	whole := binaryHistory()
	for _, cut := range []int{len(whole) - 1, len(whole) - 40} {
		result, js, err := imported(t, "jhist", Keep{}, r, file(t, "x.jhist", whole[:cut]))
		if err != nil || len(js.Tasks) != 2 || !strings.Contains(fmt.Sprint(result.Notes), "event 6: it ends in the middle of a value") {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

// A synthetic workload is drawn in the same way each time, as large as it says.
func TestSLSSample(t *testing.T) {
	a, b := body(t, "sls", nil), body(t, "sls", nil)
	if a != b {
		t.Errorf("drawn twice:\n%s\n%s", a, b)
	}
	for _, want := range []string{
		"- {name: node1, cores: 4, slots: 4, resources: {memory: 8192}}", "- {name: node2, cores: 10, slots: 10, resources: {memory: 10240}}",
		"- name: job_1_1\n", "- name: job_1_2\n", "      tasks: 4\n      wcet: 30\n      resources: {memory: 2048}\n", "      wcet: 12\n      cores: 2\n",
		"- name: \"c 1\"", "- name: \"c 3\"",
	} {
		if !strings.Contains(a, want) {
			t.Errorf("no %q in\n%s", want, a)
		}
	}
	if n := strings.Count(a, "deadline: "); n != 3 {
		t.Errorf("%d deadlines, want those of the drawn jobs", n)
	}
}

// The samples look like what they are, and nothing else does.
func TestGuess(t *testing.T) {
	for name, text := range samples {
		if k, ok := Guess([]byte(text)); !ok || k.Name != name {
			t.Errorf("%s looks like %q", name, k.Name)
		}
	}
	for _, text := range []string{"", "\n", "version: 1\njobs: []\n", Template, `{"version": 1, "cluster": {}, "jobs": [{"name": "a"}]}`, "a b c\n", "1 2 3\n", "x,y\n1,2\n"} {
		if k, ok := Guess([]byte(text)); ok {
			t.Errorf("%q looks like %s", text, k.Name)
		}
	}
}

// damages are spoilt samples, and what is told of them.
func TestDamagedFiles(t *testing.T) {
	cut := func(kind, at string) string { return samples[kind][:strings.Index(samples[kind], at)+len(at)] }
	spoilt := func(kind, from, to string) string {
		if !strings.Contains(samples[kind], from) {
			t.Fatalf("%s has no %q", kind, from)
		}
		return strings.Replace(samples[kind], from, to, 1)
	}
	for _, c := range []struct{ kind, text, want string }{
		{"jhist", "", "<stdin>:1:1: the file holds no events"},
		{"jhist", "PK\x03\x04", "<stdin>: the file is packed by zip; unzip first"},
		{"spark", "\x28\xb5\x2f\xfd", "<stdin>: the file is packed by zstd; unzstd first"},
		{"jhist", "\x1f\x8b\x08broken", "<stdin>:1:1: the packed file is damaged or ends too early"},
		{"jhist", "Hello\n", `<stdin>:1:1: the first line is "Hello"; a history file begins with`},
		{"jhist", "Avro-Json\n", "<stdin>:1:1: the file holds no events of a job"},
		{"jhist", "Avro-Binary\n{", "<stdin>:2:1: the second line is no schema of Avro"},
		{"jhist", cut("jhist", `"acls`[:0]) + "Avro-Json\n{\"type\":\n", "lines that are no events (1); the first:\n<stdin>:2:9: the line ends in the middle of a value"},
		{"jhist", spoilt("jhist", `"submitTime":1795298400000}}}`, `"submitTime":17952}}`), "lines that are no events (1); the first: <stdin>:3:"},
		{"rumen", cut("rumen", `"attemptID":"a1"`), "<stdin>:5:33: the file ends in the middle of a value; it may have been cut off"},
		{"rumen", spoilt("rumen", `"result":"FAILED",`, `"result":FAILED,`), "<stdin>:4:43: not JSON: a word without quotes; write text in double quotes"},
		{"sls", spoilt("sls", `"node2"}]`, `"node2"}`), "<stdin>:2:"},
		{"sls", spoilt("sls", `{"num.nodes":3,"num.racks":1}`, "[1, [2]]\n7"), "values that are no job (2); the first: <stdin>:1:1: an object of the file is a list where an object, {…}, is expected"},
		{"wfcommons", spoilt("wfcommons", `"runtimeInSeconds":20`, `"runtimeInSeconds":"long"`), "tasks that cannot be used (1); the first: <stdin>:9:3: runtimeInSeconds is a string where something else is expected"},
		{"wfcommons", `{"workflow": 3}`, "values that are no workflow (1); the first:\n<stdin>:1:14: workflow is 3 where an object"},
		{"reservation", "{}", "reservations without requests (1); the first:\n<stdin>:1:1: "},
		{"reservation", spoilt("reservation", `"arrival":1795298400000,`, ""), "reservations that do not say from when on (1); the first:\n<stdin>:1:1: reservation reservation_1_0003 has no arrival; write \"arrival\""},
		{"reservation", spoilt("reservation", "", ""), "(1); the first: <stdin>:1:1: request 2 of reservation_1_0003 has min-concurrency 2; gang: true in its stage"},
		{"jhist", spoilt("jhist", `"submitTime"`, `"submitted"`), "jobs without a submit time, each of which may begin when the first of its tasks did (1); the first: <stdin>:3:1: job_7_0001 has no submit time"},
		{"spark", spoilt("spark", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task End Reason":{"Reason":"Success"}`, `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task End Reason":{"Reason":"Killed"}`), "stages of which no task finished, which are left out (1); the first: <stdin>:3:1: stage 1 of app-1 has no task that finished"},
		{"csv", "\xff\xfej\x00o\x00b\x00", "<stdin>: the file is UTF-16; save it as UTF-8"},
		{"csv", "job,minutes\nn\xe4chtlich,3\n", "lines that are not UTF-8, whose odd bytes become spaces (1); the first: <stdin>:2:1: the line is not UTF-8; save the table as UTF-8"},
		{"csv", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff", "<stdin>:1:1: the packed file is damaged or ends too early; copy it again"},
		{"history", `{"tasks":{"task":[{"id":"x"}]}}`, "tasks without an id (1); the first:\n<stdin>:1:19: a task without an id"},
		{"spark", cut("spark", "SparkListenerLogStart"), "lines that are no events"},
		{"swim", spoilt("swim", "52\t736346", "53\t736346"), "lines that are no job of SWIM (1); the first: <stdin>:2:10: the gap is 53, but the submit times differ by 52"},
		{"slurm", samples["slurm"], "jobs, and tasks of arrays, that did not succeed: CANCELLED (1); the first: <stdin>:9:1: 1004 (bad) is CANCELLED"},
		{"slurm", spoilt("slurm", "|00:41:05|01:00:00|COMPLETED|", "|00:41:05|01:00:00|FINE|"), `lines that cannot be used (1); the first: <stdin>:2:127: the state is "FINE", which Slurm does not have`},
		{"slurm", spoilt("slurm", "1001|etl|", "1001|e|tl|"), "lines that cannot be used (1); the first: <stdin>:2:149: the line has 18 cells, the header has 17; a name or a comment may hold the separator"},
		{"slurm", spoilt("slurm", "|2026-11-20T22:00:01|2026-11-20T22:00:01|2026-11-20T22:00:05|2026-11-20T22:41:10|00:41:05|01:00:00|", "|20 Nov|2026-11-20T22:00:01|2026-11-20T22:00:05|2026-11-20T22:41:10|00:41:05|01:00:00|"), `the time is "20 Nov"; leave SLURM_TIME_FORMAT unset`},
		{"slurm", spoilt("slurm", "1002_[3-5%2]", "1002_[3-5,...%2]"), "the list of the array's tasks is cut off; set SLURM_BITSTR_LEN=0 before Slurm is asked"},
		{"slurm", cut("slurm", "1001|etl")[:len("JobID|JobName|User")] + "|Elapsed\n1.0|x|y|00:01\n", "steps of jobs without a line of their own (1); the first:\n<stdin>:2:1: step 0 of job 1; sacct -X leaves steps out"},
		{"slurm", "JobName|Elapsed\nx|00:01\n", "<stdin>: this looks like a table (CSV); use: downbeat import csv <stdin>"},
		{"slurm", "JobID|Foo|Timelimit|QOS\n1|x|01:00|high\n", "columns that are passed over (1); the first: <stdin>:1:1: no use is made of Foo"},
		{"slurm", `{"jobs":[{"name":"x"},{"job_id":4,"job_state":"ODD"},7]}`, "lines that cannot be used (1); the first:\n<stdin>:1:10: a job without a number"},
		{"slurm", "JobId=7 JobName=x JobState=PENDING SubmitTime=2026-11-20T22:00:01 TimeLimit=soon\n", `lines that cannot be used (1); the first:
<stdin>:1:1: the length of time is "soon"`},
		{"slurm", "JobID|State|Submit|NNodes|Timelimit\n1|PENDING|2026-11-20T22:00:01|9|01:00\n", "stage run of job 1 is a gang of 9 tasks, of which the machines hold 4 at once"},
		{"swf", spoilt("swf", " 1  0  10  600  4", " 1  0  10  six  4"), `lines with something else than numbers (1); the first: <stdin>:5:12: the run time is "six"; write a whole number`},
		{"swf", " 1 0 10\n", "lines with too few columns (1); the first:\n<stdin>:1:8: the line has 3 columns, of 18"},
		{"csv", "job,minutes\n\"a,3\n", "lines that cannot be used (1); the first:\n<stdin>:2:1: a quote is not closed in its line"},
		{"csv", "job\na\n", "<stdin>:1:1: no column says how long tasks take"},
		{"csv", "minutes,hours\n3,4\n", "<stdin>:1:1: there is no column job"},
		{"csv", "job,minutes\na,3,4\n", "<stdin>:2:5: the line has 3 cells, the header has 2"},
		{"csv", "job,minutes,after\na,3,b\nb,3,a\n", "<stdin>:3:1: jobs that come after one another in a circle: b, a"},
	} {
		kind, _ := Named(c.kind)
		result, err := Import(t.Context(), &kind, []string{"-"}, strings.NewReader(c.text), Keep{Limit: 9}, DefaultRules(), false)
		var told string
		if err != nil {
			told = err.Error()
		} else {
			told = strings.Join(result.Notes, "\n")
		}
		if !strings.Contains(told, c.want) {
			t.Errorf("%s: told\n%s\nwant\n%s", c.kind, told, c.want)
		}
		var fault *usage.Error
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%s: %v is no fault of the call", c.kind, err)
		}
	}
}

// A sample that is cut off anywhere is told or used as far as it goes; nothing breaks.
func TestCutFiles(t *testing.T) {
	for name, text := range samples {
		kind, _ := Named(name)
		for cut := 0; cut < len(text); cut += 1 + len(text)/60 {
			_, err := Import(t.Context(), &kind, []string{"-"}, strings.NewReader(text[:cut]), Keep{Limit: 9}, DefaultRules(), false)
			var fault *usage.Error
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%s cut at %d: %v is no fault of the call", name, cut, err)
			}
		}
	}
}

// Worst cases by each rule, by hand.
func TestWorstCases(t *testing.T) {
	seen := []sample{{40, 1}, {10, 2}, {30, 1}, {20, 4}}
	for name, want := range map[string]int64{
		"max": 40, "p100": 40, "p50": 20, "p25": 10, "p75": 20, "p76": 30, "p95": 40, "own": 40,
		// mean 21.25, sum of squares 687.5 over 7: 9.91
		"mean+1sd": 32, "mean+2sd": 42, "mean+0sd": 22,
	} {
		var v WCET
		if err := v.Set(name); err != nil {
			t.Fatal(err)
		}
		if got := v.of(seen); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if got := (&WCET{name: "p95"}).of(nil); got != 0 {
		t.Errorf("of nothing %d", got)
	}
}

// Deadlines by each rule.
func TestDeadlines(t *testing.T) {
	for rule, want := range map[string][]model.Time{
		"2x":     {180, 180, 30}, // report: three tasks of 15 on 4 cores, after nothing else
		"0.5x":   {180, 180, 7},
		"column": {180, 180, 0},
		"p50":    {180, 180, 0}, // nothing tells how long runs took
	} {
		r := DefaultRules()
		if err := r.Deadline.Set(rule); err != nil {
			t.Fatal(err)
		}
		_ = r.Cluster.Set("1x4")
		_, js, err := imported(t, "csv", Keep{}, r, file(t, "jobs.csv", samples["csv"]))
		if err != nil {
			t.Fatal(err)
		}
		var got []model.Time
		for i := range js.Jobs {
			got = append(got, js.Jobs[i].Deadline)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", rule, got, want)
		}
	}
	r := DefaultRules()
	_ = r.Deadline.Set("max")
	r.Hard = true
	_, js, err := imported(t, "jhist", Keep{}, r, file(t, "a.jhist", samples["jhist"]))
	if err != nil || js.Jobs[0].Deadline != 75 || js.Jobs[0].Kind != model.Hard {
		t.Errorf("%v, deadline %d, %v", err, js.Jobs[0].Deadline, js.Jobs[0].Kind)
	}
}

// Deadlines are soft unless the source or the flag says that they are hard, and a note and a
// comment say so, for every kind.
func TestSoftDeadlinesAreTold(t *testing.T) {
	const told = "--hard makes"
	for kind, text := range samples {
		for _, hard := range []bool{false, true} {
			r := DefaultRules()
			r.Hard = hard
			result, js, err := imported(t, kind, Keep{}, r, file(t, "x", text))
			if err != nil {
				t.Fatal(err)
			}
			soft := slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Soft })
			said := strings.Contains(strings.Join(result.Notes, "\n"), told)
			head := strings.Contains(strings.Join(result.Comments.Head, "\n"), told)
			want := !hard && kind != "reservation" && kind != "csv" // which say it themselves
			if said != want || head != want || soft != want {
				t.Errorf("%s, hard %v: soft %v, said %v, at the head %v", kind, hard, soft, said, head)
			}
		}
	}
	for table, want := range map[string]string{
		"job,minutes,due\na,3,1h\nb,3,\n":        "the only deadline is soft, and check is about hard ones: --hard makes it hard",
		"job,minutes,due,hard\na,3,1h,\nb,3,,\n": "",
		"job,minutes,due\na,3,1h\nb,3,2h\n":      "all 2 deadlines are soft, and check is about hard ones: --hard makes them hard",
	} {
		r := DefaultRules()
		_ = r.Cluster.Set("1x4")
		result, _, err := imported(t, "csv", Keep{}, r, file(t, "x.csv", table))
		if err != nil || strings.Join(result.Notes, "\n") != want {
			t.Errorf("%q: %v, notes %v", table, err, result.Notes)
		}
	}
}
