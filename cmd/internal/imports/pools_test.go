package imports

import (
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/trace"
)

// shareTrace is a trace whose tasks take of a pool: two side by side, one afterwards.
func shareTrace() *trace.Trace {
	tr := trace.New(trace.Everything)
	for i, start := range []int64{0, 30_000, 90_000} {
		j := trace.NewJob(string(rune('a'+i)), trace.Place{File: "f", Line: i + 1, Column: 1})
		tk := trace.NewTask(60_000)
		tk.Start = start
		st := trace.NewStage("load")
		st.Takes, st.Tasks, st.AtMost = []trace.Take{{Pool: "db", Units: 2}}, []trace.Task{tk}, 3
		j.Submit, j.Stages, j.AtMost = start, []trace.Stage{st}, 4
		tr.Add(j, false)
	}
	return tr
}

// The size of a pool is that of the flag, else of the cluster's file, else of the source, else what was held at once.
func TestPoolSizes(t *testing.T) {
	of, err := jobfile.Load("c.yaml", []byte("version: 1\ntime_unit: 1s\ncluster: {heartbeat: 1, pools: {db: 6}, slaves: [{name: a, cores: 4}]}\njobs: [{name: x, map: {tasks: 1, wcet: 1}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag, file, source bool
		want               int64
		from               string
	}{
		{true, true, true, 9, "by --pool"},
		{false, true, true, 6, "by c.yaml"},
		{false, false, true, 7, "by the source"},
		{false, false, false, 4, "seen to hold at once"},
	} {
		tr, r := shareTrace(), DefaultRules()
		if c.flag {
			if err := r.PoolSizes.Set("db=9"); err != nil {
				t.Fatal(err)
			}
		}
		if c.file {
			r.Cluster = Cluster{File: "c.yaml", Of: of, memory: -1}
		}
		if c.source {
			tr.AddPool(trace.Pool{Name: "db", Amount: 1})
			tr.AddPool(trace.Pool{Name: "db", Amount: 7})
		}
		result, err := Make(t.Context(), tr, Kind{Name: "csv", fallback: fourByFour}, 1, r)
		if err != nil {
			t.Fatal(err)
		}
		js := result.Set
		if len(js.Pools) != 1 || js.Pools[0].Levels[0].Amount != c.want {
			t.Errorf("%+v: pools %+v", c, js.Pools)
		}
		if head := strings.Join(result.Comments.Head, "\n"); !strings.Contains(head, c.from) {
			t.Errorf("%+v: the head does not say so:\n%s", c, head)
		}
		if j := js.Jobs[0]; j.AtMost != 4 || j.Stages[0].AtMost != 3 || len(js.Takes(0)) != 1 {
			t.Errorf("%+v: job %+v, takes %v", c, j, js.Takes(0))
		}
	}
}

// A job whose task takes more of a pool than there is stays out, and is counted.
func TestPoolTooSmall(t *testing.T) {
	tr, r := shareTrace(), DefaultRules()
	r.PoolSizes["db"] = 1
	if _, err := Make(t.Context(), tr, Kind{Name: "csv", fallback: fourByFour}, 1, r); err == nil || !strings.Contains(err.Error(), "takes 2 of pool db, of which there are 1") {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"db", "=3", "db=-1", "db=x", "db=10000000000"} {
		if err := (PoolSizes{}).Set(bad); err == nil {
			t.Errorf("%q is taken for a size", bad)
		}
	}
	m := maker{Rules: r, js: &model.JobSet{TimeUnit: 1}}
	if m.poolRule() != "" {
		t.Error("a rule about no pools")
	}
}
