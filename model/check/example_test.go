package check_test

import (
	"fmt"

	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
)

func ExamplePlan() {
	js, err := jobfile.Load("tonight.yaml", []byte(`
version: 1
cluster: {heartbeat: 3, slaves: [{name: fast, slots: 2}]}
jobs:
  - {name: etl, map: {tasks: 2, wcet: 4, transfer: 1}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := planfile.Read("plan.csv", []byte(`job,stage,task,slave,beat,assigned,fetch,start,finish
etl,map,1,fast,0,0,0,1,5
etl,map,2,fast,0,0,1,4,8
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range check.Plan(js, plan).Violations {
		fmt.Println(v.String())
	}
	// Output:
	// C4: machine fast runs 2 tasks at once in [4, 5), it has 1 core: etl/map/1, etl/map/2
}
