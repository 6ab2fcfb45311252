package heuristics_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/window"
)

// Where absences are many, what was found between them is remembered from one job to the
// next, and the paths are those of a walk for each, whatever the order of releases.
func TestPathsOverManyAbsences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	js := &model.JobSet{Heartbeat: 7}
	for s := range 3 {
		slave := model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: 1}
		for at := model.Time(3); at < 5000; {
			end := at + 1 + model.Time(rng.Int64N(20))
			slave.Down = append(slave.Down, model.Interval{Start: at, End: end})
			at = end + 1 + model.Time(rng.Int64N(30))
		}
		js.Slaves = append(js.Slaves, slave)
	}
	for i := range 100 {
		stage := model.Stage{Name: "m", Groups: []model.Group{{Count: 2, Profile: model.NewProfile(
			model.ConstRow(3, model.Time(1+i%12)), model.ConstRow(3, model.Time(i%3)))}}}
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Release: model.Time(rng.Int64N(4000)), Stages: []model.Stage{stage}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	fig, paths := heuristics.NewFigures(js), window.CriticalPaths(context.Background(), js)
	for i := range js.Jobs {
		job, walked := &js.Jobs[i], model.Never
		hold := js.Tasks[job.First].Transfer(0) + js.Tasks[job.First].WCET(0)
		for s := range model.SlaveID(3) {
			walked = min(walked, window.FirstAssign(js, s, job.Release, hold)+hold)
		}
		if got := job.Release + fig.Jobs[i].Path; got != walked || paths[i] != walked {
			t.Errorf("job %d alone ends at %d, by the critical paths at %d, by a walk at %d", i, got, paths[i], walked)
		}
	}
}
