package planfile

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"

	"github.com/google/go-cmp/cmp"
)

// Tasks go by name, and what is not known is told once.
func TestSchedule(t *testing.T) {
	js, err := jobfile.Load("set", []byte(`version: 1
cluster: {heartbeat: 3, slaves: [{name: a, first_heartbeat: 1}, {name: b}]}
jobs:
  - {name: x, map: {tasks: 2, wcet: 4}}
  - {name: y, map: {tasks: 1, wcet: 4}, reduce: {tasks: 1, wcet: 2}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan := &model.Plan{Version: 1, Digest: "sha256:00", Tasks: []model.TaskResult{
		{Job: "y", Stage: "reduce", Task: 1, Slave: "b", Beat: 3, Assigned: 9, Fetch: 10, Start: 11, Finish: 13},
		{Job: "x", Stage: "map", Task: 2, Slave: "a", Beat: 9, Assigned: 5, Fetch: 5, Start: 6, Finish: 10}, // of other heartbeats
		{Job: "x", Stage: "map", Task: 1, Slave: "gone", Beat: 0, Assigned: 0, Fetch: 0, Start: 0, Finish: 4},
		{Job: "x", Stage: "map", Task: 2, Slave: "b"},
		{Job: "x", Stage: "map", Task: 3, Slave: "b"},
		{Job: "x", Stage: "sort", Task: 1, Slave: "b"},
		{Job: "old", Stage: "map", Task: 1, Slave: "b"},
		{Job: "old", Stage: "map", Task: 2, Slave: "b"},
	}}
	got, notes := Schedule(plan, js)
	want := model.Schedule{
		{Slave: 2}, {Slave: 0, Beat: 1, Fetch: 5, Start: 6},
		{Slave: model.NoSlave}, {Slave: 1, Beat: 3, Fetch: 10, Start: 11},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantNotes := []string{
		"the plan was made for another job set, or for an earlier form of this one",
		"there is no job old: its tasks are left out",
		"2 tasks of the plan are not in the job set and left out: x/map/3, x/sort/1",
		"there is no machine gone: its tasks are placed anew",
		"task x/map/2 is given more than once, the first line counts",
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Error(diff)
	}
	plan.Digest = js.Digest()
	plan.FillTasks(js, model.Schedule{{}, {Beat: 2, Fetch: 7, Start: 8}, {Slave: 1}, {Slave: 1, Beat: 2, Fetch: 6, Start: 6}})
	back, notes := Schedule(plan, js)
	if len(notes) > 0 || !slices.Equal(back, model.Schedule{{}, {Beat: 2, Fetch: 7, Start: 8}, {Slave: 1}, {Slave: 1, Beat: 2, Fetch: 6, Start: 6}}) {
		t.Errorf("a plan of the set itself comes back as %+v, notes %q", back, notes)
	}
}

// Long lists are cut.
func TestNotesAreShort(t *testing.T) {
	var l nameList
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "a"} {
		l.add(name)
	}
	if got, want := l.sentence("", "%d: %s"), "8: a, b, c, d, e, f and 2 more"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
