package energy_test

import (
	"context"
	"fmt"

	"downbeat/model/files/jobfile"
	"downbeat/solve/energy"
)

func Example() {
	js, err := jobfile.Load("nightly.yaml", []byte(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: fast, count: 2, cores: 1}, {name: slow, cores: 1}]}
jobs:
  - {name: etl, deadline: 20, hard: true, map: {tasks: 4, wcet: {fast: 8, slow: 30}}}
  - {name: ads, deadline: 20, map: {tasks: 1, wcet: {fast: 9}}}
  - {name: logs, deadline: 20, map: {tasks: 1, wcet: {fast: 10, slow: 15}}}
`))
	if err != nil {
		panic(err)
	}
	misses, why := energy.Misses(context.Background(), js)
	proved, _, err := energy.Recheck(context.Background(), js, why)
	fmt.Println(misses, proved, err)
	for _, line := range energy.Sentences(js, why) {
		fmt.Println(line)
	}
	// Output:
	// 1 1 <nil>
	// every plan misses the deadlines of at least 1 soft job
	// ads is late: jobs etl and ads need 41 core-ticks on fast-* in [0, 20); there are 40
}
