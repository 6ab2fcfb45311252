package proof

import (
	"testing"

	"downbeat/model"
)

// What is counted on a slave with slots of two kinds and on one with slots of none, and
// what a map and a reduce task hold of it.
func TestWhatIsCounted(t *testing.T) {
	js := night(t)
	for _, c := range []struct {
		of            Resource
		hold          model.Hold
		split, common int64 // units of fast-1, slow
		maps, reduces int64 // needs of tasks
	}{
		{CoreTicks, model.HoldRun, 2, 2, 1, 1},
		{FetchTicks, model.HoldFetch, 1, 1, 1, 1},
		{SlotTicks, model.HoldStay, 3, 3, 1, 1},
		{MapSlotTicks, model.HoldStay, 2, 3, 1, 0},
		{ReduceSlotTicks, model.HoldStay, 1, 3, 0, 1},
	} {
		if c.of.Hold() != c.hold || c.of.Units(js, 0) != c.split || c.of.Units(js, 5) != c.common {
			t.Errorf("%s: held as %d, %d and %d units", c.of, c.of.Hold(), c.of.Units(js, 0), c.of.Units(js, 5))
		}
		for _, s := range []model.SlaveID{0, 5} {
			if maps, reduces := c.of.Need(js, &js.Tasks[0], s), c.of.Need(js, &js.Tasks[2], s); maps != c.maps || reduces != c.reduces {
				t.Errorf("%s on slave %d: needs of %d and %d", c.of, s, maps, reduces)
			}
		}
	}
	if CriticalPath.String() != "critical path" || ReduceSlotTicks.String() != "reduce slot-ticks" {
		t.Errorf("people read %s and %s", CriticalPath, ReduceSlotTicks)
	}
	if Ticks(model.Cores) != CoreTicks {
		t.Error("core-ticks are not ticks of cores")
	}
}
