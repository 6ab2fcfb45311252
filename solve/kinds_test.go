package solve_test

import (
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// TestKindsOfSlotsSideBySide: stages that do not wait for each other are taken for one by dual
// prices; tasks that are equal there but for the kind of their slots pay for their own.
func TestKindsOfSlotsSideBySide(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster:
  heartbeat: 1
  slaves: [{name: s, cores: 2, map_slots: 1, reduce_slots: 1}]
jobs:
  - name: a
    hard: true
    deadline: 6
    stages:
      - {name: x, tasks: 1, wcet: 1, transfer: 1, cores: 2}
      - {name: y, slot: reduce, after: [], tasks: 2, wcet: 1, transfer: 1, cores: 2}
      - {name: z, slot: reduce, after: [x], tasks: 1, wcet: 1, transfer: 1, cores: 2}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		r, err := solve.Check(t.Context(), js, solve.Options{Workers: workers, Budget: 100_000})
		if err != nil || r.Status != model.Feasible {
			t.Errorf("%d workers: %v, %v", workers, r, err)
		}
	}
}
