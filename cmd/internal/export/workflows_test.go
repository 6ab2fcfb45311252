package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// dbtNight is the graph of examples/dbt, as import makes it.
const dbtNight = `version: 1
time_unit: 1s
origin: 2026-11-21T22:00:00Z
cluster: {heartbeat: 1, slaves: [{name: thread, count: 1, cores: 1}]}
jobs:
  - name: sales
    stages:
      - {name: model.audit, tasks: 1, wcet: 3}
      - {name: seed.raw_orders, after: [], tasks: 1, wcet: 1}
      - {name: model.stg_orders, tasks: 1, wcet: 1}
      - {name: test.not_null_stg_orders_id.8cf5724805, tasks: 1, wcet: 1}
      - {name: test.unique_stg_orders_id.beb6e97f2f, after: [model.stg_orders], tasks: 1, wcet: 1}
      - {name: seed.raw_customers, after: [], tasks: 1, wcet: 1}
      - {name: model.stg_customers, tasks: 1, wcet: 1}
      - {name: model.customers, after: [model.stg_orders, test.not_null_stg_orders_id.8cf5724805, test.unique_stg_orders_id.beb6e97f2f, model.stg_customers], tasks: 1, wcet: 8}
      - {name: model.orders, after: [model.stg_orders, test.not_null_stg_orders_id.8cf5724805, test.unique_stg_orders_id.beb6e97f2f], tasks: 1, wcet: 6}
      - {name: test.not_null_orders_customer.f2265fc97b, tasks: 1, wcet: 1}
      - {name: model.report, after: [model.customers, model.orders, test.not_null_orders_customer.f2265fc97b], tasks: 1, wcet: 3}
      - {name: snapshot.orders_snapshot, after: [model.stg_orders, test.not_null_stg_orders_id.8cf5724805, test.unique_stg_orders_id.beb6e97f2f], tasks: 1, wcet: 1}
`

// Nodes begin in the order in which dbt 1.9.11 began them, with --threads 1 and all of them selected.
func TestDbtOrder(t *testing.T) {
	js, err := jobfile.Load("dbt.yaml", []byte(dbtNight))
	if err != nil {
		t.Fatal(err)
	}
	job := &js.Jobs[0]
	d := &DbtCalls{js: js, job: job, Threads: 1}
	var all []int32
	length := make([]model.Time, len(job.Stages))
	for k := range job.Stages {
		all = append(all, int32(k))
		length[k] = 1
	}
	done, begun := d.play(all, length)
	var names []string
	for _, k := range begun {
		names = append(names, DbtSelector(job.Stages[k].Name))
	}
	want := "audit raw_customers raw_orders stg_customers stg_orders not_null_stg_orders_id unique_stg_orders_id customers orders orders_snapshot not_null_orders_customer report"
	if got := strings.Join(names, " "); got != want || done != 12 {
		t.Errorf("%d: %s\nwant %s", done, got, want)
	}
}

// Of all ways to split an order into calls the one that is done soonest is found.
func TestDbtSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "nodes")
		job := model.Job{Name: "p"}
		length := make([]model.Time, n)
		names := rapid.Permutation([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "names")
		order := make([]int32, n)
		for k := range n {
			st := model.Stage{Name: names[k], After: []int32{}, Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0))}}}
			for b := range k {
				if rapid.IntRange(0, 3).Draw(t, "after") == 0 {
					st.After = append(st.After, int32(b))
				}
			}
			job.Stages = append(job.Stages, st)
			length[k] = model.Time(rapid.IntRange(1, 9).Draw(t, "length"))
			order[k] = int32(k)
		}
		js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "t", Cores: 1, Slots: 1}}, Jobs: []model.Job{job}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		d := &DbtCalls{js: js, job: &js.Jobs[0], Threads: rapid.IntRange(1, 3).Draw(t, "threads")}
		overhead := model.Time(rapid.IntRange(0, 2).Draw(t, "overhead"))
		d.split(order, length, overhead)
		best := model.Never
		for cuts := range 1 << (n - 1) {
			at, begin := model.Time(0), 0
			for end := 1; end <= n; end++ {
				if end == n || cuts>>(end-1)&1 == 1 {
					at += overhead + d.takes(order[begin:end], length)
					begin = end
				}
			}
			best = min(best, at)
		}
		sum := model.Time(0)
		for _, call := range d.Calls {
			sum += overhead + d.takes(call, length)
		}
		if d.Split != best || sum != best || !slices.Equal(slices.Concat(d.Calls...), order) {
			t.Fatalf("split %d, calls %v take %d, want %d", d.Split, d.Calls, sum, best)
		}
	})
}

