package underway_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/cmd/internal/report"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/policies"
	"downbeat/solve"
	"downbeat/solve/night"
)

// someRun is a run of a tiny set in which tasks take other times than declared and slaves
// fail, under some policy; with pools, caps, gangs and tasks that are apart in two of five.
func someRun(t *testing.T, seed uint64) (*model.JobSet, *online.Outcome) {
	t.Helper()
	js := gen.Tiny(seed)
	if seed%2 == 1 {
		js = gen.TodayTiny(seed)
	}
	if seed%5 >= 3 {
		js = gen.Coupled(js, seed, false)
	}
	specs := []string{"edf", "fifo", "fair", "rtmr", "penn:order=sct,choice=earliest"}
	policy, err := policies.New(specs[seed%4], seed)
	if err != nil {
		t.Fatal(err)
	}
	opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.5, Hi: 2.5}}
	if seed%3 == 0 {
		opts.Faults = &online.Faults{MTBF: 20, MTTR: 4}
	}
	out, err := online.Play(t.Context(), js, policy, opts)
	if err != nil {
		t.Fatal(err)
	}
	return js, out
}

// reread is a run as it comes back from its file.
func reread(t *testing.T, js *model.JobSet, run *model.Plan, format planfile.Format) *model.Plan {
	t.Helper()
	var b bytes.Buffer
	if err := planfile.Write(&b, run, format); err != nil {
		t.Fatal(err)
	}
	name := map[planfile.Format]string{planfile.JSON: "run.json", planfile.CSV: "run.csv"}[format]
	got, err := planfile.ReadRun(name, b.Bytes(), js)
	if err != nil {
		t.Fatal(err)
	}
	return got.Plan
}

