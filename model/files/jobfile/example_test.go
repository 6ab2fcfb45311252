package jobfile_test

import (
	"fmt"
	"os"

	"downbeat/model/files/jobfile"
)

// A job set is read, a deadline is changed, and it is written again.
func ExampleLoad() {
	js, err := jobfile.Load("tonight.yaml", []byte(`
version: 1
time_unit: 1m
cluster: {heartbeat: 1, slaves: [{name: fast, count: 2, cores: 4}]}
jobs:
  - {name: etl, deadline: 2h, hard: true, map: {tasks: 10, wcet: 20m, transfer: 1m}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d tasks on %d slaves, %s due at %d\n\n", len(js.Tasks), len(js.Slaves), js.Jobs[0].Name, js.Jobs[0].Due())
	js.Jobs[0].Deadline = 90
	if err := jobfile.Write(os.Stdout, js); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 10 tasks on 2 slaves, etl due at 120
	//
	// version: 1
	// time_unit: 1m
	// cluster:
	//   heartbeat: 1
	//   slaves:
	//     - {name: fast, count: 2, cores: 4, slots: 4}
	// jobs:
	//   - name: etl
	//     deadline: 90
	//     hard: true
	//     map:
	//       tasks: 10
	//       wcet: 20
	//       transfer: 1
}

// Everything that is wrong with a file comes back at its place.
func ExampleLoad_faults() {
	_, err := jobfile.Load("tonight.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: fast, coers: 4}]}
jobs:
  - {name: etl, hard: true, map: {tasks: 010, wcet: 20}}
`))
	fmt.Println(err)
	// Output:
	// tonight.yaml:2:47: unknown field "coers" in a slave; did you mean cores?
	//   cluster: {heartbeat: 1, slaves: [{name: fast, coers: 4}]}
	//                                                 ^
	// tonight.yaml:4:23: job "etl" is hard without a deadline; add a deadline or leave out hard
	//     - {name: etl, hard: true, map: {tasks: 010, wcet: 20}}
	//                         ^
	// tonight.yaml:4:42: tasks is 010, not a plain whole number; write 10 (or 8 if octal was meant)
	//     - {name: etl, hard: true, map: {tasks: 010, wcet: 20}}
	//                                            ^
}
