package verify

import (
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/verify/usage"
)

// A sentence that counts tasks says what they need where that is another number.
func TestExcessOfUnitsInWords(t *testing.T) {
	js, _ := rowOfTasks(t, 3, 4, 4)
	c := newChecker(js)
	c.attempts = []attempt{{task: 0}, {task: 1}, {task: 2}}
	c.addExcess(0, js.Supplies(0)[0], usage.Excess{Interval: during(4, 6), Peak: 5, PeakAt: 4, Owners: []int32{0, 1}})
	if want := "runs 2 tasks that need 5 at once in [4, 6), it has 4 cores: "; !strings.Contains(c.violations[0].Message, want) {
		t.Errorf("%q does not hold %q", c.violations[0].Message, want)
	}
}

// What a task holds in the same way is paid for together, unit by unit; what it does
// not fit into costs nothing, as it cannot be there.
func TestCostOfSeveralResources(t *testing.T) {
	js, _ := rowOfTasks(t, 1, 1, 1)
	core := func(units int64, sums ...int64) supply {
		return supply{Supply: model.Supply{Resource: model.Cores, Hold: model.HoldRun, Units: units}, sums: sums}
	}
	p := &subproblem{js: js, prices: [][]supply{{core(1, 0, 1, 3), core(2, 0, 10, 10), core(0, 0, 100, 100), core(1)}}}
	sums := p.costOf(&js.Tasks[0], 0)
	if got := sums.of(model.HoldRun, 0, 2); got != 13 {
		t.Errorf("running costs %d", got)
	}
	if got := sums.of(model.HoldStay, 0, 2); got != 0 {
		t.Errorf("staying costs %d", got)
	}
	if got := plus(nil, []int64{0, 1, 3}, 4); !slices.Equal(got, []int64{0, 4, 12}) {
		t.Errorf("four units cost %d", got)
	}
}

// Equal tasks pay the same, each.
func TestEqualTasksPayEach(t *testing.T) {
	js, _ := rowOfTasks(t, 3, 1, 3) // of 2 ticks
	d := &proof.DualBound{Penalty: []int64{40}, Multipliers: []proof.Multiplier{{Resource: model.Cores, Interval: during(0, 5), Value: 5}}}
	if surplus, err := DualBound(t.Context(), js, []model.Time{5}, d); err != nil || surplus != 5 {
		t.Errorf("a surplus of %d, %v", surplus, err)
	}
}
