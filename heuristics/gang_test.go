package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// TestGangEndsFirst: where the tasks of a gang are alike, no start, and no way to share the slaves out,
// lets it end before the one that is found, beside what is there.
func TestGangEndsFirst(t *testing.T) {
	asked, waited := 0, 0
	for seed := range testkit.Sets[uint64](150, 1500) {
		rng := rand.New(rand.NewPCG(seed, 22))
		js := coupledSet(rng).Returning()
		fig := NewFigures(js)
		b := NewBoard(fig, seed)
		b.Construct(context.Background(), Rules()[rng.IntN(len(Rules()))].Order(fig), Deferral{})
		for stage := range int32(len(fig.Stages)) {
			st := &fig.Stages[stage]
			if n := len(st.Tasks); !st.Gang || n > 3 || slices.ContainsFunc(st.Tasks, func(k model.TaskID) bool { return !js.Tasks[k].Alike(&js.Tasks[st.Tasks[0]]) }) {
				continue
			}
			b.takeStages(context.Background(), stage, fig.Base[st.Ref.Job+1])
			if !b.Insert(st.Tasks[0], b.Ready(stage), model.Never) {
				t.Fatalf("seed %d: no room for a gang", seed)
			}
			asked++
			if b.Finish[stage] > b.Ready(stage)+st.Length {
				waited++
			}
			if err := endsBefore(js, b.Place, st.Tasks, b.Finish[stage]); err != nil {
				t.Fatalf("seed %d: stage %d: %v", seed, stage, err)
			}
			for next := stage + 1; next < fig.Base[st.Ref.Job+1]; next++ {
				b.insertStage(context.Background(), next)
			}
		}
	}
	if asked < 100 || waited < asked/4 {
		t.Errorf("%d gangs, %d of which had to wait", asked, waited)
	}
}

// endsBefore tries all places that end before a time for tasks that are alike and start together.
func endsBefore(js *model.JobSet, s model.Schedule, tasks []model.TaskID, end model.Time) error {
	try := slices.Clone(s)
	for _, t := range tasks {
		try[t].Slave = model.NoSlave
	}
	for start := js.Jobs[js.Tasks[tasks[0]].Job].Release; start < end; start++ {
		var places []model.Placement
		for slave := range model.SlaveID(len(js.Slaves)) {
			if e := js.Tasks[tasks[0]].WCET(slave); e == 0 || start+e >= end {
				continue
			}
			for beat := model.Time(0); js.BeatTime(slave, beat) <= start; beat++ {
				for fetch := js.BeatTime(slave, beat); fetch <= start; fetch++ {
					p := model.Placement{Slave: slave, Beat: beat, Fetch: fetch, Start: start}
					try[tasks[0]] = p
					if taskFault(js, try, tasks[0]) == nil {
						places = append(places, p)
					}
				}
			}
			try[tasks[0]].Slave = model.NoSlave
		}
		if fillWith(js, try, tasks, places) {
			return fmt.Errorf("%v can start at %d: %v", tasks, start, try)
		}
	}
	return nil
}

// fillWith gives each task one of some places, in their order.
func fillWith(js *model.JobSet, s model.Schedule, tasks []model.TaskID, places []model.Placement) bool {
	if len(tasks) == 0 {
		return true
	}
	for i, p := range places {
		if s[tasks[0]] = p; taskFault(js, s, tasks[0]) == nil && fillWith(js, s, tasks[1:], places[i:]) {
			return true
		}
	}
	s[tasks[0]].Slave = model.NoSlave
	return false
}
