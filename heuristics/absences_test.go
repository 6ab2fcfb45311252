package heuristics

import (
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/window"
)

// TestOftenAway: on a slave with many absences, beside tasks in the presences with room,
// places are those of a timeline that knows nothing but its steps.
func TestOftenAway(t *testing.T) {
	jumps := 0
	for seed := range testkit.Sets[uint64](30, 1000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		slave := model.Slave{Cores: 2, Slots: 3, FirstBeat: model.Time(rng.IntN(3))}
		at := model.Time(rng.IntN(100))
		for range 64 + rng.IntN(200) {
			end := at + 1 + model.Time(rng.IntN(9))
			slave.Down = append(slave.Down, model.Interval{Start: at, End: end})
			if at = end + 1 + model.Time(rng.IntN(6)); rng.IntN(30) == 0 {
				at += model.Time(rng.IntN(60))
			}
		}
		js := &model.JobSet{Heartbeat: model.Time(1 + rng.IntN(4)), FIFO: rng.IntN(3) == 0, Slaves: []model.Slave{slave}}
		quick, plain := newTimeline(js, 0, window.NewPresences(js)), newTimeline(js, 0, window.NewPresences(js))
		plain.presences = nil
		supplies := js.Supplies(0)
		for range 60 {
			r := request{Ready: model.Time(rng.IntN(int(at))), Transfer: model.Time(rng.IntN(3)), WCET: model.Time(1 + rng.IntN(9))}
			units := amounts{model.Cores: 1, model.MapSlots: 1}
			if r.Transfer > 0 {
				units[model.FetchLine] = 1
			}
			r.Needs = newNeeds(supplies, units)
			fit, ok := quick.Earliest(r, model.Never)
			want, _ := plain.Earliest(r, model.Never)
			if !ok || fit != want {
				t.Fatalf("seed %d: %+v is at %+v, step by step at %+v", seed, r, fit, want)
			}
			if fit.Assigned > r.Ready+50 {
				jumps++
			}
			quick.Insert(fit, r)
			plain.Insert(fit, r)
		}
	}
	if jumps < 100 {
		t.Errorf("%d tasks are far from when they were ready", jumps)
	}
}
