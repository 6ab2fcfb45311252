package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/worktest"
	"downbeat/model"
	"downbeat/model/gen"
)

// Tasks of which none comes before another, by the chains of a plan, hold no more together than there is; and the plan
// keeps to all pairs.
func TestChainsLeaveNoMoreThanThereIs(t *testing.T) {
	shared, several, free := 0, 0, 0
	for seed := uint64(0); seed < testkit.Sets[uint64](150, 2000); seed++ {
		js := gen.Small(seed, 9)
		if seed%2 == 0 {
			js = gen.TodaySmall(seed, 9)
		}
		if seed%3 > 0 {
			js = gen.Coupled(js, seed, false)
		}
		plan, _ := lns.Search(t.Context(), js, lns.Options{Seed: seed, Constructions: 1})
		if plan == nil {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		o := &partialOrders{w: worktest.On(js, model.Makespan), free: make([]bool, len(js.Tasks))}
		for k := range o.free {
			o.free[k] = rng.IntN(4) == 0
		}
		before := make([][]bool, len(plan)) // before[t][u]: t ends before u starts, by chains
		for k := range before {
			before[k] = make([]bool, len(plan))
		}
		for _, of := range o.chains(plan) {
			if o.free[of[0]] || o.free[of[1]] {
				t.Fatalf("seed %d: a free task in %v", seed, of)
			}
			if js.Finish(of[0], plan[of[0]]) > plan[of[1]].Start {
				t.Fatalf("seed %d: the plan does not keep to %v", seed, of)
			}
			before[of[0]][of[1]] = true
		}
		close := func() {
			for k := range before {
				for i := range before {
					for j := range before {
						before[i][j] = before[i][j] || before[i][k] && before[k][j]
					}
				}
			}
		}
		close()
		for set := 1; set < 1<<len(plan); set++ {
			if !antichain(set, o.free, before) {
				continue
			}
			for s := range js.Slaves {
				for _, supply := range js.Supplies(model.SlaveID(s)) {
					if supply.Hold == model.HoldFetch {
						continue
					}
					if need := needOf(js, plan, set, model.SlaveID(s), supply.Resource); need > supply.Units {
						t.Fatalf("seed %d: tasks %b hold %d of %d", seed, set, need, supply.Units)
					} else if need > 1 {
						several++
					}
				}
			}
			for id := range js.Shared() {
				need, most := int64(0), int64(0)
				for k := range plan {
					for _, take := range js.Takes(model.TaskID(k)) {
						if set>>k&1 == 1 && take.Shared == model.SharedID(id) {
							need += take.Units
						}
					}
				}
				for _, l := range js.Shared()[id].Levels {
					most = max(most, l.Amount)
				}
				if need > most {
					t.Fatalf("seed %d: tasks %b take %d of %d", seed, set, need, most)
				} else if need > 1 {
					shared++
				}
			}
		}
		for _, is := range o.free {
			if is {
				free++
			}
		}
	}
	if shared == 0 || several == 0 || free == 0 {
		t.Errorf("%d, %d, %d", shared, several, free)
	}
}

// Drifting leads to other plans that are as good, each of a neighbourhood of the one before.
func TestDriftKeepsTheValue(t *testing.T) {
	others, drifts := 0, 0
	for seed := range testkit.Sets[uint64](60, 600) {
		js := gen.Coupled(gen.Small(seed, 9), seed, false)
		plan, _ := lns.Search(t.Context(), js, lns.Options{Seed: seed, Constructions: 1})
		w := worktest.On(js, model.Makespan)
		if w.Offer(plan); w.Best() == nil || !PartialOrders.AppliesTo(w) {
			continue
		}
		o := PartialOrders.Begin(w, seed).(*partialOrders)
		for range 6 {
			o.at, o.value = w.Best(), worktest.Value(w)
			before, most := o.at, o.value
			if err := o.drift(t.Context()); err != nil || w.Err() != nil {
				t.Fatalf("seed %d: %v, %v", seed, err, w.Err())
			}
			if value := js.Value(model.Makespan, js.Finishes(o.at)); value > most {
				t.Fatalf("seed %d: from %d to %d", seed, most, value)
			}
			for k := range before {
				if !o.free[k] && o.at[k].Slave != before[k].Slave {
					t.Fatalf("seed %d: task %d, which is not free, is on slave %d, not %d", seed, k, o.at[k].Slave, before[k].Slave)
				}
			}
			if drifts++; !slices.Equal(before, o.at) {
				others++
			}
		}
	}
	t.Logf("%d of %d drifts led to other plans", others, drifts)
	if others < drifts/4 {
		t.Errorf("%d of %d drifts led to other plans", others, drifts)
	}
}

// antichain reports whether none of the tasks of a set is free, or comes before another.
func antichain(set int, free []bool, before [][]bool) bool {
	for i := range before {
		for j := range before {
			if set>>i&1 == 1 && (free[i] || set>>j&1 == 1 && before[i][j]) {
				return false
			}
		}
	}
	return true
}

func needOf(js *model.JobSet, plan model.Schedule, set int, s model.SlaveID, r model.ResourceID) (need int64) {
	for k := range plan {
		if set>>k&1 == 1 && plan[k].Slave == s {
			need += js.Need(&js.Tasks[k], s, r)
		}
	}
	return need
}
