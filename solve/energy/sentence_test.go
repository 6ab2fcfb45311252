package energy_test

import (
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/jobfile"
	"downbeat/model/proof"
	"downbeat/solve/energy"
)

func mustLoad(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// clash has two jobs of three tasks of 10 each for two cores in 30 ticks.
const clash = `
version: 1
cluster:
  heartbeat: 10
  slaves:
    - {name: fast, count: 2, cores: 1, slots: 2}
    - {name: slow, cores: 4, slots: 4}
jobs:
  - {name: etl, deadline: 30, hard: true, map: {tasks: 3, wcet: {fast: 10, slow: 40}}}
  - {name: ads, deadline: 30, hard: true, map: {tasks: 4, wcet: {fast: 10}}}
`

func TestSentence(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			// 7 tasks of 10 that only the fast slaves can do in time.
			"a class", clash,
			"jobs etl and ads need 70 core-ticks on fast-* in [0, 30); there are 60",
		}, {
			"alone", strings.Replace(clash, "tasks: 3", "tasks: [{wcet: {fast: 31}}]", 1),
			"job etl cannot finish before 31 even alone on an empty cluster; its deadline is 30",
		}, {
			// A slot held for 11 ticks is held for two beats: [0, 20) and [10, 30)
			// both cover [10, 20), and so do all beats between.
			"slots in whole beats", `
version: 1
cluster: {heartbeat: 10, slaves: [{name: one, cores: 2, slots: 2}]}
jobs: [{name: etl, deadline: 30, hard: true, map: {tasks: 3, wcet: 11}}]
`,
			"job etl needs 30 slot-ticks on one in [10, 20); there are 20",
		}, {
			// Three inputs of 4 ticks, the last to have arrived at 10.
			"the fetch line, away for two ticks", `
version: 1
cluster: {heartbeat: 1, slaves: [{name: one, cores: 8, down: [[40, 42]]}]}
jobs:
  - {name: a, deadline: 11, hard: true, map: {tasks: 1, wcet: 1, transfer: 4}}
  - {name: b, deadline: 11, hard: true, map: {tasks: 1, wcet: 1, transfer: 4}}
  - {name: c, deadline: 11, hard: true, map: {tasks: 1, wcet: 1, transfer: 4}}
`,
			"jobs a, b and c need 12 fetch-ticks on one in [0, 10); there are 10",
		}, {
			"many jobs", `
version: 1
cluster: {heartbeat: 1, slaves: [{name: a, slots: 2}, {name: b, slots: 2}]}
jobs:
` + strings.Repeat("  - {name: jN, deadline: 10, hard: true, map: {tasks: 1, wcet: 5}}\n", 5),
			"jobs j1, j2, j3 and 2 more need 25 core-ticks on all machines in [0, 10); there are 20",
		}, {
			// Both kinds together would fit: 15 of 20.
			"one kind of slot", `
version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 2, map_slots: 1, reduce_slots: 1}, {name: b, cores: 1, slots: 1}]}
jobs:
  - {name: x, deadline: 10, hard: true, reduce: {tasks: 3, wcet: {a: 5}}}
`,
			"job x needs 15 reduce slot-ticks on a in [0, 10); there are 10",
		},
	} {
		text := c.text
		for n := 1; strings.Contains(text, "jN"); n++ {
			text = strings.Replace(text, "jN", "j"+string(rune('0'+n)), 1)
		}
		js := mustLoad(t, text)
		sh := energy.Infeasible(t.Context(), js)
		if sh == nil {
			t.Errorf("%s: not refuted", c.name)
			continue
		}
		if got := sh.Sentence(js, clock.Clock{}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Slaves that are neither all nor a whole class are named, classes summed up.
func TestSentenceNamesSlaves(t *testing.T) {
	js := mustLoad(t, strings.Replace(clash, "- {name: slow", "- {name: mid, count: 3}\n    - {name: slow", 1))
	sh := &proof.Overload{
		Jobs: []model.JobID{0}, Slaves: []model.SlaveID{0, 2, 3, 4, 5},
		Resource: proof.FetchTicks, Interval: model.Interval{Start: 1, End: 2}, Need: 9, Have: 5,
	}
	want := "job etl needs 9 fetch-ticks on fast-1, mid-* and slow in [1, 2); there are 5"
	if got := sh.Sentence(js, clock.Clock{}); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
