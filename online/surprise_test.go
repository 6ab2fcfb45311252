package online_test

import (
	"context"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/policies"
	"downbeat/online/workload"
)

// A task of 4 ticks, released at 3 on a slave that is away from 5 to 8. Known before,
// the absence keeps it back until 8; by surprise it begins at 3, is lost at 5 and begins
// again at 8.
func TestSurprise(t *testing.T) {
	js := &model.JobSet{
		Name: "away", Heartbeat: 1,
		Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1, Down: []model.Interval{{Start: 5, End: 8}}}},
		Jobs: []model.Job{{Name: "j", Release: 3, Stages: []model.Stage{{Name: "map", Groups: []model.Group{
			{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 4), model.ConstRow(1, 0))}}}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for _, surprise := range []bool{false, true} {
		p, err := policies.New("fifo", 1)
		if err != nil {
			t.Fatal(err)
		}
		out, err := online.Play(context.Background(), js, p, online.Options{Surprise: surprise})
		if err != nil {
			t.Fatal(err)
		}
		if out.Finishes[0] != 12 {
			t.Errorf("surprise %t: finishes at %d, not 12", surprise, out.Finishes[0])
		}
		switch {
		case !surprise && len(out.Lost) > 0:
			t.Errorf("lost although the absence was known: %+v", out.Lost)
		case surprise && (len(out.Lost) != 1 || out.Lost[0].Start != 3 || out.Lost[0].End != 5):
			t.Errorf("lost %+v, want one attempt from 3 to 5", out.Lost)
		}
	}
}

// Every policy comes to an end on slaves that leave without notice, its plan passes the
// validator (Play sees to that), and it is not shown the absences.
func TestSurpriseUnderEveryPolicy(t *testing.T) {
	for seed := range testkit.Sets[uint64](1, 10) {
		w := workload.NewRDS()
		w.Jobs, w.Size = 6, 0.3
		js, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range policies.Names() {
			p, err := policies.New(name, seed)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := online.Play(context.Background(), js, p, online.Options{Seed: seed, Surprise: true}); err != nil {
				t.Errorf("seed %d, %s: %v", seed, name, err)
			}
		}
	}
}
