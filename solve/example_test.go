package solve_test

import (
	"context"
	"fmt"

	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// Three jobs of an hour each on one machine, and two hours until they are due:
// which is let go, and why not fewer?
func ExamplePlan() {
	js, err := jobfile.Load("night.yaml", []byte(`
version: 1
time_unit: 1m
objective: misses
cluster: {heartbeat: 1, slaves: [{name: only}]}
jobs:
  - {name: billing, deadline: 2h, weight: 3, map: {tasks: 1, wcet: 1h}}
  - {name: report, deadline: 2h, weight: 2, map: {tasks: 1, wcet: 1h}}
  - {name: backup, deadline: 2h, map: {tasks: 1, wcet: 1h}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := solve.Plan(context.Background(), js, solve.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status, r.Objectives[0].Name, r.Objectives[0].Value, "by", r.Proof)
	for i, finish := range js.Finishes(r.Schedule) {
		fmt.Println(js.Jobs[i].Name, "late by", js.Jobs[i].Late(finish))
	}
	// Output:
	// optimal misses 1 by energy
	// billing late by 0
	// report late by 0
	// backup late by 60
}

// Two hard jobs that clash: which, and what would help.
func ExampleCheck() {
	js, err := jobfile.Load("clash.yaml", []byte(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: only}]}
jobs:
  - {name: billing, deadline: 10, hard: true, map: {tasks: 1, wcet: 6}}
  - {name: backup, deadline: 10, hard: true, map: {tasks: 1, wcet: 6}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := solve.Check(context.Background(), js, solve.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Status, "by", v.Conflict.Proof)
	for _, r := range v.Repairs.Single {
		fmt.Println(change.Sentence(js, r.Changes[0]))
	}
	// Output:
	// infeasible by energy
	// billing due 12 after its release
	// the deadline of billing soft
	// backup due 12 after its release
	// the deadline of backup soft
	// 2 × only
}
