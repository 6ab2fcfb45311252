package lagrange

import (
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// Where a pool alone is short multipliers on it prove as many late jobs as there are: six jobs hold
// two units for 10 of 20 ticks each, and there are 4, but 2 in the second half.
func TestPoolsBoundLateJobs(t *testing.T) {
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 9, Slots: 9}},
		Pools: []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 4}, {From: 10, Amount: 2}}}},
	}
	var needs model.Needs
	needs.TakePool(0, 2)
	for range 6 {
		p := model.NewProfile(model.ConstRow(1, 10), model.ConstRow(1, 0)).Needing(needs)
		js.Jobs = append(js.Jobs, model.Job{Kind: model.Soft, Weight: 1, Deadline: 20, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	due, weight := slices.Repeat([]model.Time{20}, 6), slices.Repeat([]int64{1}, 6)
	e := &Extent{}
	d, late := LateWeight(t.Context(), js, due, weight, 3, e)
	if e.Taken == 0 || e.Taken >= DefaultSteps || e.Cut {
		t.Errorf("%d steps, cut %t: all that there is to prove takes fewer", e.Taken, e.Cut)
	}
	if late != 3 {
		t.Errorf("%d jobs are late at least, not 3", late)
	}
	if surplus, err := inference.Surplus(t.Context(), js, due, d); err != nil || Weight(surplus) != 3 {
		t.Errorf("a surplus of %d, %v", surplus, err)
	}
	none := *d
	none.Multipliers = slices.Clone(d.Multipliers)
	for k := range none.Multipliers {
		if none.Multipliers[k].Slave == model.NoSlave {
			none.Multipliers[k].Shared = 1
		}
	}
	if _, err := inference.Surplus(t.Context(), js, due, &none); err == nil {
		t.Error("multipliers on a pool that there is not are taken")
	}
}

// An ascent that has not taken the steps that were wanted says that its work was too little for them, whichever way it was found.
func TestCutWhereStepsAreMissing(t *testing.T) {
	js, finishes := planned(t, 3)
	due, weight, cut := make([]model.Time, len(js.Jobs)), make([]int64, len(js.Jobs)), 0
	for i := range due {
		due[i], weight[i] = finishes[i], 1
	}
	for work := 100; work < 1<<24; work += work / 3 {
		e := &Extent{Work: work}
		LateWeight(t.Context(), js, due, weight, 1000, e)
		if e.Cut != (e.Taken < DefaultSteps) {
			t.Errorf("%d steps, cut %t", e.Taken, e.Cut)
		}
		if e.Cut && e.Taken > 0 {
			cut++
		}
	}
	if cut == 0 {
		t.Error("none was cut")
	}
}
