package peers

import (
	"encoding/json"
	"testing"
	"time"

	"downbeat/model/files/jobfile"
)

// TestProblem: what the CP-SAT script reads of a job set with two kinds of
// slots, a slave that is away, and a task that is barred from one.
func TestProblem(t *testing.T) {
	js, err := jobfile.Load("set", []byte(`version: 1
cluster:
  heartbeat: 2
  fetch: concurrent
  slaves:
    - {name: a, cores: 2, map_slots: 1, reduce_slots: 2}
    - {name: b, slots: 1, down: [[3, 5]]}
jobs:
  - {name: j, release: 1, deadline: 9, hard: true, map: {tasks: 1, wcet: {a: 3}, transfer: 1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(problemOf(js, Options{Limit: 3 * time.Second, Workers: 2}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"heartbeat":2,"horizon":10,"concurrent":true,"fifo":false,` +
		`"slaves":[{"first_beat":0,"pools":[{"units":2,"runs":true,"needs":[1]},{"units":1,"runs":false,"needs":[1]},{"units":2,"runs":false,"needs":[0]}],"down":[]},` +
		`{"first_beat":0,"pools":[{"units":1,"runs":true,"needs":[1]},{"units":1,"runs":false,"needs":[1]}],"down":[[3,5]]}],` +
		`"jobs":[{"release":1,"due":10,"hard":true,"soft":false,"weight":1,"stages":[[]],"after":[]}],` +
		`"tasks":[{"job":0,"stage":0,"kind":0,"wcet":[3,0],"transfer":[1,1]}],"shared":[],"gangs":[],"apart":[],"objectives":[],"seconds":3,"workers":2}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
