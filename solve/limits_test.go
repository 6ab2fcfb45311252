package solve

import (
	"context"
	"fmt"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/solve/event"
)

// oneStage is a job of equal tasks.
func oneStage(name string, deadline model.Time, tasks, slaves int, wcet, transfer model.Time) model.Job {
	profile := model.NewProfile(model.ConstRow(slaves, wcet), model.ConstRow(slaves, transfer))
	return model.Job{Name: name, Deadline: deadline, Kind: model.Soft, Weight: 1, Stages: []model.Stage{
		{Name: "map", Groups: []model.Group{{Count: tasks, Profile: profile}}},
	}}
}

// hardToStop are sets whose loops were once longer than any limit: fine ticks without
// a common measure, absences in which nothing fits, a heartbeat that most absences
// bar, many jobs of one task, one huge stage.
func hardToStop() map[string]*model.JobSet {
	fine := &model.JobSet{Heartbeat: 10_000, Fetch: model.FetchConcurrent, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	for i := range 9 {
		job := oneStage(fmt.Sprint("j", i), model.Time(60_005+9_999*i), 1, 1, model.Time(15_001+997*i), 5_000)
		job.Release = model.Time(4_999 * i)
		fine.Jobs = append(fine.Jobs, job)
	}
	away := func(gap, every model.Time) []model.Interval {
		var down []model.Interval
		for k := range model.Time(800) {
			down = append(down, model.Interval{Start: every*k + gap, End: every * (k + 1)})
		}
		return down
	}
	absent := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1, Down: away(3, 10)}}}
	barred := &model.JobSet{Heartbeat: 10, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1, FirstBeat: 5, Down: away(1, 10)}}}
	many := &model.JobSet{Heartbeat: 3, Slaves: []model.Slave{{Name: "s", Cores: 4, Slots: 6}}}
	for i := range 60 {
		absent.Jobs = append(absent.Jobs, oneStage(fmt.Sprint("j", i), 6_000, 1, 1, model.Time(1+i%7), 0))
		barred.Jobs = append(barred.Jobs, oneStage(fmt.Sprint("j", i), 6_000, 1, 1, model.Time(1+i%7), 0))
	}
	for i := range 400 {
		many.Jobs = append(many.Jobs, oneStage(fmt.Sprint("j", i), model.Time(900+i%97), 1, 1, 5, 1))
	}
	huge := &model.JobSet{Heartbeat: 3, Slaves: []model.Slave{{Name: "s", Cores: 4, Slots: 6}, {Name: "t", Cores: 4, Slots: 6}}}
	huge.Jobs = []model.Job{oneStage("j", 200, 1000, 2, 5, 1)}
	return map[string]*model.JobSet{"fine ticks": fine, "absences": absent, "beats barred": barred, "many jobs": many, "a huge stage": huge}
}

// A search ends on sets that once kept it for minutes, with a valid plan or none: with a
// context that is done at once, or with the first plan, and by a budget.
func TestStopsOnHardSets(t *testing.T) {
	testkit.OneGoroutine(t)
	for what, js := range hardToStop() {
		if err := js.Assemble(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		goal := []model.Objective{model.Misses, model.WeightedTardiness}
		t.Run(what, func(t *testing.T) {
			done, cancel := context.WithCancel(t.Context())
			cancel()
			endsValid(t, done, js, Options{Seed: 1, Workers: 1, Objectives: goal})
			atPlan, cancel := context.WithCancel(t.Context())
			defer cancel()
			stop := func(p event.Event) {
				if p.HavePlan {
					cancel()
				}
			}
			endsValid(t, atPlan, js, Options{Seed: 1, Workers: 1, Objectives: goal, Events: stop})
			endsValid(t, t.Context(), js, Options{Seed: 1, Workers: 1, Objectives: goal, Budget: 20})
		})
	}
}

func endsValid(t *testing.T, ctx context.Context, js *model.JobSet, opt Options) {
	t.Helper()
	r, err := Plan(ctx, js, opt)
	if err != nil {
		t.Error(err)
		return
	}
	if r.Schedule == nil {
		return
	}
	if err := check.Schedule(js, r.Schedule, false).Err(); err != nil {
		t.Error(err)
	}
}
