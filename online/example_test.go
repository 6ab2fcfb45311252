package online_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"downbeat/model/files/jobfile"
	"downbeat/online"
)

// shortest is a policy: of the jobs with tasks to hand out, the one with the
// least time left goes first.
type shortest struct{}

func (shortest) Name() string        { return "shortest" }
func (shortest) Asks() online.Asking { return online.OnReady }

func (shortest) Heartbeat(v *online.View, o *online.Offer) {
	jobs := slices.Clone(v.Ready()) // giving tasks away changes the list
	slices.SortStableFunc(jobs, func(a, b *online.Job) int { return cmp.Compare(v.Remaining(a), v.Remaining(b)) })
	for _, j := range jobs {
		for g := o.Pick(j); g != nil; g = o.Pick(j) {
			o.Give(g)
		}
	}
}

const twoJobs = `
version: 1
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: long, map: {tasks: 3, wcet: 5}}
  - {name: short, release: 4, deadline: 6, hard: true, map: {tasks: 2, wcet: 2}}`

// A policy needs a name, when to ask it, and what a slave gets at a heartbeat.
// A line in the table of online/policies makes it known to the program.
func Example() {
	js, err := jobfile.Load("two jobs", []byte(twoJobs))
	if err != nil {
		log.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, shortest{}, online.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for i, finish := range out.Finishes {
		fmt.Println(js.Jobs[i].Name, "finishes at", finish)
	}
	fmt.Println("hard deadlines met:", out.HardMet())
	// Output:
	// long finishes at 19
	// short finishes at 9
	// hard deadlines met: true
}
