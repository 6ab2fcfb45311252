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

// onEqualSlaves has a soft job, due 90, for each of some tasks of 1 to 100 ticks.
func onEqualSlaves(t *testing.T, seed uint64, tasks, slaves, slots int) *model.JobSet {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	js := &model.JobSet{Heartbeat: 1}
	for s := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: slots})
	}
	for i := range tasks {
		profile := model.NewProfile(model.ConstRow(slaves, model.Time(1+r.IntN(100))), model.ConstRow(slaves, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Deadline: 90, Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}},
		}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// From a plan of list scheduling and the bound by energy packing closes makespan and
// tardiness, of which one is the other and the due time.
func TestPackingCloses(t *testing.T) {
	ctx := context.Background()
	closed, sets := 0, testkit.Sets[uint64](3, 60)
	for seed := range sets {
		js := onEqualSlaves(t, seed, 40, 15, 1)
		var best [2]int64
		for k, o := range []model.Objective{model.Makespan, model.Tardiness} {
			s := worktest.On(js, o)
			strategy.Construct(ctx, s.Incumbent, 1, 5)
			strategy.EnergyBound(ctx, s)
			if strategy.Packing.Begin(s, 1).Run(ctx, portfolio.Slice{Units: 16}) != portfolio.Open || s.Err() != nil {
				t.Fatalf("seed %d: %v", seed, s.Err())
			}
			value, bound := s.Gap(0)
			if best[k] = value; value == bound {
				closed++
			}
		}
		if best[0] != best[1]+90 {
			t.Errorf("seed %d: a makespan of %d, a tardiness of %d after 90", seed, best[0], best[1])
		}
	}
	if closed < int(sets)*5/3 {
		t.Errorf("%d of %d closed", closed, 2*sets)
	}
}

// Nothing is done where tasks differ in more than length, or hard jobs may be late
// without being what is counted.
func TestPackingStandsBack(t *testing.T) {
	ctx := context.Background()
	js := onEqualSlaves(t, 1, 10, 3, 1)
	js.Jobs[0].Release = 1
	s := worktest.On(js, model.Makespan)
	strategy.Construct(ctx, s.Incumbent, 1, 5)
	if strategy.Packing.AppliesTo(s) {
		t.Error("it takes a set of several releases")
	}
	s = worktest.On(onEqualSlaves(t, 1, 10, 3, 1), model.Makespan)
	strategy.Construct(ctx, s.Incumbent, 1, 5)
	if strategy.EnergyBound(ctx, s); !strategy.Packing.AppliesTo(s) {
		t.Error("it does not take what it is for")
	}
	s.MayMissHard = true
	if strategy.Packing.AppliesTo(s) {
		t.Error("it bounds where hard jobs may be late")
	}
}
