package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shapes are what is told of jobs: releases, stages with what they come after, numbers of tasks and pools.
func shapes(tr *Trace) string {
	var b strings.Builder
	for _, j := range tr.Jobs {
		fmt.Fprintf(&b, "%s at %d", j.ID, j.Submit)
		for _, st := range j.Stages {
			fmt.Fprintf(&b, "; %s %v ×%d", st.Name, st.After, len(st.Tasks))
			for _, take := range st.Takes {
				fmt.Fprintf(&b, " %s=%d", take.Pool, take.Units)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

const airflowAnswers = `{"task_instances":[
 {"dag_id":"etl","dag_run_id":"r1","task_id":"a","map_index":-1,"state":"success","start_date":"2026-11-21T22:00:10Z","end_date":"2026-11-21T22:10:10Z","hostname":"w1","pool":"db","pool_slots":1,"queued_when":"2026-11-21T22:00:05Z"},
 {"dag_id":"etl","dag_run_id":"r1","task_id":"gate","map_index":-1,"state":"success","start_date":"2026-11-21T22:10:11Z","end_date":"2026-11-21T22:10:11Z","hostname":"","pool":"default_pool","pool_slots":1},
 {"dag_id":"etl","dag_run_id":"r1","task_id":"b","map_index":1,"state":"success","start_date":"2026-11-21T22:11:00Z","end_date":"2026-11-21T22:21:00Z","hostname":"w2","pool":"wide","pool_slots":1},
 {"dag_id":"etl","dag_run_id":"r1","task_id":"b","map_index":0,"state":"failed","start_date":"2026-11-21T22:11:00Z","end_date":"2026-11-21T22:12:00Z","hostname":"w2","pool":"wide","pool_slots":1},
 {"dag_id":"etl","dag_run_id":"r1","task_id":"c","map_index":-1,"state":"success","start_date":"2026-11-21T22:22:00Z","duration":60.5,"hostname":"w2","pool":"default_pool","pool_slots":2}],
 "total_entries":5}
{"tasks":[{"task_id":"a","downstream_task_ids":["gate","c"],"priority_weight":3,"max_active_tis_per_dagrun":null},{"task_id":"gate","downstream_task_ids":["b"],"priority_weight":1},
 {"task_id":"b","downstream_task_ids":[],"priority_weight":1,"max_active_tis_per_dagrun":2},{"task_id":"c","downstream_task_ids":[]}],"total_entries":4}
{"pools":[{"name":"db","slots":4},{"name":"wide","slots":-1},{"name":"default_pool","slots":16}],"total_entries":3}
{"dag_id":"etl","max_active_tasks":8,"dag_run_timeout":{"__type":"TimeDelta","days":0,"seconds":7200,"microseconds":0}}
`

// Answers of the API, put together: tasks without a time are passed through, mapped tasks are in the order of
// their numbers, a pool without a limit is none.
func TestAirflowAnswers(t *testing.T) {
	tr := ReadForTest(t, &Airflow{}, airflowAnswers+`{"dag_runs":[{"dag_id":"etl","dag_run_id":"r1","run_type":"scheduled","queued_at":"2026-11-21T22:00:02Z","data_interval_end":"2026-11-21T22:00:00Z","end_date":"2026-11-21T22:25:00Z"}]}`)
	if got, want := shapes(tr), "etl r1 at 1795298400000; a [] ×1 db=1; b [0] ×2; c [0] ×1 default_pool=2\n"; got != want {
		t.Fatalf("%s want %s%s", got, want, remarks(tr))
	}
	j := &tr.Jobs[0]
	b, c := &j.Stages[1], &j.Stages[2]
	if b.Tasks[0].Time != Unknown || b.Tasks[1].Time != 600_000 || b.AtMost != 2 || c.Tasks[0].Time != 60_500 {
		t.Errorf("%+v, %+v", b, c)
	}
	if j.Weight != 3 || j.AtMost != 8 || j.Deadline != 7_200_000 || !tr.Deadlines || j.Finish != 1795299900000 || !tr.Epoch {
		t.Errorf("%+v", j)
	}
	want := `task instances that did not succeed, each taken for one like others of its task: "failed" (1): b of etl is "failed"
tasks that took no time in any run, or of which none succeeded, which are left out; what comes after them comes after those before them (1): gate of etl`
	if got := remarks(tr); got != want || tr.Unusable.Count() != 0 {
		t.Errorf("remarks\n%s\n%+v", got, tr.Unusable)
	}
}

// A run may begin at the end of its interval, or with run_after; when it was queued where that was much later, or
// nobody planned it; when its first task was queued where no dag_run is told.
func TestAirflowReleases(t *testing.T) {
	const begin = 1795298400000 // 2026-11-21 22:00 UTC
	for row, want := range map[string]int64{
		`"run_type":"scheduled","queued_at":"2026-11-21T22:00:09Z","data_interval_end":"2026-11-21T22:00:00Z"`:                                    0,
		`"run_type":"scheduled","queued_at":"2026-11-21T22:00:09Z","data_interval_end":"2026-11-21T00:00:00Z","run_after":"2026-11-21T22:00:01Z"`: 1000,
		`"run_type":"scheduled","queued_at":"2026-11-21T22:00:09Z","data_interval_end":"2026-11-20T22:00:00Z"`:                                    9000,
		`"run_type":"manual","queued_at":"2026-11-21T22:00:09Z","data_interval_end":"2026-11-21T22:00:00Z"`:                                       9000,
		`"run_type":"scheduled","start_date":"2026-11-21T22:00:08Z","data_interval_end":"2026-11-21T23:00:00Z"`:                                   8000,
		`"run_type":"backfill"`: 5000,
	} {
		tr := ReadForTest(t, &Airflow{}, `{"dag_runs":[{"dag_id":"etl","dag_run_id":"r1",`+row+`}]}`+airflowAnswers)
		if len(tr.Jobs) != 1 || tr.Jobs[0].Submit-begin != want {
			t.Errorf("%s: %s", row, shapes(tr))
		}
	}
}

// Tables as databases and their tools write them: quotes or none, tabs, offsets or none, NULL in their ways; an
// execution_date in place of run_id, and serialized_dag with the graph.
func TestAirflowTables(t *testing.T) {
	const want = "a 2026-11-20 at 1795298400000; x [] ×1; y [0] ×2\n"
	graph := "dag_id,data\na,\"{\"\"dag\"\":{\"\"_dag_id\"\":\"\"a\"\",\"\"tasks\"\":[{\"\"__var\"\":{\"\"task_id\"\":\"\"x\"\",\"\"downstream_task_ids\"\":[\"\"y\"\"]}},{\"\"task_id\"\":\"\"y\"\"}]}}\"\n"
	for name, table := range map[string]string{
		"psql":   "dag_id,task_id,execution_date,map_index,start_date,end_date,state\na,y,2026-11-20,1,2026-11-21 22:10:00+00,2026-11-21 22:20:00+00,success\na,x,2026-11-20,-1,2026-11-21 22:00:00+00,2026-11-21 22:10:00+00,success\na,y,2026-11-20,0,2026-11-21 22:10:00+00,2026-11-21 22:20:00+00,success\n",
		"mysql":  "dag_id\ttask_id\trun_id\tmap_index\tstart_date\tend_date\tstate\na\ty\t2026-11-20\t1\t2026-11-21 22:10:00.000000\t2026-11-21 22:20:00.000000\tsuccess\na\tx\t2026-11-20\t-1\t2026-11-21 22:00:00\t2026-11-21 22:10:00\tsuccess\na\ty\t2026-11-20\t0\tNULL\tNULL\tNULL\n",
		"quoted": "\"dag_id\",\"task_id\",\"run_id\",\"map_index\",\"start_date\",\"end_date\",\"state\"\n\"a\",\"y\",\"2026-11-20\",\"1\",\"2026-11-21 23:10:00+01:00\",\"2026-11-21T22:20:00Z\",\"success\"\n\"a\",\"x\",\"2026-11-20\",\"-1\",\"2026-11-21 22:00:00+00:00\",\"2026-11-21 22:10:00+00\",\"success\"\n\"a\",\"y\",\"2026-11-20\",\"0\",\\N,\\N,\"queued\"\n",
	} {
		reader := &Airflow{}
		tr := New(Everything)
		for _, text := range []string{table, graph} {
			if err := reader.Read(input(t, text), tr); err != nil {
				t.Fatal(err)
			}
		}
		reader.Close(tr)
		if got := shapes(tr); got != want || tr.Unusable.Count() != 0 {
			t.Errorf("%s: %s%+v %s", name, got, tr.Unusable, remarks(tr))
		}
	}
}

// What cannot be used is counted with its place, and the rest stands.
func TestAirflowOddRows(t *testing.T) {
	tr := ReadForTest(t, &Airflow{}, "dag_id,task_id,run_id,map_index,start_date,end_date,state,pool,pool_slots\n"+
		"a,x,r,-1,2026-11-21 22:00:00,2026-11-21 22:10:00,success,p,1\n"+
		"a,y,r,-1,yesterday,2026-11-21 22:10:00,success,p,1\n"+
		"a,y,r,-1,,,success,p,1\n"+
		",y,r,-1,,,success,p,1\n"+
		"a,y,r,one,,,,p,1\n"+
		"a,y,r,-1,2026-11-21 22:10:00\n"+
		"b,y,r2,-1,,,removed,p,1\n")
	if got, want := shapes(tr), "a r at 1795298400000; x [] ×1 p=1\n"; got != want {
		t.Errorf("%s", got)
	}
	var told []string
	for _, k := range tr.Unusable.Kinds {
		told = append(told, fmt.Sprintf("%d %d: %s", k.Count, k.First.Line, k.First.Message))
	}
	want := []string{`1 3: start_date is "yesterday"`, `1 4: the task succeeded, and has no time`, `1 5: there is no dag_id`, `1 6: map_index is "one"`, `1 7: the line has 5 cells, the header has 9`}
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	if got := remarks(tr); !strings.HasPrefix(got, `task instances that did not run, which are left out: "removed" (1)`) {
		t.Errorf("remarks %s", got)
	}
}

// Priority weights are whatever fits Airflow's column, and those of jobs from 1 to a million.
func TestAirflowWeights(t *testing.T) {
	for weight, want := range map[string]int64{"-10": 1, "0": 1, "7": 7, "2147483647": 1_000_000, "": 1} {
		tr := ReadForTest(t, &Airflow{}, "dag_id,task_id,run_id,start_date,end_date,state,priority_weight\na,x,r,2026-11-21 22:00:00,2026-11-21 22:10:00,success,"+weight+"\n")
		if len(tr.Jobs) != 1 || tr.Jobs[0].Weight != want {
			t.Errorf("%q: %d jobs, unusable %+v", weight, len(tr.Jobs), tr.Unusable)
		}
	}
}

// Tables that overlap tell of an instance more than once, and it counts once.
func TestAirflowOverlap(t *testing.T) {
	tr := ReadForTest(t, &Airflow{}, "dag_id,task_id,run_id,map_index,start_date,end_date,state\n"+
		"a,x,r,1,2026-11-21 22:00:00,2026-11-21 22:10:00,success\n"+
		"a,x,r,0,2026-11-21 22:00:00,,running\n"+
		"a,x,r,0,2026-11-21 22:00:00,2026-11-21 22:05:00,success\n"+
		"a,x,r,1,2026-11-21 22:00:00,,running\n")
	if got, want := shapes(tr), "a r at 1795298400000; x [] ×2\n"; got != want {
		t.Fatalf("%s want %s", got, want)
	}
	if tasks := tr.Jobs[0].Stages[0].Tasks; tasks[0].Time != 300_000 || tasks[1].Time != 600_000 {
		t.Errorf("%+v", tasks)
	}
	if got := remarks(tr); !strings.Contains(got, "told of more than once, each of which counts once (2): x of a r") {
		t.Errorf("remarks %s", got)
	}
}

// A graph in a circle is told, and that of when tasks ran stands in; an answer about tasks of nobody is told.
func TestAirflowGraphs(t *testing.T) {
	table := `[{"dag_id":"a","task_id":"x","run_id":"r","state":"success","start_date":"2026-11-21 22:00:00","end_date":"2026-11-21 22:10:00"},
{"dag_id":"a","task_id":"y","run_id":"r","state":"success","start_date":"2026-11-21 22:00:00","end_date":"2026-11-21 22:15:00"},
{"dag_id":"a","task_id":"z","run_id":"r","state":"success","start_date":"2026-11-21 22:10:00","end_date":"2026-11-21 22:20:00"},
{"dag_id":"a","task_id":"z","run_id":"s","state":"success","start_date":"2026-11-21 23:10:00","end_date":"2026-11-21 23:20:00"}]`
	for tasks, want := range map[string]string{
		`{"tasks":[{"task_id":"x","downstream_task_ids":["y"]},{"task_id":"y","downstream_task_ids":["z"]},{"task_id":"z","downstream_task_ids":["x"]}]}`:                 "a r at 1795298400000; x [] ×1; y [] ×1; z [0] ×1\na s at 1795302600000; z [] ×1\n",
		`{"tasks":[{"task_id":"x","downstream_task_ids":["w"]},{"task_id":"y","downstream_task_ids":["z"]},{"task_id":"w","downstream_task_ids":["z"]},{"task_id":"z"}]}`: "a r at 1795298400000; x [] ×1; y [] ×1; z [0 1] ×1\na s at 1795302600000; z [] ×1\n",
		`{"tasks":[{"task_id":"x","downstream_task_ids":["u"]}]}`: "a r at 1795298400000; x [] ×1; y [] ×1; z [0] ×1\na s at 1795302600000; z [] ×1\n",
	} {
		reader := &Airflow{}
		tr := New(Everything)
		for _, text := range []string{table, tasks} {
			if err := reader.Read(input(t, text), tr); err != nil {
				t.Fatal(err)
			}
		}
		reader.Close(tr)
		if got := shapes(tr); got != want {
			t.Errorf("%s\n%s", tasks, got)
		}
		if odd := strings.Contains(tasks, `"z","downstream_task_ids":["x"]`) || strings.Contains(tasks, `"u"`); odd != (tr.Unusable.Count() == 1) {
			t.Errorf("%s: %+v", tasks, tr.Unusable)
		}
	}
}

func TestAirflowSpans(t *testing.T) {
	for text, want := range map[string]int64{"PT2H": 7_200_000, "P1DT1M0.5S": 86_460_500, "90": 90_000, `{"days":1,"seconds":2}`: 86_402_000, "": 0, "PT0S": 0, "soon": 0, "P": 0, "-3": 0} {
		if got, ok := airflowSpan(text); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}

// attempts are what is told of attempts, a line each.
func attempts(tr *Trace) string {
	var b strings.Builder
	for _, a := range tr.Attempts {
		fmt.Fprintf(&b, "%s/%s/%d %v on %q from %d to %d\n", a.Job, a.Stage, a.Task, a.State, a.Host, a.Start, a.Finish)
	}
	return b.String()
}

// What the last run of a DAG is doing, in all states.
func TestAirflowNow(t *testing.T) {
	tr := ReadForTest(t, &Airflow{Now: true}, "dag_id,task_id,run_id,map_index,start_date,end_date,state,hostname,queued_dttm,try_number\n"+
		"a,x,old,-1,2026-11-20 22:00:00,2026-11-20 22:10:00,success,w1,2026-11-20 22:00:00,1\n"+
		"a,x,new,-1,2026-11-21 22:00:00,2026-11-21 22:10:00,success,w1,2026-11-21 22:00:00,1\n"+
		"a,gate,new,-1,2026-11-21 22:10:00,2026-11-21 22:10:00,success,,,0\n"+
		"a,y,new,0,2026-11-21 22:10:00,,running,w1,2026-11-21 22:10:00,1\n"+
		"a,y,new,1,2026-11-21 22:10:00,2026-11-21 22:11:00,up_for_retry,w2,2026-11-21 22:10:00,1\n"+
		"a,y,new,2,2026-11-21 22:10:00,2026-11-21 22:11:00,scheduled,w2,,2\n"+
		"a,y,new,3,,,queued,,2026-11-21 22:12:00,0\n"+
		"a,y,new,4,2026-11-21 22:10:00,2026-11-21 22:11:00,failed,w2,2026-11-21 22:10:00,1\n"+
		"a,y,new,5,2026-11-21 22:10:00,,deferred,w2,2026-11-21 22:10:00,1\n"+
		"a,z,new,-1,,,upstream_failed,,,0\n"+
		"a,s,new,-1,,,skipped,,,0\n"+
		"a,z,new,-1,,,asleep,,,0\n")
	const want = `a/x/1 COMPLETED on "w1" from 1795298400000 to 1795299000000
a/y/1 RUNNING on "w1" from 1795299000000 to -1
a/y/2 FAILED on "w2" from 1795299000000 to 1795299060000
a/y/3 PENDING on "w2" from 1795299000000 to 1795299060000
a/y/4 PENDING on "" from -1 to -1
a/y/5 FAILED on "w2" from 1795299000000 to 1795299060000
a/y/6 RUNNING on "w2" from 1795299000000 to -1
a/z/1 PENDING on "" from -1 to -1
`
	if got := attempts(tr); got != want {
		t.Errorf("%s", got)
	}
	if len(tr.Jobs) != 0 || len(tr.Remarks.Kinds) != 6 || len(tr.Unusable.Kinds) != 1 || tr.Unusable.Kinds[0].First.Message != `z of a has the state "asleep", which is none of Airflow's` {
		t.Errorf("%+v\n%s", tr.Unusable, remarks(tr))
	}
}

// Of more runs than are asked for the rest is counted, and instances before --since are no run.
func TestAirflowLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString("dag_id,task_id,run_id,start_date,end_date,state\n")
	for day := 1; day <= 9; day++ {
		fmt.Fprintf(&b, "a,x,r%d,2026-11-%02d 22:00:00,2026-11-%02d 22:10:00,success\na,y,r%d,2026-11-%02d 22:10:00,2026-11-%02d 22:20:00,success\n", day, day, day, day, day, day)
	}
	keep := Everything
	keep.Limit, keep.From = 3, 1793912400000 // 2026-11-05 21:00 UTC
	tr := New(keep)
	reader := &Airflow{}
	if err := reader.Read(input(t, b.String()), tr); err != nil {
		t.Fatal(err)
	}
	reader.Close(tr)
	if len(tr.Jobs) != 3 || tr.Jobs[0].ID != "a r5" || tr.Beyond != 2 {
		t.Errorf("%s%d beyond", shapes(tr), tr.Beyond)
	}
	if got := remarks(tr); !strings.HasPrefix(got, "task instances that ended before --since, which are left out (8)") {
		t.Errorf("%s", got)
	}
}
