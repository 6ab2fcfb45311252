package inference

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/proof"
)

// equalTasks is a slave with a core, and a job with n tasks of 2 ticks.
func equalTasks(t *testing.T, n int) *model.JobSet {
	job := soleTask("a", 0, 50, 0, on{2})
	job.Stages[0].Groups[0].Count = n
	return assembled(t, 1, []model.Slave{{Name: "s", Cores: 1, Slots: n}}, job)
}

// What a task holds in the same way is paid for together, unit by unit; what it does
// not fit into costs nothing, as it cannot be there.
func TestCostOfSeveralResources(t *testing.T) {
	js := equalTasks(t, 1)
	core := func(units int64, sums ...int64) line {
		return line{Supply: model.Supply{Resource: model.Cores, Hold: model.HoldRun, Units: units}, sums: sums}
	}
	f := &tariff{js: js, lines: [][]line{{core(1, 0, 1, 3), core(2, 0, 10, 10), core(0, 0, 100, 100), core(1)}}}
	sums := f.costOf(0, 0)
	if got := sums.of(model.HoldRun, 0, 2); got != 13 {
		t.Errorf("running costs %d", got)
	}
	if got := sums.of(model.HoldStay, 0, 2); got != 0 {
		t.Errorf("staying costs %d", got)
	}
	if got := plusTimes(nil, []int64{0, 1, 3}, 4); !slices.Equal(got, []int64{0, 4, 12}) {
		t.Errorf("four units cost %d", got)
	}
}

// Equal tasks pay the same, each.
func TestEqualTasksPayEach(t *testing.T) {
	js := equalTasks(t, 3)
	d := &proof.DualBound{Penalty: []int64{40}, Multipliers: []proof.Multiplier{{Resource: model.Cores, Interval: during(0, 5), Value: 5}}}
	if surplus, err := Surplus(t.Context(), js, []model.Time{5}, d); err != nil || surplus != 5 {
		t.Errorf("a surplus of %d, %v", surplus, err)
	}
}
