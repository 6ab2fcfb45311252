package planfile

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"

	"github.com/google/go-cmp/cmp"
)

// runSet is a job set with a clock, on 5 minutes' heartbeats.
func runSet(t testing.TB, clock string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("set", []byte("version: 1\n"+clock+`
cluster: {heartbeat: 5, slaves: [{name: fast-1, cores: 2}, {name: slow}]}
jobs:
  - {name: etl, map: {tasks: 2, wcet: 30}, reduce: {tasks: 1, wcet: 20}}
  - {name: mail, release: 60, map: {tasks: 3, wcet: 10}}
  - {name: one, map: {tasks: 1, wcet: 10}}
`))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

const autumn = `time_unit: 1m
origin: 2026-10-24T20:00:00+02:00
zone: Europe/Berlin
`

// What people and engines have is read: whatever stands between the cells, however columns
// and times are written, with and without states.
func TestReadRunTables(t *testing.T) {
	js := runSet(t, autumn)
	said := func(job, stage string, task int, slave string, start, finish model.Time) model.TaskResult {
		return model.TaskResult{Job: job, Stage: stage, Task: task, Slave: slave, Beat: model.Unsaid, Assigned: model.Unsaid, Fetch: model.Unsaid, Start: start, Finish: finish}
	}
	want := []model.TaskResult{said("etl", "map", 1, "fast-1", 5, 35), said("etl", "map", 2, "slow", 10, model.Never)}
	for name, src := range map[string]string{
		"ticks.csv":       "job,stage,task,slave,start,finish\netl,map,1,fast-1,5,35\netl,map,2,slow,10,\n",
		"excel.csv":       "\ufeffJob;Stage;Task;Machine;Start;End;State\r\netl;map;1;fast-1;20:05;20:35;COMPLETED\r\netl;map;2;slow;20:10;;RUNNING\r\n;;;;;;\r\n",
		"tabs.tsv":        "task\tnode\tstarted at\tfinished_at\netl/map/1\tfast-1\t2026-10-24T20:05:17+02:00\t2026-10-24T18:35:41Z\netl/map/2\tslow\t2026-10-24 20:10:59.999\t\n",
		"-":               "JobName|step|index|host|StartTime|EndTime|Status\netl|map|1|fast-1|1792865100|1792866900|CD\netl|map|2|slow|1792865400||R\n",
		"clocks.csv":      "job,stage,task,slave,start_clock,finish_clock\netl,map,1,fast-1,2026-10-24T20:05:00+02:00,2026-10-24T20:35:00+02:00\netl,map,2,slow,2026-10-24T20:10:00+02:00,\n",
		"others.csv":      "x-mine,cores,job,stage,task,slave,start,finish\n1,2,etl,map,1,fast-1,5m,35m\n1,2,etl,map,2,slow,10m,\n",
		"waiting.csv":     "job,stage,task,slave,start,finish,state\netl,map,1,fast-1,20:05,20:35,success\netl,map,2,slow,20:10,,running\nmail,map,3,,21:10,21:20,PENDING\netl,reduce,,,,,queued\n",
		"run.json":        `{"version": 1, "kind": "executed", "tasks": [{"job": "etl", "stage": "map", "task": 1, "slave": "fast-1", "start": "20:05", "finish": "20:35"}, {"job": "etl", "stage": "map", "task": 2, "slave": "slow", "start": 10, "finish": null}]}`,
		"run.yaml":        "version: 1\nkind: executed\ntasks:\n  - {task: etl/map/1, slave: fast-1, start: 20:05, finish: 2026-10-24T18:35:00Z}\n  - {task: etl/map/2, slave: slow, start: 20:10, outcome: done}\n",
		"list.json":       `[{"task": "etl/map/1", "node": "fast-1", "started_at": "20:05", "end": "20:35", "state": "SUCCEEDED"}, {"task": "etl/map/2", "node": "slow", "started_at": "20:10", "end": null}]`,
		"list.yaml":       "- {task: etl/map/1, machine: fast-1, start: 20:05, end: 20:35}\n- {task: etl/map/2, machine: slow, start: 20:10}\n",
		"legacy-done.csv": "job,stage,task,slave,start,finish,outcome\netl,map,1,fast-1,5,35,done\netl,map,2,slow,10,,done\n",
	} {
		run, err := ReadRun(name, []byte(src), js)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, run.Tasks); diff != "" || run.Kind != model.KindExecuted || len(run.Lost) > 0 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What follows from a line need not be said, and what is said is taken.
func TestReadRunLines(t *testing.T) {
	js := runSet(t, autumn)
	for line, want := range map[string]string{
		"one,,,slow,20:00,20:10,,":                  "one/map/1 slow ? 0–10",
		"etl,reduce,,slow,20:40,,,":                 "etl/reduce/1 slow ? 40–",
		",,one/1,slow,20:00,20:10,,":                "one/map/1 slow ? 0–10",
		",,mail/map/2,slow,21:00,21:10,,":           "mail/map/2 slow ? 60–70",
		"mail,,mail/map/2,slow,21:00,21:10,,":       "mail/map/2 slow ? 60–70",
		"mail,,2,slow,21:00,21:10,21:00,":           "mail/map/2 slow 60 60–70",
		"mail,,2,slow,,,21:00,":                     "mail/map/2 slow 60 –",
		"mail,,2,slow,21:30,21:40,21:00,pending":    "mail/map/2 slow 60 –",
		"mail,,2,,21:30,21:40,,pending":             "",
		"mail,,2,slow,21:00:10,21:00:50,,SUCCEEDED": "mail/map/2 slow ? 60–61",
		"mail,,2,slow,21:00,21:10,,CANCELLED by 12": "lost mail/map/2 slow ? 60–70",
		"mail,,2,slow,21:00,,,NODE FAIL":            "lost mail/map/2 slow ? 60–60",
		"mail,,2,,,,,FAILED":                        "",
		"old,x,7,slow,21:00,21:10,,":                "old/x/7 slow ? 60–70",
		// Clocks go back at 03:00: of 02:10 after 02:50 the second is meant.
		"mail,,2,slow,02:50,02:10,,": "mail/map/2 slow ? 410–430",
		"mail,,,,,,,rejected":        "rejected mail",
	} {
		run, err := ReadRun("run.csv", []byte("job,stage,task,slave,start,finish,assigned,state\n"+line+"\n"), js)
		if strings.HasPrefix(line, "mail,,,,,,,rej") && err == nil {
			if got := fmt.Sprint("rejected ", strings.Join(run.Rejected, " ")); got != want {
				t.Errorf("%s: %s", line, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got := ""
		for i, lines := range [][]model.TaskResult{run.Tasks, run.Lost} {
			for _, l := range lines {
				at := func(v model.Time) string {
					switch v {
					case model.Never:
						return ""
					case model.Unsaid:
						return "?"
					}
					return fmt.Sprint(v)
				}
				got += [2]string{"", "lost "}[i] + fmt.Sprintf("%s/%s/%d %s %s %s–%s", l.Job, l.Stage, l.Task, l.Slave, at(l.Assigned), at(l.Start), at(l.Finish))
			}
		}
		if got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}

// Faults are told at their place, with what to write.
func TestReadRunFaults(t *testing.T) {
	clocked, plain := runSet(t, autumn), runSet(t, "")
	const header = "job,stage,task,slave,start,finish,assigned,state\n"
	for _, c := range []struct {
		js        *model.JobSet
		src, want string
	}{
		{clocked, "job,stage,task,slave,begn,finish\n", `run.csv:1:22: unknown column "begn"; leave it out, or let it start with x-; the columns are job, stage, task, slave, start, finish, state, assigned`},
		{clocked, "job,stage,task,slvae,start,finish\n", `run.csv:1:16: unknown column "slvae"; did you mean slave?`},
		{clocked, "job,stage,task,slave,start\n", "run.csv:1:1: there is no column finish; write the columns job,stage,task,slave,start,finish,state"},
		{clocked, "slave,start,finish\n", "run.csv:1:1: there is no column job"},
		{clocked, "job,task,machine,node,start,finish\n", "run.csv:1:18: column slave is given twice; leave out one"},
		{clocked, "", "run.csv:1:1: the file is empty; start with the line job,stage,task,slave,start,finish,state"},
		{clocked, "job,stage,task,slave,beat,assigned,fetch,start,finish\netl,map,1,slow,0,0,0,0,30\n", "run.csv:1:1: this is a plan, and not what was executed; name it with --from"},
		{clocked, header + "etl,map,1,fast-1,20:05,20:35\n", "run.csv:2:1: the line has 6 fields, the header has 8"},
		{clocked, header + "etl,map,1,fast-1,soon,20:35,,\n", `run.csv:2:18: start is "soon": not a time; write 20:00, +1d 00:15, 2026-10-24 20:00 or ticks, like 4`},
		{clocked, header + "etl,map,1,fast-1,8pm,20:35,,\n", `run.csv:2:18: start is "8pm": not a time; write 20:00`},
		{clocked, header + "etl,map,1,fast-1,-3,20:35,,\n", "run.csv:2:18: start is -3, less than 0"},
		{clocked, header + "etl,map,1,fast-1,2026-10-24 19:00,20:35,,\n", "run.csv:2:18: start is 2026-10-24 19:00, before the job set begins, at 2026-10-24T20:00:00+02:00"},
		{clocked, header + "etl,map,1,fast-1,10/24/2026 20:05,,,\n", `run.csv:2:18: start is "10/24/2026 20:05": not a time; write 20:00, +1d 00:15, 2026-10-24 20:00 or ticks, like 4`},
		{plain, header + "etl,map,1,fast-1,20:05,20:35,,\n", "run.csv:2:18: start is the clock time 20:05, but the job set has no origin; add time_unit and origin to the job set"},
		{plain, header + "etl,map,1,fast-1,soon,4,,\n", `run.csv:2:18: start is "soon", not a number of ticks; write a whole number, like 4`},
		{clocked, header + "etl,,1,fast-1,20:05,20:35,,\n", "run.csv:2:5: the line says nothing of the stage; add stage: the stages of etl are map, reduce"},
		{clocked, header + "mail,,,slow,21:05,21:15,,\n", "run.csv:2:7: the line does not say which task it is; add task: its number in the stage, from 1 to 3"},
		{clocked, header + "etl,map,etl/reduce/1,slow,21:05,21:15,,\n", "run.csv:2:9: task is etl/reduce/1, and the line is of etl/map; write the number alone"},
		{clocked, header + "etl,map,1,,20:05,20:35,,\n", "run.csv:2:11: the line says when something happened, and not on which machine"},
		{clocked, header + "etl,map,1,slow,20:05,20:35,,RUNNING\n", "run.csv:2:29: the state is RUNNING, and there is a finish; leave finish empty while the task runs"},
		{clocked, header + "etl,map,1,slow,20:05,,,COMPLETED\n", "run.csv:2:24: the state is COMPLETED, and there is no finish; write when the task ended"},
		{clocked, header + "etl,map,1,slow,20:05,,,COMPLETD\n", `run.csv:2:24: the state is "COMPLETD", which is not known; did you mean COMPLETED?`},
		{clocked, header + "etl,map,1,slow,20:05,,,hot\n", `run.csv:2:24: the state is "hot", which is not known; write RUNNING, COMPLETED, FAILED`},
		{clocked, header + "etl,map,one,slow,20:05,,,\n", `run.csv:2:9: task is the text "one", not a number in its stage; write a whole number, like 4, or job/stage/number`},
		{clocked, header + "etl,map,1,slow,20:35,20:05,,\n", "run.csv:2:22: finish is 20:05, before the start; write a later time; one of the next day with +1d or its date"},
	} {
		_, err := ReadRun("run.csv", []byte(c.src), c.js)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n%v\nwant\n%s", c.src, err, c.want)
		}
	}
}
