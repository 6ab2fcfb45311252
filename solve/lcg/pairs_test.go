package lcg_test

import (
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// TestGangInTurn: tasks of a gang start together, but those that come after one of them do not wait for the other.
func TestGangInTurn(t *testing.T) {
	js, err := jobfile.Load("gang", []byte(`version: 1
name: gang
cluster:
  heartbeat: 1
  slaves: [{name: a, cores: 1, slots: 1}, {name: b, cores: 1, slots: 1}]
objective: makespan
jobs:
  - {name: first, hard: true, deadline: 6, map: {tasks: 1, wcet: {a: 1}}}
  - name: gang
    hard: true
    deadline: 6
    stages:
      - name: all
        gang: true
        tasks: [{count: 1, wcet: {a: 5}}, {count: 1, wcet: {b: 2}}]
  - {name: last, hard: true, deadline: 6, map: {tasks: 1, wcet: {b: 3}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		for makespan, want := range map[int64]lcg.Answer{5: lcg.Unsatisfiable, 6: lcg.Satisfiable} {
			for _, record := range []bool{false, true} {
				got, _, err := lcg.Solve(t.Context(), query.Within(js, false, query.Limits{model.Makespan: makespan}), lcg.Options{Seed: seed, Record: record})
				if err != nil || got != want {
					t.Errorf("seed %d, %d, recorded %v: %v, %v", seed, makespan, record, got, err)
				}
			}
		}
	}
}
