package trace

import (
	"strings"
	"testing"
)

// In a build a test stands before all that comes after everything it refers to, and only before that; a unit test
// before the model that it is of. In other runs tests stand before nothing.
func TestDbtTests(t *testing.T) {
	manifest := `{"metadata":{"project_name":"p"},"nodes":{
 "model.p.a":{"resource_type":"model","depends_on":{"nodes":["source.p.s.t"]}},
 "model.p.b":{"resource_type":"model","depends_on":{"nodes":["model.p.a"]}},
 "model.p.c":{"resource_type":"model","depends_on":{"nodes":["model.p.b","model.p.d"]}},
 "model.p.d":{"resource_type":"model","depends_on":{"nodes":[]}},
 "model.p.e":{"resource_type":"model","depends_on":{"nodes":["model.p.c"]}},
 "test.p.of_a.1":{"resource_type":"test","depends_on":{"nodes":["model.p.a"]}},
 "test.p.of_s.3":{"resource_type":"test","depends_on":{"nodes":["source.p.s.t"]}},
 "test.p.of_a_and_d.2":{"resource_type":"test","depends_on":{"nodes":["model.p.a","model.p.d"]}}},
"unit_tests":{"unit_test.p.b.u":{"resource_type":"unit_test","depends_on":{"nodes":["model.p.b"]}}},
"sources":{"source.p.s.t":{}}}`
	result := func(id string, from, to string) string {
		return `{"unique_id":"` + id + `","status":"success","thread_id":"Thread-1","timing":[{"started_at":"2026-11-21T22:00:` + from + `Z","completed_at":"2026-11-21T22:00:` + to + `Z"}]}`
	}
	var results []string
	for _, id := range []string{"model.p.a", "model.p.b", "model.p.c", "model.p.d", "model.p.e", "test.p.of_a.1", "test.p.of_s.3", "test.p.of_a_and_d.2", "unit_test.p.b.u"} {
		results = append(results, result(id, "00", "01"))
	}
	for which, want := range map[string]string{
		"build": "p r at 1795298400000; test.of_s.3 [] ×1; model.a [0] ×1; test.of_a.1 [1] ×1; unit_test.b.u [1 2] ×1; model.b [1 3] ×1; model.d [] ×1; test.of_a_and_d.2 [1 5] ×1; model.c [4 5 6] ×1; model.e [7] ×1\n",
		"run":   "p r at 1795298400000; model.a [] ×1; unit_test.b.u [0] ×1; model.b [0 1] ×1; model.d [] ×1; model.c [2 3] ×1; model.e [4] ×1; test.of_a.1 [0] ×1; test.of_a_and_d.2 [0 3] ×1; test.of_s.3 [] ×1\n",
	} {
		tr := ReadForTest(t, &Dbt{}, manifest+`{"metadata":{"invocation_id":"r"},"args":{"which":"`+which+`","threads":3},"results":[`+strings.Join(results, ",")+"]}")
		if got := shapes(tr); got != want {
			t.Errorf("%s: %s\nwant %s", which, got, want)
		}
		if len(tr.Machines) != 3 || tr.Machines[2].Name != "thread-3" || tr.Machines[2].Class != "thread" {
			t.Errorf("%+v", tr.Machines)
		}
	}
}

