package imports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"testing"
	"time"

	"downbeat/cmd/internal/usage"
	"downbeat/model/files/jobfile"
)

// fuzz tries a kind on any text: a job set that loads and is the same again, or a fault of
// the input.
func fuzz(f *testing.F, name string, more ...string) {
	kind, known := Named(name)
	if !known {
		f.Fatalf("no kind %s", name)
	}
	for _, text := range append(more, samples[name]) {
		for _, cut := range []int{len(text), len(text) * 2 / 3, len(text) / 2} {
			f.Add([]byte(text[:cut]))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rules := DefaultRules()
		if len(text)%2 == 1 {
			rules.WCET.name, rules.Runs, rules.AddRetries = "own", LastRun, true
		}
		result, err := Import(t.Context(), &kind, []string{"-"}, bytes.NewReader(text), Keep{Limit: 50}, rules, false)
		if err != nil {
			var fault *usage.Error
			if !errors.As(err, &fault) {
				t.Fatalf("%v is no fault of the call", err)
			}
			return
		}
		if len(result.Set.Tasks) > 20_000 {
			return // loads all the same, and takes its time
		}
		var written bytes.Buffer
		if err := result.Write(&written); err != nil {
			t.Fatal(err)
		}
		again, err := jobfile.Load("night.yaml", written.Bytes())
		if err != nil {
			t.Fatalf("what was made does not load: %v\n%s", err, written.Bytes())
		}
		if again.Digest() != result.Set.Digest() {
			t.Fatalf("another set once it is read:\n%s", written.Bytes())
		}
	})
}

func FuzzJHist(f *testing.F)       { fuzz(f, "jhist", binaryHistory()) }
func FuzzHistory(f *testing.F)     { fuzz(f, "history") }
func FuzzRumen(f *testing.F)       { fuzz(f, "rumen") }
func FuzzSLS(f *testing.F)         { fuzz(f, "sls") }
func FuzzReservation(f *testing.F) { fuzz(f, "reservation") }
func FuzzSpark(f *testing.F)       { fuzz(f, "spark") }
func FuzzWfCommons(f *testing.F)   { fuzz(f, "wfcommons") }
func FuzzSWIM(f *testing.F)        { fuzz(f, "swim") }
func FuzzSWF(f *testing.F)         { fuzz(f, "swf") }
func FuzzSlurm(f *testing.F) {
	fuzz(f, "slurm", slurmShown, slurmJSON, "JOBID,NAME,ST,TIME_LIMIT,NODES,CPUS,DEPENDENCY,NODELIST(REASON)\n7_[1-9:2],x,PD,1-02:00:00,2-4,8,afterok:6_*?after:5,(Resources)\n8,y,R,10:00,1,1,,n[1-2]a[003-004]\n")
}
func FuzzKubernetes(f *testing.F) {
	fuzz(f, "kubernetes", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a, annotations: {downbeat/due: 06:00, downbeat/wcet: 10m}}\nspec: {schedule: '*/7 1-5 * jan-dec mon', jobTemplate: {spec: {completions: 3, template: {spec: {tolerations: [{operator: Exists}], containers: [{resources: {requests: {cpu: 1e1, memory: 1.5Gi}}}]}}}}}\n---\nitems: [{kind: Pod}]\n",
		`{"kind":"Job","metadata":{"name":"x","creationTimestamp":"2026-11-21T21:00:00Z"},"spec":{"completions":4,"parallelism":2,"template":{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Gt","values":["3"]}]}]}}},"containers":[]}}},"status":{"startTime":"2026-11-21T21:00:00Z","completionTime":"2026-11-21T21:10:00Z","conditions":[{"type":"Complete","status":"True"}]}}`)
}
func FuzzDbt(f *testing.F) {
	fuzz(f, "dbt", `{"nodes":{"model.p.a":{"depends_on":{"nodes":["model.p.a","model.p.b"]}},"model.p.b":{"depends_on":{"nodes":["unit_test.p.u"]}}},"unit_tests":{"unit_test.p.u":{"depends_on":{"nodes":["model.p.b"]}}}}{"results":[{"node":{"unique_id":"model.p.a"},"status":"success","timing":[{"started_at":"2026-11-21T22:00:00Z","completed_at":"2026-11-21T22:00:01Z"}]}],"args":{"rpc_method":"build","threads":3}}`)
}
func FuzzAirflow(f *testing.F) {
	fuzz(f, "airflow", `{"task_instances":[{"dag_id":"a","dag_run_id":"r","task_id":"x","map_index":0,"state":"success","start_date":"2026-11-21T22:00:00Z","end_date":"2026-11-21T22:01:00Z","pool":"p","pool_slots":2}],"total_entries":1}
{"dag_runs":[{"dag_id":"a","dag_run_id":"r","run_type":"scheduled","queued_at":"2026-11-21T22:00:00Z","run_after":"2026-11-21T21:59:00Z"}]}
{"tasks":[{"task_id":"x","downstream_task_ids":["y"],"priority_weight":2}]}{"pools":[{"name":"p","slots":3}]}{"dag_id":"a","max_active_tasks":4,"dag_run_timeout":"PT2H"}`,
		`[{"dag_id":"a","task_id":"x","run_id":"r","state":"failed"},{"pool":"q","slots":-1}]`, `{"p":{"slots":4,"description":""}}`,
		"dag_id,data\na,\"{\"\"dag\"\":{\"\"tasks\"\":[{\"\"__var\"\":{\"\"task_id\"\":\"\"x\"\"}}]}}\"\n",
		"dag_id,task_id,execution_date,start_date,end_date,state,upstream\na,x,2026-11-20,2026-11-21 22:00:00,2026-11-21 22:01:00,success,y\na,y,2026-11-20,2026-11-21 22:00:00,2026-11-21 22:01:00,success,x\n")
}
func FuzzCSV(f *testing.F) {
	fuzz(f, "csv", "job;minutes;due\na;1,5;+2h\n", "job,stage,task,slave,assigned,fetch_start,fetch_end,start,end,release,due,hard,weight,after,after_jobs,outcome\na,map,1,s-1,0,0,2,2,9,0,20,true,1,,,done\n",
		"dag_id,task_id,run_id,start_date,end_date,state,map_index,priority_weight\na,x,r,2026-11-20 22:00:05.1+00,2026-11-20 22:20:05+00:00,success,0,2\na,x,r,,,,1,3\n",
		"job,stage,task,slave,beat,assigned,fetch,fetch_clock,start,start_clock,finish,finish_clock\nx,map,1,a,4,4,4,2026-11-21T22:04:00Z,6,2026-11-21T22:06:00Z,11,2026-11-21T22:11:00Z\n")
}

