package encode_test

import (
	"context"
	"fmt"
	"os"

	"github.com/irifrance/gini"

	"downbeat/encode"
	"downbeat/model"
	"downbeat/model/query"
)

// twoJobs are on one slave with one core, a heartbeat every two ticks, and
// inputs that take a tick to fetch. "late" is due after "soon".
func twoJobs() *model.JobSet {
	js := &model.JobSet{
		Heartbeat: 2,
		Slaves:    []model.Slave{{Name: "node", Cores: 1, Slots: 1}},
	}
	for _, job := range []struct {
		name      string
		due, wcet model.Time
	}{{"late", 6, 1}, {"soon", 3, 2}} {
		p := model.NewProfile(model.ConstRow(1, job.wcet), model.ConstRow(1, 1))
		js.Jobs = append(js.Jobs, model.Job{
			Name: job.name, Kind: model.Hard, Deadline: job.due,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// A question is built, given to gini, and its model read back as a schedule.
func Example() {
	js := twoJobs()
	e, err := encode.Build(context.Background(), query.Within(js, false, nil), 1_000_000)
	if err != nil {
		panic(err) // it would be too large
	}
	solver := gini.New()
	e.Feed(solver)
	if solver.Solve() != 1 {
		fmt.Println("no schedule")
		return
	}
	for t, p := range e.Decode(solver.Value) {
		fmt.Printf("%s: handed out at %d, fetched from %d, runs from %d\n",
			js.TaskName(model.TaskID(t)), js.Assigned(p), p.Fetch, p.Start)
	}
	// Output:
	// late/map/1: handed out at 4, fetched from 4, runs from 5
	// soon/map/1: handed out at 0, fetched from 0, runs from 1
}

// The same question for any SAT solver: DIMACS, with comments that are enough to
// read a schedule off a model.
func ExampleEncoding_WriteMap() {
	e, err := encode.Build(context.Background(), query.Within(twoJobs(), false, nil), 1_000_000)
	if err != nil {
		panic(err)
	}
	if err := e.WriteMap(os.Stdout); err != nil {
		panic(err)
	}
	if err := e.WriteDIMACS(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// c What the variables mean, times in ticks of the formula:
	// c   var V says S              V is the sentence S
	// c   vars V..W says S T..U     V is "S T", the next one "S T+1", and so on; if
	// c                             none of them holds, the time is U+1
	// c   vars V..W says S T U ...  the same for a list of times; the last one holds
	// c                             in any case if no variable is left for it
	// c   always S                  S needs no variable
	// c A task is job/stage/number. A placed task runs on one slave. It is fetched
	// c when its line says: at a distance before its start, or free; it is handed out
	// c at the last heartbeat before that, unless it has a line of its own. What has
	// c finished is told by true variables only. Those without a line are helpers.
	// c always "late/map/1" runs on "node", fetch at start - 1
	// c vars 2..3 says "late/map/1" starts by 3..4
	// c always "soon/map/1" runs on "node", fetch at start - 1
	// c always "soon/map/1" starts by 1
	// p cnf 4 4
	// 1 0
	// -2 3 0
	// -3 4 0
	// -4 0
}