// A task that begins earlier has a larger weight, and all tasks of a set have one.
func TestAirflowWeights(t *testing.T) {
	for seed := range uint64(40) {
		_, s := played(t, seed)
		a := AirflowOf(s)
		first := map[[2]string]model.Time{}
		for _, at := range s.Attempts {
			if at.Lost {
				continue
			}
			task := s.JS.Tasks[at.Task]
			job := &s.JS.Jobs[task.Job]
			dag, _, _ := strings.Cut(job.Name, " ")
			key := [2]string{dag, job.Stages[task.Stage].Name}
			if before, known := first[key]; !known || at.Start < before {
				first[key] = at.Start
			}
		}
		if len(a.Tasks) != len(first) {
			t.Fatalf("seed %d: %d tasks, want %d", seed, len(a.Tasks), len(first))
		}
		for _, x := range a.Tasks {
			for _, y := range a.Tasks {
				if fx, fy := first[[2]string{x.Dag, x.Task}], first[[2]string{y.Dag, y.Task}]; (fx < fy) != (x.Weight > y.Weight) {
					t.Fatalf("seed %d: %+v begins at %d, %+v at %d", seed, x, fx, y, fy)
				}
			}
		}
	}
}

// Python reads the policy, and its tasks get what the weights say, whatever they are called.
func TestAirflowPolicyInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	a := &Airflow{Tasks: []AirflowTask{{Dag: "etl", Task: "a \"b\"\\\n", Weight: 3, Pool: "db 😀", Slots: 2}, {Dag: "ünï", Task: "x", Weight: 1, PerRun: 4}}, Untold: []string{"one\ntwo"}}
	var policy, weights bytes.Buffer
	if err := a.Policy(&policy); err != nil {
		t.Fatal(err)
	}
	if err := a.Weights(&weights); err != nil {
		t.Fatal(err)
	}
	var want struct{ Dags any }
	if err := json.Unmarshal(weights.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	dags, _ := json.Marshal(want.Dags)
	cmd := exec.CommandContext(t.Context(), python, "-c", policy.String()+`
import sys, json
class Task:
    def __init__(self, dag, task): self.dag_id, self.task_id = dag, task
out = {}
for dag, tasks in TASKS.items():
    for name in tasks:
        t = Task(dag, name)
        task_policy(t)
        d = dict(vars(t)); del d["dag_id"], d["task_id"]
        out.setdefault(dag, {})[name] = d
t = Task("etl", "other"); task_policy(t); assert len(vars(t)) == 2
m = Task("etl", next(iter(TASKS["etl"]))); m.partial_kwargs = {}; task_policy(m); assert m.partial_kwargs == {"weight_rule": "absolute"}
print(json.dumps(out, sort_keys=True))`)
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	var x, y any
	if json.Unmarshal(got, &x) != nil || json.Unmarshal(dags, &y) != nil {
		t.Fatalf("%s", got)
	}
	one, _ := json.Marshal(x)
	if string(one) != string(dags) {
		t.Errorf("%s, want %s", one, dags)
	}
}

// Lines of a calendar have 75 octets at most and are whole characters; unfolded and unescaped they are what
// went in.
func TestCalendarLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		var b bytes.Buffer
		out := &icsWriter{}
		out.out = bufio.NewWriter(&b)
		out.line("SUMMARY", escapeText(text))
		out.out.Flush()
		for line := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\r\n"), "\r\n") {
			if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("line %q", line)
			}
		}
		value := strings.TrimPrefix(strings.TrimSuffix(strings.ReplaceAll(b.String(), "\r\n ", ""), "\r\n"), "SUMMARY:")
		if got, want := unescapeText(value), strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text); got != want {
			t.Fatalf("%q comes back as %q", want, got)
		}
	})
}

// unescapeText undoes escapeText.
func unescapeText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Calendars have an event for each job and each deadline, or for each task, at the times of the plan.
func TestCalendars(t *testing.T) {
	for seed := range uint64(40) {
		js, s := played(t, seed)
		when, err := ClockOf(s, time.Time{})
		if err != nil {
			continue // without a clock
		}
		for _, tasks := range []bool{false, true} {
			var b bytes.Buffer
			if err := (&Calendar{Tasks: tasks}).ICS(&b, when); err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(b.String(), "\r\n ", "")
			uids := map[string]bool{}
			for line := range strings.SplitSeq(text, "\r\n") {
				if uid, is := strings.CutPrefix(line, "UID:"); is {
					if uids[uid] {
						t.Fatalf("seed %d: %s twice", seed, uid)
					}
					uids[uid] = true
				}
			}
			want := 0
			for i := range s.Jobs {
				if line := &s.Jobs[i]; !tasks {
					if js.Jobs[i].Kind != model.BestEffort {
						want++
					}
					if line.First < model.Never && !line.Rejected && !line.Unplanned {
						want++
						if begin := "DTSTART:" + when.At(line.First).UTC().Format("20060102T150405Z"); !strings.Contains(text, begin) {
							t.Fatalf("seed %d: no %s", seed, begin)
						}
					}
				}
			}
			if tasks {
				want = len(s.Attempts)
			}
			if len(uids) != want || strings.Count(text, "BEGIN:VEVENT") != want || strings.Count(text, "END:VEVENT") != want {
				t.Fatalf("seed %d: %d events, want %d", seed, len(uids), want)
			}
		}
	}
}
