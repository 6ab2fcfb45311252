package lagrange_test

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/files/jobfile"
	"downbeat/model/query"
	"downbeat/solve/lagrange"
)

// squeezed has one core, and no plan: c takes it in [4, 6), a and b do not both fit
// before that, and b and e do not both fit after it.
const squeezed = `
version: 1
cluster: {heartbeat: 1, slaves: [{name: m, cores: 1}]}
jobs:
  - {name: a, release: 0, deadline: 6,  hard: true, map: {tasks: 1, wcet: 2}}
  - {name: b, release: 0, deadline: 10, hard: true, map: {tasks: 1, wcet: 4}}
  - {name: c, release: 4, deadline: 2,  hard: true, map: {tasks: 1, wcet: 2}}
  - {name: d, release: 4, deadline: 10, hard: true, map: {tasks: 1, wcet: 3}}
  - {name: e, release: 4, deadline: 6,  hard: true, map: {tasks: 1, wcet: 2}}
`

func load(text string) *model.JobSet {
	js, err := jobfile.Load("set.yaml", []byte(text))
	if err != nil {
		panic(err)
	}
	return js
}

// No multipliers refute the set as a whole, for half of a before c and half of it
// between the others would fit. They do in each part of a branching.
func ExampleRefutation_Run() {
	ctx, js := context.Background(), load(squeezed)
	due := query.HardDues(js)
	alone, _ := lagrange.NewRefutation(ctx, js, due, false).Run(0, nil)
	tree, _ := lagrange.NewRefutation(ctx, js, due, false).Run(1_000_000, nil)
	fmt.Println(alone != nil, tree.Leaves(), inference.Branching(ctx, js, due, tree))
	// Output:
	// false 9 <nil>
}

// Three jobs of two ticks on two cores, by tick 3: each needs the second tick.
func ExampleLateWeight() {
	js := load(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: m, count: 2, cores: 1}]}
jobs:
  - {name: a, deadline: 3, map: {tasks: 1, wcet: 2}}
  - {name: b, deadline: 3, map: {tasks: 1, wcet: 2}}
  - {name: c, deadline: 3, map: {tasks: 1, wcet: 2}}
`)
	due := query.AtMost(js, model.Misses, 0)
	proved, late := lagrange.LateWeight(context.Background(), js, due, []int64{1, 1, 1}, 3, &lagrange.Extent{})
	value, err := inference.Surplus(context.Background(), js, due, proved)
	fmt.Println(late, lagrange.Weight(value), err)
	// Output:
	// 1 1 <nil>
}
