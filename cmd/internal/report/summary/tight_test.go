package summary

import (
	"fmt"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// A slack of a tenth of the time is not tight, of a tick less it is; jobs that are late, have
// no deadline or have ended are no longer at risk of being late.
func TestAtRisk(t *testing.T) {
	js, err := jobfile.Load("set", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 9}]}
jobs:
  - {name: tenth, deadline: 100, map: {tasks: 1, wcet: 90}}
  - {name: less, deadline: 100, map: {tasks: 1, wcet: 91}}
  - {name: none, release: 5, deadline: 100, map: {tasks: 1, wcet: 100}}
  - {name: late, deadline: 100, map: {tasks: 1, wcet: 105}}
  - {name: later, deadline: 100, map: {tasks: 1, wcet: 110}}
  - {name: free, map: {tasks: 1, wcet: 100}}
  - {name: over, deadline: 20, map: {tasks: 1, wcet: 19}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan := make(model.Schedule, len(js.Tasks))
	plan[2] = model.Placement{Beat: 5, Fetch: 5, Start: 5}
	s := Summarize(js, plan)
	for now, want := range map[model.Time]string{0: "[4 3] [2 6 1]", 18: "[4 3] [2 6 1]", 19: "[4 3] [2 1]"} {
		late, tight := s.AtRisk(now)
		if got := fmt.Sprint(late, tight); got != want {
			t.Errorf("at %d: %s, not %s", now, got, want)
		}
	}
}
