package inference

import (
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// TestAbsences: the first and the last heartbeat of a stay are those that trying each one
// finds, whatever was asked before.
func TestAbsences(t *testing.T) {
	none := 0
	for seed := range testkit.Sets[uint64](100, 5000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		slave := model.Slave{FirstBeat: model.Time(rng.IntN(20))}
		at := model.Time(rng.IntN(20))
		for range rng.IntN(40) {
			end := at + 1 + model.Time(rng.IntN(6))
			slave.Down = append(slave.Down, model.Interval{Start: at, End: end})
			at = end + 1 + model.Time(rng.IntN(1+rng.IntN(12)))
		}
		js := &model.JobSet{Heartbeat: model.Time(1 + rng.IntN(5)), Slaves: []model.Slave{slave}}
		when := newCalendar(js)
		for range 100 {
			from, hold := model.Time(rng.IntN(int(at)+20)), model.Time(1+rng.IntN(12))
			first, last := slave.FirstBeat, model.Time(-1)
			for first < from || !slave.Up(model.Interval{Start: first, End: first + hold}) {
				first += js.Heartbeat
			}
			for beat := slave.FirstBeat; beat+hold <= from; beat += js.Heartbeat {
				if slave.Up(model.Interval{Start: beat, End: beat + hold}) {
					last = beat
				}
			}
			if got := when.earliest(0, from, hold); got != first {
				t.Fatalf("seed %d: %d ticks from %d on begin at %d, not %d: %+v", seed, hold, from, got, first, slave)
			}
			if got, ok := when.latest(0, from, hold); ok != (last >= 0) || ok && got != last {
				t.Fatalf("seed %d: %d ticks that end by %d begin at %d (%v), not %d: %+v", seed, hold, from, got, ok, last, slave)
			}
			// Those from some time on, and the end of the latest.
			ready, begun, end := from-model.Time(rng.IntN(20)), model.Time(-1), model.Time(-1)
			for beat := slave.FirstBeat; beat+hold <= from; beat += js.Heartbeat {
				for over := beat + hold; beat >= ready && over <= from && slave.Up(model.Interval{Start: beat, End: over}); over++ {
					begun, end = beat, max(end, over)
				}
			}
			if _, last, over := when.stays(0, hold, ready, from); last != begun || over != end {
				t.Fatalf("seed %d: %d ticks from %d to %d begin at %d and end by %d, not %d and %d: %+v", seed, hold, ready, from, last, over, begun, end, slave)
			}
			if last < 0 {
				none++
			}
		}
	}
	if none == 0 {
		t.Error("no stay that has no room before")
	}
}
