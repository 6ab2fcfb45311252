package published

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// Files of our own in each of the formats, and the job sets that they are.
func TestLoad(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"shop": {"# two jobs\n2 2\n0 3 1 4\n1 5 0 6\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1}, {name: m2}]
jobs:
  - {name: j1, stages: [{name: o1, tasks: 1, wcet: {m1: 3}}, {name: o2, tasks: 1, wcet: {m2: 4}}]}
  - {name: j2, stages: [{name: o1, tasks: 1, wcet: {m2: 5}}, {name: o2, tasks: 1, wcet: {m1: 6}}]}
objective: makespan`},
		"reentrant": {"2 2\n0 3 1 4 0 2\n1 5\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1}, {name: m2}]
jobs:
  - name: j1
    stages: [{name: o1, tasks: 1, wcet: {m1: 3}}, {name: o2, tasks: 1, wcet: {m2: 4}}, {name: o3, tasks: 1, wcet: {m1: 2}}]
  - {name: j2, stages: [{name: o1, tasks: 1, wcet: {m2: 5}}]}
objective: makespan`},
		"reentrant, with ends": {"2 2\n0 3 1 4 -1 -1\n1 5\t-1  -1\r\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1}, {name: m2}]
jobs:
  - {name: j1, stages: [{name: o1, tasks: 1, wcet: {m1: 3}}, {name: o2, tasks: 1, wcet: {m2: 4}}]}
  - {name: j2, stages: [{name: o1, tasks: 1, wcet: {m2: 5}}]}
objective: makespan`},
		"flexible": {"2 2 1.5\n2 2 1 3 2 4 1 2 5\n1 1 1 7\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1}, {name: m2}]
jobs:
  - {name: j1, stages: [{name: o1, tasks: 1, wcet: {m1: 3, m2: 4}}, {name: o2, tasks: 1, wcet: {m2: 5}}]}
  - {name: j2, stages: [{name: o1, tasks: 1, wcet: {m1: 7}}]}
objective: makespan`},
		"open": {"2 2\n3 4\n5 0\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1}, {name: m2}]
jobs:
  - {name: j1, at_most: 1, stages: [{name: all, tasks: [{count: 1, wcet: {m1: 3}}, {count: 1, wcet: {m2: 4}}]}]}
  - {name: j2, at_most: 1, stages: [{name: all, tasks: 1, wcet: {m1: 5}}]}
objective: makespan`},
		"project": {"5 2\n4 5\n0 0 0 2 2 3\n3 1 2 1 4\n2 4 0 1 4\n0 0 0 1 5\n6 0 5 0\n", `
cluster:
  heartbeat: 1
  slaves: [{name: site, cores: 5, slots: 5, resources: {r1: 4, r2: 5}}]
jobs:
  - {name: a2, stages: [{name: all, tasks: 1, wcet: 3, resources: {r1: 1, r2: 2}}]}
  - {name: a3, stages: [{name: all, tasks: 1, wcet: 2, resources: {r1: 4}}]}
  - {name: a5, after: [a2, a3], stages: [{name: all, tasks: 1, wcet: 6, resources: {r2: 5}}]}
objective: makespan`},
		"wt2": {"3 4 7 8 10 0\n5 6 1 2 30 40\n", `
cluster:
  heartbeat: 1
  slaves: [{name: m1, cores: 1, slots: 2, first_heartbeat: 1}]
jobs:
  - {name: j1, deadline: 11, weight: 7, stages: [{name: all, tasks: 1, wcet: 3}]}
  - {name: j2, deadline: 1, weight: 8, stages: [{name: all, tasks: 1, wcet: 4}]}
objective: weighted-tardiness`},
	} {
		sets, err := Load(name, []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := jobfile.Load(name, []byte("version: 1"+tt.want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written(t, want, sets[0].Name), written(t, sets[0], sets[0].Name)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func written(t *testing.T, js *model.JobSet, name string) string {
	t.Helper()
	js.Name = name
	var w strings.Builder
	if err := jobfile.Write(&w, js); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func TestManySetsInAFile(t *testing.T) {
	sets, err := Load("wt1", []byte("3 7 10\n4 8 9\n"))
	if err != nil || len(sets) != 2 || sets[1].Name != "wt1-2" || sets[1].Jobs[0].Deadline != 9 {
		t.Errorf("%d sets, %v", len(sets), err)
	}
}

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"words":                 {"no numbers", "this is no job shop"},
		"nothing":               {"", "this is no job shop"},
		"open, short":           {"2 2\n3 4\n5\n", "this is no job shop, flexible job shop, open shop"},
		"open, no task":         {"2 2\n3 4\n0 0\n", `job "j2": stage "all": no tasks`},
		"machine":               {"1 2\n0 3 2 4\n", "this is no job shop"},
		"end within":            {"2 2\n0 3 -1 -1 1 4\n1 5 -1 -1\n", "this is no job shop"},
		"end and more":          {"2 2\n0 3 -1 -12\n1 5 -1 -1\n", "this is no job shop"},
		"short":                 {"2 1\n0 3\n", "this is no job shop"},
		"endless":               {"1 1\n9000000000000000000 1 1 1\n", "this is no job shop"},
		"wide":                  {"1 1000000000000\n1 1 1 1\n", "this is no job shop"},
		"wt9223372036854775807": {"1 2 3", "3 numbers are not three for each of 9223372036854775807 jobs"},
		"wt2":                   {"1 2 3", "3 numbers are not three for each of 2 jobs"},
		"circle":                {"2 1\n4\n3 1 1 2\n3 1 1 1\n", "come before each other in a circle"},
		"outside":               {"2 1\n4\n3 1 1 3\n3 1 0\n", "comes before activity 3 of 2"},
		"psplib":                {"PRECEDENCE RELATIONS:\n\n1 1 2 2\n***", "want number, one mode"},
	} {
		if _, err := Load(name, []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Whatever a file holds is read in little time, and what is read is a job set.
func FuzzLoad(f *testing.F) {
	f.Add("shop", "2 2\n0 3 1 4\n1 5 0 6\n")
	f.Add("flexible", "2 2 1.5\n2 2 1 3 2 4 1 2 5\n1 1 1 7\n")
	f.Add("reentrant", "2 2\n0 3 1 4 0 2 -1 -1\n1 5 -1 -1\n")
	f.Add("open", "2 2\n3 4\n5 0\n")
	f.Add("project", "5 2\n4 5\n0 0 0 2 2 3\n3 1 2 1 4\n2 4 0 1 4\n0 0 0 1 5\n6 0 5 0\n")
	f.Add("wt2", "3 4 7 8 10 0\n")
	f.Add("psplib", "PRECEDENCE RELATIONS:\n\n1 1 0\n***REQUESTS/DURATIONS:\n\n\n1 1 3 2\n***RESOURCEAVAILABILITIES:\n\n4\n***")
	f.Fuzz(func(t *testing.T, name, text string) {
		sets, err := Load(name, []byte(text))
		if err != nil {
			return
		}
		for _, js := range sets {
			js.Finishes(model.NewSchedule(len(js.Tasks)))
		}
	})
}

// A long time of an open shop is no number of operations of a flexible job shop: going over as many, with a time for each machine, took hours.
func TestLongTimesOfOpenShops(t *testing.T) {
	sets, err := Load("open", []byte("1 1000\n900000000"+strings.Repeat(" 0", 999)+"\n"))
	if err != nil || len(sets) != 1 || len(sets[0].Tasks) != 1 || sets[0].Tasks[0].WCET(0) != 900_000_000 {
		t.Errorf("%v, %v", sets, err)
	}
}