// fuzzNow tries what an engine says now on any text: a table of a run, or a fault of the input.
func fuzzNow(f *testing.F, name string, texts ...string) {
	kind, known := ExecutedNamed(name)
	if !known {
		f.Fatalf("no kind %s", name)
	}
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := ImportExecuted(t.Context(), &kind, []string{"-"}, bytes.NewReader(text), nil, time.UTC, false)
		var fault *usage.Error
		switch {
		case err != nil && !errors.As(err, &fault):
			t.Fatalf("%v is no fault of the call", err)
		case err != nil:
			return
		}
		var table bytes.Buffer
		if err := run.Write(&table); err != nil {
			t.Fatal(err)
		}
		if lines, err := csv.NewReader(&table).ReadAll(); err != nil || len(lines) != len(run.Lines)+1 {
			t.Fatalf("%d lines of %d: %v", len(lines), len(run.Lines), err)
		}
	})
}

func FuzzKubernetesNow(f *testing.F) {
	fuzzNow(f, "kubernetes", samples["kubernetes"],
		`{"kind":"Job","metadata":{"name":"j","annotations":{"downbeat/task":"a/b/1@0123456789ab\na/b/2@0123456789ab"}},"spec":{"completions":2},"status":{"startTime":"2026-11-21T22:00:00Z","conditions":[{"type":"Complete","status":"True"}]}}
{"kind":"Pod","metadata":{"name":"p","annotations":{"batch.kubernetes.io/job-completion-index":"1"},"ownerReferences":[{"kind":"Job","name":"j"}]},"spec":{"nodeName":"n"},"status":{"phase":"Failed","startTime":"2026-11-21T22:00:00Z"}}`)
}
func FuzzSlurmNow(f *testing.F) {
	fuzzNow(f, "slurm", slurmShown, slurmJSON,
		"JobId=1 JobState=RUNNING StartTime=2026-11-21T22:00:00 NodeList=n[1-2] NumNodes=2 Comment=a/b@0123456789ab n2 n1 n9\nJobId=2 ArrayJobId=2 ArrayTaskId=1-3%2 JobState=PENDING Comment=a/c@0123456789ab\n",
		"JobID|Comment|State|Start|End|NodeList\n7_3|a/b@0123456789ab|COMPLETED|2026-11-21T22:00:00|2026-11-21T22:10:00|n1\n7_4.batch|a/b@0123456789ab|FAILED|2026-11-21T22:00:00|2026-11-21T22:10:00|n1\n")
}
