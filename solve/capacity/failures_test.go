package capacity_test

import (
	"context"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// TestSingleFailures: for each slave of tiny sets, from the start and from a time on, what
// exhaustive search says of the set without it.
func TestSingleFailures(t *testing.T) {
	broken, kept, stranded := 0, 0, 0
	for seed := range testkit.Sets[uint64](40, 700) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		for _, at := range []model.Time{0, 4} {
			all, err := capacity.SingleFailures(context.Background(), js, at, nil, solve.Options{Workers: 1, Seed: seed})
			if err != nil || len(all) != len(js.Slaves) {
				t.Fatalf("seed %d: %d answers, %v", seed, len(all), err)
			}
			for i := range all {
				l := &all[i]
				set, err := change.Apply(js, []change.Change{{Kind: change.Without, Name: js.Slaves[i].Name, At: at}})
				if err != nil {
					t.Fatalf("seed %d, slave %d: %v", seed, i, err)
				}
				if l.Stranded >= 0 {
					stranded++
				}
				want, err := oracle.SolveFor(hardOnly(set), nil, false)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if l.Status != want.Status {
					t.Errorf("seed %d, slave %d from %d on: %s, exhaustive search says %s", seed, i, at, l.Status, want.Status)
				}
				if l.Status != model.Feasible {
					broken++
					continue
				}
				kept++
				if err := check.Schedule(set, l.Plan, false).Err(); err != nil {
					t.Errorf("seed %d, slave %d: %v", seed, i, err)
				}
			}
		}
	}
	if broken == 0 || kept == 0 || stranded == 0 {
		t.Errorf("%d broken, %d kept, %d stranded", broken, kept, stranded)
	}
}

// hardOnly is the set without jobs that plans may leave out and that no hard job comes after.
func hardOnly(js *model.JobSet) *model.JobSet {
	leavable, hard := js.Leavable(), make([]bool, len(js.Jobs))
	var in []model.JobID
	for _, i := range js.JobOrder() {
		hard[i] = js.Jobs[i].Kind == model.Hard
	}
	for range js.Jobs {
		for i := range js.Jobs {
			for _, k := range js.Jobs[i].After {
				hard[k] = hard[k] || hard[i]
			}
		}
	}
	for i := range js.Jobs {
		if leavable == nil || !leavable[i] || hard[i] {
			in = append(in, model.JobID(i))
		}
	}
	return js.Subset(in)
}

// TestSingleFailuresAfterTheLimit: no more sets are made of a large one.
func TestSingleFailuresAfterTheLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	js := gen.Scale(5000, 1)
	all, err := capacity.SingleFailures(ctx, js, 0, nil, solve.Options{Workers: 1, Seed: 1})
	if err != nil || len(all) != len(js.Slaves) {
		t.Fatalf("%d answers, %v", len(all), err)
	}
	for i := range all {
		if l := &all[i]; l.Status != model.Unknown || l.Slave != model.SlaveID(i) || len(l.Jobs) > 0 {
			t.Errorf("slave %d: %s", i, l.Status)
		}
	}
}
