package strategy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// onUnlikeSlaves has a soft job, due at some time, for each of some tasks, which take 10 to 100 ticks on each slave.
func onUnlikeSlaves(t *testing.T, seed uint64, tasks, slaves int) *model.JobSet {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	js := &model.JobSet{Heartbeat: 1}
	for s := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: 1})
	}
	for i := range tasks {
		row := make([]model.Time, slaves)
		for s := range row {
			row[s] = model.Time(10 + r.IntN(91))
		}
		profile := model.NewProfile(model.DenseRow(row), model.ConstRow(slaves, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Deadline: model.Time(20 + r.IntN(100)), Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}},
		}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// From a plan of list scheduling and the bound by energy the assignment closes makespan and tardiness.
func TestAssignmentCloses(t *testing.T) {
	ctx := context.Background()
	closed, sets := 0, testkit.Sets[uint64](2, 40)
	for seed := range sets {
		js := onUnlikeSlaves(t, seed, 30, 5)
		for _, o := range []model.Objective{model.Makespan, model.Tardiness} {
			s := worktest.On(js, o)
			strategy.Construct(ctx, s.Incumbent, 1, 5)
			strategy.EnergyBound(ctx, s)
			if strategy.Assignment.Begin(s, 1).Run(ctx, portfolio.Slice{Units: 16}) != portfolio.Open || s.Err() != nil {
				t.Fatalf("seed %d: %v", seed, s.Err())
			}
			if value, bound := s.Gap(0); value == bound {
				closed++
			}
		}
	}
	if closed < int(sets)*3/2 {
		t.Errorf("%d of %d closed", closed, 2*sets)
	}
}

// Where slots are in the way, as tasks take turns in one at heartbeats, who does what by the bound is no plan. It is not looked for on and on.
func TestAssignmentEndsWhereSlotsAreInTheWay(t *testing.T) {
	ctx := context.Background()
	js := onUnlikeSlaves(t, 1, 8, 2)
	js.Heartbeat = 7
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := worktest.On(js, model.Makespan)
	strategy.Construct(ctx, s.Incumbent, 1, 5)
	strategy.EnergyBound(ctx, s)
	if outcome := strategy.Assignment.Begin(s, 1).Run(ctx, portfolio.Slice{Units: 16}); outcome != portfolio.Done || s.Err() != nil {
		t.Errorf("%v: %v", outcome, s.Err())
	}
}

// Nothing is done where jobs have releases and due times of their own, slaves are alike and jobs due together, or hard jobs may be late
// without being what is counted.
func TestAssignmentStandsBack(t *testing.T) {
	ctx := context.Background()
	begun := func(js *model.JobSet) *portfolio.Work {
		s := worktest.On(js, model.Tardiness)
		strategy.Construct(ctx, s.Incumbent, 1, 5)
		strategy.EnergyBound(ctx, s)
		return s
	}
	js := onUnlikeSlaves(t, 1, 10, 3)
	js.Jobs[0].Release = 1
	if strategy.Assignment.AppliesTo(begun(js)) {
		t.Error("it takes a set of several releases and due times")
	}
	if strategy.Assignment.AppliesTo(begun(onEqualSlaves(t, 1, 10, 3, 1))) {
		t.Error("it takes a set whose slaves are alike, and whose jobs are released and due together")
	}
	js = onEqualSlaves(t, 1, 10, 3, 1)
	js.Jobs[0].Deadline++
	if !strategy.Assignment.AppliesTo(begun(js)) {
		t.Error("it does not take jobs that are due in two groups")
	}
	s := begun(onUnlikeSlaves(t, 1, 10, 3))
	if !strategy.Assignment.AppliesTo(s) {
		t.Error("it does not take what it is for")
	}
	s.MayMissHard = true
	if strategy.Assignment.AppliesTo(s) {
		t.Error("it bounds where hard jobs may be late")
	}
}