// A run cut at any time and planned on keeps its past to the tick: what has finished, what
// has begun, and where the rest of it was handed out. The plan is valid as the validator
// sees it in a file, durations and rejected jobs included.
func TestRunsArePlannedOn(t *testing.T) {
	var finished, running, waiting, overdue, lost, doomed, rejected int
	for seed := range testkit.Sets[uint64](60, 5000) {
		js, out := someRun(t, seed)
		rng := rand.New(rand.NewPCG(seed, 20))
		run := reread(t, js, out.Plan(), []planfile.Format{planfile.JSON, planfile.CSV}[seed%2])
		now := model.Time(rng.Int64N(int64(night.TimeOf(run)) + 3))
		drops := night.Rejected(js, run, now)
		rejected += len(drops)
		if seed%4 == 0 {
			drops = append(drops, change.Change{Kind: change.Margin, N: 30})
		}
		set, err := change.Apply(js, drops)
		if err != nil {
			continue // all were
		}
		record, err := night.Read(set, run, now)
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		past, err := record.Past()
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		overdue, doomed, lost = overdue+len(past.Overdue), doomed+len(past.Doomed), lost+record.Lost
		res, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 40, Relax: true, NoConflict: true})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		plan := report.PlanFile(past.Set, res)
		if found := check.Plan(set, plan); !found.OK() {
			t.Fatalf("seed %d, now %d: %v", seed, now, found.Err())
		}
		told := linesOf(plan.Tasks)
		for _, line := range underWay(out.Plan(), now) {
			got, there := told[nameOf(line)]
			if !there {
				continue // of a job that was rejected
			}
			switch f := line.Finish; {
			case isIn(past.Doomed, append(past.Parted, past.Lost...), set, line):
				if got.Assigned < now {
					t.Errorf("seed %d, now %d: %s is not handed out anew: %+v", seed, now, nameOf(line), got)
				}
				continue
			case got.Slave != line.Slave || got.Beat != line.Beat:
				t.Errorf("seed %d, now %d: %s was handed out as %+v, not %+v", seed, now, nameOf(line), line, got)
			case f <= now:
				finished++
				if got.Fetch != line.Fetch || got.Start != line.Start || got.Finish != f {
					t.Errorf("seed %d, now %d: %s was %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			case line.Start < now:
				running++
				if got.Fetch != line.Fetch || got.Start != line.Start || got.Finish <= now {
					t.Errorf("seed %d, now %d: %s runs as %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			default:
				waiting++
				if line.Fetch < now && got.Fetch != line.Fetch || line.Fetch >= now && got.Fetch < now || got.Start < now {
					t.Errorf("seed %d, now %d: %s waits as %+v, not %+v", seed, now, nameOf(line), line, got)
				}
			}
			delete(told, nameOf(line))
		}
		for name, line := range told {
			if line.Assigned < now && !dropped(drops, line.Job) {
				t.Errorf("seed %d, now %d: %s is handed out in the past: %+v", seed, now, name, line)
			}
		}
	}
	t.Logf("%d finished, %d running, %d of them overdue, %d waiting, %d lost, %d doomed, %d jobs rejected", finished, running, overdue, waiting, lost, doomed, rejected)
	if finished == 0 || running == 0 || waiting == 0 || overdue == 0 || lost == 0 || rejected == 0 || testkit.All() && doomed == 0 {
		t.Error("not every case came up")
	}
}

func dropped(drops []change.Change, job string) bool {
	for _, c := range drops {
		if c.Name == job {
			return true
		}
	}
	return false
}

func nameOf(l model.TaskResult) string { return fmt.Sprintf("%s/%s/%d", l.Job, l.Stage, l.Task) }

func linesOf(lines []model.TaskResult) map[string]model.TaskResult {
	out := map[string]model.TaskResult{}
	for _, l := range lines {
		out[nameOf(l)] = l
	}
	return out
}

// underWay lists the attempts that had finished by now, or were under way.
func underWay(run *model.Plan, now model.Time) (out []model.TaskResult) {
	for _, l := range run.Tasks {
		if l.Assigned < now {
			out = append(out, l)
		}
	}
	for _, l := range run.Lost {
		if l.Assigned < now && l.Finish > now {
			l.Finish = model.Never // nobody knew
			out = append(out, l)
		}
	}
	return out
}

func isIn(a, b []model.TaskID, js *model.JobSet, line model.TaskResult) bool {
	for _, list := range [][]model.TaskID{a, b} {
		for _, t := range list {
			if js.TaskName(t) == nameOf(line) {
				return true
			}
		}
	}
	return false
}

// A table that says of tasks no more than slave, start and finish is planned on as well: what
// has finished ends when it did, what runs stays on its slave, and none begins earlier than
// told, or later than by a heartbeat.
func TestTablesArePlannedOn(t *testing.T) {
	var finished, running, moved, refused, sets int
	for seed := range testkit.Sets[uint64](150, 5000) {
		js, out := someRun(t, seed)
		rng := rand.New(rand.NewPCG(seed, 21))
		run := out.Plan()
		now := model.Time(rng.Int64N(int64(night.TimeOf(run)) + 3))
		set, err := change.Apply(js, night.Rejected(js, run, now))
		if err != nil {
			continue // all jobs were rejected
		}
		table := *run
		table.Tasks, table.Lost = unsaid(run.Tasks, now), unsaid(run.Lost, now)
		sets++
		record, err := night.Read(set, &table, now)
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		past, err := record.Past()
		if err != nil {
			refused++
			t.Logf("seed %d, now %d: %v", seed, now, err)
			continue
		}
		moved += len(record.Moved)
		res, err := night.Plan(t.Context(), past, solve.Options{Seed: seed, Budget: 40, Relax: true, NoConflict: true})
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		plan := report.PlanFile(past.Set, res)
		if found := check.Plan(set, plan); !found.OK() {
			t.Fatalf("seed %d, now %d: %v", seed, now, found.Err())
		}
		told := linesOf(plan.Tasks)
		for _, line := range table.Tasks {
			got, there := told[nameOf(line)]
			if !there || line.Start >= now || isIn(past.Doomed, append(past.Parted, past.Lost...), set, line) {
				continue
			}
			if got.Slave != line.Slave || got.Start < line.Start || got.Start >= line.Start+js.Heartbeat {
				t.Errorf("seed %d, now %d: %s is %+v, told was %+v", seed, now, nameOf(line), got, line)
			}
			if line.Finish <= now {
				finished++
				if got.Finish != line.Finish {
					t.Errorf("seed %d, now %d: %s is %+v, told was %+v", seed, now, nameOf(line), got, line)
				}
			} else {
				running++
			}
		}
	}
	t.Logf("%d finished, %d running, %d begun between heartbeats, %d of %d refused", finished, running, moved, refused, sets)
	if finished == 0 || running == 0 || moved == 0 || refused*20 > sets {
		t.Error("not every case came up, or too many were refused")
	}
}

// A table of what went as planned gives the past of the plan: its heartbeats and fetches, and
// nothing has to move.
func TestTablesOfThePlan(t *testing.T) {
	tasks := 0
	for seed := range testkit.Sets[uint64](100, 3000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		res, err := solve.Plan(t.Context(), js, solve.Options{Seed: seed, Budget: 40, Relax: true, NoConflict: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Schedule == nil {
			continue
		}
		plan := report.PlanFile(js, res)
		now := model.Time(rand.New(rand.NewPCG(seed, 22)).Int64N(int64(night.TimeOf(plan)) + 3))
		table := *plan
		table.Kind, table.Tasks = model.KindExecuted, unsaid(plan.Tasks, now)
		record, err := night.ReadAfter(js, &table, now, res.Schedule)
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		past, err := record.Past()
		if err != nil {
			t.Fatalf("seed %d, now %d: %v", seed, now, err)
		}
		for k, at := range past.Place {
			if res.Schedule[k].Slave == model.NoSlave || res.Schedule[k].Start >= now || at.Slave == model.NoSlave {
				continue
			}
			tasks++
			if at != res.Schedule[k] {
				t.Errorf("seed %d, now %d: %s was at %+v, planned was %+v", seed, now, js.TaskName(model.TaskID(k)), at, res.Schedule[k])
			}
		}
	}
	if tasks < 100 {
		t.Errorf("only %d tasks were begun", tasks)
	}
}

// unsaid is what a table says of lines at some time.
func unsaid(lines []model.TaskResult, now model.Time) []model.TaskResult {
	var out []model.TaskResult
	for _, l := range lines {
		l.Beat, l.Assigned, l.Fetch = model.Unsaid, model.Unsaid, model.Unsaid
		if l.Start >= now {
			continue // nobody knows of it yet
		}
		if l.Finish > now {
			l.Finish = model.Never
		}
		out = append(out, l)
	}
	return out
}

// FuzzRun: nothing that is read as a run, planned on at any time, makes the program panic, and
// a past that is taken passes its check.
func FuzzRun(f *testing.F) {
	js, err := jobfile.Load("set", []byte(`version: 1
time_unit: 1m
origin: 2026-10-24T20:00:00+02:00
zone: Europe/Berlin
cluster: {heartbeat: 5, slaves: [{name: a, cores: 2}, {name: b, down: [[90, 100]]}]}
jobs:
  - {name: etl, deadline: 2h, map: {tasks: 2, wcet: 30, transfer: 3}, reduce: {tasks: 1, wcet: 20}}
  - {name: mail, release: 60, map: {tasks: 3, wcet: 10}}
`))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"job;stage;task;machine;start;end;state\netl;map;1;a;20:05;20:35;COMPLETED\netl;map;2;b;20:10;;RUNNING\n",
		"task\tnode\tstarted\tfinished\netl/map/1\ta\t2026-10-24T20:05:17+02:00\t1792866900\n",
		"job,stage,task,slave,beat,assigned,assigned_clock,fetch,start,finish,outcome\netl,map,1,a,0,0,,0,3,33,done\netl,map,2,a,1,5,,5,,,lost\nmail,,,,,,,,,,rejected\n",
		`[{"task": "etl/map/1", "node": "a", "started_at": "20:05", "end": null, "state": "RUNNING"}]`,
		`{"version": 1, "kind": "executed", "now": 40, "tasks": [{"task": "etl/map/1", "slave": "a", "start": "5m", "finish": null}], "lost": []}`,
	} {
		f.Add([]byte(seed), int64(40))
	}
	f.Fuzz(func(t *testing.T, src []byte, at int64) {
		run, err := planfile.ReadRun("-", src, js)
		if err != nil {
			return
		}
		now := model.Time(max(0, min(at, int64(model.MaxTime))))
		record, err := night.Read(js, run.Plan, now)
		if fault := (*night.LineError)(nil); errors.As(err, &fault) {
			if run.Fault(fault.Index, fault.Lost, fault.Message, fault.Advice) == nil {
				t.Error("a fault is none")
			}
			return
		}
		if past, err := record.Past(); err == nil && past.Check() != nil {
			t.Error("a past that was taken does not pass its check")
		}
	})
}
