package fluid

import (
	"math"
	"slices"
	"testing"

	"downbeat/model"
)

// Where a pool alone is short jobs are let go for it, the light ones: of six, which hold two units for
// 100 of 200 ticks each, three find room, as there are four units, and two in the second half.
func TestPoolsLetJobsGo(t *testing.T) {
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 9, Slots: 9}},
		Pools: []model.Pool{{Name: "db", Levels: []model.Level{{Amount: 4}, {From: 100, Amount: 2}}}, {Name: "ample", Levels: []model.Level{{Amount: 100}}}},
	}
	var needs model.Needs
	needs.TakePool(0, 2)
	needs.TakePool(1, 1)
	for i := range 6 {
		p := model.NewProfile(model.ConstRow(1, 100), model.ConstRow(1, 0)).Needing(needs)
		js.Jobs = append(js.Jobs, model.Job{Kind: model.Soft, Weight: 1 + int64(i)%2, Deadline: 200, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r := New(t.Context(), js, aboutMisses(js))
	r.Scale(1)
	r.Run(t.Context(), 200)
	out := r.Guide().Out
	light := out[0] + out[2] + out[4]
	if all := light + out[1] + out[3] + out[5]; math.Abs(all-3) > 0.1 || light < 2.9 {
		t.Errorf("jobs are let go by shares of %v", out)
	}
	for _, s := range r.Supplies {
		if s.Place < 0 && s.Shared == 1 {
			t.Error("what is not short has rows")
		}
	}
	if !slices.ContainsFunc(r.price, func(p float64) bool { return p > 0 }) {
		t.Error("nothing has a price")
	}
}