// What did not run to its end takes what it did in another run; what never did is passed through. Names that two
// packages have are told apart.
func TestDbtRuns(t *testing.T) {
	tr := ReadForTest(t, &Dbt{}, `{"nodes":{
 "model.p.a":{"resource_type":"model"}, "model.q.a":{"resource_type":"model","depends_on":{"nodes":["model.p.a"]}},
 "model.p.never":{"resource_type":"model","depends_on":{"nodes":["model.q.a"]}}, "model.p.z":{"resource_type":"model","depends_on":{"nodes":["model.p.never"]}}}}
{"results":[{"unique_id":"model.p.a","status":"success","execution_time":2,"timing":[{"started_at":"2026-11-21T22:00:00Z","completed_at":"2026-11-21T22:00:01Z"}]},
 {"unique_id":"model.q.a","status":"success","timing":[{"started_at":"2026-11-21T22:00:02Z","completed_at":"2026-11-21T22:00:03Z"}]},
 {"unique_id":"model.p.never","status":"skipped","timing":[]},{"unique_id":"model.x.gone","status":"success"},
 {"node":{"unique_id":"model.p.z"},"status":"success","timing":[{"started_at":"2026-11-21T22:00:03Z","completed_at":"2026-11-21T22:00:04Z"}]}]}
{"results":[{"unique_id":"model.p.a","status":"error","timing":[{"started_at":"2026-11-22T22:00:00Z","completed_at":"2026-11-22T22:00:01Z"}]},
 {"unique_id":"model.p.z","status":"success","timing":[{"started_at":"2026-11-22T22:00:03Z","completed_at":"2026-11-22T22:00:04Z"}]}]}`)
	if got, want := shapes(tr), "dbt at 1795298400000; model.a [] ×1; model.q.a [0] ×1; model.z [1] ×1\ndbt at 1795384803000; model.a [] ×1; model.z [0] ×1\n"; got != want {
		t.Errorf("%s", got)
	}
	if a, again := tr.Jobs[0].Stages[0].Tasks[0].Time, tr.Jobs[1].Stages[0].Tasks[0].Time; a != 2000 || again != Unknown {
		t.Errorf("%d, %d", a, again)
	}
	if tr.Unusable.Count() != 1 || len(tr.Remarks.Kinds) != 4 {
		t.Errorf("%+v\n%s", tr.Unusable, remarks(tr))
	}
	for text, want := range map[string]string{`{"nodes":{"model.p.a":{}}}`: "nothing tells how long nodes take", `{"results":[{"unique_id":"a","status":"success"}]}`: "nothing tells what nodes come after"} {
		tr := ReadForTest(t, &Dbt{}, text)
		if len(tr.Unusable.Kinds) != 1 || tr.Unusable.Kinds[0].First.Message != want {
			t.Errorf("%s: %+v", text, tr.Unusable)
		}
	}
}

// What became of the nodes of the last run: done, failed, or still to be run.
func TestDbtNow(t *testing.T) {
	tr := ReadForTest(t, &Dbt{Now: true}, `{"results":[{"unique_id":"model.p.a","status":"success","thread_id":"Thread-1","timing":[{"started_at":"2026-11-20T22:00:00Z","completed_at":"2026-11-20T22:00:01Z"}]}]}
{"results":[{"unique_id":"model.p.a","status":"success","thread_id":"Thread-1 (worker)","timing":[{"started_at":"2026-11-21T22:00:00Z","completed_at":"2026-11-21T22:00:01Z"}]},
{"unique_id":"model.p.b","status":"error","thread_id":"Thread-2","timing":[{"started_at":"2026-11-21T22:00:02Z","completed_at":"2026-11-21T22:00:03Z"}]},
{"unique_id":"test.q.c.1","status":"fail","thread_id":"Thread-2","execution_time":0.5,"timing":[{"started_at":"2026-11-21T22:00:03Z","completed_at":"2026-11-21T22:00:04Z"}]},
{"unique_id":"model.p.d","status":"skipped","thread_id":"Thread-1","timing":[]}]}`)
	const want = `p/model.a/1 COMPLETED on "thread-1" from 1795298400000 to 1795298401000
p/model.b/1 FAILED on "thread-2" from 1795298402000 to 1795298403000
p/test.c.1/1 COMPLETED on "thread-2" from 1795298403000 to 1795298403500
p/model.d/1 PENDING on "thread-1" from -1 to -1
`
	if got := attempts(tr); got != want || len(tr.Remarks.Kinds) != 1 {
		t.Errorf("%s%s", got, remarks(tr))
	}
}

// A call that two files tell of is one run, and one that runs nothing is none.
func TestDbtRunsOnce(t *testing.T) {
	call := func(id, which, to string) string {
		return `{"metadata":{"invocation_id":"` + id + `"},"results":[{"unique_id":"model.p.a","status":"success","thread_id":"Thread-1","timing":[{"started_at":"2026-11-21T22:00:00Z","completed_at":"2026-11-21T22:00:` + to + `Z"}]}],"args":{"which":"` + which + `"}}`
	}
	tr := ReadForTest(t, &Dbt{}, `{"metadata":{"project_name":"p"},"nodes":{"model.p.a":{"resource_type":"model"}}}`+
		call("r", "run", "10")+call("r", "run", "10")+call("c", "compile", "01")+call("s", "run", "20"))
	if len(tr.Jobs) != 2 || tr.Jobs[0].Stages[0].Tasks[0].Time != 10_000 || tr.Jobs[1].Stages[0].Tasks[0].Time != 20_000 {
		t.Errorf("%s", shapes(tr))
	}
	for _, want := range []string{"told of more than once, each of which counts once (1): the results are of the call r", "run nothing, which are passed over (1): the results are of dbt compile"} {
		if got := remarks(tr); !strings.Contains(got, want) {
			t.Errorf("%q is not told of: %s", want, got)
		}
	}
}
