package certify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/query"
	"downbeat/solve/packing"
)

// onEqualCores has a job for each of some tasks of 1 to 30 ticks.
func onEqualCores(t *testing.T, r *rand.Rand) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1}
	slaves := 2 + r.IntN(4)
	for s := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: 2})
	}
	for i := range 2*slaves + r.IntN(8) {
		profile := model.NewProfile(model.ConstRow(slaves, model.Time(1+r.IntN(30))), model.ConstRow(slaves, 0))
		stage := model.Stage{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.BestEffort, Stages: []model.Stage{stage}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestByPacking: prices of lengths that refute a makespan do so as rewards for tasks,
// and the checker agrees.
func TestByPacking(t *testing.T) {
	said, sharper, refuted := 0, 0, 0
	for seed := range testkit.Sets[uint64](30, 600) {
		js := onEqualCores(t, rand.New(rand.NewPCG(seed, 7)))
		work := int64(0)
		for i := range js.Tasks {
			work += int64(js.Tasks[i].WCET(0))
		}
		mean := (work + int64(len(js.Slaves)) - 1) / int64(len(js.Slaves))
		for v := mean - 1; v < mean+30; v++ {
			due := query.AtMost(js, model.Makespan, model.Time(v))
			p, ok := packing.New(js, due)
			if !ok {
				break
			}
			_, none, _ := packing.Search(t.Context(), p, seed)
			if none == nil {
				break
			}
			if err := inference.Packing(js, due, none); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			refuted++
			by := byPacking(t.Context(), js, query.Within(js, false, query.Limits{model.Makespan: v}), none)
			claim := Claim{inference.Claim{Objective: model.Makespan, Least: v + 1}, by}
			var text bytes.Buffer
			if err := (&Certificate{JS: js, Unit: 1, Claims: []Claim{claim}}).Write(&text); err != nil {
				t.Fatal(err)
			}
			if _, err := inference.CheckFile(t.Context(), js, &text); err != nil {
				t.Errorf("seed %d, %d: %v", seed, v, err)
			}
			if said++; v >= mean {
				sharper++
			}
		}
	}
	t.Logf("%d refutations by packing, %d beyond the mean work", refuted, sharper)
	if said < refuted || sharper == 0 {
		t.Errorf("%d of %d refutations by packing are said by rewards, %d beyond the mean work", said, refuted, sharper)
	}
}
