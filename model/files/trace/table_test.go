package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Synonyms, units, separators and times in the ways of spreadsheets.
func TestTables(t *testing.T) {
	tr := ReadForTest(t, &Table{}, "DAG id;Task ID;hostname;start_date;end_date;state;pool\n"+
		"a;x;h1;2026-11-21 22:00:00.250+00:00;2026-11-21T22:00:10.250Z;success;p\n"+
		"a;y;h1;2026-11-21 22:00:00;2026-11-21 22:01;failed;p\n\"b;\"\"c\"\"\";x;;2026-11-21;2026-11-22;;\n")
	if len(tr.Jobs) != 2 || !tr.Epoch || tr.Jobs[1].Name != `b;"c"` || tr.Remarks.Count() != 4 {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Remarks)
	}
	if tk := tr.Jobs[0].Stages[0].Tasks[0]; tk.Time != 10_000 || tr.HostName(tk.Host) != "h1" || tk.Start%1000 != 250 || tr.Jobs[1].Stages[0].Tasks[0].Time != 24*3600*1000 {
		t.Errorf("%+v", tk)
	}
}

// Durations and memory in all their forms.
func TestCells(t *testing.T) {
	comma := &Table{separator: ','}
	for text, want := range map[string]int64{"90": 90_000, "1.5": 1500, "90s": 90_000, "1h30m": 5_400_000, "00:01:30": 90_000, "1:30": 5_400_000, "2d": 172_800_000, "15 min": 900_000, "x": -1, "-3": -1, "": -1} {
		got, ok := comma.duration(text, 1000)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got, ok := (&Table{separator: ';'}).duration("2,5", 60e3); !ok || got != 150_000 {
		t.Errorf("2,5 minutes: %d, %v", got, ok)
	}
	for text, want := range map[string]int64{"512": 512 << 20, "2G": 2 << 30, "1.5 GiB": 3 << 29, "64MB": 64 << 20, "1T": 1 << 40, "2 apples": -1} {
		got, ok := comma.memory(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// remarks are the kinds of remarks, each with its number and the message of the first.
func remarks(tr *Trace) string {
	var lines []string
	for _, k := range tr.Remarks.Kinds {
		lines = append(lines, fmt.Sprintf("%s (%d): %s", k.What, k.Count, k.First.Message))
	}
	return strings.Join(lines, "\n")
}

// Airflow's table task_instance as databases hand it out: tasks by their number within a stage,
// offsets without minutes, tasks that have not ended, columns that mean nothing here.
func TestAirflow(t *testing.T) {
	tr := ReadForTest(t, &Table{}, `task_id,dag_id,run_id,map_index,start_date,end_date,duration,state,try_number,job_id,hostname,pool_slots,priority_weight,pid
extract,etl,r1,-1,2026-11-20 22:00:05.123456+00,2026-11-20 22:20:05.223456+00,1200.1,success,1,7,w1,1,3,77
load,etl,r1,0,2026-11-20 22:21:05.1+00:00,2026-11-20 22:30:05.1+00:00,540,success,1,7,w1,1,2,78
load,etl,r1,1,2026-11-20T23:21:05.1+0100,2026-11-20T23:31:05.1+0100,600,success,1,7,w2,1,2,79
load,etl,r1,2,2026-11-20 22:21:05+00,,,running,1,7,w2,1,2,80
mail,etl,r1,-1,\N,\N,\N,\N,0,7,,1,1,
extract,etl,r2,-1,2026-11-21 22:00:05+00,2026-11-21 22:20:05+00,1200,success,1,7,w1,1,3,77
`)
	if len(tr.Jobs) != 2 || !tr.Epoch || tr.Unusable.Count() != 0 {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Unusable)
	}
	if j := &tr.Jobs[0]; j.Submit != 1795212005123 || len(j.Stages) != 2 || len(j.Stages[1].Tasks) != 2 || j.Stages[1].Tasks[1].Start != 1795213265100 {
		t.Errorf("%+v", j)
	}
	want := `headings that are not known, whose columns are passed over (4): unknown heading "try_number", then "job_id", "pool_slots", "pid"
cells about a job that say otherwise than a line of it before, of which the last counts (1): weight of job etl r1 is "2", and was "3"
lines of tasks that did not succeed, which are left out: "running" (1): the state is "running"
lines of tasks with neither a state nor a time, which are left out (1): there is no state
jobs of which nothing says when they may begin, each of which may when the first of its tasks did (2): job etl r1 has no release`
	if got := remarks(tr); got != want {
		t.Errorf("remarks\n%s\nwant\n%s", got, want)
	}
}

// A table may tell runs apart in several ways, of which the first counts.
func TestRunsByTwoColumns(t *testing.T) {
	tr := ReadForTest(t, &Table{}, "dag_id,dag_run_id,logical_date,minutes\na,r1,2026-11-20,3\na,r2,2026-11-20,3\n")
	if len(tr.Jobs) != 2 || tr.Jobs[1].ID != "a r2" {
		t.Errorf("%+v", tr.Jobs)
	}
	if got, want := remarks(tr), `headings that tell runs apart beside the first, whose columns are passed over (1): heading "logical_date"`; got != want {
		t.Errorf("remarks %s", got)
	}
}

// Lengths count from the start of a table whose other times have a clock.
func TestLengthsFromTheStart(t *testing.T) {
	const begin = 1795298400000 // 2026-11-21 22:00 UTC
	tr := ReadForTest(t, &Table{}, "job,start,end,minutes,release,due\na,2026-11-21 22:00,2026-11-21 22:10,,,2h\nb,,,5,30m,1h\nc,,,5,,\n")
	var got []int64
	for _, j := range tr.Jobs {
		got = append(got, j.Submit-begin, j.Due-begin)
	}
	if want := []int64{0, 7_200_000, 1_800_000, 3_600_000, 0, -1 - begin}; !slices.Equal(got, want) || !tr.Epoch || tr.Unusable.Count() != 0 {
		t.Errorf("%d, want %d, %+v", got, want, tr.Unusable)
	}
	if _, advice := (&Table{separator: ','}).time("1795298400000", nil); !strings.HasSuffix(advice, "if it counts from 1970, write 2026-11-21T22:00:00Z") {
		t.Error(advice)
	}
}

// Numbers of tasks do not make a table a plan: the clock and the first starts stand.
func TestNumberedTasksAreNoPlan(t *testing.T) {
	for _, heading := range []string{"task", "index", "map_index"} {
		tr := ReadForTest(t, &Table{}, "job,stage,"+heading+",slave,start,end\n"+
			"a,x,0,h,2026-11-21T22:10:00Z,2026-11-21T22:20:00Z\nb,x,0,h,2026-11-21T22:30:00Z,2026-11-21T22:40:00Z\n")
		if !tr.Epoch || tr.Planned || len(tr.Jobs) != 2 || tr.Jobs[1].Submit-tr.Jobs[0].Submit != 20*60_000 {
			t.Errorf("%s: %+v", heading, tr.Jobs)
		}
	}
}

// A plan keeps its clock, and does not say when its jobs may begin. Without a clock a tick is a
// second, which is remarked.
func TestPlans(t *testing.T) {
	tr := ReadForTest(t, &Table{}, `job,stage,task,slave,beat,assigned,assigned_clock,fetch,fetch_clock,start,start_clock,finish,finish_clock
x,map,1,a,4,4,2026-11-21T22:04:00Z,4,2026-11-21T22:04:00Z,6,2026-11-21T22:06:00Z,11,2026-11-21T22:11:00Z
y,map,1,a,8,8,2026-11-21T22:08:00Z,9,2026-11-21T22:09:00Z,9,2026-11-21T22:09:00Z,15,2026-11-21T22:15:00Z
`)
	if !tr.Epoch || !tr.Planned || len(tr.Jobs) != 2 || tr.Jobs[0].Submit != 1795298760000 || tr.Jobs[1].Submit != tr.Jobs[0].Submit {
		t.Fatalf("%+v", tr.Jobs)
	}
	if tk := tr.Jobs[0].Stages[0].Tasks[0]; tk.Time != 300_000 || tk.Fetch != 120_000 {
		t.Errorf("%+v", tk)
	}
	want := `tasks of a plan that were fetched for, and may have waited: all until they started counts as fetching (1): fetched for before the start
jobs of a plan that does not say when they may begin, each of which may when the first of all tasks starts (2): job x has no release`
	if got := remarks(tr); got != want {
		t.Errorf("remarks\n%s\nwant\n%s", got, want)
	}
	for tick, want := range map[time.Duration]int64{0: 7000, time.Minute: 7 * 60_000} {
		tr := ReadForTest(t, &Table{Tick: tick}, "job,stage,task,slave,start,finish\nx,map,1,a,4,11\n")
		if len(tr.Jobs) != 1 || tr.Jobs[0].Stages[0].Tasks[0].Time != want {
			t.Errorf("tick %v: %+v", tick, tr.Jobs)
		}
		if said := strings.Contains(remarks(tr), "no clock tells how long a tick is"); said != (tick == 0) {
			t.Errorf("tick %v: remarks %s", tick, remarks(tr))
		}
	}
}

// Where there is no column stage tasks with names are stages, those with numbers are tasks.
func TestTasksWithNames(t *testing.T) {
	for table, stages := range map[string]int{"job,task,minutes\na,load,5\na,join,6\n": 2, "job,task,minutes\na,1,5\na,2,6\n": 1} {
		tr := ReadForTest(t, &Table{}, table)
		if len(tr.Jobs) != 1 || len(tr.Jobs[0].Stages) != stages || (tr.Remarks.Count() > 0) != (stages == 2) {
			t.Errorf("%q: %+v, %s", table, tr.Jobs, remarks(tr))
		}
	}
}

// A job does not count its starts from two beginnings.
func TestStartsOfTwoKinds(t *testing.T) {
	tr := ReadForTest(t, &Table{}, "job,start,end\na,2026-11-21 22:00,2026-11-21 22:10\na,10m,20m\n")
	if len(tr.Jobs) != 0 || len(tr.Unusable.Kinds) != 2 || tr.Unusable.Kinds[0].First.Message != "the start counts from elsewhere than in earlier lines of the job" {
		t.Errorf("%+v, %+v", tr.Jobs, tr.Unusable)
	}
}
